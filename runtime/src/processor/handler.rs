//! [`EventHandler`] and its implementations: closures, [`EventHandlerFuncs`], async closures.

use std::fmt;
use std::future::{Future, ready};
use std::marker::PhantomData;
use std::sync::Arc;

use derive_where::derive_where;

use crate::event::{Deleted, Event};
use crate::storage::Entry;

/// Reacts to changes of an informer's objects, which are `T`s in the cache.
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
/// impl EventHandler<String> for Count {
///     async fn on_add(&mut self, _: Arc<String>, _is_in_initial_list: bool) {
///         self.0 += 1;
///     }
///
///     async fn on_delete(&mut self, _: Deleted<String>) {
///         self.0 -= 1;
///     }
/// }
///
/// fn takes_any(_: impl EventHandler<String>) {}
/// takes_any(Count(0));
/// takes_any(|event: Event<String>| println!("{} changed", event.key()));
/// ```
pub trait EventHandler<T: Send + Sync + 'static>: Send + 'static {
    /// Called for an object that appeared. `is_in_initial_list` is `true` if the object is part of
    /// the state that this handler starts from.
    fn on_add(
        &mut self,
        object: Arc<T>,
        is_in_initial_list: bool,
    ) -> impl Future<Output = ()> + Send {
        let _ignored = (object, is_in_initial_list);
        ready(())
    }

    /// Called for an object that changed. Also called for a resync, with the same object as `old`
    /// and `new`, as in client-go.
    fn on_update(&mut self, old: Arc<T>, new: Arc<T>) -> impl Future<Output = ()> + Send {
        let _ignored = (old, new);
        ready(())
    }

    /// Called for an object that was deleted.
    fn on_delete(&mut self, deleted: Deleted<T>) -> impl Future<Output = ()> + Send {
        let _ignored = deleted;
        ready(())
    }

    /// Called for every event, with its key and origin. By default calls the method of the event.
    fn on_event(&mut self, event: Event<T>) -> impl Future<Output = ()> + Send {
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

impl<T: Send + Sync + 'static, F: FnMut(Event<T>) + Send + 'static> EventHandler<T> for F {
    async fn on_event(&mut self, event: Event<T>) {
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
/// # use informer_runtime::processor::EventHandlerFuncs;
///
/// let handler = EventHandlerFuncs::<String>::new()
///     .on_add(|object, is_in_initial_list| println!("+ {object} {is_in_initial_list}"))
///     .on_update(|old, new| println!("{old} is now {new}"));
/// ```
#[must_use]
#[derive_where(Default)]
pub struct EventHandlerFuncs<T> {
    add: Option<Box<Add<T>>>,
    update: Option<Box<Update<T>>>,
    delete: Option<Box<Delete<T>>>,
}

type Add<T> = dyn FnMut(Arc<T>, bool) + Send;
type Update<T> = dyn FnMut(Arc<T>, Arc<T>) + Send;
type Delete<T> = dyn FnMut(Deleted<T>) + Send;

/// Handler made of a closure that returns a future; created by [`async_handler`].
#[derive(Clone)]
#[derive_where(Debug)]
#[must_use]
pub struct AsyncEventHandler<F>(#[derive_where(skip)] F);

/// Handler of objects `T` in the form in which the processor calls it: with entries.
pub(super) struct OfObjects<T, H> {
    handler: H,
    objects: PhantomData<fn(T)>,
}

/// Creates a handler from a closure that returns a future.
///
/// The future is awaited before the next call. It cannot borrow from the closure: clone the data
/// that it needs, or implement [`EventHandler`].
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// use informer::Event;
/// # use informer_runtime::processor::async_handler;
///
/// let (sender, receiver) = tokio::sync::mpsc::channel(16);
/// let handler = async_handler(move |event: Event<String>| {
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

impl<T> EventHandlerFuncs<T> {
    /// Creates a handler that ignores all events.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `f` with an object that appeared. The flag is `true` if the object is part of the
    /// state that this handler starts from.
    pub fn on_add(mut self, f: impl FnMut(Arc<T>, bool) + Send + 'static) -> Self {
        self.add = Some(Box::new(f));
        self
    }

    /// Calls `f` with an object before and after a change. For a resync, calls `f` with the same
    /// object twice.
    pub fn on_update(mut self, f: impl FnMut(Arc<T>, Arc<T>) + Send + 'static) -> Self {
        self.update = Some(Box::new(f));
        self
    }

    /// Calls `f` with an object that was deleted.
    pub fn on_delete(mut self, f: impl FnMut(Deleted<T>) + Send + 'static) -> Self {
        self.delete = Some(Box::new(f));
        self
    }
}

impl<T: Send + Sync + 'static> EventHandler<T> for EventHandlerFuncs<T> {
    async fn on_add(&mut self, object: Arc<T>, is_in_initial_list: bool) {
        if let Some(f) = &mut self.add {
            f(object, is_in_initial_list);
        }
    }

    async fn on_update(&mut self, old: Arc<T>, new: Arc<T>) {
        if let Some(f) = &mut self.update {
            f(old, new);
        }
    }

    async fn on_delete(&mut self, deleted: Deleted<T>) {
        if let Some(f) = &mut self.delete {
            f(deleted);
        }
    }
}

impl<T> fmt::Debug for EventHandlerFuncs<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventHandlerFuncs")
            .field("on_add", &self.add.is_some())
            .field("on_update", &self.update.is_some())
            .field("on_delete", &self.delete.is_some())
            .finish()
    }
}

// === impl AsyncEventHandler ===

impl<T, F, R> EventHandler<T> for AsyncEventHandler<F>
where
    T: Send + Sync + 'static,
    F: FnMut(Event<T>) -> R + Send + 'static,
    R: Future<Output = ()> + Send,
{
    async fn on_event(&mut self, event: Event<T>) {
        (self.0)(event).await;
    }
}

// === impl OfObjects ===

impl<T, H> OfObjects<T, H> {
    pub(super) fn new(handler: H) -> Self {
        Self {
            handler,
            objects: PhantomData,
        }
    }
}

impl<T: Send + Sync + 'static, H: EventHandler<T>> EventHandler<Entry> for OfObjects<T, H> {
    fn on_event(&mut self, event: Event<Entry>) -> impl Future<Output = ()> + Send {
        // The user's future may be large. The processor would hold it several times by value.
        Box::pin(self.handler.on_event(event.typed()))
    }
}
