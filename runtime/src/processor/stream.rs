//! [`EventStream`]: notifications for a consumer that polls.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;

use super::HandlerRegistration;
use super::listener::Receiver;
use crate::event::Event;
use crate::storage::Entry;

/// Notifications of an informer as a stream.
///
/// Works like a handler without a task, with its own bounded mailbox. Polling for the next
/// notification acknowledges the previous one. The stream ends when the informer stops or the
/// registration is removed; waiting notifications are then dropped.
///
/// Dropping the stream removes it from the informer. Dropping its registration does not.
#[must_use = "a stream that is not polled fills its mailbox"]
pub struct EventStream<T> {
    subscription: Subscription,
    objects: PhantomData<fn() -> T>,
}

/// Stream of entries, whatever the type of their objects.
pub(crate) struct Subscription {
    receiver: Receiver,
    registration: HandlerRegistration,
}

// === impl EventStream ===

impl<T> EventStream<T> {
    /// Gives a subscription the type of its objects.
    pub(crate) fn of(subscription: Subscription) -> Self {
        Self {
            subscription,
            objects: PhantomData,
        }
    }

    /// Returns the registration of the stream, which shows whether the stream has yielded the
    /// initial state.
    #[must_use]
    pub fn registration(&self) -> &HandlerRegistration {
        &self.subscription.registration
    }
}

impl<T: Send + Sync + 'static> Stream for EventStream<T> {
    type Item = Event<T>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event<T>>> {
        let next = self.subscription.poll_next(cx);
        next.map(|event| event.map(Event::typed))
    }
}

impl<T> fmt::Debug for EventStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("registration", self.registration())
            .finish_non_exhaustive()
    }
}

// === impl Subscription ===

impl Subscription {
    pub(super) fn new(receiver: Receiver, registration: HandlerRegistration) -> Self {
        Self {
            receiver,
            registration,
        }
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event<Entry>>> {
        let next = self.receiver.poll_next(cx);
        if let Poll::Ready(Some(_)) = &next {
            self.receiver.status().counters.delivered.increment();
        }
        next
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.registration.detach();
    }
}
