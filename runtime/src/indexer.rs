//! The store of one informer and its indices: one writer, any number of readers that never wait.
//!
//! ```text
//!  writer ── transaction ──► State' ── one pointer swap ──► current ──► snapshot ──► readers
//!               ▲                                              │
//!               └────────────── shares all untouched nodes ────┘
//! ```
//!
//! All maps are persistent: the next state shares all nodes that a transaction did not touch with
//! the previous state. A [`Snapshot`] is one reference to a state: objects, indices,
//! resourceVersion and undecodable keys of one moment. Later writes do not change a snapshot.
//! client-go's counterparts are `Store`, `Indexer` and `ThreadSafeStore`.
//!
//! # Cost
//!
//! A get finds the slot of its object by the hash of the key, and the entry by the slot, in maps of a
//! few levels. An update copies the nodes on the path to its slot, each node once per transaction, so
//! many writes in one transaction cost less than the same writes alone. Only keys that come or go
//! change the maps of keys. An index adds an entry per object and value; each distinct value is
//! stored once. The namespace index of a namespaced store costs nothing, because keys are ordered by
//! namespace. A snapshot keeps the objects of its state in memory until the snapshot is dropped.
//!
//! # Invariants
//!
//! 1. A published state is never changed; only `Indexer::transaction` publishes.
//! 2. An index refers to exactly the stored objects for which it computed values. Each stored
//!    object either has its values in an index or is counted among the index's failures.
//! 3. Readers never take the writer's lock, and no published object is freed under it.
//! 4. A transaction that panics changes nothing: it works on a copy.
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
//! let by_length = indexer.add_index("length", |text: &String| Ok(vec![text.len()]))?;
//! let key = ObjectKey::namespaced("default", "greeting");
//! let greeting = Arc::new("hello".to_owned());
//! indexer.add(Entry::new(key, ResourceVersion::new("7"), greeting));
//!
//! assert_eq!(by_length.get(&5), [Arc::new("hello".to_owned())]);
//! assert_eq!(indexer.snapshot().by_index("namespace", "default")?.len(), 1);
//! assert_eq!(indexer.snapshot().resource_version(), &ResourceVersion::new("7"));
//! # Ok(())
//! # }
//! ```

mod change;
mod error;
mod failures;
mod hashes;
mod index;
mod indexed;
mod indexer;
mod label;
mod objects;
mod reader;
mod retained;
mod snapshot;
mod state;
mod store;
mod table;
mod transaction;
mod value;
mod wait;

pub use self::change::Change;
pub use self::error::{
    AddIndexError, FreshnessError, IndexError, IndexErrorCause, IndexLookupError,
};
pub use self::failures::IndexFailures;
pub(crate) use self::index::Decoded;
pub(crate) use self::indexed::Indexed;
pub use self::indexer::{Indexer, Write};
pub use self::reader::{Index, IndexView};
pub use self::snapshot::Snapshot;
pub(crate) use self::state::State;
pub(crate) use self::store::Store;
pub use self::transaction::Transaction;
pub use self::value::{IndexName, IndexValue, NAMESPACE_INDEX};
pub use self::wait::reaches;
pub use crate::storage::IndexFunctionError;

#[cfg(test)]
mod tests;
