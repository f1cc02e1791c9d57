//! Where much is decoded at once.

use std::pin::Pin;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;
use tokio::task::{JoinError, yield_now};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

/// What [`SourceError::Panicked`](crate::status::SourceError::Panicked) calls what is done here.
pub(super) const DECODING: &str = "the decoding of objects";

/// For how long one task decodes before it lets others have the thread: about as long as an async
/// task may do without them.
const TURN: Duration = Duration::from_micros(100);

/// What a task made, in order; an error if it panicked.
pub(super) type Decoding<R> =
    Pin<Box<dyn Future<Output = Result<Vec<R>, JoinError>> + Send + Sync>>;

/// Whether the runtime's own threads decode side by side.
pub(super) fn is_parallel() -> bool {
    Handle::try_current()
        .is_ok_and(|runtime| runtime.runtime_flavor() != RuntimeFlavor::CurrentThread)
}

/// Makes something of each of `items`, in `tasks`, in order.
///
/// On the runtime's own threads, in short turns, if it has several: these decode single watch events
/// too, and where each thread has memory of its own (glibc), what one of them frees is of use to
/// itself only. With threads of their own for lists, the objects of a list would leave room behind
/// that no event's object can have, as large as all of them together.
pub(super) fn spawn<T, R>(
    tasks: &TaskTracker,
    items: Vec<T>,
    mut make: impl FnMut(T) -> R + Send + 'static,
) -> Decoding<R>
where
    T: Send + 'static,
    R: Send + 'static,
{
    let (sender, results) = oneshot::channel::<Vec<R>>();
    // Boxed, so that tokio's code of a task is not compiled for each type of object.
    let task = if is_parallel() {
        let turns = async move {
            let mut results = Vec::with_capacity(items.len());
            let mut began = Instant::now();
            for item in items {
                results.push(make(item));
                if began.elapsed() >= TURN {
                    yield_now().await;
                    began = Instant::now();
                }
            }
            drop(sender.send(results));
        };
        tasks.spawn(Box::pin(turns) as BoxFuture<'static, ()>)
    } else {
        let at_once = move || drop(sender.send(items.into_iter().map(make).collect()));
        tasks.spawn_blocking(Box::new(at_once) as Box<dyn FnOnce() + Send>)
    };
    Box::pin(async move {
        task.await?;
        Ok(results.await.unwrap_or_default())
    })
}
