//! [`MetricsPage`]: measurements of informers and queues as text.

use std::collections::HashSet;
use std::fmt;

use super::families;
use super::text::{Labels, Writer};
use crate::status::{FactoryMetrics, InformerLabels, InformerMetrics};
use crate::workqueue;

/// Measurements in the text format of `OpenMetrics`, which Prometheus reads.
///
/// Made anew for each answer, from values of that moment; printed by [`Display`](fmt::Display). It
/// ends with `# EOF`, so it is the whole answer: put on it all that the answer is to have.
///
/// No series is on a page twice: where two informers have the same labels, or two queues the same
/// name, the later one is `name #2`. Factories that have such informers are better
/// [named](Self::named_factory).
///
/// Label values are escaped as the format asks for. Requests are shown for the reasons and outcomes
/// that occurred. `docs/metrics.md` lists the families.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct MetricsPage {
    informers: Vec<Shown<InformerMetrics>>,
    queues: Vec<Shown<workqueue::WorkQueueMetrics>>,
    taken: HashSet<Labels>,
}

/// Measurements under their labels.
#[derive(Debug, Clone)]
pub(super) struct Shown<M> {
    pub(super) labels: Labels,
    pub(super) metrics: M,
}

// === impl MetricsPage ===

impl MetricsPage {
    /// What to answer as `Content-Type`.
    pub const CONTENT_TYPE: &'static str =
        "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /// An empty page.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the informers of a factory.
    pub fn factory(mut self, metrics: FactoryMetrics) -> Self {
        for informer in metrics.informers {
            self.add_informer(&Labels::default(), informer);
        }
        self
    }

    /// Adds the informers of a factory, with the label `factory`.
    pub fn named_factory(mut self, name: &str, metrics: FactoryMetrics) -> Self {
        let factory = Labels::default().and("factory", name);
        for informer in metrics.informers {
            self.add_informer(&factory, informer);
        }
        self
    }

    /// Adds one informer, such as one without a factory.
    pub fn informer(mut self, metrics: InformerMetrics) -> Self {
        self.add_informer(&Labels::default(), metrics);
        self
    }

    /// Adds a work queue, under its name.
    pub fn queue(mut self, name: &str, metrics: workqueue::WorkQueueMetrics) -> Self {
        let labels = self.claim(name, |name| Labels::default().and("name", name));
        self.queues.push(Shown { labels, metrics });
        self
    }

    fn add_informer(&mut self, factory: &Labels, metrics: InformerMetrics) {
        let InformerLabels {
            name,
            group,
            version,
            resource,
            namespace,
            form,
        } = &metrics.labels;
        let labels = self.claim(name, |name| {
            factory
                .and("name", name)
                .and("group", group)
                .and("version", version)
                .and("resource", resource)
                .and("namespace", namespace)
                .and("form", form)
        });
        self.informers.push(Shown { labels, metrics });
    }

    /// The labels that `name` gives, or those of a name like it that nobody has.
    fn claim(&mut self, name: &str, labels: impl Fn(&str) -> Labels) -> Labels {
        let wanted = labels(name);
        if self.taken.insert(wanted.clone()) {
            return wanted;
        }
        let numbered = (2_u32..).map(|number| labels(&format!("{name} #{number}")));
        let mut free = numbered.filter(|labels| self.taken.insert(labels.clone()));
        free.next().unwrap_or(wanted)
    }
}

impl fmt::Display for MetricsPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut writer = Writer::new(f);
        families::write_informers(&mut writer, &self.informers)?;
        families::write_queues(&mut writer, &self.queues)?;
        writer.end()
    }
}
