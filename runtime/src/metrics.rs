//! What informers and queues have done, and do now: as values, and in a registry for Prometheus.
//!
//! [`SharedInformer::metrics`](crate::SharedInformer::metrics),
//! [`SharedInformerFactory::metrics`](crate::SharedInformerFactory::metrics) and
//! [`WorkQueue::metrics`](crate::WorkQueue::metrics) give values of one moment. `Collector` (feature
//! `prometheus`) shows them in a registry of `prometheus-client`. Nothing is global: two factories in
//! one process never mix. client-go's counterparts are the `informer_*`, `reflector_*` and
//! `workqueue_*` metrics of its providers, one set for each process; names and labels are the same
//! where the meaning is.
//!
//! # Cost
//!
//! Counting is a relaxed addition. The clock is read a few times for each batch that goes through
//! the queue, and around each call of a handler; not for each event. Neither takes a lock or
//! allocates.

#[cfg(feature = "prometheus")]
mod collector;
#[cfg(feature = "prometheus")]
mod families;

#[cfg(feature = "prometheus")]
pub use self::collector::Collector;
pub use crate::status::{
    FactoryMetrics, HandlerMetrics, Histogram, InformerLabels, InformerMetrics, Reason, Requests,
};

#[cfg(test)]
mod tests;
