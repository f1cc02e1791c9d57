//! Parts of the engine with which `informer-controller` builds caches of its own. Not public API:
//! it changes together with that package.

use std::collections::BTreeSet;
use std::sync::Arc;
#[cfg(any(test, feature = "test-util"))]
use std::time::Duration;

use tokio::time::Instant;

pub use crate::base::buckets::Buckets;
pub use crate::base::chain::Chain;
pub use crate::base::log_limit::LogLimit;
pub use crate::base::panic::{HINT, Panicked, catch, catch_async, resume};
pub use crate::base::text::{seconds, size};
pub use crate::base::time::deadline;
pub use crate::coverage::Coverage;
use crate::coverage::{OnlyNames, Selectors};
use crate::delta_fifo::{Closed, Delta};
pub use crate::factory::Partition;
pub use crate::indexer::reaches;
use crate::indexer::{AddIndexError, Index, IndexName, IndexValue, Indexer};
pub use crate::lister::{defined, over_objects};
use crate::object::{Object, ObjectKey, ResourceInfo, Uid};
use crate::reflector::Peers;
use crate::shared_informer::{
    GenericInformer, InformerConfig, InformerOptions, Parts, SharedInformer,
};
pub use crate::source::PartWriter;
use crate::status::ReflectorError;
#[cfg(any(test, feature = "test-util"))]
use crate::status::{
    HandlerMetrics, HandlerStats, InformerMetrics, Metrics, Reason, RequestKind, RequestLog,
};
use crate::storage::{Entry, Typed, Undecodable};

/// Creates an informer without a source: its owner pushes the deltas.
#[must_use]
pub fn pushed<T: Object>(name: &str, resource: ResourceInfo) -> SharedInformer<T> {
    let parts = Parts {
        name: Some(name.into()),
        resource,
        sources: Vec::new(),
        config: InformerConfig::new(),
        peers: Peers::default(),
        metrics: Arc::default(),
        coverage: Arc::default(),
    };
    SharedInformer::from_parts(Typed, parts)
}

/// Appends a delta, as soon as the queue has room.
///
/// # Errors
///
/// Fails if the informer was stopped.
pub async fn push(informer: &GenericInformer, delta: Delta) -> Result<(), Closed> {
    informer.inner.fifo.push(delta).await
}

/// Reports the result of the owner's latest attempt.
pub fn attempted(informer: &GenericInformer, failure: Option<Arc<ReflectorError>>) {
    let status = &informer.inner.status;
    match failure {
        Some(failure) => status.failed(0, failure),
        None => {
            status.follows(0, Instant::now());
        }
    }
}

/// Returns measurements of an informer with one handler, for tests of exporters.
#[cfg(any(test, feature = "test-util"))]
#[must_use]
pub fn measured(name: &str) -> InformerMetrics {
    let metrics = Metrics::default();
    let requests = RequestLog::new(Arc::clone(&metrics.requests));
    requests.begin(RequestKind::List);
    requests.end(Reason::Expired);
    metrics.events.add(7);
    metrics.publish_latency.record(Duration::from_micros(200));
    metrics.publish_latency.record(Duration::from_secs(60));
    InformerMetrics {
        store_resource_version: Some(42),
        handlers: vec![HandlerMetrics {
            name: name.to_owned(),
            id: 3,
            stats: HandlerStats::default(),
        }],
        ..metrics.get()
    }
}

// === members of public types ===

/// Returns the stored entry with this key, and the latest version if that did not decode.
#[must_use]
pub fn entry(
    informer: &GenericInformer,
    key: &ObjectKey,
) -> (Option<Arc<Entry>>, Option<Undecodable>) {
    let state = informer.state();
    (state.get(key).cloned(), state.undecodable(key).cloned())
}

/// Adds an index by a function of the entry.
///
/// # Errors
///
/// Fails if the store has another index of this name.
pub fn over_entries<T: Send + Sync + 'static, V: IndexValue>(
    indexer: &Indexer<T>,
    name: IndexName,
    definition: &str,
    values: impl Fn(&Entry) -> Vec<V> + Send + Sync + 'static,
) -> Result<Index<T, V>, AddIndexError> {
    let values = move |entry: &Entry, _: &mut _| Ok(values(entry));
    indexer.add_defined_index(name, Some(definition.into()), values)
}

/// Limits a request to the objects with these names; others are dropped before they are decoded.
/// The number, unique in the process, makes the informer private.
#[must_use]
pub fn only_names<K: Object>(
    mut options: InformerOptions<K>,
    number: u64,
    names: Arc<BTreeSet<String>>,
) -> InformerOptions<K> {
    options.config.names = Some(OnlyNames { number, names });
    options
}

/// Returns the selectors of an informer, and the only names if there are any.
#[must_use]
pub fn selection_of(informer: &GenericInformer) -> (Selectors, Option<Arc<BTreeSet<String>>>) {
    let coverage = &informer.inner.coverage;
    let names = coverage.names.as_ref().map(|only| Arc::clone(&only.names));
    (coverage.selectors.clone(), names)
}

/// Returns the store of an informer, for reads of headers.
#[must_use]
pub fn store_of(informer: &GenericInformer) -> Indexer<Entry> {
    Indexer::of(informer.inner.store.clone())
}

/// Returns `false` if an informer caches only a part of the objects, and this object is not in it.
#[must_use]
pub fn is_in_part(informer: &GenericInformer, key: &ObjectKey, uid: Option<&Uid>) -> bool {
    informer.inner.coverage.has_in_part(key, uid)
}
