//! Held against `serde_json`, which nothing may be decoded otherwise than.

mod generated;
mod kinds;
mod odd;
mod properties;

use std::fmt::Debug;

use serde::de::DeserializeOwned;

use super::fuzzing::is_decoded;

/// Panics if `text` is not decoded as `serde_json` does it.
#[track_caller]
fn decodes_equally<T: DeserializeOwned + PartialEq + Debug>(text: &[u8]) {
    let is_right = serde_json::from_slice::<T>(text).is_ok();
    let shown = String::from_utf8_lossy(text);
    assert_eq!(is_decoded::<T>(text), is_right, "{shown}");
}
