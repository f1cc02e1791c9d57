//! [`InformerMetrics`]: all that is measured of one informer, and what counts it.

use super::handler::HandlerMetrics;
use super::histogram::Histogram;
use super::reason::{RequestKind, RequestLog, Requests};
use super::recorder::{AtomicHistogram, Counter};
use crate::object::{GroupVersionResource, ResourceVersion, TypeForm};
use crate::storage::PackedMemory;

/// How many digits of a version an exact `f64` holds, as in client-go.
const VERSION_DIGITS: usize = 15;

/// Which informer measurements are of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct InformerLabels {
    /// The informer's name; a factory gives no name twice.
    pub name: String,
    /// The API group; empty for the core group.
    pub group: String,
    /// The version within the group.
    pub version: String,
    /// The plural name.
    pub resource: String,
    /// The one namespace that is cached; empty for all, and for cluster-scoped resources.
    pub namespace: String,
    /// `typed`, `dynamic` or `metadata`.
    pub form: &'static str,
}

/// What the informers of one factory have done, and do now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FactoryMetrics {
    /// One for each informer, by name.
    pub informers: Vec<InformerMetrics>,
}

macro_rules! metrics {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// What one informer has done since its creation, and does now.
        ///
        /// Values are read one by one while the informer goes on: each is right, but two of them
        /// can be of moments a little apart.
        #[derive(Debug, Clone, PartialEq, Eq, Default)]
        #[non_exhaustive]
        pub struct InformerMetrics {
            /// Which informer it is.
            pub labels: InformerLabels,
            $($(#[doc = $doc])* pub $name: u64,)*
            /// Lists by reason and end, however many pages they had.
            pub list_attempts: Requests,
            /// Streaming lists by reason and end. One that is complete goes on as a watch.
            pub streaming_list_attempts: Requests,
            /// Watches by reason and end, those among them that began as a streaming list.
            pub watch_attempts: Requests,
            /// How long lists took that came to their end, streamed ones among them, with all
            /// pages and decoding.
            pub list_duration: Histogram,
            /// How long batches of deltas took from leaving the queue until the last handler had
            /// them in its mailbox: client-go's `informer_processing_latency_seconds`.
            pub processing_latency: Histogram,
            /// From the arrival of a batch's oldest delta until reads show it. Arrivals are noted
            /// every 64 deltas and with every batch, so that a queue that is long shows more than
            /// the truth, never less.
            pub publish_latency: Histogram,
            /// From the arrival of a batch's oldest delta until the last handler had the batch in
            /// its mailbox.
            pub delivery_latency: Histogram,
            /// Deltas that wait between reflector and store now.
            pub queued_deltas: usize,
            /// Objects in the store now.
            pub objects: usize,
            /// Objects whose latest version did not decode, now.
            pub undecodable: usize,
            /// The store has held a whole list.
            pub is_synced: bool,
            /// The last 15 digits of the version that reads reflect, which is what a `f64` holds,
            /// as in client-go. `None` before the first list, and if the version is no number.
            pub store_resource_version: Option<u64>,
            /// How often a [`Compression`](crate::delta_fifo::Compression) of the user's own broke
            /// its rules or panicked, so that the deltas were kept.
            pub refused_compressions: u64,
            /// What the objects hold packed, with [`Packed`](crate::Packed) storage.
            pub packed: Option<PackedMemory>,
            /// The handlers there are now, in the order in which they were added.
            pub handlers: Vec<HandlerMetrics>,
        }

        /// Counts what one informer does.
        #[derive(Debug, Default)]
        pub(crate) struct Metrics {
            $(pub(crate) $name: Counter,)*
            pub(crate) requests: RequestLog,
            pub(crate) list_duration: AtomicHistogram,
            pub(crate) processing_latency: AtomicHistogram,
            pub(crate) publish_latency: AtomicHistogram,
            pub(crate) delivery_latency: AtomicHistogram,
        }

        impl Metrics {
            /// What was counted; what is known without counting is for the informer to add.
            pub(crate) fn get(&self) -> InformerMetrics {
                InformerMetrics {
                    $($name: self.$name.get(),)*
                    list_attempts: self.requests.get(RequestKind::List),
                    streaming_list_attempts: self.requests.get(RequestKind::StreamingList),
                    watch_attempts: self.requests.get(RequestKind::Watch),
                    list_duration: self.list_duration.get(),
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
    /// Pages of lists asked for.
    list_requests,
    /// Watches asked for, streaming lists among them.
    watch_requests,
    /// Whole lists received, streamed ones among them.
    lists,
    /// Listed objects whose version the store held already: not decoded.
    unchanged_objects,
    /// Objects decoded: with [`Typed`](crate::Typed) storage every new version, once; with
    /// [`Packed`](crate::Packed) each time that somebody needs one that nobody holds decoded.
    decoded_objects,
    /// Bytes of the objects received, without what was cut out of them.
    object_bytes,
    /// Versions that did not decode, or that the transform refused.
    undecodable_objects,
    /// Items and events refused for their kind or for want of a header.
    rejected_objects,
    /// Watch events that changed an object.
    events,
    /// Bookmarks received.
    bookmarks,
    /// Failures of lists and watches.
    failures,
    /// Transactions on the store: a batch of deltas each.
    batches,
    /// Notifications of changes handed to the processor, counted once however many handlers there
    /// are.
    notifications,
    /// Batches that the user's own [`WriteThroughStore`](crate::shared_informer::WriteThroughStore) did not take, each counted
    /// as often as it was refused.
    store_failures,
}

// === impl InformerLabels ===

impl InformerLabels {
    /// Of an informer of `K`.
    pub(crate) fn of<K: 'static>(
        name: &str,
        resource: GroupVersionResource,
        namespace: Option<&str>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            group: resource.group,
            version: resource.version,
            resource: resource.resource,
            namespace: namespace.unwrap_or_default().to_owned(),
            form: TypeForm::of::<K>().as_str(),
        }
    }
}

// === impl FactoryMetrics ===

impl FactoryMetrics {
    pub(crate) fn new(mut informers: Vec<InformerMetrics>) -> Self {
        informers.sort_by(|a, b| a.labels.name.cmp(&b.labels.name));
        Self { informers }
    }
}

/// The last digits of a version, as a number.
pub(crate) fn version_number(version: &ResourceVersion) -> Option<u64> {
    let text = version.to_string();
    let start = text.len().saturating_sub(VERSION_DIGITS);
    if text.bytes().any(|byte| !byte.is_ascii_digit()) {
        return None;
    }
    text.get(start..)?.parse().ok()
}
