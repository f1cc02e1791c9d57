//! Status of an informer: its state, its failures, and its counters.

mod handler;
mod histogram;
mod informer;
mod metrics;
mod reason;
mod recorder;
mod reflector_error;
mod refusal;
mod source_error;
mod store_failure;

pub use self::handler::{HandlerMetrics, HandlerStats};
pub use self::histogram::Histogram;
pub(crate) use self::informer::StatusCell;
pub use self::informer::{
    InformerState, InformerStatus, NamespaceStatus, StatusChanges, StopCause,
};
pub use self::metrics::{FactoryMetrics, InformerLabels, InformerMetrics};
pub(crate) use self::metrics::{Metrics, version_number};
pub use self::reason::{Reason, Requests};
pub(crate) use self::reason::{RequestKind, RequestLog};
pub(crate) use self::recorder::{AtomicHistogram, Counter};
pub use self::reflector_error::ReflectorError;
pub(crate) use self::refusal::Refusal;
pub(crate) use self::source_error::{LISTER_WATCHER, REPEATED_TOKEN};
pub use self::source_error::{SourceError, TimeoutPhase};
pub use self::store_failure::{StoreError, StoreFailure};

#[cfg(test)]
mod tests;
