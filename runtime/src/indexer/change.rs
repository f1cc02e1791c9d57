//! [`Change`]: a difference between two snapshots of a store.

use imbl::ordmap::DiffItem;

use super::Snapshot;
use crate::object::ObjectKey;
use crate::storage::Entry;

/// Change of one object between two snapshots.
///
/// Several updates between the snapshots are one change, from the older state to the newer one.
#[derive(Debug)]
pub enum Change<'s, H> {
    /// The object exists in the newer snapshot only.
    Added(&'s Entry<H>),
    /// The object has different entries. That includes an object that was deleted and recreated,
    /// with two uids ([`Entry::is_recreation_of`]).
    Updated {
        /// Object in the older snapshot.
        old: &'s Entry<H>,
        /// Object in the newer snapshot.
        new: &'s Entry<H>,
    },
    /// The object exists in the older snapshot only.
    Deleted(&'s Entry<H>),
}

// === impl Change ===

impl<'s, H> Change<'s, H> {
    /// Returns the key of the object.
    #[must_use]
    pub fn key(&self) -> &'s ObjectKey {
        match self {
            Self::Added(entry) | Self::Updated { new: entry, .. } | Self::Deleted(entry) => {
                &entry.key
            }
        }
    }

    /// Returns the object in the newer snapshot; `None` if it was deleted.
    #[must_use]
    pub fn after(&self) -> Option<&'s Entry<H>> {
        match self {
            Self::Added(new) | Self::Updated { new, .. } => Some(new),
            Self::Deleted(_) => None,
        }
    }
}

impl<H> Clone for Change<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H> Copy for Change<'_, H> {}

// === impl Snapshot ===

impl<H: Clone + Send + Sync + 'static> Snapshot<H> {
    /// Returns the changes since an older snapshot of the same store, ordered by key, each object
    /// once.
    ///
    /// The cost is proportional to the changes in between: parts that both snapshots share are
    /// skipped. The older snapshot keeps its objects in memory while it is held.
    ///
    /// # Examples
    ///
    /// ```
    /// # use informer_runtime::{Entry, ObjectKey, ResourceVersion, Scope};
    /// # use informer_runtime::indexer::{Change, Indexer};
    /// # use informer_runtime::object::Footprint;
    ///
    /// # let entry = |name: &str| Entry {
    /// #     key: ObjectKey::cluster(name),
    /// #     uid: None,
    /// #     resource_version: ResourceVersion::new("7"),
    /// #     footprint: Footprint::default(),
    /// #     handle: (),
    /// # };
    /// let indexer = Indexer::new(Scope::Cluster);
    /// indexer.add(entry("a"));
    /// let before = indexer.snapshot();
    /// indexer.add(entry("b"));
    /// let after = indexer.snapshot();
    /// let changes: Vec<_> = after.changes_since(&before).collect();
    /// assert!(matches!(changes[..], [Change::Added(b)] if b.key.name() == "b"));
    /// ```
    pub fn changes_since<'s>(
        &'s self,
        older: &'s Self,
    ) -> impl Iterator<Item = Change<'s, H>> + use<'s, H> {
        let changes = older.state().objects.diff(&self.state().objects);
        changes.map(|change| match change {
            DiffItem::Add(_, new) => Change::Added(new.typed()),
            DiffItem::Update {
                old: (_, old),
                new: (_, new),
            } => Change::Updated {
                old: old.typed(),
                new: new.typed(),
            },
            DiffItem::Remove(_, old) => Change::Deleted(old.typed()),
        })
    }
}
