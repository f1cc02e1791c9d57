//! [`Decoder`]: decodes the objects of a list or of a burst of events, on several threads.

use std::hint::black_box;
use std::iter;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::vec;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesOrdered;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;
use tokio::task::{JoinError, yield_now};
use tokio_util::task::TaskTracker;

use super::entry_maker::{EntryMaker, Made};
use super::room::Share;
use crate::base::cores::cores;
use crate::base::home::HomeDrop;
use crate::storage::Entry;
use crate::wire::RawObject;

/// Name of the decoding in [`SourceError::Panicked`](crate::status::SourceError::Panicked).
pub(super) const DECODING: &str = "the decoding of objects";

/// Maximum number of objects that a task decodes before it yields. Their entries are allocated
/// together.
const TURN: usize = 32;
/// Number of bytes after which a task decodes no more objects before it yields: a large object may
/// take milliseconds.
const TURN_BYTES: usize = 128 << 10;
/// Number of items that one task decodes, and number of events per wake-up of the controller in a
/// burst. Smaller chunks cost more than they save: with 32 items, a packed event took a tenth more
/// processor time.
pub(super) const CHUNK: usize = 128;
/// Number of bytes from which on a chunk is not filled further, so that large objects do not wait
/// undecoded in large numbers.
const CHUNK_BYTES: usize = 1 << 20;

/// Item that may have an object to decode.
pub(super) trait Item: Send + 'static {
    /// Form of the item after the decoding.
    type Decoded: Send + 'static;

    /// Returns the object to decode.
    fn raw(&self) -> Option<&RawObject>;

    /// Converts the item. `made` is its object, if it has one.
    fn decoded(self, made: Option<Made>) -> Self::Decoded;
}

/// Decodes items, a chunk at a time. Results leave in the order of the items.
pub(super) struct Decoder<T: Item> {
    maker: Arc<EntryMaker>,
    tasks: TaskTracker,
    waiting: Vec<T>,
    /// Size of the objects that wait.
    waiting_bytes: usize,
    chunks: FuturesOrdered<Decoding<T::Decoded>>,
}

/// Results of a task, in order; an error if the task panicked.
type Decoding<R> = Pin<Box<dyn Future<Output = Result<Vec<R>, JoinError>> + Send + Sync>>;

/// Returns `true` if the runtime has several worker threads to decode on.
pub(super) fn is_parallel() -> bool {
    Handle::try_current()
        .is_ok_and(|runtime| runtime.runtime_flavor() != RuntimeFlavor::CurrentThread)
}

// === impl Decoder ===

impl<T: Item> Decoder<T> {
    /// Creates a decoder that spawns tasks in `tasks`, which the caller joins.
    pub(super) fn new(maker: Arc<EntryMaker>, tasks: TaskTracker) -> Self {
        Self {
            maker,
            tasks,
            waiting: Vec::new(),
            waiting_bytes: 0,
            chunks: FuturesOrdered::new(),
        }
    }

    /// Returns `true` if the informer caches this object.
    pub(super) fn covers(&self, raw: &RawObject) -> bool {
        self.maker.covers(raw)
    }

    /// Adds an item. Returns `true` if a chunk waits.
    #[must_use]
    pub(super) fn push(&mut self, item: T) -> bool {
        if self.waiting.is_empty() && self.is_decoding() {
            self.waiting.reserve_exact(CHUNK);
        }
        self.waiting_bytes += item.raw().map_or(0, |raw| raw.bytes().len());
        self.waiting.push(item);
        self.waiting.len() >= CHUNK || self.waiting_bytes >= CHUNK_BYTES
    }

    fn take(&mut self) -> Vec<T> {
        self.waiting_bytes = 0;
        mem::take(&mut self.waiting)
    }

    /// Returns the number of items that wait to be decoded.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Returns `true` if chunks are being decoded.
    pub(super) fn is_decoding(&self) -> bool {
        !self.chunks.is_empty()
    }

    /// Returns `true` if as many chunks are being decoded as there are cores.
    pub(super) fn is_busy(&self) -> bool {
        self.chunks.len() >= cores()
    }

    /// Returns the results of the oldest chunk, once it is decoded; `None` if there is none.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it completes has removed nothing.
    pub(super) async fn next(&mut self) -> Option<Result<Vec<T::Decoded>, JoinError>> {
        self.chunks.next().await
    }

    /// Decodes the waiting items here.
    pub(super) fn decode_in_place(&mut self) -> Vec<T::Decoded> {
        let items = self.take();
        decode_all(&self.maker, items)
    }

    /// Decodes the waiting items in a task, at most [`TURN`] at a time. The task drops the objects
    /// that its thread gets back from `home_drop` first, and can then use their memory. It drops
    /// `share` when all items are decoded.
    ///
    /// Runs in short turns on the runtime's own threads, if there are several. These threads also
    /// decode single watch events. With an allocator that has an arena per thread (glibc), a thread
    /// can reuse only memory from its own arena. Separate threads for lists would leave free memory
    /// as large as a whole list in their arenas, which the objects of watch events could not use.
    pub(super) fn spawn(
        &mut self,
        home_drop: Option<Arc<HomeDrop<Arc<Entry>>>>,
        share: Option<Share>,
    ) {
        let items = self.take();
        let maker = Arc::clone(&self.maker);
        let drop_own = move || home_drop.iter().for_each(|home_drop| home_drop.drop_own());
        let (sender, results) = oneshot::channel();
        let end = move |results| {
            drop(share);
            drop(sender.send(results));
        };
        // Boxed, so that tokio's task code is not compiled again.
        let task = if is_parallel() {
            let turns = async move {
                let mut results = Vec::with_capacity(items.len());
                let mut items = items.into_iter();
                loop {
                    drop_own();
                    results.append(&mut decode_turn(&maker, &mut items));
                    if items.as_slice().is_empty() {
                        break;
                    }
                    yield_now().await;
                }
                end(results);
            };
            self.tasks.spawn(Box::pin(turns) as BoxFuture<'static, ()>)
        } else {
            let at_once = move || {
                drop_own();
                end(decode_all(&maker, items));
            };
            self.tasks
                .spawn_blocking(Box::new(at_once) as Box<dyn FnOnce() + Send>)
        };
        self.chunks.push_back(Box::pin(async move {
            task.await?;
            Ok(results.await.unwrap_or_default())
        }));
    }
}

fn decode_all<T: Item>(maker: &EntryMaker, items: Vec<T>) -> Vec<T::Decoded> {
    let mut items = items.into_iter();
    let next = || Some(decode_turn(maker, &mut items)).filter(|decoded| !decoded.is_empty());
    iter::from_fn(next).flatten().collect()
}

/// Decodes the objects of a turn before it allocates the first entry. A get of an entry that
/// shares a page of memory with others takes half the time of one that lies between decoded objects.
fn decode_turn<T: Item>(maker: &EntryMaker, items: &mut vec::IntoIter<T>) -> Vec<T::Decoded> {
    let turn = turn(items.as_slice());
    let mut heap = Heap::default();
    let mut made: Vec<_> = items
        .take(turn)
        .map(|item| {
            let made = item.raw().map(|raw| {
                heap.extend_for(raw.bytes().len());
                maker.make(raw)
            });
            (item, made)
        })
        .collect();
    maker.complete(&mut made);
    made.into_iter()
        .map(|(item, made)| item.decoded(made.map(Made::shared)))
        .collect()
}

/// Extends the heap of a thread in larger steps than glibc does.
///
/// glibc extends the heap of a thread page by page, each time by a system call that waits for the page
/// faults of all threads, and they for it.
#[derive(Default)]
struct Heap {
    /// Number of bytes of objects since the heap was extended.
    bytes: usize,
}

impl Heap {
    /// Number of bytes of objects after which the heap is extended.
    const TURN: usize = 8 << 10;
    /// Number of bytes by which the heap is extended. Smaller than what allocators map, trim or tidy
    /// by itself.
    const STEP: usize = 60 << 10;

    /// Extends the heap, if necessary, by allocating and freeing a block.
    fn extend_for(&mut self, object: usize) {
        self.bytes += object;
        if self.bytes >= Self::TURN {
            self.bytes = 0;
            drop(black_box(Vec::<u8>::with_capacity(Self::STEP)));
        }
    }
}

/// Returns the number of items to decode before the task yields.
fn turn<T: Item>(items: &[T]) -> usize {
    let mut bytes = 0;
    let fits = |item: &&T| {
        let fits = bytes < TURN_BYTES;
        bytes += item.raw().map_or(0, |raw| raw.bytes().len());
        fits
    };
    items.iter().take(TURN).take_while(fits).count()
}

#[cfg(test)]
mod tests;
