//! What informers and queues have done, and do now: as values, and as a page for Prometheus.
//!
//! [`SharedInformer::metrics`](crate::SharedInformer::metrics) and
//! [`SharedInformerFactory::metrics`](crate::SharedInformerFactory::metrics) give values of one
//! moment; [`MetricsPage`] prints them, and those of work queues, in the text format of
//! `OpenMetrics`. Nothing is global, and nothing is registered anywhere: two factories in one
//! process never mix. client-go's counterparts are the `informer_*`, `reflector_*` and
//! `workqueue_*` metrics of its providers, one set for each process; names and labels are the same
//! where the meaning is.
//!
//! # Cost
//!
//! Counting is a relaxed addition. The clock is read a few times for each batch that goes through
//! the queue, and around each call of a handler; not for each event. Neither takes a lock or
//! allocates.
//!
//! # Examples
//!
//! ```
//! # extern crate informer_runtime as informer;
//! # use informer_runtime::metrics::MetricsPage;
//! use informer::{ObjectKey, SharedInformerFactory, WorkQueue};
//!
//! /// What `GET /metrics` answers, with the content type `MetricsPage::CONTENT_TYPE`.
//! fn page(factory: &SharedInformerFactory, queue: &WorkQueue<ObjectKey>) -> String {
//!     MetricsPage::new()
//!         .factory(factory.metrics())
//!         .queue(queue.name(), queue.metrics())
//!         .to_string()
//! }
//! ```

mod families;
mod page;
mod text;

pub use self::page::MetricsPage;
pub use crate::status::{
    FactoryMetrics, HandlerMetrics, Histogram, InformerLabels, InformerMetrics, Reason, Requests,
};

#[cfg(test)]
mod tests;
