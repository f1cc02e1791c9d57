//! [`EventStream`]: notifications for a consumer that polls.

use std::fmt;
use std::pin::Pin;
use std::sync::Weak;
use std::task::{Context, Poll};

use futures::Stream;

use super::listener::Receiver;
use super::registration::Owner;
use super::{Handle, HandlerRegistration};
use crate::event::Event;
use crate::storage::AnyEntry;

/// Notifications of an informer as a stream.
///
/// Works like a handler without a task, with its own bounded mailbox. Polling for the next
/// notification acknowledges the previous one. The stream ends when the informer stops or the
/// registration is removed; waiting notifications are then dropped.
///
/// Dropping the stream removes it from the informer. Dropping its registration does not.
#[must_use = "a stream that is not polled fills its mailbox"]
pub struct EventStream<H: Handle> {
    events: Box<dyn Events<H>>,
}

/// Consumer's end of a stream.
trait Events<H>: Send {
    fn registration(&self) -> &HandlerRegistration;
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event<H>>>;
}

/// Mailbox of a stream. Dropping it removes the stream from its processor.
struct Subscription<H: Handle> {
    receiver: Receiver<H>,
    registration: HandlerRegistration,
    owner: Weak<dyn Owner>,
}

/// Entries, whose handles the stream yields.
struct Entries(EventStream<AnyEntry>);

// === impl EventStream ===

impl<H: Handle> EventStream<H> {
    pub(super) fn new(
        receiver: Receiver<H>,
        registration: HandlerRegistration,
        owner: Weak<dyn Owner>,
    ) -> Self {
        Self {
            events: Box::new(Subscription {
                receiver,
                registration,
                owner,
            }),
        }
    }

    /// Returns the stream of the handles of these entries.
    pub(super) fn of_entries(entries: EventStream<AnyEntry>) -> Self {
        Self {
            events: Box::new(Entries(entries)),
        }
    }

    /// Returns the registration of the stream, which shows whether the stream has yielded the
    /// initial state.
    #[must_use]
    pub fn registration(&self) -> &HandlerRegistration {
        self.events.registration()
    }
}

impl<H: Handle> Stream for EventStream<H> {
    type Item = Event<H>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event<H>>> {
        self.events.poll_next(cx)
    }
}

impl<H: Handle> fmt::Debug for EventStream<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("registration", self.registration())
            .finish_non_exhaustive()
    }
}

// === impl Events ===

impl<H: Handle> Events<H> for Subscription<H> {
    fn registration(&self) -> &HandlerRegistration {
        &self.registration
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event<H>>> {
        let next = self.receiver.poll_next(cx);
        if let Poll::Ready(Some(_)) = &next {
            self.receiver.status().counters.add_delivered();
        }
        next
    }
}

impl<H: Handle> Drop for Subscription<H> {
    fn drop(&mut self) {
        if let Some(owner) = self.owner.upgrade() {
            owner.detach(self.registration.id());
        }
    }
}

impl<H: Handle> Events<H> for Entries {
    fn registration(&self) -> &HandlerRegistration {
        self.0.registration()
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event<H>>> {
        let next = self.0.events.poll_next(cx);
        next.map(|event| event.map(|event| event.map(AnyEntry::into_handle)))
    }
}
