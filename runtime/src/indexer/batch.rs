//! [`Indexer::write_batch`]: many writes in one publication, with the failures by position.

use std::error::Error;
use std::fmt;

use super::Indexer;
use crate::object::ObjectKey;
use crate::storage::Entry;

/// One write of a batch.
#[derive(Debug, Clone)]
pub enum Write<H> {
    /// Stores an object, and replaces the object with the same key.
    Insert(Entry<H>),
    /// Removes the object with this key, if it exists.
    Remove(ObjectKey),
}

/// Error of a batch of which some writes failed. All other writes were made. client-go's
/// counterpart is `TransactionError`.
#[derive(Debug)]
pub struct BatchError<E> {
    /// Number of writes in the batch.
    pub total: usize,
    /// Positions of the failed writes, in order, with the errors.
    pub failures: Vec<(usize, E)>,
}

// === impl Indexer ===

impl<H: Clone + Send + Sync + 'static> Indexer<H> {
    /// Makes many writes that readers see together. An error in `writes` stands for a write that
    /// could not be prepared, such as an object that did not decode; all other writes are made.
    ///
    /// The store's resourceVersion becomes that of the last object that has one, as with
    /// [`add`](Self::add).
    ///
    /// # Errors
    ///
    /// Fails if `writes` contains errors. Returns them with their positions.
    ///
    /// # Examples
    ///
    /// ```
    /// # extern crate informer_runtime as informer;
    /// # use informer_runtime::object::Footprint;
    /// # use informer_runtime::indexer::{BatchError, Indexer, Write};
    /// use informer::{Entry, ObjectKey, ResourceVersion, Scope};
    ///
    /// let indexer: Indexer<u8> = Indexer::new(Scope::Cluster);
    /// let write = |(name, text): (&str, &str)| {
    ///     let handle = text.parse()?;
    ///     Ok(Write::Insert(Entry {
    ///         key: ObjectKey::cluster(name),
    ///         uid: None,
    ///         resource_version: ResourceVersion::UNSET,
    ///         footprint: Footprint::default(),
    ///         handle,
    ///     }))
    /// };
    /// let batch = [("a", "1"), ("b", "one"), ("c", "3")].map(write);
    /// let error: BatchError<std::num::ParseIntError> =
    ///     indexer.write_batch(batch).unwrap_err();
    /// assert_eq!(error.written().collect::<Vec<_>>(), [0, 2]);
    /// assert_eq!(indexer.list(), [1, 3]);
    /// ```
    pub fn write_batch<E>(
        &self,
        writes: impl IntoIterator<Item = Result<Write<H>, E>>,
    ) -> Result<(), BatchError<E>> {
        // The caller's iterator runs before the writer lock is taken.
        let writes: Vec<_> = writes.into_iter().collect();
        let total = writes.len();
        let mut failures = Vec::new();
        let replaced: Vec<_> = self.transaction(|transaction| {
            let mut replaced = Vec::new();
            for (position, write) in writes.into_iter().enumerate() {
                match write {
                    Ok(Write::Insert(entry)) => {
                        if !entry.resource_version.is_unset() {
                            transaction.set_resource_version(entry.resource_version.clone());
                        }
                        replaced.extend(transaction.insert(entry));
                    }
                    Ok(Write::Remove(key)) => replaced.extend(transaction.remove(&key)),
                    Err(error) => failures.push((position, error)),
                }
            }
            replaced
        });
        drop(replaced);
        if failures.is_empty() {
            Ok(())
        } else {
            Err(BatchError { total, failures })
        }
    }
}

// === impl BatchError ===

impl<E> BatchError<E> {
    /// Returns the positions of the writes that were made, in order.
    pub fn written(&self) -> impl Iterator<Item = usize> + '_ {
        let is_failed = |position: &usize| {
            let failed = self.failures.binary_search_by_key(position, |(at, _)| *at);
            failed.is_ok()
        };
        (0..self.total).filter(move |position| !is_failed(position))
    }
}

impl<E: fmt::Display> fmt::Display for BatchError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} writes failed", self.failures.len(), self.total)?;
        if let Some((position, error)) = self.failures.first() {
            write!(f, "; number {position}: {error}")?;
        }
        Ok(())
    }
}

impl<E: fmt::Debug + fmt::Display> Error for BatchError<E> {}
