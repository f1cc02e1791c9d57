//! Parallel decoding of many objects.

use std::pin::Pin;

use futures::future::BoxFuture;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;
use tokio::task::{JoinError, yield_now};
use tokio_util::task::TaskTracker;

use crate::wire::RawObject;

/// Name of the decoding in [`SourceError::Panicked`](crate::status::SourceError::Panicked).
pub(super) const DECODING: &str = "the decoding of objects";

/// Maximum number of objects that a task decodes before it yields. Their entries are allocated
/// together.
const TURN: usize = 32;
/// Number of bytes after which a task decodes no more objects before it yields: a large object may
/// take milliseconds.
const TURN_BYTES: usize = 128 << 10;

/// Results of a task, in order; an error if the task panicked.
pub(super) type Decoding<R> =
    Pin<Box<dyn Future<Output = Result<Vec<R>, JoinError>> + Send + Sync>>;

/// Returns `true` if the runtime has several worker threads to decode on.
pub(super) fn is_parallel() -> bool {
    Handle::try_current()
        .is_ok_and(|runtime| runtime.runtime_flavor() != RuntimeFlavor::CurrentThread)
}

/// Applies `make` to `items`, at most [`TURN`] at a time, in `tasks`, and returns the results in
/// order. `raw` returns the object of an item, if it has one to decode.
///
/// Runs in short turns on the runtime's own threads, if there are several. These threads also
/// decode single watch events. With an allocator that has an arena per thread (glibc), a thread can
/// reuse only memory from its own arena. Separate threads for lists would leave free memory as
/// large as a whole list in their arenas, which the objects of watch events could not use.
pub(super) fn spawn<T, R>(
    tasks: &TaskTracker,
    items: Vec<T>,
    raw: fn(&T) -> Option<&RawObject>,
    mut make: impl FnMut(Vec<T>) -> Vec<R> + Send + 'static,
) -> Decoding<R>
where
    T: Send + 'static,
    R: Send + 'static,
{
    let (sender, results) = oneshot::channel::<Vec<R>>();
    // Boxed, so that tokio's task code is not compiled for each object type.
    let task = if is_parallel() {
        let turns = async move {
            let mut results = Vec::with_capacity(items.len());
            let mut items = items.into_iter();
            loop {
                let turn = turn(items.as_slice(), raw);
                results.append(&mut make(items.by_ref().take(turn).collect()));
                if items.as_slice().is_empty() {
                    break;
                }
                yield_now().await;
            }
            drop(sender.send(results));
        };
        tasks.spawn(Box::pin(turns) as BoxFuture<'static, ()>)
    } else {
        let at_once = move || drop(sender.send(make(items)));
        tasks.spawn_blocking(Box::new(at_once) as Box<dyn FnOnce() + Send>)
    };
    Box::pin(async move {
        task.await?;
        Ok(results.await.unwrap_or_default())
    })
}

/// Returns the number of items to decode before the task yields.
fn turn<T>(items: &[T], raw: fn(&T) -> Option<&RawObject>) -> usize {
    let mut bytes = 0;
    let fits = |item: &&T| {
        let fits = bytes < TURN_BYTES;
        bytes += raw(item).map_or(0, |raw| raw.bytes().len());
        fits
    };
    items.iter().take(TURN).take_while(fits).count()
}

#[cfg(test)]
mod tests;
