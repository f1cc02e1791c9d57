//! Merging of two notifications of one key.

use crate::event::{Added, Deleted, Event, Origin, Updated};
use crate::storage::Entry;

/// Result of merging a waiting notification with a later one of the same key.
///
/// Displaced notifications are returned, so that the caller can drop them outside of locks.
#[derive(Debug)]
pub(super) enum Merged {
    /// One notification covers both.
    One {
        kept: Event<Entry>,
        displaced: Event<Entry>,
    },
    /// They cancel out.
    None(Event<Entry>, Event<Entry>),
    /// Both must be delivered.
    Both(Event<Entry>, Event<Entry>),
}

/// Merges `first`, which waits, with `last`, the next notification of the same key.
///
/// An impossible pair (an add after an add) is merged so that the handler ends in the same state.
pub(super) fn merge(first: Event<Entry>, last: Event<Entry>) -> Merged {
    match (first, last) {
        (Event::Added(mut add), Event::Updated(mut update)) => {
            std::mem::swap(&mut add.object, &mut update.new);
            merged(Event::Added(add), Event::Updated(update))
        }
        (Event::Added(mut first), Event::Added(mut last)) => {
            std::mem::swap(&mut first.object, &mut last.object);
            merged(Event::Added(first), Event::Added(last))
        }
        (Event::Updated(mut first), Event::Updated(mut last)) => {
            std::mem::swap(&mut first.new, &mut last.new);
            first.origin = merged_origin(first.origin, last.origin);
            merged(Event::Updated(first), Event::Updated(last))
        }
        (Event::Updated(mut first), Event::Added(mut last)) => {
            std::mem::swap(&mut first.new, &mut last.object);
            first.origin = merged_origin(first.origin, last.origin);
            merged(Event::Updated(first), Event::Added(last))
        }
        (first @ Event::Updated(Updated { .. }), last @ Event::Deleted(_)) => merged(last, first),
        (first @ Event::Added(Added { .. }), last @ Event::Deleted(_)) => Merged::None(first, last),
        (Event::Deleted(first), Event::Deleted(last)) => deletion(first, last),
        (first @ Event::Deleted(_), last @ (Event::Added(_) | Event::Updated(_))) => {
            Merged::Both(first, last)
        }
    }
}

fn merged(kept: Event<Entry>, displaced: Event<Entry>) -> Merged {
    Merged::One { kept, displaced }
}

/// Returns the later of two deletions, unless only the earlier one has the known final state.
fn deletion(first: Deleted<Entry>, last: Deleted<Entry>) -> Merged {
    if last.final_state_unknown && !first.final_state_unknown {
        merged(Event::Deleted(first), Event::Deleted(last))
    } else {
        merged(Event::Deleted(last), Event::Deleted(first))
    }
}

/// Returns the later origin, unless it is a resync: a resync means that nothing changed, which
/// would be wrong for a merged change.
fn merged_origin(first: Origin, last: Origin) -> Origin {
    if last == Origin::Resync { first } else { last }
}
