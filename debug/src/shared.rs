//! [`ServiceShared`]: the state of a service, and what its pages read.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use informer_controller::ControllerHandle;
use informer_controller::metrics::Collector;
use informer_controller::relations::ReferencedStatus;
use informer_controller::shards::ShardsStatus;
use informer_runtime::{Entry, FieldPath, GenericInformer, SharedInformerFactory};
use parking_lot::Mutex;
use prometheus_client::registry::Registry;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::access::Rules;
use crate::history::History;
use crate::series::Series;

/// Default of [`PageSettings::stale_after`].
const STALE_AFTER: Duration = Duration::from_secs(600);

/// State of a service.
///
/// # Invariants
///
/// No two of its locks are held together.
pub(crate) struct ServiceShared {
    /// Returns the factory while it exists.
    pub(crate) factory: Box<dyn Fn() -> Option<SharedInformerFactory> + Send + Sync>,
    pub(crate) settings: Mutex<PageSettings>,
    pub(crate) series: Mutex<Series>,
    /// Latest rendering of the overview, as a server-sent event for all viewers.
    pub(crate) live: watch::Sender<Bytes>,
    /// Latest rendering of the metrics.
    pub(crate) metrics: Mutex<Option<Recent>>,
    pub(crate) began: Instant,
}

/// Rendering of a page that later requests share, for three times as long as it took. So however
/// many clients ask, a quarter of the time is spent on rendering.
#[derive(Debug, Clone)]
pub(crate) struct Recent {
    page: Bytes,
    until: Instant,
}

/// Settings of the user, and what the user has added.
#[derive(Clone, Default)]
pub(crate) struct PageSettings {
    pub(crate) rules: Rules,
    pub(crate) redacted: Vec<FieldPath>,
    pub(crate) shown: HashMap<String, Arc<Show>>,
    pub(crate) controllers: Vec<Watched>,
    pub(crate) shards: Vec<While<ShardsStatus>>,
    pub(crate) referenced: Vec<While<(Arc<str>, ReferencedStatus)>>,
    pub(crate) collector: Collector,
    pub(crate) registry: Option<Arc<Registry>>,
    /// Time for which a cache stays ready that does not follow the server.
    pub(crate) stale_after: Duration,
}

/// Function that decodes an object and returns its JSON, or the reason why there is none.
pub(crate) type Show = dyn Fn(&Entry) -> Result<Value, String> + Send + Sync;

/// Function that reads a state while its owner exists.
pub(crate) type While<T> = Arc<dyn Fn() -> Option<T> + Send + Sync>;

/// Controller with its last calls.
#[derive(Clone)]
pub(crate) struct Watched {
    pub(crate) handle: ControllerHandle,
    pub(crate) history: Arc<Mutex<History>>,
}

// === impl ServiceShared ===

impl ServiceShared {
    pub(crate) fn new(factory: &SharedInformerFactory) -> Self {
        let settings = PageSettings {
            stale_after: STALE_AFTER,
            ..PageSettings::default()
        };
        settings.collector.add_factory("main", factory);
        Self {
            factory: Box::new(factory.weak()),
            settings: Mutex::new(settings),
            series: Mutex::default(),
            live: watch::Sender::default(),
            metrics: Mutex::default(),
            began: Instant::now(),
        }
    }

    pub(crate) fn settings(&self) -> PageSettings {
        self.settings.lock().clone()
    }

    /// Returns the informers of the factory; none if it does not exist any more.
    pub(crate) fn informers(&self) -> Vec<GenericInformer> {
        (self.factory)().map_or_else(Vec::new, |factory| factory.informers())
    }
}

// === impl Recent ===

impl Recent {
    pub(crate) fn new(page: Bytes, began: Instant, ended: Instant) -> Self {
        let until = ended + 3 * ended.saturating_duration_since(began);
        Self { page, until }
    }

    pub(crate) fn at(self, now: Instant) -> Option<Bytes> {
        (now < self.until).then_some(self.page)
    }
}

impl Drop for ServiceShared {
    fn drop(&mut self) {
        for watched in &self.settings.get_mut().controllers {
            watched.handle.queue().record(None);
        }
    }
}

impl fmt::Debug for ServiceShared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}
