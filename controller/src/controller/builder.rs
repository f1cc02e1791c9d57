//! [`Controller`]: a controller under construction.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use informer_runtime::storage::HasController;
use informer_runtime::{
    GenericInformer, HandlerOptions, Object, ObjectKey, SharedInformer, Storage, Typed,
};
use tokio::sync::watch;

use super::attempt::{Attempts, ErrorPolicy};
use super::end::Ends;
use super::error::ControllerError;
use super::gates::Gates;
use super::handle::{ControllerHandle, Running};
use super::handlers::EnqueueChanged;
use super::run::{AddHandlers, Caches, Run};
use crate::reconcile::leader_election::{Held, Leadership};
use crate::relations::EnqueueRelated;
use crate::session::{Gate, Session};
use crate::shards::{ShardGate, Shards};
use crate::workqueue::{
    Action, Changed, KeyQueue, KnownItems, ReconcileError, ReconcileReason, WorkQueue,
    enqueue_into, or_deletion,
};

const WORKERS: usize = 1;
pub(crate) const GRACE_PERIOD: Duration = Duration::from_secs(20);

/// Controller of the objects of an informer: queues their keys, and reconciles them.
///
/// The changes of the informer's objects are queued, and with [`relations`](Self::relations) those
/// of related objects. A worker looks up the newest object of a key, and calls `reconcile` with the
/// object and the context.
///
/// `E` is the error of `reconcile`. The counterparts are kube-runtime's `Controller` and
/// controller-runtime's `builder.ControllerManagedBy`.
///
/// # End
///
/// | cause | keys that wait | calls that run | result of `run` |
/// |---|---|---|---|
/// | a [trigger](Self::shutdown_on) | dropped, or reconciled with [`drain`](Self::drain) | finish within the [grace period](Self::grace_period), then they are dropped | `Ok` |
/// | the loss of the [lease](Self::while_leading) | dropped | dropped at their next `.await` | [`ControllerError::LeaseLost`] |
/// | [`WorkQueue::shut_down`](crate::WorkQueue::shut_down) of the queue | reconciled | finish | `Ok` |
///
/// Delayed keys are dropped in all cases. The log names the keys whose calls were dropped.
///
/// # Examples
///
/// ```
/// # mod informer { pub use informer_controller::*; pub use informer_runtime::*; }
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use informer::{Action, Controller, ObjectKey, SharedInformerFactory};
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
/// fn error_policy(_: &ObjectKey, _: &kube::Error, attempt: u32) -> Action {
///     if attempt < 10 { Action::Requeue } else { Action::Done }
/// }
///
/// # async fn doc(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let factory = SharedInformerFactory::builder(client.clone()).build()?;
/// let config_maps = factory.informer::<ConfigMap>();
/// factory.start()?;
/// Controller::new("configmaps", &config_maps)
///     .workers(4)
///     .on_error(error_policy)
///     .shutdown_on(informer::shutdown_signal())
///     .run(Arc::new(Context { client }), reconcile)
///     .await?;
/// factory.shutdown().await;
/// # Ok(())
/// # }
/// ```
///
/// Several controllers share a trigger, such as a token of `tokio_util`. If one of them fails,
/// `try_join!` drops the others:
///
/// ```
/// # mod informer { pub use informer_controller::*; pub use informer_runtime::*; }
/// # use std::sync::Arc;
/// # use informer::{Controller, SharedInformer};
/// # use k8s_openapi::api::core::v1::{ConfigMap, Secret};
/// use tokio_util::sync::CancellationToken;
///
/// # async fn on_map(_: Arc<ConfigMap>, _: Arc<()>) -> Result<(), kube::Error> { Ok(()) }
/// # async fn on_secret(_: Arc<Secret>, _: Arc<()>) -> Result<(), kube::Error> { Ok(()) }
/// # async fn doc(maps: SharedInformer<ConfigMap>, secrets: SharedInformer<Secret>, context: Arc<()>)
/// # -> Result<(), Box<dyn std::error::Error>> {
/// let stop = CancellationToken::new();
/// let maps = Controller::new("maps", &maps).shutdown_on(stop.clone().cancelled_owned());
/// let secrets = Controller::new("secrets", &secrets).shutdown_on(stop.clone().cancelled_owned());
/// tokio::try_join!(
///     maps.run(Arc::clone(&context), on_map),
///     secrets.run(context, on_secret),
/// )?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a controller does nothing until `run`"]
pub struct Controller<K: Object, E, S: Storage<K> = Typed> {
    run: Run,
    informer: SharedInformer<K, S>,
    relations: Vec<Box<AddHandlers>>,
    changed: Option<Changed<S::Object>>,
    policy: ErrorPolicy<E>,
    session: Option<Session>,
    running: Arc<OnceLock<Running>>,
    shards: Option<Shards>,
}

// === impl Controller ===

impl<K: Object, E: ReconcileError, S: Storage<K>> Controller<K, E, S> {
    /// Creates a controller of the objects of `informer`, with one worker and a queue with
    /// [priorities](WorkQueue::priority): changes come before refreshes and first lists. `name`
    /// names both in logs and metrics.
    pub fn new(name: impl Into<Arc<str>>, informer: &SharedInformer<K, S>) -> Self {
        let queue = WorkQueue::priority(name);
        Self {
            run: Run {
                name: queue.name().into(),
                queue,
                state: watch::Sender::default(),
                workers: WORKERS,
                ends: Ends::default(),
                grace_period: GRACE_PERIOD,
                drains: false,
                caches: Caches {
                    informer: GenericInformer::clone(informer),
                    added: Vec::new(),
                    exempt: Vec::new(),
                },
            },
            informer: informer.clone(),
            relations: Vec::new(),
            changed: None,
            policy: Box::new(|_, _, _| Action::Requeue),
            session: None,
            running: Arc::default(),
            shards: None,
        }
    }

    /// Sets the queue, for example [one with priorities](WorkQueue::priority). Call it before
    /// [`handle`](Self::handle).
    pub fn queue(mut self, queue: &WorkQueue<ObjectKey>) -> Self {
        self.run.queue = queue.clone();
        self
    }

    /// Also queues the objects that a change of a related object concerns: its owner, its
    /// referrers, or the objects that select it. Each call adds relations.
    ///
    /// Accepts the relations that generated code declares (`foos.related(&factory)`), and each
    /// [relation](crate::relations).
    pub fn relations(mut self, relations: &(impl EnqueueRelated<K> + Clone)) -> Self {
        let all = relations.clone();
        self.relations
            .push(Box::new(move |queue| all.enqueue_related(queue)));
        self
    }

    /// Begins without the first list of this informer, of a kind that may not exist or may be read late.
    /// By default, the controller waits for each informer that was requested of its factory before
    /// [`run`](Self::run), because a cache that was not listed seems to be empty. Each call adds one.
    pub fn starts_without(mut self, informer: &GenericInformer) -> Self {
        self.run.caches.exempt.push(informer.name().into());
        self
    }

    /// Returns the names of the informers that the controller starts without.
    pub(crate) fn exempt(&self) -> &[Arc<str>] {
        &self.run.caches.exempt
    }

    /// Ignores updates of the informer's objects for which `changed` returns `false`: a closure, or a
    /// ready-made [predicate](crate::workqueue::predicate). Its arguments are the old and the new
    /// object. Adds, deletions and resyncs are not ignored, nor updates that begin a deletion or for
    /// which `changed` panics. Updates of related objects have predicates of their own:
    /// `.relations(&graph.secrets().changed(..))`.
    pub fn changed(
        mut self,
        changed: impl Fn(&S::Object, &S::Object) -> bool + Send + Sync + 'static,
    ) -> Self
    where
        S::Object: HasController,
    {
        self.changed = Some(or_deletion(changed));
        self
    }

    /// Sets the number of keys that are reconciled concurrently. Default, and least number: 1.
    pub fn workers(mut self, workers: usize) -> Self {
        self.run.workers = workers;
        self
    }

    /// Sets the policy for errors of `reconcile`, which the controller logs and counts. Its
    /// arguments are the key, the error, and the number of consecutive attempts at the key,
    /// starting at 1. Default: [`Action::Requeue`], after 100 ms, doubled with each attempt up to
    /// 60 s.
    ///
    /// Events overrule the policy: a change of the object, also one by `reconcile` itself such as an
    /// error in the status, leads to the next call at once. Filter such changes with
    /// [`changed`](Self::changed).
    pub fn on_error(
        mut self,
        policy: impl Fn(&ObjectKey, &E, u32) -> Action + Send + Sync + 'static,
    ) -> Self {
        self.policy = Box::new(policy);
        self
    }

    /// Ends the controller when `trigger` completes. Each call adds a trigger.
    ///
    /// Keys that wait are dropped, unless [`drain`](Self::drain) is set. Calls of `reconcile` that
    /// run can finish within the [grace period](Self::grace_period). Typical triggers are
    /// [`shutdown_signal()`](crate::shutdown_signal) and a token that several controllers share.
    /// kube-runtime's counterpart is `Controller::graceful_shutdown_on`.
    pub fn shutdown_on(mut self, trigger: impl Future<Output = ()> + Send + 'static) -> Self {
        self.run.ends.add_trigger(trigger);
        self
    }

    /// Sets the time that running calls have to finish after a trigger. Then they are dropped at
    /// their next `.await`, and the log names their keys. Default: 20 s, which leaves 10 s of a
    /// Pod's `terminationGracePeriodSeconds` of 30 s.
    pub fn grace_period(mut self, period: Duration) -> Self {
        self.run.grace_period = period;
        self
    }

    /// After a trigger, reconciles the keys that wait, within the grace period. Delayed keys are
    /// dropped.
    pub fn drain(mut self) -> Self {
        self.run.drains = true;
        self
    }

    /// Ends the controller at once when the lease is lost: no call begins, and running calls are
    /// dropped at their next `.await`. [`run`](Self::run) then returns
    /// [`ControllerError::LeaseLost`].
    pub fn while_leading(self, leadership: &Leadership) -> Self {
        self.while_held(leadership.held())
    }

    /// Holds back each key that has writes of `session` which the caches do not show yet, so that
    /// `reconcile` never acts on what it has already changed.
    ///
    /// A write concerns the written object, its controlling owner, and the object whose `reconcile`
    /// sent it. A key that is held back occupies no worker, and other keys overtake it. It returns to
    /// the queue when all informers of the session's factory that can show the write do so. If one
    /// does not within the session's [time limit](Session::within), the key fails with a
    /// [`SessionError`](crate::session::SessionError), which is logged and counted, and is retried
    /// with the rate limit.
    ///
    /// [`WorkQueueMetrics::put_back`](crate::workqueue::WorkQueueMetrics::put_back) counts the keys
    /// that were held back.
    pub fn session(mut self, session: &Session) -> Self {
        self.session = Some(session.clone());
        self
    }

    /// Reconciles only the keys whose slices this replica owns.
    ///
    /// Keys of other replicas are dropped from the queue. When a slice is given away, none of its keys
    /// begins, and calls that run can finish within the
    /// [grace period](crate::shards::ShardsBuilder::grace_period). When the replica loses its lease,
    /// calls are dropped at their next `.await`. A key of a slice that is gained waits until the caches
    /// show the objects of the slice. The factory of the informers should have the same shards.
    ///
    /// Where the uid decides ([`ShardBy::Uid`](crate::shards::ShardBy::Uid), and cluster-scoped types), a
    /// key without an object in the cache has no slice, because the object may be another replica's: it
    /// is dropped. [`run_keys`](Self::run_keys) then does not see deletions. Use a
    /// [finalizer](crate::finalizer()): a deletion that has begun is an update.
    pub fn shards(mut self, shards: &Shards) -> Self {
        self.shards = Some(shards.clone());
        self
    }

    pub(crate) fn while_held(mut self, lease: Held) -> Self {
        self.run.ends.set_lease(lease);
        self
    }

    /// Returns a handle to the queue and to the state of the controller.
    #[must_use]
    pub fn handle(&self) -> ControllerHandle {
        ControllerHandle {
            name: Arc::clone(&self.run.name),
            queue: self.run.queue.clone(),
            state: self.run.state.subscribe(),
            running: Arc::clone(&self.running),
        }
    }

    /// Runs the controller until a trigger completes, the lease is lost, or its queue was shut down
    /// and is empty.
    ///
    /// Adds the handlers to the informers, and waits until all of them have synced: `reconcile`
    /// never sees a part of a first list. Also waits for the first list of each other informer that was
    /// requested of the same factory by then, or [added](Session::add_informer) to its session, except
    /// those that it [starts without](Self::starts_without). The informers have to be started,
    /// before or after this call. When the future completes, no call runs and the handlers are
    /// removed.
    ///
    /// `reconcile` receives the object that the cache holds when the call begins. A key that is not
    /// in the cache is skipped; see [`run_keys`](Self::run_keys). After a success, the [`Action`]
    /// that `reconcile` returns applies (`()` for none), after an error the
    /// [policy](Self::on_error). A panic is retried with the rate limit; only the panic hook sees
    /// its message.
    ///
    /// Each call runs in its own span, `reconcile{queue, key, k8s.namespace.name, attempt,
    /// object.reason}`. The last field is the [reason](crate::workqueue::ReconcileReason) of the
    /// call, such as `owned ConfigMap a/b updated`.
    ///
    /// # Errors
    ///
    /// Fails if the lease is lost, or if an informer was stopped before it had synced.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future removes the handlers, and aborts the workers at their next `.await`.
    /// Keys that wait stay in the queue.
    pub async fn run<C, F, Fut, A>(
        self,
        context: Arc<C>,
        reconcile: F,
    ) -> Result<(), ControllerError>
    where
        C: Send + Sync + 'static,
        F: Fn(Arc<S::Object>, Arc<C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A, E>> + Send + 'static,
        A: Into<Action> + Send + 'static,
    {
        let lister = self.informer.lister();
        self.run_calls(move |key| {
            let object = lister.get_by_key(&key)?;
            Some(Box::pin(reconcile(object, Arc::clone(&context))))
        })
        .await
    }

    /// Runs the controller as [`run`](Self::run) does, but calls `reconcile` with keys, including
    /// those of objects that are not in the cache because they were deleted.
    ///
    /// For controllers that handle deletions without a [finalizer](crate::finalizer()), for example
    /// to discard their own state of a key.
    ///
    /// # Errors
    ///
    /// Same as [`run`](Self::run).
    ///
    /// # Cancel safety
    ///
    /// Same as [`run`](Self::run).
    pub async fn run_keys<C, F, Fut, A>(
        self,
        context: Arc<C>,
        reconcile: F,
    ) -> Result<(), ControllerError>
    where
        C: Send + Sync + 'static,
        F: Fn(ObjectKey, Arc<C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A, E>> + Send + 'static,
        A: Into<Action> + Send + 'static,
    {
        self.run_calls(move |key| Some(Box::pin(reconcile(key, Arc::clone(&context)))))
            .await
    }

    async fn run_calls<F, Fut, A>(self, call: F) -> Result<(), ControllerError>
    where
        F: Fn(ObjectKey) -> Option<Pin<Box<Fut>>> + Send + Sync + 'static,
        Fut: Future<Output = Result<A, E>> + Send + 'static,
        A: Into<Action> + Send + 'static,
    {
        let Self {
            mut run,
            informer,
            changed,
            ..
        } = self;
        let queue = run.queue.clone();
        if let Some(session) = &self.session {
            session.add_informer(&informer);
            run.caches.added = session.added();
        }
        let session_gate = self.session.map(|session| {
            let gate = Gate::new(session, informer.resource(), queue.clone());
            Arc::new(gate)
        });
        let shard_gate = self.shards.map(|shards| {
            let cached = GenericInformer::clone(&informer);
            Arc::new(ShardGate::new(shards, cached, queue.clone()))
        });
        let gates = Gates {
            session: session_gate,
            shards: shard_gate,
            counts: Arc::default(),
        };
        let running = Running {
            workers: run.workers.max(1),
            session: gates.session.clone(),
        };
        // A controller runs once.
        _ = self.running.set(running);
        let indexer = informer.indexer().clone();
        let known: Arc<KnownItems<ObjectKey>> = Arc::new(move || indexer.list_keys());
        queue.set_known(&known);
        let options = HandlerOptions::new().name(queue.name());
        let mut add_handlers = self.relations;
        add_handlers.push(Box::new(move |queue: &KeyQueue| {
            let enqueue = enqueue_into(queue.clone());
            let handler = EnqueueChanged { enqueue, changed };
            vec![informer.add_event_handler_with(handler, options)]
        }));
        let all = Arc::new(Attempts {
            queue: queue.name().to_owned(),
            gates: gates.clone(),
            call,
            policy: self.policy,
        });
        let attempt = move |key: ObjectKey, reason: ReconcileReason, priority: i32| {
            let attempts = Arc::clone(&all);
            async move { attempts.one(key, reason, priority).await }
        };
        let ended = run.complete(gates, add_handlers, attempt).await;
        drop(known);
        ended
    }
}

impl<K: Object, E, S: Storage<K>> fmt::Debug for Controller<K, E, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller")
            .field("name", &self.run.name)
            .field("informer", &self.informer)
            .field("workers", &self.run.workers)
            .field("grace_period", &self.run.grace_period)
            .field("drains", &self.run.drains)
            .finish_non_exhaustive()
    }
}
