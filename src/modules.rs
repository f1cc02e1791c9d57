//! Public names outside the root, in modules by topic. Every public name is listed once, here or in
//! `lib.rs`.

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
        AddHandlerError, AsyncEventHandler, FilteringEventHandler, HandlerSyncError,
    };
    #[doc(inline)]
    pub use informer_runtime::status::HandlerStats;
}

/// Indices: values, readers, and the errors of index functions.
///
/// An [`Index`](crate::Index) is returned by a generated accessor or by
/// [`SharedInformer::add_index`](crate::SharedInformer::add_index).
pub mod index {
    #[doc(inline)]
    pub use informer_runtime::indexer::{
        AddIndexError, IndexError, IndexErrorCause, IndexFailures, IndexFunctionError,
        IndexLookupError, IndexName, IndexValue, IndexView, NAMESPACE_INDEX,
    };
}

/// Listers: errors of waits and of reads whose scope is known only at run time, and undecodable
/// objects.
pub mod lister {
    #[doc(inline)]
    pub use informer_runtime::ParseKeyError;
    #[doc(inline)]
    pub use informer_runtime::indexer::WaitError;
    #[doc(inline)]
    pub use informer_runtime::lister::ScopeError;
    #[doc(inline)]
    pub use informer_runtime::shared_informer::FreshnessError;
    #[doc(inline)]
    pub use informer_runtime::{ClusterScope, NamespacedScope, Undecodable};
}

/// Selectors: their parts, and errors of parsing.
pub mod selector {
    #[doc(inline)]
    pub use informer_runtime::{
        FieldSelectorError, Operator, ParseSelectorError, Requirement, RequirementError,
    };
}

/// State of an informer, and its changes.
pub mod status {
    #[doc(inline)]
    pub use informer_runtime::status::StoreFailure;
    #[doc(inline)]
    pub use informer_runtime::{StatusChanges, StopCause};
}

/// Forms of cached objects in memory.
pub mod storage {
    #[cfg(feature = "packed")]
    #[doc(inline)]
    pub use informer_runtime::PackedObject;
    #[doc(inline)]
    pub use informer_runtime::wire::{DecodeError, DropFieldsError, FieldPathError};
    #[doc(inline)]
    pub use informer_runtime::{FieldPath, PackedMemory, PathStorage, StorageMetrics};
}

/// Handles, states and errors of a [`Controller`](crate::Controller).
pub mod controller {
    #[doc(inline)]
    pub use informer_controller::{ControllerError, ControllerHandle, ControllerState};
}

/// Rate limits, order, priorities and metrics of a [`WorkQueue`](crate::WorkQueue).
///
/// client-go's counterpart is `util/workqueue`.
pub mod workqueue {
    #[doc(inline)]
    pub use informer_controller::workqueue::{
        Bucket, Durations, Fifo, Item, ItemExponentialFailure, ItemFastSlow, KeyQueue,
        LOW_PRIORITY, MaxOf, PriorityOrder, QueueItem, QueueOrder, RateLimiter, ReconcileReason,
        Unlimited, WithMaxWait, WorkQueueBuilder, WorkQueueMetrics, default_controller,
        default_item_based,
    };
    #[doc(inline)]
    pub use informer_controller::{
        EnqueueInto, EnqueueMapped, EnqueueOwner, HasController, ReconcileError, enqueue_mapped,
    };
}

/// Relations between objects: owners, references and selectors.
///
/// `#[derive(Informer)]` and `informer-gen` declare the relations of a kind; the accessors that
/// they generate return these types.
pub mod relations {
    #[doc(inline)]
    pub use informer_controller::relations::{
        EnqueueRelated, LabelSelection, OwnedObjects, Owns, Reference, ReferencedCache,
        ReferencedCacheBuilder, ReferencedError, ReferencedObjects, ReferencedStatus, References,
        RelatedError, RelatedObject, Relation, SelectedObjects, Selects, referrers, selecting,
    };
}

/// Counters of informers and factories, and a Prometheus `Collector` (feature `prometheus`).
pub mod metrics {
    #[cfg(feature = "prometheus")]
    #[doc(inline)]
    pub use informer_controller::metrics::Collector;
    #[doc(inline)]
    pub use informer_controller::metrics::{
        FactoryMetrics, HandlerMetrics, Histogram, InformerLabels, InformerMetrics, Reason,
        Requests,
    };
}

/// Reader over many types, which starts informers on demand.
///
/// controller-runtime's counterpart is `pkg/cache`.
pub mod cache {
    #[doc(inline)]
    pub use informer_runtime::cache::{
        Cache, CacheBuildError, CacheBuilder, CacheError, CacheListOptions, CacheReader,
        MissingInformer, TypeOptions,
    };
}

/// Sources of lists and watches: `kube::Client` with timeouts and encodings, or your own
/// [`ListerWatcher`](source::ListerWatcher). Also the backoff after failures.
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

/// Scripted servers for tests of handlers, reconcilers and sources (feature `test-util`).
///
/// The crate `informer-apiserver` has a complete embedded API server for tests.
#[cfg(feature = "test-util")]
pub mod testing {
    #[doc(inline)]
    pub use informer_runtime::source::{
        Answer, AnswerController, AnswerDropped, FakeControllerSource, ListAnswer, Request,
        ScriptedListerWatcher, WatchAnswer,
    };
}

/// Parts of an informer, for separate use. Most controllers need none of them.
///
/// - [`Indexer`](advanced::Indexer) is the store behind a lister, for tests that fill a cache
///   themselves, and for caches of data without an API server.
/// - [`WriteThroughStore`](advanced::WriteThroughStore) is a second store that an informer keeps
///   equal to its cache, such as a database.
/// - [`Order`](advanced::Order) is the order of the deltas between reflector and store; a
///   [`Compression`](advanced::Compression) merges those of one key.
/// - The splitters read objects from the bytes of a list or a watch, for a
///   [`ListerWatcher`](crate::source::ListerWatcher) over another transport.
pub mod advanced {
    #[doc(inline)]
    pub use informer_runtime::delta_fifo::{
        Compression, Delta, Listed, Order, Removed, Replacement,
    };
    #[doc(inline)]
    pub use informer_runtime::indexer::{Change, Indexer, Transaction, Write};
    #[doc(inline)]
    pub use informer_runtime::shared_informer::{StoreBatch, WriteThroughStore};
    #[doc(inline)]
    pub use informer_runtime::status::StoreError;
    #[doc(inline)]
    pub use informer_runtime::wire::{EventSplitter, ListSplitter, SplitStats, Splitter};
}
