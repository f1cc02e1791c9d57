//! Metrics of informers and work queues: as values, and in a registry for Prometheus.
//!
//! [`GenericInformer::metrics`](informer_runtime::GenericInformer::metrics),
//! [`SharedInformerFactory::metrics`](informer_runtime::SharedInformerFactory::metrics) and
//! [`WorkQueue::metrics`](crate::WorkQueue::metrics) return the values of one moment. `Collector`
//! (feature `prometheus`) exports them to a registry of `prometheus-client`. No metric is global:
//! two factories in one process never mix. client-go's counterparts are the `informer_*`,
//! `reflector_*` and `workqueue_*` metrics of its providers, one set for each process. Names and
//! labels are the same where the meaning is the same.
//!
//! # Cost
//!
//! Counting is a relaxed atomic addition. The clock is read a few times for each batch in the
//! queue, and around each call of a handler, not for each event. Neither operation takes a lock or
//! allocates.

#[cfg(feature = "prometheus")]
mod collector;
#[cfg(feature = "prometheus")]
mod families;

#[cfg(feature = "prometheus")]
pub use self::collector::Collector;

#[cfg(test)]
mod tests;
