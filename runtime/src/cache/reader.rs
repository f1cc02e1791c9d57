//! [`CacheReader`]: reads of one type in one form.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use derive_where::derive_where;
use futures::FutureExt as _;
use tokio::time::timeout;

use super::error::CacheError;
use super::options::{CacheListOptions, MissingInformer};
use super::state::{CacheShared, Declared, TypeCell};
use crate::indexer::{AddIndexError, IndexName, IndexValue};
use crate::lister::{GetError, over_objects};
use crate::object::{Object, ObjectKey, ResourceInfo, Scope, TypeForm};
use crate::shared_informer::{SharedInformer, SyncError};
use crate::storage::{Entry, Typed};

/// Number of the next index that a cache declares. It tells the index from one of the same name
/// that another user has added.
static NEXT_INDEX: AtomicU64 = AtomicU64::new(0);

/// Reader of one type of a [`Cache`](super::Cache) in one form: typed, dynamic or metadata.
///
/// Returned by [`Cache::of`](super::Cache::of) and [`Cache::of_resource`](super::Cache::of_resource).
/// All readers of a type in one form share its informer and indices.
#[derive_where(Debug)]
pub struct CacheReader<K: Object> {
    #[derive_where(skip)]
    pub(super) shared: Arc<CacheShared>,
    pub(super) resource: Arc<ResourceInfo>,
    #[derive_where(skip)]
    pub(super) cell: Arc<TypeCell<K>>,
}

// === impl CacheReader ===

impl<K: Object> CacheReader<K> {
    /// Returns the object with this key, or `None` if it does not exist. The namespace is ignored
    /// for cluster-scoped resources.
    ///
    /// The first read of a type starts its informer and waits until it has synced, up to the
    /// cache's sync timeout. If the informer caches several namespaces, a read waits only for its
    /// own.
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
        let informer = self.synced(Some(namespace)).await?;
        match informer.lister().try_get_by_key(key) {
            Ok(object) => Ok(Some(object)),
            Err(GetError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the objects that `options` select, ordered by key. O(objects in their namespaces).
    ///
    /// Starts the informer and waits, as [`get`](Self::get) does.
    ///
    /// # Errors
    ///
    /// Same as [`get`](Self::get).
    ///
    /// # Cancel safety
    ///
    /// If this call has started an informer, the informer keeps running after the future is
    /// dropped.
    pub async fn list(&self, options: &CacheListOptions) -> Result<Vec<Arc<K>>, CacheError> {
        let namespace = self.namespace(options);
        let mut found = Vec::new();
        let informer = self.synced(namespace).await?;
        let visit = |entry: &Entry| found.push(entry.shared());
        informer.lister().visit(namespace, &options.selector, visit);
        Ok(found)
    }

    /// Returns the objects that `options` select and that have this value in an index, ordered by
    /// key. client-go's counterpart is `ByIndex`.
    ///
    /// Starts the informer and waits, as [`get`](Self::get) does.
    ///
    /// # Errors
    ///
    /// Same as [`get`](Self::get). Also fails if no index has this name.
    ///
    /// # Cancel safety
    ///
    /// If this call has started an informer, the informer keeps running after the future is
    /// dropped.
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
        let found = self.synced(namespace).await?.lister().by_index(name, value);
        let objects = found.map_err(|cause| CacheError::Index {
            resource: self.name(),
            cause,
        })?;
        Ok(objects.into_iter().filter(is_selected).collect())
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
                let indexer = informer.indexer();
                let values = Arc::clone(&values);
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

    /// Returns the type's informer, for handlers, status and typed indices. Creates it if it does not
    /// exist, regardless of the cache's [`MissingInformer`] setting. Does not wait for a sync.
    ///
    /// # Errors
    ///
    /// Fails if an index of the type conflicts with an index that another user has added to the
    /// informer.
    pub fn informer(&self) -> Result<SharedInformer<K>, CacheError> {
        self.obtain(MissingInformer::Start)
    }

    /// Stops and removes the type's informer, and waits until all of its tasks have ended. Returns
    /// `true` if there was one.
    ///
    /// The informer stops for all users of the factory. Its handlers receive no more calls, its
    /// streams end, and its listers keep the last state. The next read starts a new informer;
    /// declared indices are kept. A handler of the informer must not await this function, because
    /// the function waits for the handler.
    ///
    /// # Cancel safety
    ///
    /// The first poll stops the informer. Dropping the future later only ends the wait for it.
    pub async fn remove(&self) -> bool {
        let Some(informer) = self.cell.take().or_else(|| self.find()) else {
            return false;
        };
        self.shared.factory.forget(&informer);
        informer.stop();
        informer.wait_until_stopped().await;
        true
    }

    /// Returns the informer, and creates a missing one if `missing` allows it.
    fn obtain(&self, missing: MissingInformer) -> Result<SharedInformer<K>, CacheError> {
        if let Some(informer) = self.cell.informer() {
            return Ok(informer);
        }
        let informer = match self.find() {
            Some(informer) => informer,
            None if missing == MissingInformer::Start => {
                let resource = ResourceInfo::clone(&self.resource);
                let options = self.cell.options.clone();
                self.shared.factory.request(resource, Typed, options)
            }
            None => {
                return Err(CacheError::MissingInformer {
                    resource: self.name(),
                });
            }
        };
        self.cell
            .publish(informer)
            .map_err(|cause| CacheError::AddIndex {
                resource: self.name(),
                cause,
            })
    }

    /// Finds the factory's informer. A stopped informer is removed, because it cannot restart.
    fn find(&self) -> Option<SharedInformer<K>> {
        let options = self.cell.options.clone();
        let found = self.shared.factory.find(&self.resource, options)?;
        if found.is_stopped() {
            self.shared.factory.forget(&found);
            return None;
        }
        Some(found)
    }

    /// Returns the namespace to which a list is restricted.
    fn namespace<'o>(&self, options: &'o CacheListOptions) -> Option<&'o str> {
        let namespace = options.namespace.as_deref();
        namespace.filter(|_| self.resource.scope == Scope::Namespaced)
    }

    /// Returns the informer once it has synced a namespace, or all.
    async fn synced(&self, namespace: Option<&str>) -> Result<SharedInformer<K>, CacheError> {
        let informer = self.obtain(self.shared.missing_informer)?;
        let cached = informer.namespaces();
        let is_cached = |namespace: &str| cached.iter().any(|cached| **cached == *namespace);
        if let Some(other) = namespace.filter(|name| !cached.is_empty() && !is_cached(name)) {
            return Err(CacheError::OutOfScope {
                resource: self.name(),
                namespace: other.to_owned(),
                cached: cached.to_vec(),
            });
        }
        self.wait_for_sync(&informer, namespace).await?;
        Ok(informer)
    }

    /// Waits for the first list of a namespace, or of all, up to the sync timeout.
    async fn wait_for_sync(
        &self,
        informer: &SharedInformer<K>,
        namespace: Option<&str>,
    ) -> Result<(), CacheError> {
        let limit = self.shared.sync_timeout;
        let synced = || informer.wait_for_namespace(namespace);
        if !informer.has_started() && synced().now_or_never().is_none() {
            return Err(CacheError::NotStarted {
                resource: self.name(),
            });
        }
        let synced = timeout(limit, synced()).await.unwrap_or_else(|_| {
            Err(SyncError::Timeout {
                after: limit,
                cause: informer.last_failure(namespace),
            })
        });
        synced.map_err(|cause| CacheError::NotSynced {
            informer: informer.name().to_owned(),
            cause,
        })
    }

    fn name(&self) -> String {
        let form = TypeForm::of::<K>();
        if form == TypeForm::Typed {
            return self.resource.to_string();
        }
        format!("{} ({})", self.resource, form.as_str())
    }
}
