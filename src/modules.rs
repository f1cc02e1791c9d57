//! Public names outside the root, in modules by topic. Every public name is listed once, here or in
//! `lib.rs`.

/// Options, errors and handles of factories.
pub mod factory {
    #[doc(inline)]
    pub use informer_runtime::factory::{Budget, DiscoverError, MemoryUsage, NotReady, StartError};
    #[doc(inline)]
    pub use informer_runtime::shared_informer::{RunError, SharedInformerBuilder};
    #[doc(inline)]
    pub use informer_runtime::{
        CacheSyncError, ConfigError, Selectors, SharedInformerFactoryBuilder,
    };
}

/// Event handlers: the kinds of an [`Event`](crate::Event), registrations, streams, errors and
/// statistics.
pub mod handler {
    #[doc(inline)]
    pub use informer_runtime::processor::AddHandlerError;
    #[doc(inline)]
    pub use informer_runtime::status::HandlerStats;
    #[doc(inline)]
    pub use informer_runtime::{Added, Deleted, EventStream, HandlerRegistration, Updated};
}

/// Indices: values, readers, and the errors of index functions.
///
/// An [`Index`](crate::Index) is returned by a generated accessor or by
/// [`SharedInformer::add_index`](crate::SharedInformer::add_index).
pub mod index {
    #[doc(inline)]
    pub use informer_runtime::indexer::{
        AddIndexError, IndexError, IndexFunctionError, IndexLookupError, IndexValue, IndexView,
    };
}

/// Listers: errors of waits and of reads whose scope is known only at run time, and undecodable
/// objects.
pub mod lister {
    #[doc(inline)]
    pub use informer_runtime::indexer::FreshnessError;
    #[doc(inline)]
    pub use informer_runtime::lister::ScopeError;
    #[doc(inline)]
    pub use informer_runtime::{GetError, Uid, Undecodable};
}

/// Selectors: their parts, and errors of parsing.
pub mod selector {
    #[doc(inline)]
    pub use informer_runtime::{Operator, Requirement};
}

/// State of an informer, and its changes.
pub mod status {
    #[doc(inline)]
    pub use informer_runtime::status::NamespaceStatus;
    #[doc(inline)]
    pub use informer_runtime::{InformerState, InformerStatus, StopCause};
}

/// Forms of cached objects in memory.
pub mod storage {
    #[doc(inline)]
    pub use informer_runtime::storage::LoadError;
    #[doc(inline)]
    pub use informer_runtime::wire::DecodeError;
    #[doc(inline)]
    pub use informer_runtime::{DropFields, Entry, FieldPath, ObjectError, PathStorage};
    #[cfg(feature = "packed")]
    #[doc(inline)]
    pub use informer_runtime::{PackedObject, storage::TieredObject};
}

/// Handles, states and errors of a [`Controller`](crate::Controller), and the error of a
/// [`Manager`](crate::Manager).
pub mod controller {
    #[doc(inline)]
    pub use informer_controller::{
        ControllerError, ControllerHandle, ControllerState, ManagerError,
    };
}

/// Writes that a [`Session`](crate::Session) notes, and reads that show them.
pub mod session {
    #[doc(inline)]
    pub use informer_controller::session::{OwnWrite, SessionApi, SessionError, View};
}

/// Handlers that fill a [`WorkQueue`](crate::WorkQueue); its rate limits, order, priorities and
/// metrics.
///
/// client-go's counterpart is `util/workqueue`.
pub mod workqueue {
    #[doc(inline)]
    pub use informer_controller::workqueue::{
        AddOptions, Bucket, EnqueueInto, Item, ItemExponentialFailure, ItemFastSlow, KeyQueue,
        LOW_PRIORITY, MaxOf, PriorityOrder, QueueOrder, RateLimiter, Reasons, WithMaxWait,
        WorkQueueMetrics, default_controller, enqueue_into, enqueue_mapped, enqueue_owner,
        per_item,
    };
}

/// Predicates: functions that decide which updates of an object concern a controller.
///
/// Accepted by [`Controller::changed`](crate::Controller::changed), and by `changed` of each relation.
/// controller-runtime's counterpart has the same name.
pub mod predicate {
    #[doc(inline)]
    pub use informer_controller::workqueue::predicate::{
        annotation_changed, generation_changed, label_changed, or,
    };
}

/// Relations between objects: owners, references and selectors.
///
/// `#[derive(Informer)]` and `informer-gen` declare the relations of a kind; the accessors that
/// they generate return these types.
pub mod relations {
    #[doc(inline)]
    pub use informer_controller::relations::{
        EnqueueRelated, LabelSelection, OwnedObjects, Reference, ReferencedCache, ReferencedError,
        ReferencedObjects, ReferencedStatus, RelatedError, RelatedObject, SelectedObjects,
    };
}

/// Counters of informers and factories, and a Prometheus `Collector` (feature `prometheus`).
pub mod metrics {
    #[cfg(feature = "prometheus")]
    #[doc(inline)]
    pub use informer_controller::metrics::Collector;
    #[doc(inline)]
    pub use informer_runtime::status::{FactoryMetrics, InformerMetrics, Reason};
}

/// Live page, probes and metrics of a factory and its controllers (feature `debug`).
///
/// `docs/operating.md` is the guide.
#[cfg(feature = "debug")]
pub mod debug {
    #[doc(inline)]
    pub use informer_debug::Service;
}

/// Reader over many types, which starts informers on demand, for code whose types come from its
/// input. A controller that knows its types reads [listers](crate::Lister).
///
/// controller-runtime's counterpart is `pkg/cache`.
pub mod cache {
    #[doc(inline)]
    pub use informer_runtime::cache::{
        Cache, CacheBuildError, CacheBuilder, CacheError, CacheListOptions, CacheReader,
        MissingInformer,
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
        ResourceVersionMatch, SourceError, Timeouts, WatchOptions, WatchStream,
    };
    #[doc(inline)]
    pub use informer_runtime::wire::{
        ApiStatus, Encoding, Header, ListMeta, RawEvent, RawObject, Rejected, SplitError,
        SplitOptions, TypeMeta,
    };
}

/// Scripted servers for tests of handlers, reconcilers and sources (feature `test-util`).
///
/// The crate `informer-apiserver` has a complete embedded API server for tests.
#[cfg(feature = "test-util")]
pub mod testing {
    #[doc(inline)]
    pub use informer_runtime::source::{
        Answer, AnswerController, FakeControllerSource, ListAnswer, Request, ScriptedListerWatcher,
        WatchAnswer,
    };
}

/// Parts of an informer, for separate use. Most controllers need none of them.
///
/// - [`Indexer`](advanced::Indexer) is the store behind a lister, for tests that fill a cache
///   themselves, and for caches of data without an API server.
/// - [`WriteThroughStore`](advanced::WriteThroughStore) is a second store that an informer keeps
///   equal to its cache, such as a database.
/// - [`Order`](advanced::Order) is the order of the deltas between reflector and store.
/// - The splitters read objects from the bytes of a list or a watch, for a
///   [`ListerWatcher`](crate::source::ListerWatcher) over another transport.
pub mod advanced {
    #[doc(inline)]
    pub use informer_runtime::delta_fifo::Order;
    #[doc(inline)]
    pub use informer_runtime::indexer::{Change, Indexer, Transaction, Write};
    #[doc(inline)]
    pub use informer_runtime::shared_informer::{StoreBatch, WriteThroughStore};
    #[doc(inline)]
    pub use informer_runtime::status::StoreError;
    #[doc(inline)]
    pub use informer_runtime::wire::{EventSplitter, ListSplitter, Splitter};
}
