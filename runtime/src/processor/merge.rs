//! How two notifications of one key become one.

use crate::event::{Added, Deleted, Event, Origin, Updated};

/// What became of a waiting notification and a later one of the same key.
///
/// What is displaced comes back, so that it can be dropped outside of locks.
#[derive(Debug)]
pub(super) enum Merged<H> {
    /// One notification tells both.
    One { kept: Event<H>, displaced: Event<H> },
    /// They cancel out.
    None(Event<H>, Event<H>),
    /// Both must be told.
    Both(Event<H>, Event<H>),
}

/// Merges `first`, which waits, with `last`, the next notification of the same key.
///
/// A pair that cannot follow each other (an add after an add) is merged as well as it can be; what
/// the handler sees then ends in the same state.
pub(super) fn merge<H>(first: Event<H>, last: Event<H>) -> Merged<H> {
    match (first, last) {
        (Event::Added(mut add), Event::Updated(mut update)) => {
            std::mem::swap(&mut add.object, &mut update.new);
            one(Event::Added(add), Event::Updated(update))
        }
        (Event::Added(mut first), Event::Added(mut last)) => {
            std::mem::swap(&mut first.object, &mut last.object);
            one(Event::Added(first), Event::Added(last))
        }
        (Event::Updated(mut first), Event::Updated(mut last)) => {
            std::mem::swap(&mut first.new, &mut last.new);
            first.origin = merged_origin(first.origin, last.origin);
            one(Event::Updated(first), Event::Updated(last))
        }
        (Event::Updated(mut first), Event::Added(mut last)) => {
            std::mem::swap(&mut first.new, &mut last.object);
            first.origin = merged_origin(first.origin, last.origin);
            one(Event::Updated(first), Event::Added(last))
        }
        (first @ Event::Updated(Updated { .. }), last @ Event::Deleted(_)) => one(last, first),
        (first @ Event::Added(Added { .. }), last @ Event::Deleted(_)) => Merged::None(first, last),
        (Event::Deleted(first), Event::Deleted(last)) => deletion(first, last),
        (first @ Event::Deleted(_), last @ (Event::Added(_) | Event::Updated(_))) => {
            Merged::Both(first, last)
        }
    }
}

fn one<H>(kept: Event<H>, displaced: Event<H>) -> Merged<H> {
    Merged::One { kept, displaced }
}

/// The later of two deletions, unless only the earlier one knows the final state.
fn deletion<H>(first: Deleted<H>, last: Deleted<H>) -> Merged<H> {
    if last.final_state_unknown && !first.final_state_unknown {
        one(Event::Deleted(first), Event::Deleted(last))
    } else {
        one(Event::Deleted(last), Event::Deleted(first))
    }
}

/// The last origin; but a resync says that nothing has changed, which is not true of a change.
fn merged_origin(first: Origin, last: Origin) -> Origin {
    if last == Origin::Resync { first } else { last }
}
