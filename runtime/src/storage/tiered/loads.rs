//! [`Loads`]: requests for evicted bodies, and the other state that the objects of a storage share.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use futures::FutureExt as _;
use futures::future::{Shared, WeakShared};
use parking_lot::Mutex;

use crate::object::{ObjectKey, ResourceVersion};
use crate::storage::budget::{Account, Kept, Part};
use crate::storage::load::{Fetching, Link, LoadError};
use crate::wire::RawObject;

/// Loads of one storage.
#[derive(Default)]
pub(super) struct Loads {
    /// `None` for objects that belong to no informer.
    link: OnceLock<Link>,
    pending: Mutex<Pending>,
    /// Size of the objects that stay decoded.
    pub(super) decoded: AtomicUsize,
}

/// Requests in flight, and some that ended. A request is cancelled when nothing awaits it.
#[derive(Default)]
struct Pending {
    requests: HashMap<Id, WeakShared<Fetching>>,
    /// Number of requests from which on those that ended are removed: twice as many as were in flight
    /// after the last removal, so that a request costs O(1) on average.
    limit: usize,
}

/// Object, and the version that its reader has.
type Id = (ObjectKey, ResourceVersion);

// === impl Pending ===

impl Pending {
    fn get(&self, id: &Id) -> Option<Shared<Fetching>> {
        self.requests.get(id)?.upgrade()
    }

    fn insert(&mut self, id: Id, request: WeakShared<Fetching>) {
        if self.requests.len() >= self.limit {
            self.requests
                .retain(|_, request| request.upgrade().is_some());
            self.limit = (2 * self.requests.len()).max(MIN_LIMIT);
        }
        self.requests.insert(id, request);
    }
}

/// Minimum number of requests from which on those that ended are removed.
const MIN_LIMIT: usize = 64;

// === impl Loads ===

impl Loads {
    pub(super) fn attach(&self, link: Link) {
        let _attached_before = self.link.set(link);
    }

    /// Returns the account; `None` without a budget.
    pub(super) fn account(&self) -> Option<&Arc<Account>> {
        let account = self.link.get().map(|link| &link.account);
        account.filter(|account| account.budget().is_some())
    }

    /// Lets parts of objects be evicted.
    pub(super) fn keep(&self, part: Part, objects: Vec<Kept>) {
        if let Some(account) = self.account() {
            account.keep(part, objects);
        }
    }

    /// Returns the number of known requests, and that from which on those that ended are removed.
    #[cfg(test)]
    pub(super) fn pending(&self) -> (usize, usize) {
        let pending = self.pending.lock();
        (pending.requests.len(), pending.limit)
    }

    /// Requests this version of an object or a later one. Concurrent calls share a request.
    ///
    /// # Cancel safety
    ///
    /// The last future of a request to be dropped cancels the request.
    pub(super) async fn load(
        &self,
        key: &ObjectKey,
        version: &ResourceVersion,
    ) -> Result<RawObject, LoadError> {
        let Some(link) = self.link.get() else {
            return Err(LoadError::failed(key, "the object belongs to no informer"));
        };
        let id = (key.clone(), version.clone());
        let request = {
            let mut pending = self.pending.lock();
            pending.get(&id).unwrap_or_else(|| {
                let request = (link.fetch)(key.clone(), version.clone()).shared();
                if let Some(weak) = request.downgrade() {
                    pending.insert(id, weak);
                }
                request
            })
        };
        request.await
    }
}
