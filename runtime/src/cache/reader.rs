//! [`CacheReader`]: reads of one type in one form.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::FutureExt as _;
use tokio::time::timeout;

use super::error::CacheError;
use super::options::{CacheListOptions, MissingInformer};
use super::state::{Declared, Informers, Shared, TypeCell};
use crate::indexer::{AddIndexError, IndexName, IndexValue};
use crate::lister::{GetError, over_objects};
use crate::object::{Object, ObjectKey, ResourceInfo, Scope, TypeForm};
use crate::shared_informer::{InformerOptions, SharedInformer, SyncError};
use crate::storage::{Entry, Typed};

/// Number of the next index that a cache declares. It tells the index from one of the same name
/// that another user has added.
static NEXT_INDEX: AtomicU64 = AtomicU64::new(0);

/// Reader of one type of a [`Cache`](super::Cache) in one form: typed, dynamic or metadata.
///
/// Returned by [`Cache::of`](super::Cache::of) and [`Cache::of_resource`](super::Cache::of_resource).
/// All readers of a type in one form share its informers and indices.
pub struct CacheReader<K: Object> {
    pub(super) shared: Arc<Shared>,
    pub(super) resource: Arc<ResourceInfo>,
    pub(super) cell: Arc<TypeCell<K>>,
}

// === impl CacheReader ===

impl<K: Object> CacheReader<K> {
    /// Returns the object with this key, or `None` if it does not exist. The namespace is ignored
    /// for cluster-scoped resources.
    ///
    /// The first read of a type starts its informer and waits until it has synced, up to the
    /// cache's sync timeout. If each namespace has its own informer, a read waits only for the
    /// informer of its namespace.
    ///
    /// # Errors
    ///
    /// Fails if the cache was not started, if the type has no informer and reads must not start
    /// one, if the informer does not sync, if the namespace is not cached, or if the object's
    /// latest version did not decode.
    ///
    /// # Cancel safety
    ///
    /// If this call has started an informer, the informer keeps running after the future is
    /// dropped.
    pub async fn get(&self, key: &ObjectKey) -> Result<Option<Arc<K>>, CacheError> {
        let namespace = key.namespace().unwrap_or_default();
        let key = match self.resource.scope {
            Scope::Cluster => &ObjectKey::cluster(key.name()),
            Scope::Namespaced => key,
        };
        for informer in self.synced(Some(namespace)).await? {
            match informer.lister().try_get_by_key(key) {
                Ok(object) => return Ok(Some(object)),
                Err(GetError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// Returns the objects that `options` select, ordered by key. O(objects in their namespaces).
    ///
    /// Starts informers and waits, as [`get`](Self::get) does.
    ///
    /// # Errors
    ///
    /// Same as [`get`](Self::get).
    ///
    /// # Cancel safety
    ///
    /// If this call has started informers, they keep running after the future is dropped.
    pub async fn list(&self, options: &CacheListOptions) -> Result<Vec<Arc<K>>, CacheError> {
        let namespace = self.namespace(options);
        let mut found = Vec::new();
        for informer in self.synced(namespace).await? {
            let visit = |entry: &Entry| found.push(entry.shared());
            informer.lister().visit(namespace, &options.selector, visit);
        }
        Ok(found)
    }

    /// Returns the objects that `options` select and that have this value in an index, ordered by
    /// key. client-go's counterpart is `ByIndex`.
    ///
    /// Starts informers and waits, as [`get`](Self::get) does.
    ///
    /// # Errors
    ///
    /// Same as [`get`](Self::get). Also fails if no index has this name.
    ///
    /// # Cancel safety
    ///
    /// If this call has started informers, they keep running after the future is dropped.
    pub async fn list_by_index(
        &self,
        name: &str,
        value: &str,
        options: &CacheListOptions,
    ) -> Result<Vec<Arc<K>>, CacheError> {
        let namespace = self.namespace(options);
        let is_selected = |object: &Arc<K>| {
            let meta = object.meta();
            namespace.is_none_or(|namespace| meta.namespace.as_deref() == Some(namespace))
                && options.selector.matches(meta.labels.as_ref())
        };
        let mut found = Vec::new();
        for informer in self.synced(namespace).await? {
            let objects = informer.lister().by_index(name, value);
            let objects = objects.map_err(|cause| CacheError::Index {
                resource: self.name(),
                cause,
            })?;
            found.extend(objects.into_iter().filter(is_selected));
        }
        Ok(found)
    }

    /// Declares an index that groups objects by the values that `values` returns, none or many per
    /// object.
    ///
    /// Starts no informer. Objects that are cached already are indexed before this function
    /// returns. Informers that start later, also after a [`remove`](Self::remove), have the index
    /// from the beginning.
    ///
    /// # Errors
    ///
    /// Fails if an index of this name exists.
    pub fn add_index<V, I>(
        &self,
        name: impl Into<IndexName>,
        values: impl Fn(&K) -> I + Send + Sync + 'static,
    ) -> Result<(), AddIndexError>
    where
        V: IndexValue,
        I: IntoIterator<Item = V>,
    {
        let name = name.into();
        let number = NEXT_INDEX.fetch_add(1, Ordering::Relaxed);
        let definition = format!("the cache's index number {number}");
        let values = Arc::new(values);
        self.cell.declare(Declared {
            name: name.clone(),
            install: Box::new(move |informer| {
                let (indexer, values) = (informer.indexer(), Arc::clone(&values));
                let values = move |object: &K| Ok(values(object).into_iter().collect());
                let of_cache = Some(definition.as_str().into());
                let added = over_objects::<K, V, Typed>(indexer, name.clone(), of_cache, values);
                let Err(error) = added else { return Ok(()) };
                // The informer may have it from a concurrent first read, or from an earlier cell.
                match indexer.index_of_definition::<V>(name.as_str(), &definition) {
                    Ok(Some(_)) => Ok(()),
                    Ok(None) | Err(_) => Err(error),
                }
            }),
        })
    }

    /// Declares an index over one label, which [`list`](Self::list) uses for selectors that compare
    /// the label by `=` or `in`; see
    /// [`SharedInformer::add_label_index`](crate::SharedInformer::add_label_index).
    ///
    /// Starts no informer; see [`add_index`](Self::add_index).
    ///
    /// # Errors
    ///
    /// Fails if the label's index was declared before, or if another index has its name.
    pub fn add_label_index(&self, label: &str) -> Result<(), AddIndexError> {
        let label = label.to_owned();
        self.cell.declare(Declared {
            name: IndexName::of_label(&label),
            install: Box::new(move |informer| informer.add_label_index(&label).map(drop)),
        })
    }

    /// Returns the type's informers, ordered by namespace, for handlers, status and typed indices:
    /// one for all namespaces, or one per cached namespace. Creates them if they do not exist, regardless of the cache's [`MissingInformer`] setting. Does not wait for a
    /// sync.
    ///
    /// # Errors
    ///
    /// Fails if an index of the type conflicts with an index that another user has added to the
    /// informer.
    pub fn informers(&self) -> Result<Arc<[SharedInformer<K>]>, CacheError> {
        self.obtain(MissingInformer::Start)
    }

    /// Stops and removes the type's informers, and waits until all of their tasks have ended.
    /// Returns `true` if there were any.
    ///
    /// The informers stop for all users of the factory. Their handlers receive no more calls, their
    /// streams end, and their listers keep the last state. The next read starts new informers;
    /// declared indices are kept. A handler of these informers must not await this function,
    /// because the function waits for the handler.
    ///
    /// # Cancel safety
    ///
    /// The first poll stops the informers. Dropping the future later only ends the wait for them.
    pub async fn remove(&self) -> bool {
        let find = |options| self.find(options);
        let informers = self.cell.take();
        let informers = informers.unwrap_or_else(|| self.options().filter_map(find).collect());
        for informer in &*informers {
            self.shared.factory.forget(informer);
            informer.stop();
        }
        let ends = informers
            .iter()
            .map(|informer| informer.wait_until_stopped());
        futures::future::join_all(ends).await;
        !informers.is_empty()
    }

    /// Returns the informers, and creates missing ones if `missing` allows it.
    fn obtain(&self, missing: MissingInformer) -> Result<Informers<K>, CacheError> {
        if let Some(informers) = self.cell.informers() {
            return Ok(informers);
        }
        let request = |options: InformerOptions<K>| match self.find(options.clone()) {
            Some(informer) => Ok(informer),
            None if missing == MissingInformer::Start => {
                let resource = ResourceInfo::clone(&self.resource);
                Ok(self.shared.factory.request(resource, Typed, options))
            }
            None => Err(CacheError::MissingInformer {
                resource: self.name(),
            }),
        };
        let informers: Result<Informers<K>, _> = self.options().map(request).collect();
        let published = self.cell.publish(informers?);
        published.map_err(|cause| CacheError::AddIndex {
            resource: self.name(),
            cause,
        })
    }

    /// Finds the factory's informer. A stopped informer is removed, because it cannot restart.
    fn find(&self, options: InformerOptions<K>) -> Option<SharedInformer<K>> {
        let found = self.shared.factory.find(&self.resource, options)?;
        if found.is_stopped() {
            self.shared.factory.forget(&found);
            return None;
        }
        Some(found)
    }

    /// Returns the options of each informer of the type.
    fn options(&self) -> impl Iterator<Item = InformerOptions<K>> + use<K> {
        let defaults = &self.shared.namespaces;
        let options = self.cell.options.informers(self.resource.scope, defaults);
        options.into_iter()
    }

    /// Returns the namespace to which a list is restricted.
    fn namespace<'o>(&self, options: &'o CacheListOptions) -> Option<&'o str> {
        let namespace = options.namespace.as_deref();
        namespace.filter(|_| self.resource.scope == Scope::Namespaced)
    }

    /// Returns the informers that cache a namespace, or all, once they have synced.
    async fn synced(&self, namespace: Option<&str>) -> Result<Vec<SharedInformer<K>>, CacheError> {
        let informers = self.obtain(self.shared.missing_informer)?;
        let is_read = |informer: &&SharedInformer<K>| {
            let cached = informer.namespace();
            namespace.is_none() || cached.is_none() || cached == namespace
        };
        let found: Vec<_> = informers.iter().filter(is_read).cloned().collect();
        if found.is_empty() {
            let cached = informers.iter().filter_map(|informer| informer.namespace());
            return Err(CacheError::OutOfScope {
                resource: self.name(),
                namespace: namespace.unwrap_or_default().to_owned(),
                cached: cached.map(Arc::from).collect(),
            });
        }
        let waits = found.iter().map(|informer| self.wait_for_sync(informer));
        futures::future::try_join_all(waits).await?;
        Ok(found)
    }

    /// Waits for the first list, up to the sync timeout.
    async fn wait_for_sync(&self, informer: &SharedInformer<K>) -> Result<(), CacheError> {
        let limit = self.shared.sync_timeout;
        if !informer.has_started() && informer.wait_for_sync().now_or_never().is_none() {
            return Err(CacheError::NotStarted {
                resource: self.name(),
            });
        }
        let synced = timeout(limit, informer.wait_for_sync()).await;
        let synced = synced.unwrap_or_else(|_| {
            Err(SyncError::Timeout {
                after: limit,
                cause: informer.last_failure(),
            })
        });
        synced.map_err(|cause| CacheError::NotSynced {
            informer: informer.name().to_owned(),
            cause,
        })
    }

    /// Returns the type's name for errors.
    fn name(&self) -> String {
        let form = TypeForm::of::<K>();
        if form == TypeForm::Typed {
            return self.resource.to_string();
        }
        format!("{} ({})", self.resource, form.as_str())
    }
}

impl<K: Object> fmt::Debug for CacheReader<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheReader")
            .field("resource", &self.name())
            .field("informers", &self.cell.informers())
            .finish_non_exhaustive()
    }
}
