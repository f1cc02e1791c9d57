//! [`WorkQueue::run_controller`]: looks up the queue's keys, and reconciles their objects.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::pin::pin;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use tracing::{Instrument as _, info_span};

use super::outcome::{Action, Failure, Outcome, ReconcileError};
use super::work_queue::WorkQueue;
use crate::base::sync::Mutex;
use crate::lister::Lister;
use crate::object::{Object, ObjectKey};
use crate::storage::Storage;

/// Number of a controller's workers, the trigger of their shutdown, and the treatment of missing
/// objects.
///
/// `M` selects the treatment of keys whose object is not in the cache: such keys are skipped by
/// default, or [passed to `reconcile`](Self::with_missing).
pub struct Workers<M = SkipMissing> {
    count: usize,
    shutdown: Option<Shutdown>,
    missing: PhantomData<M>,
}

/// Trigger of a shutdown. Each worker polls it before it takes a key.
pub(super) type Shutdown = Shared<BoxFuture<'static, ()>>;

/// Mode that skips keys whose object is not in the cache: `reconcile` receives objects. See
/// [`Workers`].
#[derive(Debug, Clone, Copy)]
pub enum SkipMissing {}

/// Mode that also passes keys whose object is not in the cache: `reconcile` receives a [`Lookup`].
/// See [`Workers::with_missing`].
#[derive(Debug, Clone, Copy)]
pub enum WithMissing {}

/// Object from the cache, or the key of a missing object.
#[derive(Debug, PartialEq, Eq)]
pub enum Lookup<T> {
    /// Object from the cache.
    Found(Arc<T>),
    /// Key of an object that is not in the cache, because it was deleted or never existed.
    Missing(ObjectKey),
}

/// Input of `reconcile`. Sealed.
pub trait Missing: sealed::Sealed + Send + 'static {
    /// Input type of `reconcile`, for a cache of objects `T`.
    type Input<T: Send + Sync + 'static>: Clone + Send + Sync + 'static;

    /// Returns the input for a key and its object, or `None` to skip the key.
    fn input<T: Send + Sync + 'static>(
        key: ObjectKey,
        object: Option<Arc<T>>,
    ) -> Option<Self::Input<T>>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::SkipMissing {}
    impl Sealed for super::WithMissing {}
}

/// Number of consecutive attempts per key. Contains the keys that are in work, and the keys whose
/// last attempt failed.
struct Attempts(Mutex<HashMap<ObjectKey, u32>>);

// === impl Workers ===

impl Workers {
    /// Creates settings for `count` workers, at least one. `count` is the number of keys that are
    /// reconciled concurrently.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self {
            count,
            shutdown: None,
            missing: PhantomData,
        }
    }

    /// Also passes keys whose object is not in the cache: `reconcile` and the error policy receive
    /// a [`Lookup`].
    ///
    /// For controllers that handle deletions without a finalizer, for example to discard their own
    /// state of a key.
    #[must_use]
    pub fn with_missing(self) -> Workers<WithMissing> {
        Workers {
            count: self.count,
            shutdown: self.shutdown,
            missing: PhantomData,
        }
    }
}

impl<M> Workers<M> {
    /// Shuts the queue down when `trigger` completes. Running calls of `reconcile` finish, and no
    /// further call begins: keys that are queued stay in the queue.
    ///
    /// Typical triggers are `shutdown_signal()`, the loss of a lease, or both. kube-runtime's
    /// counterpart is `Controller::graceful_shutdown_on`. To reconcile what is queued first, use
    /// [`WorkQueue::shut_down_with_drain`].
    #[must_use]
    pub fn graceful_shutdown_on(
        mut self,
        trigger: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        self.shutdown = Some(trigger.boxed().shared());
        self
    }
}

// === impl WorkQueue ===

impl WorkQueue<ObjectKey> {
    /// Runs a controller: looks up each key in `lister`, and calls `reconcile` with the object and
    /// the context, until the queue is shut down and all of its items are done, or until the
    /// [trigger](Workers::graceful_shutdown_on) completes and the running calls have finished.
    ///
    /// `reconcile` receives the object that the cache holds when the call begins. A key that is not
    /// in the cache is skipped, unless [`Workers::with_missing`] is set.
    ///
    /// After a success, the [`Action`] that `reconcile` returns applies (`()` for none). After an
    /// error, the error is logged and counted, then the action of `error_policy` applies. Its
    /// arguments are the object, the error, the context, and the number of consecutive failures of
    /// the key, starting at 1. `|_, _, _, _| Action::Requeue` retries with the queue's rate limit.
    /// A panic is retried with the rate limit; only the panic hook sees its message.
    ///
    /// Each call runs in its own span, `reconcile{queue, key, attempt}`.
    ///
    /// The counterparts are kube-runtime's `Controller::run` and controller-runtime's controller.
    ///
    /// # Cancel safety
    ///
    /// Same as [`run_workers`](Self::run_workers). For a graceful end, shut the queue down, or set
    /// a [trigger](Workers::graceful_shutdown_on).
    ///
    /// # Examples
    ///
    /// ```
    /// # extern crate informer_controller as informer;
    /// use std::sync::Arc;
    /// use std::time::Duration;
    ///
    /// use informer::{Action, ObjectKey, SharedInformerFactory, WorkQueue, Workers, enqueue_into};
    /// use k8s_openapi::api::core::v1::ConfigMap;
    ///
    /// struct Context {
    ///     client: kube::Client,
    /// }
    ///
    /// async fn reconcile(object: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, kube::Error> {
    ///     println!("{:?} of {}", object.metadata.name, context.client.default_namespace());
    ///     Ok(Action::RequeueAfter(Duration::from_secs(300)))
    /// }
    ///
    /// fn error_policy(_: Arc<ConfigMap>, _: &kube::Error, _: Arc<Context>, attempt: u32) -> Action {
    ///     if attempt < 10 { Action::Requeue } else { Action::Done }
    /// }
    ///
    /// # async fn doc(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let factory = SharedInformerFactory::builder(client.clone()).build()?;
    /// let informer = factory.informer::<ConfigMap>();
    /// let queue: WorkQueue<ObjectKey> = WorkQueue::rate_limited("configmaps");
    /// informer.add_event_handler(enqueue_into(&queue))?;
    /// factory.start()?;
    /// factory.wait_for_cache_sync().await?;
    /// let context = Arc::new(Context { client });
    /// queue
    ///     .run_controller(&informer.lister(), Workers::new(4), context, reconcile, error_policy)
    ///     .await;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run_controller<K, S, M, C, F, Fut, A, E, P>(
        &self,
        lister: &Lister<K, S>,
        workers: Workers<M>,
        context: Arc<C>,
        reconcile: F,
        error_policy: P,
    ) where
        K: Object,
        S: Storage<K>,
        M: Missing,
        C: Send + Sync + 'static,
        F: Fn(M::Input<S::Object>, Arc<C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A, E>> + Send + 'static,
        A: Into<Action> + Send + 'static,
        E: ReconcileError,
        P: Fn(M::Input<S::Object>, &E, Arc<C>, u32) -> Action + Send + Sync + 'static,
    {
        let lister = lister.clone();
        let error_policy = Arc::new(error_policy);
        let attempts = Arc::new(Attempts(Mutex::new(HashMap::new())));
        let queue = self.name().to_owned();
        let shutdown = workers.shutdown;
        let run = self.run_tasks(workers.count, shutdown.clone(), move |key: ObjectKey| {
            let input = M::input(key.clone(), lister.get_by_key(&key));
            let (context, attempts) = (Arc::clone(&context), Arc::clone(&attempts));
            let error_policy = Arc::clone(&error_policy);
            let attempt = attempts.next(&key);
            let span = info_span!("reconcile", queue, %key, attempt);
            let call = input.map(|input| {
                let future = span.in_scope(|| reconcile(input.clone(), Arc::clone(&context)));
                (input, future.instrument(span))
            });
            async move {
                let Some((input, call)) = call else {
                    attempts.forget(&key);
                    return Outcome::Succeeded(Action::Done);
                };
                match call.await {
                    Ok(action) => {
                        attempts.forget(&key);
                        Outcome::Succeeded(action.into())
                    }
                    Err(error) => {
                        let action = error_policy(input, &error, context, attempt);
                        if action == Action::Done {
                            attempts.forget(&key);
                        }
                        Outcome::Failed(Failure::Returned(error.into_error()), action)
                    }
                }
            }
        });
        let triggered = async {
            if let Some(trigger) = shutdown {
                trigger.await;
                self.shut_down();
            }
        };
        let mut run = pin!(run);
        tokio::select! {
            biased;
            () = triggered => run.await,
            () = &mut run => {}
        }
    }
}

// === impl Attempts ===

impl Attempts {
    /// Counts an attempt at a key, and returns the number of consecutive attempts.
    fn next(&self, key: &ObjectKey) -> u32 {
        let mut attempts = self.0.lock();
        let attempt = attempts.entry(key.clone()).or_insert(0);
        *attempt = attempt.saturating_add(1);
        *attempt
    }

    fn forget(&self, key: &ObjectKey) {
        self.0.lock().remove(key);
    }
}

// === impl Missing ===

impl Missing for SkipMissing {
    type Input<T: Send + Sync + 'static> = Arc<T>;

    fn input<T: Send + Sync + 'static>(_: ObjectKey, object: Option<Arc<T>>) -> Option<Arc<T>> {
        object
    }
}

impl Missing for WithMissing {
    type Input<T: Send + Sync + 'static> = Lookup<T>;

    fn input<T: Send + Sync + 'static>(
        key: ObjectKey,
        object: Option<Arc<T>>,
    ) -> Option<Lookup<T>> {
        Some(object.map_or(Lookup::Missing(key), Lookup::Found))
    }
}

impl<T> Clone for Lookup<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Found(object) => Self::Found(Arc::clone(object)),
            Self::Missing(key) => Self::Missing(key.clone()),
        }
    }
}

impl<M> fmt::Debug for Workers<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers")
            .field("count", &self.count)
            .field("shuts_down", &self.shutdown.is_some())
            .finish_non_exhaustive()
    }
}
