//! Runs a reflector alone, whose deltas the test pops, or a whole informer.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::support::{name, play, requests_text};
use crate::delta_fifo::{Batch, Delta, DeltaFifo, Listed, Order};
use crate::indexer::Store;
use crate::object::{Object, Scope};
use crate::processor::Processor;
pub(crate) use crate::processor::tests::support::{Log, spawn, text as event_text};
use crate::reflector::config::ReflectorSettings;
use crate::reflector::{EntryMaker, ErrorHandler, Reflector, Reporter, WatchListMode};
use crate::shared_informer::{InformerConfig, RunError, SharedInformer, SharedInformerBuilder};
use crate::source::{ListerWatcher, ScriptedListerWatcher};
use crate::status::{Metrics, StatusCell};
use crate::storage::{Storage, Typed};

/// Returns a config that lists and watches, without streaming.
pub(crate) fn listing() -> InformerConfig {
    InformerConfig::new().watch_list(WatchListMode::Never)
}

/// Waits, in virtual time, until the condition holds.
pub(crate) async fn until(what: &str, condition: impl Fn() -> bool) {
    let mut step = Duration::from_millis(1);
    for _ in 0..100_000 {
        if condition() {
            return;
        }
        tokio::time::sleep(step).await;
        step = (step * 2).min(Duration::from_millis(200));
    }
    panic!("condition never held: {what}");
}

/// Lets this much virtual time pass.
pub(crate) async fn pass(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

impl Log {
    /// Returns an error handler that records the kind of each failure.
    pub(crate) fn error_handler(&self) -> ErrorHandler {
        let log = self.clone();
        ErrorHandler::new(move |error| {
            let text = format!("{error:?}");
            let kind = text.split(['(', ' ']).next().unwrap_or_default();
            log.add(kind);
        })
    }
}

// --- a reflector alone ---

pub(crate) struct Alone {
    pub(crate) source: ScriptedListerWatcher,
    pub(crate) fifo: DeltaFifo,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) errors: Log,
    pub(crate) cancel: CancellationToken,
    pub(crate) run: JoinHandle<()>,
}

pub(crate) fn typed() -> Arc<EntryMaker> {
    Arc::new(EntryMaker::new::<ConfigMap, _>(
        &Arc::new(Typed),
        None,
        None,
    ))
}

impl Alone {
    pub(crate) fn start(config: InformerConfig, script: &str) -> Self {
        Self::with(config, script, typed(), 4096, CancellationToken::new())
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers make it in place")]
    pub(crate) fn with(
        config: InformerConfig,
        script: &str,
        maker: Arc<EntryMaker>,
        capacity: usize,
        cancel: CancellationToken,
    ) -> Self {
        Self::of(&config.reflector(), script, maker, capacity, cancel)
    }

    pub(crate) fn of(
        settings: &ReflectorSettings,
        script: &str,
        maker: Arc<EntryMaker>,
        capacity: usize,
        cancel: CancellationToken,
    ) -> Self {
        let source = ScriptedListerWatcher::new();
        if !script.is_empty() {
            play(&source, script);
        }
        let store = Store::of::<()>(Scope::Cluster);
        let fifo = DeltaFifo::new(Order::Global, capacity, Arc::new(store.clone()));
        let status = Arc::new(StatusCell::of([None]));
        let metrics = Arc::new(Metrics::default());
        let errors = Log::default();
        let reporter = Reporter::new(
            "things".into(),
            Some(errors.error_handler()),
            Arc::clone(&status),
            Arc::clone(&metrics),
        );
        let reflector = Reflector::new(
            settings,
            Arc::new(source.clone()),
            maker,
            fifo.clone(),
            store,
            Arc::new(reporter),
            Processor::new("things", Duration::ZERO),
        );
        Self {
            source,
            fifo,
            metrics,
            errors,
            run: spawn(reflector.run(cancel.clone())),
            cancel,
        }
    }

    pub(crate) fn requests(&self) -> String {
        requests_text(&self.source.requests())
    }

    /// Pops this many batches.
    pub(crate) async fn batches(&self, count: usize) -> String {
        let mut texts = Vec::new();
        for _ in 0..count {
            texts.push(batch_text(&self.fifo.pop().await.unwrap()));
        }
        texts.join(" | ")
    }

    pub(crate) async fn stop(self) {
        self.cancel.cancel();
        self.run.await.unwrap();
    }
}

/// Formats a batch as `replaced 5: a@1 b@2`, `+c@6 ~a@7 -b`, `b 8`.
pub(crate) fn batch_text(batch: &Batch) -> String {
    let texts: Vec<String> = batch.deltas.iter().map(delta_text).collect();
    texts.join(" ")
}

fn delta_text(delta: &Delta) -> String {
    match delta {
        Delta::Added(entry) => format!("+{}", name(entry.typed())),
        Delta::Updated(entry) => format!("~{}", name(entry.typed())),
        Delta::Deleted(removed) => format!("-{}@{}", removed.key, removed.resource_version),
        Delta::Undecodable(object) => format!("!{}@{}", object.key, object.resource_version),
        Delta::Replaced(listed) => listed_text(listed),
        Delta::ReplacedAll(replacement) => {
            let mut text = format!("replaced {}:", replacement.resource_version);
            for item in &replacement.items {
                write!(text, " {}", listed_text(item)).unwrap();
            }
            text
        }
        Delta::Sync(_) => "sync".to_owned(),
        Delta::Bookmark {
            resource_version, ..
        } => format!("b {resource_version}"),
    }
}

/// Formats an object as `a@1`, with the prefix `=` if it was unchanged or `*` if its versions
/// started over, and the suffix `!` if it does not decode.
fn listed_text(listed: &Listed) -> String {
    match listed {
        Listed::Changed(entry) => name(entry.typed()),
        Listed::Unchanged(entry) => format!("={}", name(entry.typed())),
        Listed::Restored(entry) => format!("*{}", name(entry.typed())),
        Listed::Filtered(entry) => format!("-{}", name(entry.typed())),
        Listed::Undecodable(object) => format!("{}@{}!", object.key, object.resource_version),
    }
}

// --- a whole informer ---

/// Run of an informer that the test ends.
pub(crate) struct Running {
    tasks: JoinSet<Result<(), RunError>>,
    cancel: CancellationToken,
}

impl Running {
    pub(crate) fn start<K: Object, S: Storage<K>>(informer: &SharedInformer<K, S>) -> Self {
        let cancel = CancellationToken::new();
        let mut tasks = JoinSet::new();
        tasks.spawn(informer.run(cancel.clone()));
        Self { tasks, cancel }
    }

    /// Starts the informer, and waits until it has synced.
    pub(crate) async fn synced<K: Object, S: Storage<K>>(informer: &SharedInformer<K, S>) -> Self {
        let running = Self::start(informer);
        let synced = timeout(Duration::from_secs(600), informer.wait_for_sync()).await;
        synced.expect("the informer syncs in time").unwrap();
        running
    }

    pub(crate) fn cancel(&self) {
        self.cancel.cancel();
    }

    pub(crate) async fn ended(&mut self) -> Result<(), RunError> {
        self.tasks.join_next().await.unwrap().unwrap()
    }

    pub(crate) async fn stop(mut self) {
        self.cancel();
        self.ended().await.unwrap();
    }

    /// Reports whether the run has not ended after all tasks have become idle.
    pub(crate) async fn is_running(&mut self) -> bool {
        timeout(Duration::from_secs(1), self.tasks.join_next())
            .await
            .is_err()
    }

    /// Aborts the run.
    pub(crate) async fn abort(mut self) {
        self.tasks.shutdown().await;
    }
}

pub(crate) struct Whole {
    pub(crate) source: ScriptedListerWatcher,
    pub(crate) informer: SharedInformer<ConfigMap>,
    pub(crate) errors: Log,
    pub(crate) seen: Log,
    running: Running,
}

impl Whole {
    /// Runs an informer with a handler on this script.
    pub(crate) fn start(config: InformerConfig, script: &str) -> Self {
        Self::build(config, script, |builder| builder)
    }

    pub(crate) fn build(
        config: InformerConfig,
        script: &str,
        settings: impl FnOnce(SharedInformerBuilder<ConfigMap>) -> SharedInformerBuilder<ConfigMap>,
    ) -> Self {
        let whole = Self::empty(config, settings);
        play(&whole.source, script);
        whole
    }

    /// Runs an informer whose script is written while it plays.
    pub(crate) fn empty(
        config: InformerConfig,
        settings: impl FnOnce(SharedInformerBuilder<ConfigMap>) -> SharedInformerBuilder<ConfigMap>,
    ) -> Self {
        let source = ScriptedListerWatcher::new();
        let errors = Log::default();
        let config = config.error_handler(errors.error_handler());
        let builder = builder(source.clone()).config(config);
        let informer = settings(builder).build().unwrap();
        Self::run(source, informer, errors)
    }

    fn run(
        source: ScriptedListerWatcher,
        informer: SharedInformer<ConfigMap>,
        errors: Log,
    ) -> Self {
        let seen = Log::default();
        informer.add_event_handler(seen.clone()).unwrap();
        Self {
            source,
            running: Running::start(&informer),
            informer,
            errors,
            seen,
        }
    }

    pub(crate) fn requests(&self) -> String {
        requests_text(&self.source.requests())
    }

    /// Waits until the store, and then the handler, has reached this version.
    pub(crate) async fn at(&self, version: &str) {
        until(version, || {
            self.informer.last_sync_resource_version().to_string() == version
        })
        .await;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }

    /// Returns the cached objects, in key order.
    pub(crate) fn cached(&self) -> String {
        let objects: Vec<String> = self.informer.snapshot().iter().map(name).collect();
        objects.join(" ")
    }

    pub(crate) async fn stop(self) {
        self.running.stop().await;
    }
}

pub(crate) fn builder(source: impl ListerWatcher) -> SharedInformerBuilder<ConfigMap> {
    let resource = crate::object::ResourceInfo {
        scope: Scope::Cluster,
        ..crate::object::ResourceInfo::of::<ConfigMap>(&()).unwrap()
    };
    SharedInformer::<ConfigMap>::builder(source).resource(resource)
}
