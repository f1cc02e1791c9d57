//! [`CacheReader`]: reads of one type in one form.

use std::fmt;
use std::sync::Arc;

use futures::FutureExt as _;
use tokio::time::timeout;

use super::error::CacheError;
use super::lister::MultiNamespaceLister;
use super::namespaces::MultiNamespaceInformer;
use super::options::{CacheListOptions, MissingInformer};
use super::shared::Shared;
use super::state::{Declared, TypeCell};
use crate::factory::SharedInformerFactory;
use crate::indexer::{AddIndexError, IndexName, IndexValue};
use crate::lister::GetError;
use crate::object::{Object, ObjectKey, ResourceInfo, Scope};
use crate::shared_informer::{InformerOptions, SharedInformer, SyncError};
use crate::status::InformerState;

/// Function that requests an informer of this form from a factory.
pub(super) type Request<K> =
    fn(&SharedInformerFactory, ResourceInfo, InformerOptions<K>) -> SharedInformer<K>;

/// Reader of one type of a [`Cache`](super::Cache) in one form: typed, dynamic or metadata.
///
/// Cheap to clone. Returned by [`Cache::of`](super::Cache::of),
/// [`Cache::dynamic`](super::Cache::dynamic) and [`Cache::metadata`](super::Cache::metadata).
pub struct CacheReader<K: Object> {
    shared: Arc<Shared>,
    resource: Arc<ResourceInfo>,
    form: Option<&'static str>,
    request: Request<K>,
    cell: Arc<TypeCell<K>>,
}

// === impl CacheReader ===

impl<K: Object> CacheReader<K> {
    pub(super) fn new(
        shared: Arc<Shared>,
        resource: ResourceInfo,
        form: Option<&'static str>,
        request: Request<K>,
        cell: Arc<TypeCell<K>>,
    ) -> Self {
        Self {
            shared,
            resource: Arc::new(resource),
            form,
            request,
            cell,
        }
    }

    /// Returns the resource that is read.
    #[must_use]
    pub fn resource(&self) -> &ResourceInfo {
        &self.resource
    }

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
        let informers = self.informers_to_read()?;
        let informer = self.of_namespace(&informers, key.namespace().unwrap_or_default())?;
        self.wait_for_sync(informer).await?;
        let found = match (self.resource.scope, key.namespace()) {
            (Scope::Cluster, Some(_)) => {
                let key = ObjectKey::cluster(key.name());
                informer.lister().try_get_by_key(&key)
            }
            _ => informer.lister().try_get_by_key(key),
        };
        match found {
            Ok(object) => Ok(Some(object)),
            Err(GetError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
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
        Ok(self.synced_lister(options).await?.list(options))
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
        let lister = self.synced_lister(options).await?;
        lister
            .by_index(name, value, options)
            .map_err(|cause| CacheError::Index {
                resource: self.name(),
                cause,
            })
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
        let values = Arc::new(values);
        let install = {
            let name = name.clone();
            move |informer: &SharedInformer<K>| {
                let values = Arc::clone(&values);
                let added = informer.add_index::<V, I>(name.clone(), move |object| values(object));
                match added {
                    // A concurrent first read has added the index already.
                    Err(_) if informer.index::<V>(name.as_str()).is_some() => Ok(()),
                    added => added.map(drop),
                }
            }
        };
        self.cell.declare(Declared {
            name,
            install: Box::new(install),
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

    /// Returns the type's informers, for handlers, status and typed indices. Creates them if they
    /// do not exist, regardless of the cache's [`MissingInformer`] setting. Does not wait for a
    /// sync.
    ///
    /// # Errors
    ///
    /// Fails if an index of the type conflicts with an index that another user has added to the
    /// informer.
    pub fn informers(&self) -> Result<MultiNamespaceInformer<K>, CacheError> {
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
        let informers: Vec<_> = match self.cell.take() {
            Some(informers) => informers.iter().cloned().collect(),
            None => self
                .options()
                .filter_map(|options| self.find(options))
                .collect(),
        };
        for informer in &informers {
            self.factory().forget(informer);
            informer.stop();
        }
        let ends = informers.iter().map(SharedInformer::wait_until_stopped);
        futures::future::join_all(ends).await;
        !informers.is_empty()
    }

    fn informers_to_read(&self) -> Result<MultiNamespaceInformer<K>, CacheError> {
        self.obtain(self.shared.settings.missing_informer)
    }

    /// Returns the informers, and creates missing ones if `missing` allows it.
    fn obtain(&self, missing: MissingInformer) -> Result<MultiNamespaceInformer<K>, CacheError> {
        if let Some(informers) = self.cell.informers() {
            return Ok(informers);
        }
        let informers: Result<Vec<_>, _> = self
            .options()
            .map(|options| match (self.find(options.clone()), missing) {
                (Some(informer), _) => Ok(informer),
                (None, MissingInformer::Start) => {
                    let resource = ResourceInfo::clone(&self.resource);
                    Ok((self.request)(self.factory(), resource, options))
                }
                (None, MissingInformer::Refuse) => Err(CacheError::MissingInformer {
                    resource: self.name(),
                }),
            })
            .collect();
        let informers = MultiNamespaceInformer::new(informers?);
        self.cell
            .publish(informers)
            .map_err(|cause| CacheError::AddIndex {
                resource: self.name(),
                cause,
            })
    }

    /// Finds the factory's informer. A stopped informer is removed, because it cannot restart.
    fn find(&self, options: InformerOptions<K>) -> Option<SharedInformer<K>> {
        let found = self.factory().find(&self.resource, options)?;
        if found.is_stopped() {
            self.factory().forget(&found);
            return None;
        }
        Some(found)
    }

    fn options(&self) -> impl Iterator<Item = InformerOptions<K>> + use<K> {
        let namespaces = &self.shared.settings.namespaces;
        let options = self.cell.options.informers(self.resource.scope, namespaces);
        options.into_iter()
    }

    async fn synced_lister(
        &self,
        options: &CacheListOptions,
    ) -> Result<MultiNamespaceLister<K>, CacheError> {
        let informers = self.informers_to_read()?;
        if let Some(namespace) = &options.namespace {
            let informer = self.of_namespace(&informers, namespace)?;
            self.wait_for_sync(informer).await?;
        } else {
            let waits = informers
                .iter()
                .map(|informer| self.wait_for_sync(informer));
            futures::future::try_join_all(waits).await?;
        }
        Ok(informers.lister())
    }

    fn of_namespace<'i>(
        &self,
        informers: &'i MultiNamespaceInformer<K>,
        namespace: &str,
    ) -> Result<&'i SharedInformer<K>, CacheError> {
        let informer = informers.of_namespace(Some(namespace));
        informer.ok_or_else(|| CacheError::OutOfScope {
            resource: self.name(),
            namespace: namespace.to_owned(),
            cached: informers.namespaces(),
        })
    }

    /// Waits for the first list, up to the sync timeout.
    async fn wait_for_sync(&self, informer: &SharedInformer<K>) -> Result<(), CacheError> {
        let limit = self.shared.settings.sync_timeout;
        if !informer.has_started() && informer.wait_for_sync().now_or_never().is_none() {
            return Err(CacheError::NotStarted {
                resource: self.name(),
            });
        }
        let outcome = match timeout(limit, informer.wait_for_sync()).await {
            Ok(outcome) => outcome,
            Err(_) => Err(SyncError::Timeout {
                after: limit,
                cause: match informer.status().state {
                    InformerState::Degraded { cause } | InformerState::Stale { cause } => {
                        Some(cause)
                    }
                    InformerState::Pending
                    | InformerState::Listing
                    | InformerState::Synced
                    | InformerState::Stopped { .. } => None,
                },
            }),
        };
        outcome.map_err(|cause| CacheError::NotSynced {
            informer: informer.name().to_owned(),
            cause,
        })
    }

    fn factory(&self) -> &SharedInformerFactory {
        &self.shared.factory
    }

    /// Returns the type's name for errors.
    fn name(&self) -> String {
        match self.form {
            Some(form) => format!("{} ({form})", self.resource),
            None => self.resource.to_string(),
        }
    }
}

impl<K: Object> Clone for CacheReader<K> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            resource: Arc::clone(&self.resource),
            form: self.form,
            request: self.request,
            cell: Arc::clone(&self.cell),
        }
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
