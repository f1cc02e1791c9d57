//! [`Collector`]: informers and work queues in a registry.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use prometheus_client::collector;
use prometheus_client::encoding::{DescriptorEncoder, text};
use prometheus_client::registry::Registry;

use super::families::{self, Labels, Shown};
use crate::base::sync::Mutex;
use crate::factory::SharedInformerFactory;
use crate::object::Object;
use crate::shared_informer::SharedInformer;
use crate::status::{InformerLabels, InformerMetrics};
use crate::storage::Storage;
use crate::workqueue::{QueueItem, WorkQueue, WorkQueueMetrics};

/// Shows factories, informers and work queues in a `Registry` of `prometheus-client`.
///
/// Register one with the registry that the program has, then add what it makes. Values are read when
/// the registry is encoded. Nothing that was added is kept alive: what is dropped is gone from the
/// next page.
///
/// Each family is written once, whatever was added. No series is on a page twice: where two informers
/// have the same labels, or two queues the same name, the later one is `name #2`. Requests are shown
/// for the reasons and outcomes that occurred. `docs/metrics.md` lists the families.
///
/// Cloning gives another handle of the same collector. client-go's counterpart is the set of metrics
/// providers, one for each process.
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// # use informer_runtime::metrics::Collector;
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
#[derive(Clone)]
pub struct Collector {
    sources: Arc<Mutex<Sources>>,
}

#[derive(Default)]
struct Sources {
    informers: Vec<Source<InformerMetrics>>,
    queues: Vec<Source<WorkQueueMetrics>>,
}

/// Something that was added; it gives nothing once that is dropped.
struct Source<M> {
    name: String,
    read: Arc<dyn Fn() -> Option<Vec<M>> + Send + Sync>,
}

// === impl Collector ===

impl Collector {
    /// The `Content-Type` of what [`encode`](Self::encode) returns.
    pub const CONTENT_TYPE: &'static str =
        "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /// Makes a collector that shows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            sources: Arc::new(Mutex::new(Sources::default())),
        }
    }

    /// Adds all informers of a factory, those to come included, with `name` as the label `factory`.
    pub fn add_factory(&self, name: &str, factory: &SharedInformerFactory) {
        let factory = factory.weak();
        let read = move || Some(factory()?.metrics().informers);
        self.sources.lock().informers.push(Source::new(name, read));
    }

    /// Adds one informer, such as one without a factory; the label `factory` is empty.
    pub fn add_informer<K: Object, S: Storage<K>>(&self, informer: &SharedInformer<K, S>) {
        let informer = informer.weak();
        let read = move || Some(vec![informer()?.metrics()]);
        self.sources.lock().informers.push(Source::new("", read));
    }

    /// Adds a work queue, with `name` as the label `name`.
    pub fn add_queue<T: QueueItem>(&self, name: &str, queue: &WorkQueue<T>) {
        let queue = queue.weak();
        let read = move || Some(vec![queue()?.metrics()]);
        self.sources.lock().queues.push(Source::new(name, read));
    }

    /// Adds an informer that measured this.
    #[cfg(test)]
    pub(super) fn add_measured(&self, factory: &str, informers: Vec<InformerMetrics>) {
        let read = move || Some(informers.clone());
        self.sources
            .lock()
            .informers
            .push(Source::new(factory, read));
    }

    /// Registers this collector. Once in a registry: a second time shows every family twice.
    pub fn register(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(self.clone()));
    }

    /// Returns a whole page in the text format of `OpenMetrics`, for programs without a registry.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut registry = Registry::default();
        self.register(&mut registry);
        let mut page = String::new();
        // Text takes all that is written to it.
        _ = text::encode(&mut page, &registry);
        page
    }

    /// Reads what is there, each under the name that it was added with, and forgets what is not.
    fn read<M>(&self, pick: impl Fn(&mut Sources) -> &mut Vec<Source<M>>) -> Vec<(String, M)> {
        // Not read under the lock: reading takes locks of its own.
        let sources = pick(&mut self.sources.lock()).clone();
        let mut all = Vec::new();
        for source in sources {
            match (source.read)() {
                Some(read) => all.extend(read.into_iter().map(|one| (source.name.clone(), one))),
                None => pick(&mut self.sources.lock())
                    .retain(|other| !Arc::ptr_eq(&other.read, &source.read)),
            }
        }
        all
    }
}

impl collector::Collector for Collector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let informers = self.read(|sources| &mut sources.informers);
        let queues = self.read(|sources| &mut sources.queues);
        let mut taken = HashSet::new();
        let informers: Vec<_> = informers
            .into_iter()
            .map(|(factory, metrics)| {
                let labels = claim(&mut taken, &metrics.labels.name, |name| {
                    of_informer(&factory, name, &metrics.labels)
                });
                Shown { labels, metrics }
            })
            .collect();
        let queues: Vec<_> = queues
            .into_iter()
            .map(|(name, metrics)| {
                let labels = claim(&mut taken, &name, |name| vec![("name", name.to_owned())]);
                Shown { labels, metrics }
            })
            .collect();
        families::encode_informers(&mut encoder, &informers)?;
        families::encode_queues(&mut encoder, &queues)
    }
}

impl Default for Collector {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collector").finish_non_exhaustive()
    }
}

// === impl Source ===

impl<M> Source<M> {
    fn new(name: &str, read: impl Fn() -> Option<Vec<M>> + Send + Sync + 'static) -> Self {
        Self {
            name: name.to_owned(),
            read: Arc::new(read),
        }
    }
}

impl<M> Clone for Source<M> {
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

/// The labels that `name` gives, or those of a name like it that nobody has.
fn claim(taken: &mut HashSet<Labels>, name: &str, labels: impl Fn(&str) -> Labels) -> Labels {
    let wanted = labels(name);
    if taken.insert(wanted.clone()) {
        return wanted;
    }
    let numbered = (2_u32..).map(|number| labels(&format!("{name} #{number}")));
    let mut free = numbered.filter(|labels| taken.insert(labels.clone()));
    free.next().unwrap_or(wanted)
}
