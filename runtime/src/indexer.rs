//! The store of one informer and its indices: one writer, any number of readers that never wait.
//!
//! ```text
//!  writer ── transaction ──► State' ── one pointer swap ──► current ──► snapshot ──► readers
//!               ▲                                              │
//!               └────────────── shares all untouched nodes ────┘
//! ```
//!
//! All maps are persistent, so the next state shares with the last one whatever a transaction did
//! not touch, and a [`Snapshot`] is one reference: objects, indices, resourceVersion and
//! undecodable keys of one moment, unmoved by later writes. client-go's counterparts are `Store`,
//! `Indexer` and `ThreadSafeStore`.
//!
//! # Cost
//!
//! A get finds its object by the hash of its key, in a map that all states share, without a lock.
//! Where the map cannot answer, because the key is missing or a transaction is replacing its
//! object, the get walks a B+tree instead. A write copies the nodes on the way to
//! its key, each once per transaction, so that many writes in one transaction are cheaper than the
//! same writes alone. An object costs about 250 bytes beside itself and the text of its key, an index
//! about 170 bytes per object; each distinct value is stored once. The namespace index of a namespaced store costs nothing: keys order by namespace.
//! A snapshot that is held keeps the objects of its moment in memory.
//!
//! # Invariants
//!
//! 1. A published state is never changed; only `Indexer::transaction` publishes.
//! 2. An index names exactly the stored objects whose values it computed, and each stored object
//!    either has its values in an index or is counted among the index's failures.
//! 3. The writer's lock is never taken by a reader, and no published object is freed under it.
//!    The shared map owns no object, so that a reader who reclaims its memory frees none either.
//! 4. A transaction that panics leaves nothing behind: it works on a copy.
//!
//! # Examples
//!
//! ```
//! # extern crate informer_runtime as informer;
//! use std::sync::Arc;
//! # use informer_runtime::indexer::Indexer;
//! use informer::{Entry, ObjectKey, ResourceVersion, Scope};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let indexer = Indexer::new(Scope::Namespaced);
//! let by_length = indexer.add_index("length", |entry: &Entry<Arc<str>>| {
//!     Ok(vec![entry.handle.len()])
//! })?;
//! indexer.add(Entry {
//!     key: ObjectKey::namespaced("default", "greeting"),
//!     uid: None,
//!     resource_version: ResourceVersion::new("7"),
//!     handle: Arc::from("hello"),
//! });
//!
//! assert_eq!(by_length.get(&5), [Arc::from("hello")]);
//! assert_eq!(indexer.by_index("namespace", "default")?.len(), 1);
//! assert_eq!(indexer.snapshot().resource_version(), &ResourceVersion::new("7"));
//! # Ok(())
//! # }
//! ```

mod batch;
mod change;
mod error;
mod failures;
mod index;
mod indexer;
mod latest;
mod reader;
mod snapshot;
mod state;
mod transaction;
mod value;
mod wait;

pub use self::batch::{BatchError, Write};
pub use self::change::Change;
pub use self::error::{AddIndexError, IndexError, IndexErrorCause, IndexLookupError, WaitError};
pub use self::failures::IndexFailures;
pub(crate) use self::index::Decoded;
pub use self::indexer::Indexer;
pub use self::reader::{Index, IndexView};
pub use self::snapshot::Snapshot;
pub use self::transaction::Transaction;
pub use self::value::{IndexName, IndexValue, NAMESPACE_INDEX};
pub use crate::storage::IndexFunctionError;

#[cfg(test)]
mod tests;
