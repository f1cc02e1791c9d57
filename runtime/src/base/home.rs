//! [`Home`]: the thread that allocated an object. [`HomeDrop`]: drops objects on that thread, in a
//! [`Burst`] of events.
//!
//! In a burst of watch events, several threads decode objects, and handlers drop the objects that
//! were replaced. Most allocators take a lock when another thread than the allocating one frees
//! memory, and glibc's also keeps such memory from the thread that needs it next. A burst then
//! takes more CPU, and more memory. So the objects travel back to the threads that decode.
//! docs/decisions.md says what it buys.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::panic::catch;
use super::sync::Mutex;

/// Number of bins. With more threads, several threads share a bin.
const HOMES: u8 = 16;
/// Maximum number of handles that wait in a bin.
const BIN_HANDLES: usize = 256;
/// Maximum size of the objects that wait in a bin.
const BIN_BYTES: usize = 1 << 20;
/// Time after the last chunk of a burst for which handlers may still send replaced objects home.
const LINGER: Duration = Duration::from_millis(100);

/// Thread that allocated an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Home(u8);

/// Objects that wait to be dropped by the threads that allocated them.
///
/// Closed between bursts: an object is then dropped at once, where it is.
pub(crate) struct HomeDrop<H> {
    is_open: AtomicBool,
    bins: [Mutex<Bin<H>>; HOMES as usize],
}

struct Bin<H> {
    is_open: bool,
    bytes: usize,
    handles: Vec<H>,
}

/// Time in which several threads decode watch events. Until it is dropped, replaced objects travel
/// to the threads that decoded them.
pub(crate) struct Burst<H> {
    home_drop: Arc<HomeDrop<H>>,
    ends: Instant,
}

// === impl Home ===

impl Home {
    pub(crate) fn current() -> Self {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        std::thread_local! {
            static HOME: Home = {
                let thread = THREADS.fetch_add(1, Ordering::Relaxed) % usize::from(HOMES);
                Home(u8::try_from(thread).unwrap_or_default())
            };
        }
        // A thread that is ending has no number any more. That of any other thread is right, too.
        HOME.try_with(|home| *home).unwrap_or_default()
    }
}

// === impl HomeDrop ===

impl<H> HomeDrop<H> {
    /// Creates closed bins.
    pub(crate) fn new() -> Self {
        let bin = || Bin {
            is_open: false,
            bytes: 0,
            handles: Vec::new(),
        };
        Self {
            is_open: AtomicBool::new(false),
            bins: std::array::from_fn(|_| Mutex::new(bin())),
        }
    }

    /// Accepts objects from now on. Whoever opens the bins has to close them.
    pub(crate) fn open(&self) {
        if !self.is_open.swap(true, Ordering::Relaxed) {
            for bin in &self.bins {
                bin.lock().is_open = true;
            }
        }
    }

    /// Returns `true` if objects are accepted. May be out of date, which only changes the thread
    /// that drops an object.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    /// Drops all waiting objects, and those that arrive later at once.
    pub(crate) fn close(&self) {
        if self.is_open.swap(false, Ordering::Relaxed) {
            for bin in &self.bins {
                let handles = {
                    let mut bin = bin.lock();
                    bin.is_open = false;
                    bin.take()
                };
                discard(handles);
            }
        }
    }

    /// Sends an object of `bytes` bytes to the thread `home`. Drops it at once if the bins are
    /// closed, or if the thread's bin is full.
    pub(crate) fn send(&self, handle: H, home: Home, bytes: usize) {
        if let Some(bin) = self.bins.get(usize::from(home.0)) {
            let mut bin = bin.lock();
            if bin.is_open && bin.handles.len() < BIN_HANDLES && bin.bytes + bytes <= BIN_BYTES {
                bin.bytes += bytes;
                bin.handles.push(handle);
                return;
            }
        }
        discard([handle]);
    }

    /// Drops the objects that the calling thread allocated.
    pub(crate) fn drop_own(&self) {
        let Some(bin) = self.bins.get(usize::from(Home::current().0)) else {
            return;
        };
        let handles = bin.lock().take();
        discard(handles);
    }
}

impl<H> Bin<H> {
    fn take(&mut self) -> Vec<H> {
        self.bytes = 0;
        std::mem::take(&mut self.handles)
    }
}

// === impl Burst ===

impl<H> Burst<H> {
    pub(crate) fn new(home_drop: &Arc<HomeDrop<H>>, now: Instant) -> Self {
        home_drop.open();
        Self {
            home_drop: Arc::clone(home_drop),
            ends: now + LINGER,
        }
    }

    pub(crate) fn prolong(&mut self, now: Instant) {
        self.ends = now + LINGER;
    }

    /// Returns the time at which the burst ends if no other chunk follows.
    pub(crate) fn ends(&self) -> Instant {
        self.ends
    }
}

impl<H> Drop for Burst<H> {
    fn drop(&mut self) {
        self.home_drop.close();
    }
}

/// Drops objects one by one. A panic of user code in one of them does not concern the others.
fn discard<H>(handles: impl IntoIterator<Item = H>) {
    for handle in handles {
        let _panicked = catch(move || drop(handle));
    }
}

#[cfg(test)]
mod tests;
