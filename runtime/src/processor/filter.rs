//! [`FilteringEventHandler`]: restricts a handler to the objects that match a predicate.

use std::fmt;

use super::{EventHandler, Handle};
use crate::event::{Added, Deleted, Event, Origin, Updated};

/// Handler that sees only the objects that match a predicate; created by [`filtered`].
#[must_use]
pub struct FilteringEventHandler<P, T> {
    predicate: P,
    handler: T,
}

/// Restricts `handler` to the objects that match `predicate`.
///
/// An update that makes an object match becomes an add (never as part of the initial list). An
/// update that makes an object not match becomes a deletion, with the last state that matched. For
/// an update, the predicate is called with the new object first. For a deletion, it is called with
/// the deleted object, which is the last known state if the deletion was not observed.
///
/// client-go's counterpart is `FilteringResourceEventHandler`.
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// use std::sync::Arc;
/// use informer::Event;
/// # use informer_runtime::processor::filtered;
///
/// let handler = filtered(
///     |name: &Arc<String>| name.starts_with("web-"),
///     |event: Event<Arc<String>>| println!("{} changed", event.key()),
/// );
/// # let _ = handler;
/// ```
pub fn filtered<P, T>(predicate: P, handler: T) -> FilteringEventHandler<P, T> {
    FilteringEventHandler { predicate, handler }
}

// === impl FilteringEventHandler ===

impl<H, P, T> EventHandler<H> for FilteringEventHandler<P, T>
where
    H: Handle,
    P: FnMut(&H) -> bool + Send + 'static,
    T: EventHandler<H>,
{
    async fn on_event(&mut self, event: Event<H>) {
        if let Some(event) = translate(&mut self.predicate, event) {
            self.handler.on_event(event).await;
        }
    }
}

/// Translates `event` for a handler that sees only the objects that match `predicate`.
fn translate<H>(predicate: &mut impl FnMut(&H) -> bool, event: Event<H>) -> Option<Event<H>> {
    match event {
        Event::Added(added) => predicate(&added.object).then_some(Event::Added(added)),
        Event::Deleted(deleted) => predicate(&deleted.object).then_some(Event::Deleted(deleted)),
        Event::Updated(updated) => {
            let new_passes = predicate(&updated.new);
            let old_passes = predicate(&updated.old);
            match (old_passes, new_passes) {
                (true, true) => Some(Event::Updated(updated)),
                (false, true) => Some(Event::Added(flip_in(updated))),
                (true, false) => Some(Event::Deleted(flip_out(updated))),
                (false, false) => None,
            }
        }
    }
}

fn flip_in<H>(updated: Updated<H>) -> Added<H> {
    Added {
        key: updated.key,
        object: updated.new,
        origin: match updated.origin {
            Origin::Initial => Origin::Live,
            origin @ (Origin::Live | Origin::Relist | Origin::Resync) => origin,
        },
    }
}

fn flip_out<H>(updated: Updated<H>) -> Deleted<H> {
    Deleted {
        key: updated.key,
        object: updated.old,
        footprint: updated.old_footprint,
        final_state_unknown: false,
        origin: updated.origin,
    }
}

impl<P, T: fmt::Debug> fmt::Debug for FilteringEventHandler<P, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilteringEventHandler")
            .field("handler", &self.handler)
            .finish_non_exhaustive()
    }
}
