//! [`FilteringEventHandler`]: restricts a handler to the objects that match a predicate.

use derive_where::derive_where;

use super::EventHandler;
use crate::base::panic::{catch, resume};
use crate::event::{Added, Deleted, Event, Origin, Updated};

/// Handler that sees only the objects that match a predicate; created by [`filtered`].
#[must_use]
#[derive_where(Debug; H)]
pub struct FilteringEventHandler<P, H> {
    #[derive_where(skip)]
    predicate: P,
    handler: H,
}

/// Restricts `handler` to the objects that match `predicate`.
///
/// An update that makes an object match becomes an add (never as part of the initial list). An
/// update that makes an object not match becomes a deletion, with the last state that matched. For
/// an update, the predicate is called with the new object first. For a deletion, it is called with
/// the deleted object, which is the last known state if the deletion was not observed. If the
/// predicate panics, the object matches, so that its change is not lost; the panic is one of the
/// handler.
///
/// client-go's counterpart is `FilteringResourceEventHandler`.
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// use informer::Event;
/// # use informer_runtime::processor::filtered;
///
/// let handler = filtered(
///     |name: &String| name.starts_with("web-"),
///     |event: Event<String>| println!("{} changed", event.key()),
/// );
/// # let _ = handler;
/// ```
pub fn filtered<P, H>(predicate: P, handler: H) -> FilteringEventHandler<P, H> {
    FilteringEventHandler { predicate, handler }
}

// === impl FilteringEventHandler ===

impl<T, P, H> EventHandler<T> for FilteringEventHandler<P, H>
where
    T: Send + Sync + 'static,
    P: FnMut(&T) -> bool + Send + 'static,
    H: EventHandler<T>,
{
    async fn on_event(&mut self, event: Event<T>) {
        let mut judged = Ok(());
        let mut matches = |object: &T| {
            catch(|| (self.predicate)(object)).unwrap_or_else(|panicked| {
                judged = Err(panicked);
                true
            })
        };
        if let Some(event) = translate(&mut matches, event) {
            self.handler.on_event(event).await;
        }
        resume(judged);
    }
}

/// Translates `event` for a handler that sees only the objects that match `predicate`.
fn translate<T>(predicate: &mut impl FnMut(&T) -> bool, event: Event<T>) -> Option<Event<T>> {
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

fn flip_in<T>(updated: Updated<T>) -> Added<T> {
    Added {
        key: updated.key,
        object: updated.new,
        origin: match updated.origin {
            Origin::Initial => Origin::Live,
            origin @ (Origin::Live
            | Origin::Relist
            | Origin::Filter
            | Origin::Reshard
            | Origin::Resync) => origin,
        },
    }
}

fn flip_out<T>(updated: Updated<T>) -> Deleted<T> {
    Deleted {
        key: updated.key,
        object: updated.old,
        final_state_unknown: false,
        origin: updated.origin,
    }
}
