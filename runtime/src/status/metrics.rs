//! [`InformerMetrics`]: measurements of one informer, and the counters behind them.

use std::sync::Arc;

use super::handler::HandlerMetrics;
use super::histogram::Histogram;
use super::reason::{RequestCounts, RequestKind, Requests};
use super::recorder::{AtomicHistogram, Counter};
use crate::object::ResourceVersion;
use crate::storage::PackedMemory;

/// Number of decimal digits that an `f64` holds exactly. client-go truncates versions in the same
/// way.
const VERSION_DIGITS: usize = 15;

/// Labels that identify the informer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct InformerLabels {
    /// Name of the informer; unique within a factory.
    pub name: String,
    /// API group; empty for the core group.
    pub group: String,
    /// Version within the group.
    pub version: String,
    /// Plural name of the resource.
    pub resource: String,
    /// The namespaces that are cached, separated by commas; empty for all namespaces, and for
    /// cluster-scoped resources.
    pub namespace: String,
    /// `typed`, `dynamic` or `metadata`.
    pub form: &'static str,
}

/// Measurements of the informers of one factory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FactoryMetrics {
    /// One element per informer, ordered by name.
    pub informers: Vec<InformerMetrics>,
}

macro_rules! metrics {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// Measurements of one informer since its creation.
        ///
        /// Values are read one after the other while the informer runs. Each value is exact, but
        /// two values can be from slightly different moments.
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        #[non_exhaustive]
        pub struct InformerMetrics {
            /// Labels that identify the informer.
            pub labels: InformerLabels,
            $($(#[doc = $doc])* pub $name: u64,)*
            /// Lists by reason and outcome. A list of several pages counts once.
            pub list_attempts: Requests,
            /// Streaming lists by reason and outcome. After its closing bookmark, a streaming list
            /// counts as a watch.
            pub streaming_list_attempts: Requests,
            /// Watches by reason and outcome, including those that started as a streaming list.
            pub watch_attempts: Requests,
            /// Durations of complete lists, including streaming lists, with all pages and with
            /// decoding.
            pub list_duration: Histogram,
            /// Times from the request of an evicted body to its answer, with
            /// [`Tiered`](crate::Tiered) storage. Includes the wait for a turn.
            pub load_duration: Histogram,
            /// Time from the removal of a batch from the queue until the last handler has the batch
            /// in its mailbox. client-go's counterpart is `informer_processing_latency_seconds`.
            pub processing_latency: Histogram,
            /// Time from the arrival of a batch's oldest delta until reads show the batch. The
            /// arrival time is recorded for every 64th delta and for every batch, so the value of a
            /// long queue can be too high, but never too low.
            pub publish_latency: Histogram,
            /// Time from the arrival of a batch's oldest delta until the last handler has the batch
            /// in its mailbox.
            pub delivery_latency: Histogram,
            /// Number of deltas that wait in the queue now.
            pub queued_deltas: usize,
            /// Size of the objects of these deltas as the API server sent them, in bytes.
            pub queued_bytes: usize,
            /// Number of objects in the store now.
            pub objects: usize,
            /// Number of deleted objects that [`retain_deleted`](crate::InformerConfig::retain_deleted)
            /// keeps readable now.
            pub retained_objects: usize,
            /// Number of objects whose latest version does not decode, now.
            pub undecodable: usize,
            /// Name of the [state](crate::status::InformerState), as it is displayed, such as `synced`.
            pub state: String,
            /// `true` once the store has held a complete list.
            pub is_synced: bool,
            /// Last 15 digits of the store's resourceVersion, which an `f64` holds exactly, as in
            /// client-go. `None` before the first list, and if the version is not a number.
            pub store_resource_version: Option<u64>,
            /// Memory of packed objects, with [`Packed`](crate::Packed) storage.
            pub packed: Option<PackedMemory>,
            /// Handlers that are registered now, in the order of registration.
            pub handlers: Vec<HandlerMetrics>,
        }

        /// Counters of one informer.
        #[derive(Debug, Default)]
        pub(crate) struct Metrics {
            $(pub(crate) $name: Counter,)*
            pub(crate) requests: Arc<RequestCounts>,
            pub(crate) list_duration: AtomicHistogram,
            pub(crate) load_duration: AtomicHistogram,
            pub(crate) processing_latency: AtomicHistogram,
            pub(crate) publish_latency: AtomicHistogram,
            pub(crate) delivery_latency: AtomicHistogram,
        }

        impl Metrics {
            /// Returns the counted values. The informer adds the values that it knows without
            /// counting.
            pub(crate) fn get(&self) -> InformerMetrics {
                InformerMetrics {
                    $($name: self.$name.get(),)*
                    list_attempts: self.requests.get(RequestKind::List),
                    streaming_list_attempts: self.requests.get(RequestKind::StreamingList),
                    watch_attempts: self.requests.get(RequestKind::Watch),
                    list_duration: self.list_duration.get(),
                    load_duration: self.load_duration.get(),
                    processing_latency: self.processing_latency.get(),
                    publish_latency: self.publish_latency.get(),
                    delivery_latency: self.delivery_latency.get(),
                    ..InformerMetrics::default()
                }
            }
        }
    };
}

metrics! {
    /// Requested pages of lists.
    list_requests,
    /// Requested watches, including streaming lists.
    watch_requests,
    /// Completely received lists, including streaming lists.
    lists,
    /// Listed objects that the store held already in the same version. They are not decoded.
    unchanged_objects,
    /// Decoded objects. [`Typed`](crate::Typed) storage decodes every new version once.
    /// [`Packed`](crate::Packed) storage decodes on each request unless a reader still holds the
    /// decoded object.
    decoded_objects,
    /// Bytes of received objects, without the fields that were cut.
    object_bytes,
    /// Versions that did not decode, or that the transform rejected.
    undecodable_objects,
    /// Items and events that were rejected because of their kind or an unreadable header.
    rejected_objects,
    /// Watch events that changed an object.
    events,
    /// Bookmarks received.
    bookmarks,
    /// Failures of lists and watches.
    failures,
    /// Transactions on the store, one per batch of deltas.
    batches,
    /// Notifications of changes that were passed to the processor. The number of handlers does not
    /// matter.
    notifications,
    /// Failed attempts to store a batch in the user's
    /// [`WriteThroughStore`](crate::shared_informer::WriteThroughStore).
    store_failures,
}

/// Returns the last digits of a version as a number.
pub(crate) fn version_number(version: &ResourceVersion) -> Option<u64> {
    let text = version.to_string();
    let start = text.len().saturating_sub(VERSION_DIGITS);
    if text.bytes().any(|byte| !byte.is_ascii_digit()) {
        return None;
    }
    text.get(start..)?.parse().ok()
}
