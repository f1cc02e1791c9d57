//! Metrics.

use std::sync::Arc;

use informer::metrics::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use tokio::time::Instant;

use crate::controller::Error;

/// Metrics of the operator and of informer. Clones share their counts.
#[derive(Clone)]
pub struct Metrics {
    /// Metrics of informers and queues.
    pub collector: Arc<Collector>,
    registry: Arc<Registry>,
    reconciliations: Counter,
    failures: Family<[(&'static str, String); 1], Counter>,
    duration: Histogram,
}

/// Measures an attempt until it is dropped.
pub struct Timer<'a> {
    metrics: &'a Metrics,
    began: Instant,
}

impl Metrics {
    /// Counts an attempt, and measures its duration.
    #[must_use]
    pub fn attempt(&self) -> Timer<'_> {
        self.reconciliations.inc();
        Timer {
            metrics: self,
            began: Instant::now(),
        }
    }

    /// Counts a failure.
    pub fn failed(&self, error: &Error) {
        let kind = match error {
            Error::Kube(_) => "kube",
            Error::Finalizer(_) => "finalizer",
            Error::IllegalDocument => "illegal",
        };
        self.failures
            .get_or_create(&[("error", kind.to_owned())])
            .inc();
    }

    /// Returns the registry of all metrics.
    #[must_use]
    pub fn registry(&self) -> Arc<Registry> {
        Arc::clone(&self.registry)
    }

    /// Returns the page in the `OpenMetrics` format.
    #[must_use]
    pub fn page(&self) -> String {
        let mut page = String::new();
        // Writing into a string cannot fail.
        encode(&mut page, &self.registry).ok();
        page
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::default();
        let collector = Arc::new(Collector::new());
        collector.register(&mut registry);
        let reconciliations = Counter::default();
        let failures = Family::default();
        let duration = Histogram::new(exponential_buckets(0.01, 2.0, 10));
        registry.register(
            "doc_controller_reconciliations",
            "Attempts",
            reconciliations.clone(),
        );
        registry.register(
            "doc_controller_failures",
            "Failed attempts",
            Family::clone(&failures),
        );
        let help = "Duration of an attempt";
        registry.register_with_unit(
            "doc_controller_duration",
            help,
            Unit::Seconds,
            duration.clone(),
        );
        Self {
            collector,
            registry: Arc::new(registry),
            reconciliations,
            failures,
            duration,
        }
    }
}

impl Drop for Timer<'_> {
    fn drop(&mut self) {
        let seconds = self.began.elapsed().as_secs_f64();
        self.metrics.duration.observe(seconds);
    }
}
