//! Requests for single objects, for storages that evict.

use std::sync::Arc;

use futures::FutureExt as _;
use tokio::time::Instant;

use super::generic_informer::{Parts, Source};
use crate::base::panic::{Panicked, catch_async};
use crate::object::{Object, ObjectKey, ResourceVersion};
use crate::source::SourceError;
use crate::status::LISTER_WATCHER;
use crate::storage::{Fetching, Link, LoadError, Transform};
use crate::wire::RawObject;

/// Returns the connection of the storage of an informer to the account of its factory and to its
/// source.
pub(super) fn link<K: Object>(parts: &Parts, transform: Option<&Transform<K>>) -> Link {
    let sources: Arc<[Source]> = parts.sources.clone().into();
    let (drop_fields, transform) = (parts.config.drop_fields.clone(), transform.cloned());
    let account = Arc::clone(&parts.peers.account);
    let turns = Arc::clone(&parts.peers.loads.0);
    let metrics = Arc::clone(&parts.metrics);
    let fetch = move |key: ObjectKey, version: ResourceVersion| -> Fetching {
        let covers = |(namespace, _): &&Source| namespace.as_deref() == key.namespace();
        let source = sources.iter().find(covers).or(sources.first()).cloned();
        let (turns, drop_fields) = (Arc::clone(&turns), drop_fields.clone());
        let (transform, metrics) = (transform.clone(), Arc::clone(&metrics));
        async move {
            let began = Instant::now();
            let _turn = turns.acquire_owned().await;
            let answer = get(source, &key, &version).await;
            metrics.load_duration.record(began.elapsed());
            let raw = answer?;
            let cut = drop_fields.map(|fields| raw.without(&fields));
            let raw = cut.unwrap_or(raw);
            Ok(match transform {
                Some(transform) => transform.apply_to_bytes(&raw)?,
                None => raw,
            })
        }
        .boxed()
    };
    let fetch = Arc::new(fetch);
    Link { account, fetch }
}

/// Requests an object. The error tells apart what the caller can act on.
async fn get(
    source: Option<Source>,
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
