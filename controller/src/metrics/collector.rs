//! [`Collector`]: exports informers and work queues to a Prometheus registry.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use informer_runtime::status::InformerLabels;
use informer_runtime::{InformerMetrics, Object, SharedInformer, SharedInformerFactory, Storage};
use prometheus_client::collector;
use prometheus_client::encoding::{DescriptorEncoder, text};
use prometheus_client::registry::Registry;

use super::families::{self, Labels, Shown};
use crate::base::sync::Mutex;
use crate::shards::{Shards, ShardsStatus};
use crate::workqueue::{QueueItem, WorkQueue, WorkQueueMetrics};

/// Exporter of factories, informers and work queues to a `Registry` of `prometheus-client`.
///
/// Register a collector with the program's registry, then add factories, informers and queues.
/// Values are read when the registry is encoded. The collector keeps nothing alive: dropped
/// factories, informers and queues disappear from the next page.
///
/// Each metric family is written once, and each series is unique on a page. If two informers have
/// the same labels, or two queues the same name, the later one is exported as `name #2`. Requests
/// are exported only for the reasons and outcomes that occurred. `docs/metrics.md` lists the
/// families.
///
/// All clones are handles to the same collector. client-go's counterparts are its metrics
/// providers, which are global to the process.
///
/// # Examples
///
/// ```
/// # mod informer { pub use informer_controller::*; pub use informer_runtime::*; }
/// # use informer_controller::metrics::Collector;
/// use informer::{ObjectKey, SharedInformerFactory, WorkQueue};
/// use prometheus_client::registry::Registry;
///
/// fn register(registry: &mut Registry, factory: &SharedInformerFactory, queue: &WorkQueue<ObjectKey>) {
///     let collector = Collector::new();
///     collector.add_factory("main", factory);
///     collector.add_queue(queue.name(), queue);
///     collector.register(registry);
/// }
/// ```
#[derive(Clone, Default)]
pub struct Collector {
    exports: Arc<Mutex<Exports>>,
}

#[derive(Default)]
struct Exports {
    informers: Vec<Export<InformerMetrics>>,
    queues: Vec<Export<WorkQueueMetrics>>,
    shards: Vec<Export<ShardsStatus>>,
}

/// Added factory, informer, queue or shards. `read` returns `None` once it is dropped.
struct Export<M> {
    name: String,
    read: Arc<dyn Fn() -> Option<Vec<M>> + Send + Sync>,
}

// === impl Collector ===

impl Collector {
    /// `Content-Type` of the result of [`encode`](Self::encode).
    pub const CONTENT_TYPE: &'static str =
        "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /// Creates an empty collector.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds all informers of a factory, including later ones. `name` is the value of the label
    /// `factory`.
    pub fn add_factory(&self, name: &str, factory: &SharedInformerFactory) {
        let live = factory.weak();
        let read = move || Some(live()?.metrics().informers);
        self.exports.lock().informers.push(Export::new(name, read));
    }

    /// Adds one informer, for example one without a factory. The label `factory` is empty.
    pub fn add_informer<K: Object, S: Storage<K>>(&self, informer: &SharedInformer<K, S>) {
        let live = informer.weak();
        let read = move || Some(vec![live()?.metrics()]);
        self.exports.lock().informers.push(Export::new("", read));
    }

    /// Adds a work queue. `name` is the value of the label `name`.
    pub fn add_queue<T: QueueItem>(&self, name: &str, queue: &WorkQueue<T>) {
        let live = queue.weak();
        let read = move || Some(vec![live()?.metrics()]);
        self.exports.lock().queues.push(Export::new(name, read));
    }

    /// Adds the slices of this replica. The name of their group is the value of the label `name`.
    pub fn add_shards(&self, shards: &Shards) {
        let live = shards.weak();
        let read = move || Some(vec![live()?.status()]);
        let export = Export::new(&shards.status().name, read);
        self.exports.lock().shards.push(export);
    }

    /// Adds informers with fixed measurements.
    #[cfg(test)]
    pub(super) fn add_measured(&self, factory: &str, informers: Vec<InformerMetrics>) {
        let read = move || Some(informers.clone());
        self.exports
            .lock()
            .informers
            .push(Export::new(factory, read));
    }

    /// Registers this collector. Must be called once per registry: a second call exports every
    /// family twice.
    pub fn register(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(self.clone()));
    }

    /// Returns a complete page in the `OpenMetrics` text format, for programs without a registry.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut registry = Registry::default();
        self.register(&mut registry);
        let mut page = String::new();
        // Writing to a `String` cannot fail.
        _ = text::encode(&mut page, &registry);
        page
    }

    /// Reads all live exports, each with the name under which it was added, and removes dropped
    /// ones.
    fn read<M>(&self, pick: impl Fn(&mut Exports) -> &mut Vec<Export<M>>) -> Vec<(String, M)> {
        // Not read under the lock, because reading takes other locks.
        let exports = pick(&mut self.exports.lock()).clone();
        let mut values = Vec::new();
        for export in exports {
            let Some(read) = (export.read)() else {
                pick(&mut self.exports.lock())
                    .retain(|other| !Arc::ptr_eq(&other.read, &export.read));
                continue;
            };
            for value in read {
                values.push((export.name.clone(), value));
            }
        }
        values
    }
}

impl collector::Collector for Collector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut taken = HashSet::new();
        let mut informers = Vec::new();
        for (factory, metrics) in self.read(|exports| &mut exports.informers) {
            let labels = claim(&mut taken, &metrics.labels.name, |name| {
                of_informer(&factory, name, &metrics.labels)
            });
            informers.push(Shown { labels, metrics });
        }
        let queues = self.read(|exports| &mut exports.queues);
        let shards = self.read(|exports| &mut exports.shards);
        families::encode(&mut encoder, &informers)?;
        families::encode(&mut encoder, &families::handlers(&informers))?;
        families::encode(&mut encoder, &named(&mut taken, queues))?;
        families::encode(&mut encoder, &named(&mut HashSet::new(), shards))
    }
}

impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collector").finish_non_exhaustive()
    }
}

// === impl Export ===

impl<M> Export<M> {
    fn new(name: &str, read: impl Fn() -> Option<Vec<M>> + Send + Sync + 'static) -> Self {
        Self {
            name: name.to_owned(),
            read: Arc::new(read),
        }
    }
}

impl<M> Clone for Export<M> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            read: Arc::clone(&self.read),
        }
    }
}

fn of_informer(factory: &str, name: &str, labels: &InformerLabels) -> Labels {
    let InformerLabels {
        group,
        version,
        resource,
        namespace,
        form,
        ..
    } = labels;
    let texts = [
        ("factory", factory),
        ("name", name),
        ("group", group),
        ("version", version),
        ("resource", resource),
        ("namespace", namespace),
        ("form", form),
    ];
    texts.map(|(label, value)| (label, value.to_owned())).into()
}

/// Returns metrics whose only label is the name of what they measure.
fn named<M>(taken: &mut HashSet<Labels>, metrics: Vec<(String, M)>) -> Vec<Shown<M>> {
    let mut shown = Vec::with_capacity(metrics.len());
    for (name, metrics) in metrics {
        let labels = claim(taken, &name, |name| vec![("name", name.to_owned())]);
        shown.push(Shown { labels, metrics });
    }
    shown
}

/// Returns the labels for `name`, or for the first numbered variant of `name` whose labels are
/// unused.
fn claim(taken: &mut HashSet<Labels>, name: &str, labels: impl Fn(&str) -> Labels) -> Labels {
    let wanted = labels(name);
    if taken.insert(wanted.clone()) {
        return wanted;
    }
    for number in 2_u32.. {
        let numbered = labels(&format!("{name} #{number}"));
        if taken.insert(numbered.clone()) {
            return numbered;
        }
    }
    wanted
}
