//! Test versions of the primitives, which shuttle schedules while a test is checked.
//!
//! Each type wraps the original type or shuttle's type, depending on where the value was created.
//! Where only the original type exists, [`step`] lets the scheduler switch tasks before each
//! operation.

use std::cell::RefCell;
use std::fmt;
use std::future::poll_fn;
use std::ops::{Deref, DerefMut};
use std::pin::{Pin, pin};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};

use shuttle::sync::atomic::AtomicBool;
use tokio::sync::futures::Notified;
use tokio::task::JoinError;

/// Returns `true` if a checked test runs on this thread.
pub fn is_checked() -> bool {
    shuttle::current::try_get_current_task().is_some()
}

/// Lets the scheduler switch to another task.
fn step() {
    if is_checked() {
        AtomicBool::new(false).load(Ordering::SeqCst);
    }
}

// === Mutex ===

pub enum Mutex<T> {
    Plain(parking_lot::Mutex<T>),
    Checked(shuttle::sync::Mutex<T>),
}

pub enum MutexGuard<'a, T> {
    Plain(parking_lot::MutexGuard<'a, T>),
    Checked(shuttle::sync::MutexGuard<'a, T>),
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Mutex<T> {
    pub fn new(value: T) -> Self {
        if is_checked() {
            Self::Checked(shuttle::sync::Mutex::new(value))
        } else {
            Self::Plain(parking_lot::Mutex::new(value))
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        match self {
            Self::Plain(mutex) => MutexGuard::Plain(mutex.lock()),
            Self::Checked(mutex) => {
                MutexGuard::Checked(mutex.lock().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }

    pub fn is_locked(&self) -> bool {
        match self {
            Self::Plain(mutex) => mutex.is_locked(),
            Self::Checked(mutex) => mutex.try_lock().is_err(),
        }
    }

    pub fn get_mut(&mut self) -> &mut T {
        match self {
            Self::Plain(mutex) => mutex.get_mut(),
            Self::Checked(mutex) => mutex.get_mut().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(mutex) => mutex.fmt(f),
            Self::Checked(mutex) => mutex.fmt(f),
        }
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Plain(guard) => guard,
            Self::Checked(guard) => guard,
        }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match self {
            Self::Plain(guard) => guard,
            Self::Checked(guard) => guard,
        }
    }
}

// === ArcSwap ===

pub struct ArcSwap<T>(arc_swap::ArcSwap<T>);

impl<T> ArcSwap<T> {
    pub fn from_pointee(value: T) -> Self {
        Self(arc_swap::ArcSwap::from_pointee(value))
    }

    pub fn load(&self) -> arc_swap::Guard<Arc<T>> {
        step();
        self.0.load()
    }

    pub fn load_full(&self) -> Arc<T> {
        step();
        self.0.load_full()
    }

    pub fn swap(&self, value: Arc<T>) -> Arc<T> {
        step();
        self.0.swap(value)
    }
}

// === Notify ===

pub struct Notify(tokio::sync::Notify);

impl Notify {
    pub fn new() -> Self {
        Self(tokio::sync::Notify::new())
    }

    pub fn notified(&self) -> Notified<'_> {
        step();
        self.0.notified()
    }

    pub fn notify_one(&self) {
        step();
        self.0.notify_one();
    }

    pub fn notify_waiters(&self) {
        step();
        self.0.notify_waiters();
    }
}

// === JoinSet ===

/// Aborts its tasks when dropped, as tokio's `JoinSet` does.
pub enum JoinSet<T: Send + 'static> {
    Plain(tokio::task::JoinSet<T>),
    Checked(Vec<shuttle::future::JoinHandle<T>>),
}

impl<T: Send + 'static> JoinSet<T> {
    pub fn new() -> Self {
        if is_checked() {
            Self::Checked(Vec::new())
        } else {
            Self::Plain(tokio::task::JoinSet::new())
        }
    }

    pub fn spawn(&mut self, task: impl Future<Output = T> + Send + 'static) {
        match self {
            Self::Plain(tasks) => drop(tasks.spawn(task)),
            Self::Checked(tasks) => tasks.push(shuttle::future::spawn(task)),
        }
    }

    /// A panic in a task ends a checked test, so only tokio's `JoinSet` returns errors.
    pub async fn join_next(&mut self) -> Option<Result<T, JoinError>> {
        match self {
            Self::Plain(tasks) => tasks.join_next().await,
            Self::Checked(tasks) => poll_fn(|cx| poll_any(tasks, cx)).await.map(Ok),
        }
    }
}

fn poll_any<T>(
    tasks: &mut Vec<shuttle::future::JoinHandle<T>>,
    cx: &mut Context<'_>,
) -> Poll<Option<T>> {
    for at in 0..tasks.len() {
        if let Poll::Ready(joined) = Pin::new(&mut tasks[at]).poll(cx) {
            drop(tasks.swap_remove(at));
            return Poll::Ready(Some(joined.expect("only dropping the set aborts a task")));
        }
    }
    if tasks.is_empty() {
        Poll::Ready(None)
    } else {
        Poll::Pending
    }
}

impl<T: Send + 'static> Drop for JoinSet<T> {
    fn drop(&mut self) {
        if let Self::Checked(tasks) = self {
            for task in tasks {
                task.abort();
            }
        }
    }
}

// === TaskTracker ===

#[derive(Debug, Clone)]
pub struct TaskTracker(tokio_util::task::TaskTracker);

impl TaskTracker {
    pub fn new() -> Self {
        Self(tokio_util::task::TaskTracker::new())
    }

    pub fn spawn_on<F>(&self, task: F, runtime: &tokio::runtime::Handle)
    where
        F: Future<Output: Send> + Send + 'static,
    {
        if is_checked() {
            drop(shuttle::future::spawn(self.0.track_future(task)));
        } else {
            drop(self.0.spawn_on(task, runtime));
        }
    }

    pub fn close(&self) {
        step();
        self.0.close();
    }

    pub async fn wait(&self) {
        self.0.wait().await;
    }
}

// === task_local ===

/// Task-local storage for both schedulers. All tasks of a checked test run on one thread, so a
/// value that tokio sets while it polls one task would be visible to other tasks that shuttle
/// switches to.
pub struct LocalKey<T: 'static> {
    pub plain: &'static tokio::task::LocalKey<T>,
    pub checked: &'static shuttle::thread::LocalKey<RefCell<Option<T>>>,
}

impl<T: 'static> LocalKey<T> {
    pub async fn scope<F: Future>(&'static self, value: T, future: F) -> F::Output {
        if !is_checked() {
            return self.plain.scope(value, future).await;
        }
        let mut future = pin!(future);
        let mut value = Some(value);
        poll_fn(|cx| {
            self.checked.with(|set| set.replace(value.take()));
            let polled = future.as_mut().poll(cx);
            value = self.checked.with(RefCell::take);
            polled
        })
        .await
    }

    pub fn try_with<R>(&'static self, read: impl FnOnce(&T) -> R) -> Option<R> {
        if is_checked() {
            self.checked.with(|set| set.borrow().as_ref().map(read))
        } else {
            self.plain.try_with(read).ok()
        }
    }
}

#[macro_export]
macro_rules! task_local {
    ($(#[$meta:meta])* $vis:vis static $name:ident: $type:ty;) => {
        $(#[$meta])*
        $vis static $name: $crate::checked::LocalKey<$type> = {
            $crate::checked::tokio_task_local! { static PLAIN: $type; }
            $crate::checked::shuttle_thread_local! {
                static CHECKED: std::cell::RefCell<Option<$type>> = std::cell::RefCell::new(None);
            }
            $crate::checked::LocalKey { plain: &PLAIN, checked: &CHECKED }
        };
    };
}
pub use crate::task_local;
#[doc(hidden)]
pub use shuttle::thread_local as shuttle_thread_local;
#[doc(hidden)]
pub use tokio::task_local as tokio_task_local;
