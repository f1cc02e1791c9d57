//! [`FirstLists`]: the lists that have to be complete before an informer has synced. Pure.

use std::sync::Arc;

/// First lists that are not complete: that of the informer, or one for each namespace that has a
/// watch of its own.
#[derive(Debug)]
pub(crate) struct FirstLists {
    /// Namespaces; `None` for all that is cached.
    awaited: Vec<Option<Arc<str>>>,
    /// `true` once a list is complete.
    has_list: bool,
    has_synced: bool,
}

// === impl FirstLists ===

impl FirstLists {
    pub(crate) fn new(awaited: Vec<Option<Arc<str>>>) -> Self {
        Self {
            awaited,
            has_list: false,
            has_synced: false,
        }
    }

    /// Returns `true` if the first list of this namespace is not complete.
    pub(super) fn awaits(&self, namespace: Option<&str>) -> bool {
        let mut awaited = self.awaited.iter();
        awaited.any(|awaited| awaited.is_none() || awaited.as_deref() == namespace)
    }

    /// Notes that a list is complete.
    pub(super) fn complete(&mut self, namespace: Option<&str>) {
        self.has_list = true;
        self.awaited
            .retain(|awaited| awaited.as_deref() != namespace);
    }

    /// Returns the namespaces whose first list is not complete.
    pub(super) fn awaited(&self) -> &[Option<Arc<str>>] {
        &self.awaited
    }

    /// Returns the namespaces that keep the informer from its sync although another one is listed.
    pub(super) fn awaited_after_others(&self) -> &[Option<Arc<str>>] {
        let is_partial = self.has_list && !self.has_synced;
        if is_partial { &self.awaited } else { &[] }
    }

    /// Returns `true` once: when one list at least is complete, and `are_forbidden` returns `true`
    /// for all others.
    pub(super) fn complete_sync(
        &mut self,
        are_forbidden: impl FnOnce(&[Option<Arc<str>>]) -> bool,
    ) -> bool {
        let completes = self.has_list && !self.has_synced && are_forbidden(&self.awaited);
        self.has_synced |= completes;
        completes
    }
}
