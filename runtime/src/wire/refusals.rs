//! [`Refusals`]: bounds what the refused items of one list cost.

use std::mem;

use super::{RawObject, Rejected};

/// How many items of a list whose key nobody knows are refused one by one.
const MAX_KEYLESS: u64 = 100;

/// Passes on the items of one list, and counts those without a key instead of telling of each.
///
/// Such an item may take two bytes of the body, and the error about it takes a hundred. Each of them
/// says as little as their number.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    keyless: u64,
    /// Of these, how many are not told of yet.
    untold: u64,
}

// === impl Refusals ===

impl Refusals {
    /// Adds an item to `out`, or counts it.
    pub(super) fn pass(
        &mut self,
        item: Result<RawObject, Rejected>,
        out: &mut Vec<Result<RawObject, Rejected>>,
    ) {
        if matches!(&item, Err(Rejected { key: None, .. })) {
            self.keyless += 1;
            if self.keyless > MAX_KEYLESS {
                self.untold += 1;
                return;
            }
        }
        out.push(item);
    }

    /// Ends a frame: tells how many of its items were counted.
    pub(super) fn end_frame(&mut self, out: &mut Vec<Result<RawObject, Rejected>>) {
        let more = mem::take(&mut self.untold);
        if more > 0 {
            let reason = format!("{more} more items without a key");
            out.push(Err(Rejected::without_key(reason)));
        }
    }
}
