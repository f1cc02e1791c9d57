//! [`EventHandler`] and its implementations: closures, [`EventHandlerFuncs`], async closures.

use std::fmt;
use std::future::{Future, ready};

use crate::event::{Deleted, Event};

/// Handle of an object that a storage returns: cheap to clone, shared between handlers.
///
/// Implemented for every suitable type. `Arc<K>`, unless the informer uses another storage than the
/// default.
pub trait Handle: Clone + Send + Sync + 'static {}

impl<H: Clone + Send + Sync + 'static> Handle for H {}

/// Reacts to changes of an informer's objects.
///
/// Implement the methods that you need, as plain `async fn`s. The others ignore their event. Calls
/// for one registration never overlap. A handler that needs keys and origins implements only
/// [`on_event`](Self::on_event). Closures over [`Event`] are handlers too.
///
/// client-go's counterpart is `ResourceEventHandler`.
///
/// # Ordering
///
/// Notifications of one key arrive in the order in which the key changed. The informer's cache
/// already has the notified state, or a newer one.
///
/// # Panics
///
/// A panic ends only the current call. It is counted and logged, and the next notification follows.
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// use std::sync::Arc;
/// use informer::{Deleted, Event};
/// # use informer_runtime::processor::EventHandler;
///
/// struct Count(usize);
///
/// impl EventHandler<Arc<String>> for Count {
///     async fn on_add(&mut self, _: Arc<String>, _is_in_initial_list: bool) {
///         self.0 += 1;
///     }
///
///     async fn on_delete(&mut self, _: Deleted<Arc<String>>) {
///         self.0 -= 1;
///     }
/// }
///
/// fn takes_any(_: impl EventHandler<Arc<String>>) {}
/// takes_any(Count(0));
/// takes_any(|event: Event<Arc<String>>| println!("{} changed", event.key()));
/// ```
pub trait EventHandler<H: Handle>: Send + 'static {
    /// Called for an object that appeared. `is_in_initial_list` is `true` if the object is part of
    /// the state that this handler starts from.
    fn on_add(&mut self, object: H, is_in_initial_list: bool) -> impl Future<Output = ()> + Send {
        let _ignored = (object, is_in_initial_list);
        ready(())
    }

    /// Called for an object that changed. Also called for a resync, with the same handle as `old`
    /// and `new`, as in client-go.
    fn on_update(&mut self, old: H, new: H) -> impl Future<Output = ()> + Send {
        let _ignored = (old, new);
        ready(())
    }

    /// Called for an object that was deleted.
    fn on_delete(&mut self, deleted: Deleted<H>) -> impl Future<Output = ()> + Send {
        let _ignored = deleted;
        ready(())
    }

    /// Called for every event, with its key and origin. By default calls the method of the event.
    fn on_event(&mut self, event: Event<H>) -> impl Future<Output = ()> + Send {
        async move {
            match event {
                Event::Added(added) => {
                    let is_in_initial_list = added.is_in_initial_list();
                    self.on_add(added.object, is_in_initial_list).await;
                }
                Event::Updated(updated) => self.on_update(updated.old, updated.new).await,
                Event::Deleted(deleted) => self.on_delete(deleted).await,
            }
        }
    }
}

impl<H: Handle, F: FnMut(Event<H>) + Send + 'static> EventHandler<H> for F {
    async fn on_event(&mut self, event: Event<H>) {
        self(event);
    }
}

/// Handler made of closures. Events without a closure are ignored.
///
/// client-go's counterpart is `ResourceEventHandlerDetailedFuncs`.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// # use informer_runtime::processor::EventHandlerFuncs;
///
/// let handler = EventHandlerFuncs::<Arc<String>>::new()
///     .on_add(|object, is_in_initial_list| println!("+ {object} {is_in_initial_list}"))
///     .on_update(|old, new| println!("{old} is now {new}"));
/// ```
#[must_use]
pub struct EventHandlerFuncs<H> {
    add: Option<Box<dyn FnMut(H, bool) + Send>>,
    update: Option<Box<dyn FnMut(H, H) + Send>>,
    delete: Option<Box<dyn FnMut(Deleted<H>) + Send>>,
}

/// Handler made of a closure that returns a future; created by [`async_handler`].
#[derive(Clone)]
#[must_use]
pub struct AsyncEventHandler<F>(F);

/// Creates a handler from a closure that returns a future.
///
/// The future is awaited before the next call. It cannot borrow from the closure: clone the data
/// that it needs, or implement [`EventHandler`].
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// use std::sync::Arc;
/// use informer::Event;
/// # use informer_runtime::processor::async_handler;
///
/// let (sender, receiver) = tokio::sync::mpsc::channel(16);
/// let handler = async_handler(move |event: Event<Arc<String>>| {
///     let sender = sender.clone();
///     async move {
///         let _ = sender.send(event).await;
///     }
/// });
/// # let _ = (handler, receiver);
/// ```
pub fn async_handler<F>(f: F) -> AsyncEventHandler<F> {
    AsyncEventHandler(f)
}

// === impl EventHandlerFuncs ===

impl<H: Handle> EventHandlerFuncs<H> {
    /// Creates a handler that ignores all events.
    pub fn new() -> Self {
        Self {
            add: None,
            update: None,
            delete: None,
        }
    }

    /// Calls `f` with an object that appeared. The flag is `true` if the object is part of the
    /// state that this handler starts from.
    pub fn on_add(mut self, f: impl FnMut(H, bool) + Send + 'static) -> Self {
        self.add = Some(Box::new(f));
        self
    }

    /// Calls `f` with an object before and after a change. For a resync, calls `f` with the same
    /// handle twice.
    pub fn on_update(mut self, f: impl FnMut(H, H) + Send + 'static) -> Self {
        self.update = Some(Box::new(f));
        self
    }

    /// Calls `f` with an object that was deleted.
    pub fn on_delete(mut self, f: impl FnMut(Deleted<H>) + Send + 'static) -> Self {
        self.delete = Some(Box::new(f));
        self
    }
}

impl<H: Handle> Default for EventHandlerFuncs<H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: Handle> EventHandler<H> for EventHandlerFuncs<H> {
    async fn on_add(&mut self, object: H, is_in_initial_list: bool) {
        if let Some(f) = &mut self.add {
            f(object, is_in_initial_list);
        }
    }

    async fn on_update(&mut self, old: H, new: H) {
        if let Some(f) = &mut self.update {
            f(old, new);
        }
    }

    async fn on_delete(&mut self, deleted: Deleted<H>) {
        if let Some(f) = &mut self.delete {
            f(deleted);
        }
    }
}

impl<H> fmt::Debug for EventHandlerFuncs<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventHandlerFuncs")
            .field("on_add", &self.add.is_some())
            .field("on_update", &self.update.is_some())
            .field("on_delete", &self.delete.is_some())
            .finish()
    }
}

// === impl AsyncEventHandler ===

impl<H, F, R> EventHandler<H> for AsyncEventHandler<F>
where
    H: Handle,
    F: FnMut(Event<H>) -> R + Send + 'static,
    R: Future<Output = ()> + Send,
{
    async fn on_event(&mut self, event: Event<H>) {
        (self.0)(event).await;
    }
}

impl<F> fmt::Debug for AsyncEventHandler<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AsyncEventHandler").finish_non_exhaustive()
    }
}
