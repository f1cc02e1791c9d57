//! [`Change`]: a difference between two snapshots of a store.

use std::marker::PhantomData;

use derive_where::derive_where;

use super::Snapshot;
use crate::object::ObjectKey;
use crate::storage::Entry;

/// Change of one object between two snapshots.
///
/// Several updates between the snapshots are one change, from the older state to the newer one.
#[derive_where(Clone, Copy, Debug)]
pub struct Change<'s, T> {
    #[derive_where(skip(Debug))]
    key: &'s ObjectKey,
    before: Option<&'s Entry>,
    after: Option<&'s Entry>,
    #[derive_where(skip(Debug))]
    objects: PhantomData<&'s T>,
}

// === impl Change ===

impl<'s, T: 'static> Change<'s, T> {
    /// Returns the key of the object.
    #[must_use]
    pub fn key(&self) -> &'s ObjectKey {
        self.key
    }

    /// Returns the object in the older snapshot; `None` if it was added.
    #[must_use]
    pub fn before(&self) -> Option<&'s T> {
        self.before.map(Entry::typed)
    }

    /// Returns the object in the newer snapshot; `None` if it was deleted.
    #[must_use]
    pub fn after(&self) -> Option<&'s T> {
        self.after.map(Entry::typed)
    }

    /// Returns the entries in the older and in the newer snapshot. Those of an object that was
    /// deleted and recreated have two uids ([`Entry::is_recreation_of`]).
    #[must_use]
    pub fn entries(&self) -> (Option<&'s Entry>, Option<&'s Entry>) {
        (self.before, self.after)
    }
}

// === impl Snapshot ===

impl<T: Send + Sync + 'static> Snapshot<T> {
    /// Returns the changes since an older snapshot of the same store, ordered by key, each object
    /// once.
    ///
    /// The cost is that of sorting the changes in between: parts that both snapshots share are
    /// skipped. The older snapshot keeps its objects in memory while it is held.
    ///
    /// # Examples
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use informer_runtime::{Entry, Scope};
    /// # use informer_runtime::indexer::Indexer;
    /// # use k8s_openapi::api::core::v1::Node;
    /// # let entry = |name: &str| {
    /// #     let mut node = Node::default();
    /// #     node.metadata.name = Some(name.to_owned());
    /// #     Entry::from(Arc::new(node))
    /// # };
    /// let indexer = Indexer::<Node>::new(Scope::Cluster);
    /// indexer.add(entry("a"));
    /// let before = indexer.snapshot();
    /// indexer.add(entry("b"));
    /// let after = indexer.snapshot();
    /// let changes: Vec<_> = after.changes_since(&before).collect();
    /// assert_eq!(changes.len(), 1);
    /// assert_eq!(changes[0].key().name(), "b");
    /// assert!(changes[0].before().is_none());
    /// ```
    pub fn changes_since<'s>(
        &'s self,
        older: &'s Self,
    ) -> impl Iterator<Item = Change<'s, T>> + use<'s, T> {
        let changes = self.objects.changes_since(&older.objects);
        changes.into_iter().map(|changed| Change {
            key: changed.key,
            before: changed.old.map(|entry| &**entry),
            after: changed.new.map(|entry| &**entry),
            objects: PhantomData,
        })
    }
}
