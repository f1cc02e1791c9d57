//! [`TieredObject`]: an object whose body may be evicted.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use derive_where::derive_where;

use super::loads::Loads;
use crate::base::sync::Mutex;
use crate::object::Object;
use crate::storage::budget::{Evict, Kept, Part, SLOT_BYTES, decoded_bytes};
use crate::storage::packed::{Clear, PackedObject};
use crate::storage::{LoadError, ObjectError};
use crate::wire::RawObject;

/// Object of a [`Tiered`](super::Tiered) storage.
///
/// Key, uid, version, labels and controlling owner are always readable, by the methods of
/// [`PackedObject`]. The body is in memory, or has to be [loaded](Self::load).
pub struct TieredObject<K> {
    packed: PackedObject<K>,
    /// Locked before the body, which comes and goes together with its size in the account.
    state: Mutex<TieredState<K>>,
    /// Number of reads that the clock has not seen yet, up to [`MAX_READS`].
    reads: AtomicU8,
    loads: Arc<Loads>,
    /// Maximum size of a body that is kept.
    max_object: usize,
}

#[derive_where(Default)]
struct TieredState<K> {
    /// Size of the body in the account; 0 for a body that is not in the account.
    kept: usize,
    /// Object that stays decoded, with its size in the account.
    decoded: Option<(Arc<K>, usize)>,
}

/// A body that was read more often survives more rounds of the clock.
const MAX_READS: u8 = 3;
/// Number of unseen reads from which on an object stays decoded.
const OFTEN: u8 = 2;

// === impl TieredObject ===

impl<K: Object> TieredObject<K> {
    pub(super) fn new(packed: PackedObject<K>, loads: &Arc<Loads>, max_object: usize) -> Self {
        Self {
            packed,
            state: Mutex::default(),
            reads: AtomicU8::new(0),
            loads: Arc::clone(loads),
            max_object,
        }
    }

    /// Returns the decoded object if its body is in memory.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not a valid `K`.
    pub fn body(self: &Arc<Self>) -> Option<Result<Arc<K>, ObjectError>> {
        match self.in_memory() {
            Err(ObjectError::Evicted { .. }) => None,
            read => Some(read),
        }
    }

    /// Returns the decoded object, of this version or a later one. The object comes from memory, or
    /// from the API server if its body was evicted.
    ///
    /// Concurrent calls for an object share a request, and the loads of a factory are bounded in
    /// number. A loaded body of this version stays in memory until it is evicted again.
    ///
    /// # Errors
    ///
    /// Fails if the object was deleted, the API server forbids the verb `get`, the request fails, or
    /// the object is not a valid `K`.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect on other callers.
    pub async fn load(self: &Arc<Self>) -> Result<Arc<K>, LoadError> {
        if let Some(read) = self.body() {
            return Ok(read?);
        }
        let raw = self.loads.load(self.key(), self.resource_version()).await?;
        self.loaded(&raw)
    }

    fn loaded(self: &Arc<Self>, raw: &RawObject) -> Result<Arc<K>, LoadError> {
        if matches!((self.uid(), raw.uid()), (Some(own), Some(loaded)) if own != loaded) {
            return Err(LoadError::Gone(self.key().clone()));
        }
        let own = self.resource_version();
        let loaded = raw.resource_version();
        if loaded.is_older_than(own) {
            let reason = format!("the API server answered the older resourceVersion \"{loaded}\"");
            return Err(LoadError::failed(self.key(), reason));
        }
        if loaded != own {
            return Ok(Arc::new(self.packed.decode_by(raw, RawObject::decode)?));
        }
        if raw.bytes().len() <= self.max_object {
            self.restore(raw);
        }
        Ok(self.decoded_from(Some(raw))?)
    }

    /// Keeps the body of this version, until it is evicted again.
    fn restore(self: &Arc<Self>, raw: &RawObject) {
        let body = self.packed.pack(raw);
        let mut state = self.state.lock();
        let Some(bytes) = self.packed.restore(body) else {
            return;
        };
        state.kept = bytes;
        drop(state);
        if bytes > 0 {
            self.loads.keep(Part::Body, vec![self.kept(bytes)]);
        }
    }

    /// Returns the decoded object if its body is in memory, and counts a read.
    pub(super) fn in_memory(self: &Arc<Self>) -> Result<Arc<K>, ObjectError> {
        let add = |reads: u8| (reads < MAX_READS).then_some(reads + 1);
        let reads = self
            .reads
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        if let Some((decoded, _)) = &self.state.lock().decoded {
            return Ok(Arc::clone(decoded));
        }
        let decoded = self.decoded_from(None)?;
        if reads.unwrap_or(MAX_READS) >= OFTEN {
            self.keep_decoded(&decoded);
        }
        Ok(decoded)
    }

    fn decoded_from(self: &Arc<Self>, raw: Option<&RawObject>) -> Result<Arc<K>, ObjectError> {
        self.packed
            .decode_shared(raw, || Arc::<Self>::downgrade(self))
    }

    fn keep_decoded(self: &Arc<Self>, decoded: &Arc<K>) {
        let (_, unpacked) = self.packed.sizes();
        let bytes = decoded_bytes::<K>(1, unpacked);
        let account = self.loads.account();
        if unpacked == 0 || !account.is_some_and(|account| account.keeps_decoded(bytes)) {
            return;
        }
        let mut state = self.state.lock();
        if state.decoded.is_none() {
            state.decoded = Some((Arc::clone(decoded), bytes));
            drop(state);
            self.loads.decoded.fetch_add(bytes, Ordering::Relaxed);
            self.loads.keep(Part::Decoded, vec![self.kept(bytes)]);
        }
    }

    /// Lets the body be evicted from now on. Returns the body, which the caller has to
    /// [`keep`](Loads::keep), unless it is gone or a template.
    pub(super) fn settle(self: &Arc<Self>) -> Option<Kept> {
        self.reads.store(0, Ordering::Relaxed);
        let mut state = self.state.lock();
        let (packed, unpacked) = self.packed.sizes();
        if unpacked > self.max_object {
            self.packed.evict();
        } else {
            state.kept = packed;
        }
        (state.kept > 0).then(|| self.kept(state.kept))
    }

    fn kept(self: &Arc<Self>, bytes: usize) -> Kept {
        (bytes, Arc::<Self>::downgrade(self))
    }
}

#[cfg(test)]
impl<K> TieredObject<K> {
    pub(super) fn decoded_bytes(&self) -> usize {
        let state = self.state.lock();
        state.decoded.as_ref().map_or(0, |(_, bytes)| *bytes)
    }
}

impl<K> TieredObject<K> {
    /// Memory of the object without its body. Includes the two counters of the `Arc`, and the place in
    /// the clock.
    pub(super) const HEADER_BYTES: usize = size_of::<Self>() + 2 * size_of::<usize>() + SLOT_BYTES;

    fn drop_part(&self, part: Part) {
        let bytes = match part {
            Part::Body => {
                let mut state = self.state.lock();
                self.packed.evict();
                std::mem::take(&mut state.kept)
            }
            Part::Decoded => {
                let decoded = self.state.lock().decoded.take();
                decoded.map_or(0, |(_, bytes)| bytes)
            }
        };
        if bytes == 0 {
            return;
        }
        if part == Part::Decoded {
            self.loads.decoded.fetch_sub(bytes, Ordering::Relaxed);
        }
        if let Some(account) = self.loads.account() {
            account.release(part, bytes);
        }
    }
}

impl<K: Send + Sync> Evict for TieredObject<K> {
    fn take_read(&self) -> bool {
        let take = |reads: u8| reads.checked_sub(1);
        let taken = self
            .reads
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.is_ok()
    }

    fn evict(&self, part: Part) {
        self.drop_part(part);
    }
}

impl<K: Send + Sync> Clear for TieredObject<K> {
    fn clear(&self) -> bool {
        self.packed.clear()
    }
}

impl<K> Deref for TieredObject<K> {
    type Target = PackedObject<K>;

    fn deref(&self) -> &PackedObject<K> {
        &self.packed
    }
}

impl<K> Drop for TieredObject<K> {
    fn drop(&mut self) {
        self.drop_part(Part::Body);
        self.drop_part(Part::Decoded);
    }
}

impl<K> fmt::Debug for TieredObject<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TieredObject").field(&self.packed).finish()
    }
}
