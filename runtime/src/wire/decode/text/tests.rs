//! Held against `serde_json`, which nothing may be decoded otherwise than.

mod generated;
mod kinds;
mod odd;
mod properties;

use std::fmt::Debug;

use serde::de::DeserializeOwned;

use super::{Refused, from_slice};

/// Whether `text` is decoded here, and not left to `serde_json`; panics where the two disagree.
#[track_caller]
fn is_decoded<T: DeserializeOwned + PartialEq + Debug>(text: &[u8]) -> bool {
    let judge = serde_json::from_slice::<T>(text);
    match (from_slice::<T>(text), judge) {
        (Ok(ours), Ok(theirs)) => {
            let shown = String::from_utf8_lossy(text);
            // NaN and its like have no place in JSON: equal values are equal, -0 and 0 in print.
            assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{shown}");
            assert_eq!(ours, theirs, "{shown}");
            true
        }
        (Err(Refused), _) => false,
        (Ok(ours), Err(error)) => {
            let shown = String::from_utf8_lossy(text);
            panic!("{shown} is no error, but {ours:?}: {error}")
        }
    }
}

/// Panics if `text` is not decoded as `serde_json` does it, or is left to it although it is right.
#[track_caller]
fn decodes_equally<T: DeserializeOwned + PartialEq + Debug>(text: &[u8]) {
    let is_right = serde_json::from_slice::<T>(text).is_ok();
    let shown = String::from_utf8_lossy(text);
    assert_eq!(is_decoded::<T>(text), is_right, "{shown}");
}
