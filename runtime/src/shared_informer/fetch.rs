//! Requests for single objects, for storages that evict.

use std::sync::Arc;

use futures::FutureExt as _;
use tokio::time::Instant;

use super::generic_informer::{Parts, Source};
use crate::base::panic::{Panicked, catch_async};
use crate::object::{Object, ObjectKey, ResourceVersion};
use crate::reflector::LoadTurns;
use crate::source::SourceError;
use crate::status::{LISTER_WATCHER, Metrics};
use crate::storage::{Fetching, Link, LoadError, ObjectError, Transform};
use crate::wire::{DropFields, RawObject};

/// Requests the bodies of objects that a storage has evicted.
struct Bodies<K> {
    sources: Vec<Source>,
    drop_fields: Option<DropFields>,
    transform: Option<Transform<K>>,
    /// Turns of the loads of all informers of a factory.
    turns: LoadTurns,
    metrics: Arc<Metrics>,
}

/// Returns the connection of the storage of an informer to the account of its factory and to its
/// source.
pub(super) fn link<K: Object>(parts: &Parts, transform: Option<&Transform<K>>) -> Link {
    let bodies = Arc::new(Bodies {
        sources: parts.sources.clone(),
        drop_fields: parts.config.drop_fields.clone(),
        transform: transform.cloned(),
        turns: parts.peers.loads.clone(),
        metrics: Arc::clone(&parts.metrics),
    });
    let fetch = move |key: ObjectKey, version: ResourceVersion| -> Fetching {
        let bodies = Arc::clone(&bodies);
        async move { bodies.fetch(&key, &version).await }.boxed()
    };
    Link {
        account: Arc::clone(&parts.peers.account),
        fetch: Arc::new(fetch),
    }
}

// === impl Bodies ===

impl<K: Object> Bodies<K> {
    /// Returns this version of an object or a later one, without the fields that are cut, and
    /// transformed.
    async fn fetch(
        &self,
        key: &ObjectKey,
        version: &ResourceVersion,
    ) -> Result<RawObject, LoadError> {
        let began = Instant::now();
        let _turn = self.turns.0.acquire().await;
        let answer = get(self.source_of(key), key, version).await;
        self.metrics.load_duration.record(began.elapsed());
        let raw = match &self.drop_fields {
            Some(fields) => answer?.without(fields),
            None => answer?,
        };
        match &self.transform {
            Some(transform) => Ok(ObjectError::contain(raw.header(), || {
                transform.apply_to_bytes(&raw)
            })?),
            None => Ok(raw),
        }
    }

    /// Returns the source of an object's namespace, or that of all.
    fn source_of(&self, key: &ObjectKey) -> Option<&Source> {
        let of_namespace = self
            .sources
            .iter()
            .find(|(namespace, _)| namespace.as_deref() == key.namespace());
        of_namespace.or(self.sources.first())
    }
}

/// Requests an object. The error tells apart what the caller can act on.
async fn get(
    source: Option<&Source>,
    key: &ObjectKey,
    version: &ResourceVersion,
) -> Result<RawObject, LoadError> {
    let Some((_, source)) = source else {
        return Err(LoadError::failed(key, "the informer has no source"));
    };
    // User code.
    let answer = catch_async(async { source.get(key, version).await }).await;
    let answer = answer.unwrap_or_else(|Panicked| Err(SourceError::Panicked(LISTER_WATCHER)));
    answer.map_err(|error| match error.status().map(|status| status.code) {
        Some(404) => LoadError::Gone(key.clone()),
        Some(403) => LoadError::Forbidden {
            key: key.clone(),
            source: Arc::new(error),
        },
        _ => LoadError::failed(key, error),
    })
}
