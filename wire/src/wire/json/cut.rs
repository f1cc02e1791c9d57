//! Finds the members to drop, in one pass over the text of an object.

use std::ops::Range;

use super::members::{Elements, Members, Reason, scan, token};
use super::scan::skip_space;
use crate::wire::actions::{Actions, FieldAction};

/// Maximum nesting of arrays; decoders have the same limit.
pub(super) const MAX_DEPTH: u32 = 128;

const TOO_DEEP: Reason = "arrays are nested too deeply";

/// Returns the ranges of `bytes` that hold the fields of `root`, including the commas whose removal
/// keeps the remaining text well formed. The ranges are ascending and do not overlap.
///
/// # Errors
///
/// Fails if the text is malformed; the decoder will report the position of the error.
pub(in crate::wire) fn ranges(bytes: &[u8], root: &Actions) -> Result<Vec<Range<usize>>, Reason> {
    let mut cut = Cut {
        bytes,
        ranges: Vec::new(),
    };
    cut.value(skip_space(bytes), root, MAX_DEPTH)?;
    Ok(cut.ranges)
}

/// Returns `bytes` without `ranges`, which are ascending.
pub(in crate::wire) fn without(bytes: &[u8], ranges: &[Range<usize>]) -> Vec<u8> {
    let dropped: usize = ranges.iter().map(ExactSizeIterator::len).sum();
    let mut kept = Vec::with_capacity(bytes.len().saturating_sub(dropped));
    let mut at = 0;
    for range in ranges {
        kept.extend_from_slice(bytes.get(at..range.start).unwrap_or_default());
        at = range.end;
    }
    kept.extend_from_slice(bytes.get(at..).unwrap_or_default());
    kept
}

struct Cut<'a> {
    bytes: &'a [u8],
    ranges: Vec<Range<usize>>,
}

// === impl Cut ===

impl Cut<'_> {
    /// Processes the value at `at`, and returns its end.
    fn value(&mut self, at: usize, node: &Actions, depth: u32) -> Result<usize, Reason> {
        if let Some(members) = Members::open(self.bytes, at) {
            return self.members(members, node);
        }
        let Some(mut elements) = Elements::open(self.bytes, at) else {
            return scan(self.bytes, at).map(|value| value.end);
        };
        let depth = depth.checked_sub(1).ok_or(TOO_DEEP)?;
        while let Some(start) = elements.next()? {
            elements.resume(self.value(start, node, depth)?);
        }
        Ok(elements.at)
    }

    fn members(&mut self, mut members: Members<'_>, node: &Actions) -> Result<usize, Reason> {
        let mut has_kept = false;
        while let Some(member) = members.next()? {
            match node.step(&member.name(self.bytes)?) {
                FieldAction::Keep => members.skip(&member)?,
                FieldAction::Into(node) => {
                    members.resume(self.value(member.value, node, MAX_DEPTH)?);
                }
                FieldAction::Drop => {
                    let end = members.value(&member)?.end;
                    // A dropped member is cut with the comma before it, or with the comma after it
                    // if no earlier member is kept.
                    let range = match member.comma {
                        Some(comma) if has_kept => comma..end,
                        _ => member.key.start..self.with_comma_after(end),
                    };
                    self.ranges.push(range);
                    continue;
                }
            }
            has_kept = true;
        }
        Ok(members.at)
    }

    fn with_comma_after(&self, end: usize) -> usize {
        let next = token(self.bytes, end);
        if self.bytes.get(next) == Some(&b',') {
            next + 1
        } else {
            end
        }
    }
}
