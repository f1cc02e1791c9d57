//! What is not at the root, by what it is for. Every public name stands here or in `lib.rs`, once.

/// Options, errors and handles of factories.
pub mod factory {
    #[doc(inline)]
    pub use informer_runtime::factory::{StoredAs, SyncResult};
    #[doc(inline)]
    pub use informer_runtime::shared_informer::{RunError, SharedInformerBuilder};
    #[doc(inline)]
    pub use informer_runtime::{ResourceScope, Selectors};
}

/// Event handlers: errors, statistics, and the types behind [`async_handler`] and [`filtered`].
///
/// [`async_handler`]: crate::async_handler
/// [`filtered`]: crate::filtered
pub mod handler {
    #[doc(inline)]
    pub use informer_runtime::event::HandlerId;
    #[doc(inline)]
    pub use informer_runtime::processor::{
        AddHandlerError, AlreadyRunError, AsyncEventHandler, FilteringEventHandler, Handle,
        HandlerSyncError,
    };
    #[doc(inline)]
    pub use informer_runtime::status::HandlerStats;
}

/// Indices: values, readers, and what went wrong with an object's place in one.
///
/// An [`Index`](crate::Index) comes from a generated accessor or from
/// [`SharedInformer::add_index`](crate::SharedInformer::add_index).
pub mod index {
    #[doc(inline)]
    pub use informer_runtime::indexer::{
        AddIndexError, IndexError, IndexErrorCause, IndexFailures, IndexFunctionError,
        IndexLookupError, IndexName, IndexValue, IndexView, NAMESPACE_INDEX,
    };
}

/// Listers: errors of reads by a scope that is known at run time, of waits, and objects that do
/// not decode.
pub mod lister {
    #[doc(inline)]
    pub use informer_runtime::ParseKeyError;
    #[doc(inline)]
    pub use informer_runtime::indexer::WaitError;
    #[doc(inline)]
    pub use informer_runtime::lister::ScopeError;
    #[doc(inline)]
    pub use informer_runtime::{ClusterScope, NamespacedScope, Undecodable};
}

/// Selectors: their parts, and errors of parsing one.
pub mod selector {
    #[doc(inline)]
    pub use informer_runtime::{
        FieldSelectorError, Operator, ParseSelectorError, Requirement, RequirementError,
    };
}

/// The state of an informer, and its changes.
pub mod status {
    #[doc(inline)]
    pub use informer_runtime::status::StoreFailure;
    #[doc(inline)]
    pub use informer_runtime::{StatusChanges, StopCause};
}

/// How objects are held in memory.
pub mod storage {
    #[cfg(feature = "packed")]
    #[doc(inline)]
    pub use informer_runtime::PackedObject;
    #[doc(inline)]
    pub use informer_runtime::wire::{DecodeError, DropFieldsError, FieldPathError};
    #[doc(inline)]
    pub use informer_runtime::{FieldPath, PackedMemory, PathStorage, StorageMetrics};
}

/// Rate limits, order, priorities and metrics of a [`WorkQueue`](crate::WorkQueue).
///
/// client-go's counterpart is `util/workqueue`.
pub mod workqueue {
    #[doc(inline)]
    pub use informer_runtime::workqueue::{
        Bucket, Durations, Fifo, Item, ItemExponentialFailure, ItemFastSlow, KeyQueue,
        LOW_PRIORITY, MaxOf, MetricsRecorder, Missing, PriorityOrder, QueueItem, QueueOrder,
        RateLimiter, SkipMissing, Unlimited, WithMaxWait, WithMissing, WorkQueueBuilder,
        WorkQueueMetrics, default_controller, default_item_based,
    };
    #[doc(inline)]
    pub use informer_runtime::{EnqueueInto, EnqueueOwner, HasController, Lookup, ReconcileError};
}

/// Counters of informers and factories, and a `Collector` of them for Prometheus (feature `prometheus`).
pub mod metrics {
    #[cfg(feature = "prometheus")]
    #[doc(inline)]
    pub use informer_runtime::metrics::Collector;
    #[doc(inline)]
    pub use informer_runtime::metrics::{
        FactoryMetrics, HandlerMetrics, Histogram, InformerLabels, InformerMetrics, Reason,
        Requests,
    };
}

/// One reader over many types, started as they are asked for.
///
/// controller-runtime's counterpart is `pkg/cache`.
pub mod cache {
    #[doc(inline)]
    pub use informer_runtime::cache::{
        Cache, CacheBuildError, CacheBuilder, CacheError, CacheListOptions, CacheReader,
        MissingInformer, MultiNamespaceInformer, MultiNamespaceLister, TypeOptions,
    };
}

/// Reads after one's own writes, expectations, and the comparison of a cache with its server.
pub mod consistency {
    #[doc(inline)]
    pub use informer_runtime::consistency::{
        CheckError, Checked, ConsistencyCheck, Difference, ExpiringStore, FreshnessError, Identity,
        MutationCache, MutationCacheOptions, NotOverlaid, Skipped,
    };
}

/// Where lists and watches come from: `kube::Client` with its timeouts and encodings, or a
/// [`ListerWatcher`](source::ListerWatcher) of your own; and what happens after a failure.
pub mod source {
    #[doc(inline)]
    pub use informer_runtime::ErrorHandler;
    #[doc(inline)]
    pub use informer_runtime::reflector::{Backoff, ExponentialBackoff};
    #[doc(inline)]
    pub use informer_runtime::source::{
        Form, KubeListerWatcher, ListOptions, ListPart, ListStream, ListerWatcher,
        ResourceVersionMatch, SourceError, TimeoutPhase, Timeouts, WatchOptions, WatchStream,
    };
    #[doc(inline)]
    pub use informer_runtime::wire::{
        ApiStatus, Encoding, Header, ListMeta, PathError, RawEvent, RawObject, Rejected,
        SplitError, SplitOptions, StatusCause, TypeMeta,
    };
}

/// Lists, watches and conditions without a cache.
///
/// client-go's counterparts are `tools/pager`, and `RetryWatcher` and `Until` of `tools/watch`.
pub mod tools {
    #[doc(inline)]
    pub use informer_runtime::tools::{ConditionError, Until, UntilError, UntilErrorCause, until};
    #[doc(inline)]
    pub use informer_runtime::tools::{ListItems, ListPager};
    #[doc(inline)]
    pub use informer_runtime::tools::{NoResourceVersion, RetryWatchError, RetryWatcher};
}

/// Servers that follow a script (feature `test-util`), for tests of handlers, reconcilers and sources.
///
/// A whole API server in the process of the test is the crate `informer-apiserver`.
#[cfg(feature = "test-util")]
pub mod testing {
    #[doc(inline)]
    pub use informer_runtime::source::{
        AnswerController, AnswerDropped, FakeControllerSource, ListAnswer, ListController, Request,
        ScriptedListerWatcher, WatchAnswer, WatchController,
    };
}

/// The parts of an informer, each by itself. A controller needs none of them.
///
/// - [`Indexer`](advanced::Indexer) is the store behind a lister: for tests that fill a cache by
///   hand, and for caches of what no API server has.
/// - [`WriteThroughStore`](advanced::WriteThroughStore) is a second store that an informer keeps in step, such as a
///   database.
/// - [`DeltaFifo`](advanced::DeltaFifo) is the queue between reflector and store;
///   [`Order`](advanced::Order) and [`Compression`](advanced::Compression) are its settings.
/// - The splitters read objects from the bytes of a list or a watch: for a
///   [`ListerWatcher`](crate::source::ListerWatcher) over another transport.
pub mod advanced {
    #[doc(inline)]
    pub use informer_runtime::delta_fifo::{
        Batch, Closed, Compression, DedupDeltas, Delta, DeltaFifo, KnownObjects, Listed, Order,
        Removed, Replacement,
    };
    #[doc(inline)]
    pub use informer_runtime::indexer::{BatchError, Change, Indexer, Transaction, Write};
    #[doc(inline)]
    pub use informer_runtime::shared_informer::{StoreBatch, WriteThroughStore};
    #[doc(inline)]
    pub use informer_runtime::status::StoreError;
    #[doc(inline)]
    pub use informer_runtime::wire::{EventSplitter, ListSplitter, SplitStats, Splitter};
}
