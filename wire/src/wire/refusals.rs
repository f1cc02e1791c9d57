//! [`Refusals`]: bounds the cost of the rejected items of one list.

use std::mem;

use super::{RawObject, Rejected};

/// Maximum number of items without a key that are reported one by one, per list.
const MAX_KEYLESS: u64 = 100;

/// Passes on the items of one list, and counts most items without a key instead of reporting each.
///
/// An item without a key may be two bytes of the body, while its error takes many more, and many
/// such errors are no more useful than their number.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    keyless: u64,
    /// Number of these items that are not reported yet.
    unreported: u64,
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
                self.unreported += 1;
                return;
            }
        }
        out.push(item);
    }

    /// Ends a frame: reports the number of its counted items.
    pub(super) fn end_frame(&mut self, out: &mut Vec<Result<RawObject, Rejected>>) {
        let more = mem::take(&mut self.unreported);
        if more > 0 {
            let reason = format!("{more} more items without a key");
            out.push(Err(Rejected::without_key(reason)));
        }
    }
}
