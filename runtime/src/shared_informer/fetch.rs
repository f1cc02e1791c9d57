//! Requests for single objects, for storages that evict.

use std::sync::Arc;

use futures::FutureExt as _;
use tokio::time::Instant;

use super::generic_informer::{Parts, Source};
use crate::base::panic::{Panicked, catch_async};
use crate::object::{Object, ObjectKey, ResourceVersion};
use crate::source::SourceError;
use crate::status::LISTER_WATCHER;
use crate::storage::{Fetching, Link, LoadError, ObjectError, Transform};
use crate::wire::RawObject;

/// Returns the connection of the storage of an informer to the account of its factory and to its
/// source.
pub(super) fn link<K: Object>(parts: &Parts, transform: Option<&Transform<K>>) -> Link {
    let config = &parts.config;
    let peers = &parts.peers;
    let shared = Arc::new((
        parts.sources.clone(),
        config.drop_fields.clone(),
        transform.cloned(),
        peers.loads.clone(),
        Arc::clone(&parts.metrics),
    ));
    let fetch = move |key: ObjectKey, version: ResourceVersion| -> Fetching {
        let shared = Arc::clone(&shared);
        async move {
            let (sources, drop_fields, transform, turns, metrics) = &*shared;
            let covers = |(namespace, _): &&Source| namespace.as_deref() == key.namespace();
            let source = sources.iter().find(covers).or(sources.first());
            let began = Instant::now();
            let _turn = turns.0.acquire().await;
            let answer = get(source, &key, &version).await;
            metrics.load_duration.record(began.elapsed());
            let raw = answer?;
            let cut = drop_fields.as_ref().map(|fields| raw.without(fields));
            let raw = cut.unwrap_or(raw);
            let Some(transform) = transform else {
                return Ok(raw);
            };
            let apply = || transform.apply_to_bytes(&raw);
            Ok(ObjectError::contain(raw.header(), apply)?)
        }
        .boxed()
    };
    Link {
        account: Arc::clone(&peers.account),
        fetch: Arc::new(fetch),
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
