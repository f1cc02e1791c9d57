//! Compares the decoder with `serde_json`: all results must agree.

mod odd;
mod oracle;
mod properties;

use std::fmt::Debug;

use serde::de::DeserializeOwned;

use self::oracle::is_decoded;

/// Panics if the decoder and `serde_json` disagree on `text`.
#[track_caller]
fn decodes_equally<T: DeserializeOwned + PartialEq + Debug>(text: &[u8]) {
    let is_valid = serde_json::from_slice::<T>(text).is_ok();
    let shown = String::from_utf8_lossy(text);
    assert_eq!(is_decoded::<T>(text), is_valid, "{shown}");
}
