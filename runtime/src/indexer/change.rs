//! [`Change`]: in what two moments of a store differ.

use imbl::ordmap::DiffItem;

use super::Snapshot;
use crate::object::ObjectKey;
use crate::storage::Entry;

/// What happened to one object between two snapshots.
///
/// What happened several times is one change: from the older state to the newer.
#[derive(Debug)]
pub enum Change<'s, H> {
    /// The newer snapshot has an object where the older has none.
    Added(&'s Entry<H>),
    /// They have different entries. An object that was deleted and created anew is such a change,
    /// with two uids ([`Entry::is_recreation_of`]).
    Updated {
        /// The object in the older snapshot.
        old: &'s Entry<H>,
        /// The object in the newer one.
        new: &'s Entry<H>,
    },
    /// The newer snapshot has no object where the older has this one.
    Deleted(&'s Entry<H>),
}

// === impl Change ===

impl<'s, H> Change<'s, H> {
    /// The object's key.
    #[must_use]
    pub fn key(&self) -> &'s ObjectKey {
        match self {
            Self::Added(entry) | Self::Updated { new: entry, .. } | Self::Deleted(entry) => {
                &entry.key
            }
        }
    }

    /// The object as the newer snapshot has it; `None` if it was deleted.
    #[must_use]
    pub fn after(&self) -> Option<&'s Entry<H>> {
        match self {
            Self::Added(new) | Self::Updated { new, .. } => Some(new),
            Self::Deleted(_) => None,
        }
    }

    /// The object as the older snapshot has it; `None` if it was added.
    #[must_use]
    pub fn before(&self) -> Option<&'s Entry<H>> {
        match self {
            Self::Updated { old, .. } | Self::Deleted(old) => Some(old),
            Self::Added(_) => None,
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
    /// What has changed since an older snapshot of the same store, ordered by key: each object
    /// once.
    ///
    /// Costs about what the changes cost that were made in between: what both snapshots share is
    /// not looked at. Holding the older one keeps its objects in memory.
    ///
    /// # Examples
    ///
    /// ```
    /// # use informer_runtime::{Entry, ObjectKey, ResourceVersion, Scope};
    /// # use informer_runtime::indexer::{Change, Indexer};
    ///
    /// # let entry = |name: &str| Entry {
    /// #     key: ObjectKey::cluster(name),
    /// #     uid: None,
    /// #     resource_version: ResourceVersion::new("7"),
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
            DiffItem::Add(_, new) => Change::Added(new.entry()),
            DiffItem::Update {
                old: (_, old),
                new: (_, new),
            } => Change::Updated {
                old: old.entry(),
                new: new.entry(),
            },
            DiffItem::Remove(_, old) => Change::Deleted(old.entry()),
        })
    }
}
