//! What an informer has done so far, counted.

use std::sync::atomic::{AtomicU64, Ordering};

/// A count that several tasks raise.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn increment(&self) {
        self.add(1);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

macro_rules! metrics {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// Counts of one informer since its creation. They only grow.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        #[non_exhaustive]
        pub struct InformerMetrics {
            $($(#[doc = $doc])* pub $name: u64,)*
        }

        #[derive(Debug, Default)]
        pub(crate) struct Metrics {
            $(pub(crate) $name: Counter,)*
        }

        impl Metrics {
            pub(crate) fn get(&self) -> InformerMetrics {
                InformerMetrics { $($name: self.$name.get(),)* }
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
    /// Objects decoded (with [`Typed`](crate::Typed) storage: every new version, once).
    decoded_objects,
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
    /// Notifications handed to the processor, counted once however many handlers there are.
    notifications,
}
