//! [`EventHandler`], and what implements it: closures, [`EventHandlerFuncs`], async closures.

use std::fmt;
use std::future::{Future, ready};

use crate::event::{Deleted, Event};

/// What a storage hands out for an object: cheap to clone, shared between handlers.
///
/// Implemented for everything that can be one; `Arc<K>` unless the informer was built with another
/// storage.
pub trait Handle: Clone + Send + Sync + 'static {}

impl<H: Clone + Send + Sync + 'static> Handle for H {}

/// Reacts to what happens to an informer's objects.
///
/// Implement the methods that matter, as plain `async fn`s; the others ignore their event. Calls
/// for one registration never overlap. A handler that needs keys and origins implements
/// [`on_event`](Self::on_event) alone. Closures over [`Event`] are handlers too.
///
/// client-go's counterpart is `ResourceEventHandler`.
///
/// # Ordering
///
/// Notifications of one key come in the order in which the key changed. The informer's cache
/// already has the notified state, or a newer one.
///
/// # Panics
///
/// A panic ends the call only: it is counted and logged, and the next notification goes on.
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
    /// An object appeared; with `is_in_initial_list` it is part of the state that this handler
    /// starts from.
    fn on_add(&mut self, object: H, is_in_initial_list: bool) -> impl Future<Output = ()> + Send {
        let _ignored = (object, is_in_initial_list);
        ready(())
    }

    /// An object changed; or, unless [`on_resync`](Self::on_resync) is implemented, a resync shows it
    /// again, with `old` and `new` the same handle.
    fn on_update(&mut self, old: H, new: H) -> impl Future<Output = ()> + Send {
        let _ignored = (old, new);
        ready(())
    }

    /// A resync shows an object again: nothing has changed. By default calls
    /// [`on_update`](Self::on_update) with the same handle twice, as client-go does.
    fn on_resync(&mut self, object: H) -> impl Future<Output = ()> + Send {
        async move { self.on_update(object.clone(), object).await }
    }

    /// An object is gone.
    fn on_delete(&mut self, deleted: Deleted<H>) -> impl Future<Output = ()> + Send {
        let _ignored = deleted;
        ready(())
    }

    /// Any of these, with key and origin. By default calls the method for it.
    fn on_event(&mut self, event: Event<H>) -> impl Future<Output = ()> + Send {
        async move {
            match event {
                Event::Added(added) => {
                    let is_in_initial_list = added.is_in_initial_list();
                    self.on_add(added.object, is_in_initial_list).await;
                }
                Event::Updated(updated) if updated.is_resync() => {
                    self.on_resync(updated.new).await;
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

/// A handler made of closures; unset ones ignore their event.
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
    resync: Option<Box<dyn FnMut(H) + Send>>,
    delete: Option<Box<dyn FnMut(Deleted<H>) + Send>>,
}

/// A closure that returns a future as a handler; made by [`async_handler`].
#[derive(Clone)]
#[must_use]
pub struct AsyncEventHandler<F>(F);

/// Makes a handler of a closure that returns a future.
///
/// The future is awaited before the next call. It cannot borrow from the closure: clone what it
/// needs, or implement [`EventHandler`].
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
    /// A handler that ignores everything.
    pub fn new() -> Self {
        Self {
            add: None,
            update: None,
            resync: None,
            delete: None,
        }
    }

    /// Calls `f` with an object that appeared, and with whether it is part of the state that this
    /// handler starts from.
    pub fn on_add(mut self, f: impl FnMut(H, bool) + Send + 'static) -> Self {
        self.add = Some(Box::new(f));
        self
    }

    /// Calls `f` with an object before and after a change; with the same handle twice on a resync,
    /// unless there is a closure for that.
    pub fn on_update(mut self, f: impl FnMut(H, H) + Send + 'static) -> Self {
        self.update = Some(Box::new(f));
        self
    }

    /// Calls `f` with an object that a resync shows again, instead of the closure for updates.
    pub fn on_resync(mut self, f: impl FnMut(H) + Send + 'static) -> Self {
        self.resync = Some(Box::new(f));
        self
    }

    /// Calls `f` with an object that is gone.
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

    async fn on_resync(&mut self, object: H) {
        match &mut self.resync {
            Some(f) => f(object),
            None => self.on_update(object.clone(), object).await,
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
            .field("on_resync", &self.resync.is_some())
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
