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

/// How a factory is asked for an informer of this form.
pub(super) type Request<K> =
    fn(&SharedInformerFactory, ResourceInfo, InformerOptions<K>) -> SharedInformer<K>;

/// Reads one type of a [`Cache`](super::Cache) in one form: typed, dynamic or metadata.
///
/// Cheap to clone. Made by [`Cache::of`](super::Cache::of), [`Cache::dynamic`](super::Cache::dynamic) and
/// [`Cache::metadata`](super::Cache::metadata).
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

    /// What is read.
    #[must_use]
    pub fn resource(&self) -> &ResourceInfo {
        &self.resource
    }

    /// The object of a key, or that there is none. A namespace is ignored for cluster-scoped
    /// resources.
    ///
    /// The first read of a type starts its informer and waits until it has synced, at most as long
    /// as the cache's sync timeout says; a namespace that is cached alone waits for no other one.
    ///
    /// # Errors
    ///
    /// The cache was not started; there is no informer and reads start none; it does not sync, and
    /// why; the namespace is not cached; or the object's latest version does not decode.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves an informer that it has started running.
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

    /// The objects that `options` ask for, ordered by key. O(objects in their namespaces).
    ///
    /// Starts the informers and waits as [`get`](Self::get) does.
    ///
    /// # Errors
    ///
    /// As for [`get`](Self::get).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves informers that it has started running.
    pub async fn list(&self, options: &CacheListOptions) -> Result<Vec<Arc<K>>, CacheError> {
        Ok(self.synced_lister(options).await?.list(options))
    }

    /// The objects that `options` ask for and that have a value in an index, by name and text;
    /// client-go's `ByIndex`, ordered by key.
    ///
    /// Starts the informers and waits as [`get`](Self::get) does.
    ///
    /// # Errors
    ///
    /// As for [`get`](Self::get), and if there is no index of this name.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves informers that it has started running.
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

    /// Declares an index: objects by the values that `values` gives for them, none or many.
    ///
    /// It starts no informer. What is cached is indexed before this returns, and an informer that
    /// comes later, also after a [`remove`](Self::remove), has the index from its beginning.
    ///
    /// # Errors
    ///
    /// There is an index of this name.
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
                    // Two first reads at a time: the other one was faster.
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

    /// The type's informers, made if there are none, whatever the cache does about
    /// [missing](MissingInformer) ones. For handlers, status and typed indices. Does not wait.
    ///
    /// # Errors
    ///
    /// An index of the type is in conflict with one that somebody else has added.
    pub fn informers(&self) -> Result<MultiNamespaceInformer<K>, CacheError> {
        self.obtain(MissingInformer::Start)
    }

    /// Stops the type's informers, and forgets them; when this completes, no task of them is left.
    /// Says whether there were any.
    ///
    /// They are stopped for everybody who has them from the factory. Their handlers get no more
    /// calls, and their streams end; listers keep the last state. The next read is a first one; the
    /// indices stay declared. Must not be awaited by a handler of the same informer, whose call it
    /// would wait for.
    ///
    /// # Cancel safety
    ///
    /// The first poll stops the informers; a future dropped later only gives up waiting for them.
    pub async fn remove(&self) -> bool {
        let informers: Vec<_> = match self.cell.take() {
            Some(informers) => informers.iter().cloned().collect(),
            None => self.options().filter_map(|one| self.find(one)).collect(),
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

    /// The informers, made if need be and allowed.
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

    /// The factory's informer; one that was stopped is forgotten, since it never comes back.
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

    /// Waits for the first list, with a bound.
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

    /// What an error calls the type.
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
