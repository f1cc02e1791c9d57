//! [`WorkQueue::run_controller`]: from the keys in a queue to objects that are reconciled.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::pin::pin;
use std::sync::Arc;

use futures::future::BoxFuture;
use tracing::{Instrument as _, info_span};

use super::outcome::{Action, Failure, Outcome, ReconcileError};
use super::work_queue::WorkQueue;
use crate::base::sync::Mutex;
use crate::lister::Lister;
use crate::object::{Object, ObjectKey};
use crate::storage::Storage;

/// How many workers a controller has, when they end, and what they are given.
///
/// `M` says what is done about keys whose object is not in the cache: skip them, the default, or
/// [hand them out](Self::with_missing).
pub struct Workers<M = SkipMissing> {
    count: usize,
    shutdown: Option<BoxFuture<'static, ()>>,
    missing: PhantomData<M>,
}

/// Skips keys whose object is not in the cache: `reconcile` is given objects. See [`Workers`].
#[derive(Debug, Clone, Copy)]
pub enum SkipMissing {}

/// Hands out keys whose object is not in the cache: `reconcile` is given a [`Lookup`]. See
/// [`Workers::with_missing`].
#[derive(Debug, Clone, Copy)]
pub enum WithMissing {}

/// An object of the cache, or the key of one that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup<H> {
    /// The object.
    Found(H),
    /// The key of an object that is not in the cache: it was deleted, or never existed.
    Missing(ObjectKey),
}

/// What `reconcile` is given; sealed.
pub trait Missing: sealed::Sealed + Send + 'static {
    /// What `reconcile` takes, where the cache holds an `H`.
    type Input<H: Clone + Send + Sync + 'static>: Clone + Send + Sync + 'static;

    /// Returns the input for a key and its object; `None` to skip it.
    fn input<H: Clone + Send + Sync + 'static>(
        key: ObjectKey,
        object: Option<H>,
    ) -> Option<Self::Input<H>>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::SkipMissing {}
    impl Sealed for super::WithMissing {}
}

/// How many attempts at each key there were in a row. One entry for each key that is in work, or failed the last
/// time.
struct Attempts(Mutex<HashMap<ObjectKey, u32>>);

// === impl Workers ===

impl Workers {
    /// Returns settings for `count` workers, and at least one: so many keys are worked on at a time.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self {
            count,
            shutdown: None,
            missing: PhantomData,
        }
    }

    /// Hands out keys whose object is not in the cache too: `reconcile` and the error policy are given
    /// a [`Lookup`].
    ///
    /// For controllers that do something about deletions without a finalizer, such as forgetting what
    /// they know of a key.
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
    /// Shuts the queue down when `trigger` ends: what is queued still comes out, what is delayed does
    /// not, and calls of `reconcile` end by themselves.
    ///
    /// Made for `shutdown_signal()`, for the loss of a lease, or for both. kube-runtime's counterpart is
    /// `Controller::graceful_shutdown_on`.
    #[must_use]
    pub fn graceful_shutdown_on(
        mut self,
        trigger: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        self.shutdown = Some(Box::pin(trigger));
        self
    }
}

// === impl WorkQueue ===

impl WorkQueue<ObjectKey> {
    /// Runs a controller: looks up each key in `lister`, and calls `reconcile` with the object and
    /// the context, until the queue is shut down and all of its items are done.
    ///
    /// The object is what the cache holds when the call begins. A key that is not in the cache is
    /// skipped, unless [`Workers::with_missing`] asks for it. What happens to a key after a success is
    /// the [`Action`] that `reconcile` returns (`()` for none); after an error, that of `error_policy`,
    /// which is given the object, the error, the context, and how often the key has failed in a row,
    /// from 1 on. `|_, _, _, _| Action::Requeue` retries with the queue's rate limit. The error is
    /// logged and counted before. A panic is retried with the rate limit, and what it said is left to the
    /// panic hook.
    ///
    /// Each call has a span of its own, `reconcile{queue, key, attempt}`.
    ///
    /// The counterpart of kube-runtime's `Controller::run` and of controller-runtime's controller.
    ///
    /// # Cancel safety
    ///
    /// As [`run_workers`](Self::run_workers). To end in good order, shut the queue down, or say
    /// [when](Workers::graceful_shutdown_on).
    ///
    /// # Examples
    ///
    /// ```
    /// # extern crate informer_runtime as informer;
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
        F: Fn(M::Input<S::Handle>, Arc<C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A, E>> + Send + 'static,
        A: Into<Action> + Send + 'static,
        E: ReconcileError,
        P: Fn(M::Input<S::Handle>, &E, Arc<C>, u32) -> Action + Send + Sync + 'static,
    {
        let lister = lister.clone();
        let error_policy = Arc::new(error_policy);
        let attempts = Arc::new(Attempts(Mutex::new(HashMap::new())));
        let queue = self.name().to_owned();
        let run = self.run_tasks(workers.count, move |key: ObjectKey| {
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
        let Some(trigger) = workers.shutdown else {
            return run.await;
        };
        let mut run = pin!(run);
        tokio::select! {
            () = &mut run => return,
            () = trigger => self.shut_down(),
        }
        run.await;
    }
}

// === impl Attempts ===

impl Attempts {
    /// Counts an attempt at a key; returns how many there were in a row, with this one.
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
    type Input<H: Clone + Send + Sync + 'static> = H;

    fn input<H: Clone + Send + Sync + 'static>(_: ObjectKey, object: Option<H>) -> Option<H> {
        object
    }
}

impl Missing for WithMissing {
    type Input<H: Clone + Send + Sync + 'static> = Lookup<H>;

    fn input<H: Clone + Send + Sync + 'static>(
        key: ObjectKey,
        object: Option<H>,
    ) -> Option<Lookup<H>> {
        Some(object.map_or(Lookup::Missing(key), Lookup::Found))
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
