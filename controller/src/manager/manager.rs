//! [`Manager`]: the builder, and the run from its start to its end.

use std::error::Error;
use std::fmt;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, select_all};
use futures::{FutureExt as _, TryFutureExt as _};
use informer_runtime::engine::Chain;
use informer_runtime::{GenericInformer, Object, SharedInformerFactory, Storage};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use super::end::{Deadlines, Work};
use super::error::ManagerError;
use super::identity;
use crate::base::wait;
use crate::controller::{Controller, ControllerError, ControllerHandle, GRACE_PERIOD};
use crate::leader_election::{Held, LeaderElector, Leadership};
use crate::shards::Shards;
use crate::shutdown_signal;
use crate::workqueue::{Action, ReconcileError};

/// Runs the informers of a factory, controllers, and tasks of the program, and ends all of them in
/// order: on SIGTERM or Ctrl-C, on a trigger, or when one of them fails.
///
/// controller-runtime's counterpart is `manager.Manager`.
///
/// # Start
///
/// The page, probes and metrics are [served](Self::serve) first. [Tasks](Self::task) and informers
/// start next. When all caches have synced, but for those that controllers
/// [start without](Controller::starts_without), the manager waits for its [lease](Self::lease), if it
/// has one, and then starts the controllers and the [leading tasks](Self::leading_task). A kind that is
/// not served yet, or a right that is missing, is waited for: readiness and the log tell the reason. A
/// standby therefore has warm caches.
///
/// # End
///
/// The manager listens for signals from [`new`](Self::new) on, and ends within the
/// [grace period](Self::grace_period) and a second, whatever it waits for. Calls of `reconcile` and
/// leading tasks may finish within the grace period; then they are dropped at their next `.await`, and
/// the log names them. The lease is released, slices are handed over, tasks end, and the factory is
/// shut down. A lost lease drops calls and leading tasks at once.
///
/// # Examples
///
/// ```no_run
/// # mod informer { pub use informer_controller::*; pub use informer_runtime::*; }
/// use std::sync::Arc;
///
/// use informer::{Controller, Manager, ManagerError, SharedInformerFactory};
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// #[tokio::main]
/// async fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let client = kube::Client::try_default().await?;
///     let factory = SharedInformerFactory::builder(client).build()?;
///     let maps = factory.informer::<ConfigMap>();
///     Manager::new(&factory)
///         .lease("config-controller")
///         .controller(Controller::new("configs", &maps).workers(4), Arc::new(()), reconcile)
///         .run()
///         .await?;
///     Ok(())
/// }
///
/// async fn reconcile(map: Arc<ConfigMap>, _: Arc<()>) -> Result<(), kube::Error> {
///     println!("{:?}", map.metadata.name);
///     Ok(())
/// }
/// ```
#[must_use = "a manager does nothing until it runs"]
pub struct Manager {
    factory: SharedInformerFactory,
    triggers: Vec<BoxFuture<'static, ()>>,
    grace_period: Duration,
    identity: Option<String>,
    namespace: Option<String>,
    election: Election,
    shards: Option<Shards>,
    server: Option<(Box<dyn Serve>, String)>,
    controllers: Vec<(ControllerHandle, Box<StartController>)>,
    /// Names of the informers that the controllers start without.
    exempt: Vec<Arc<str>>,
    tasks: Vec<Task>,
    leading_tasks: Vec<Task>,
}

/// Server of probes, metrics and pages: `informer::debug::Service`.
pub trait Serve: Send + Sync + 'static {
    /// Shows a controller.
    fn add_controller(&self, controller: &ControllerHandle);

    /// Serves at this address until the factory is shut down. Returns once connections are accepted.
    fn serve<'s>(&'s self, address: &'s str) -> BoxFuture<'s, io::Result<SocketAddr>>;
}

/// Way to become the one process that works.
enum Election {
    None,
    /// Lease of this name, with the manager's namespace and identity.
    Lease(String),
    Elector(Box<LeaderElector>),
}

/// Starts a controller.
type StartController = dyn FnOnce(Start) -> BoxFuture<'static, Result<(), ControllerError>> + Send;

/// Signals and times that a controller gets from the manager.
struct Start {
    stop: CancellationToken,
    grace_period: Duration,
    lease: Option<Held>,
}

/// Task of the program, until it is started.
struct Task {
    name: Arc<str>,
    start:
        Box<dyn FnOnce(CancellationToken) -> BoxFuture<'static, Result<(), ManagerError>> + Send>,
}

// === impl Manager ===

impl Manager {
    /// Creates a manager of the informers of `factory`. SIGTERM and Ctrl-C no longer end the process
    /// by themselves: [`run`](Self::run) does.
    ///
    /// # Panics
    ///
    /// Panics if called outside a tokio runtime with I/O enabled.
    pub fn new(factory: &SharedInformerFactory) -> Self {
        Self {
            factory: factory.clone(),
            triggers: vec![shutdown_signal().boxed()],
            grace_period: GRACE_PERIOD,
            identity: None,
            namespace: None,
            election: Election::None,
            shards: None,
            server: None,
            controllers: Vec::new(),
            exempt: Vec::new(),
            tasks: Vec::new(),
            leading_tasks: Vec::new(),
        }
    }

    /// Adds a controller, with the context and the function of [`Controller::run`].
    ///
    /// The manager sets the triggers, the lease and the grace period of the controller.
    pub fn controller<K, E, S, C, F, Fut, A>(
        mut self,
        controller: Controller<K, E, S>,
        context: Arc<C>,
        reconcile: F,
    ) -> Self
    where
        K: Object,
        E: ReconcileError,
        S: Storage<K>,
        C: Send + Sync + 'static,
        F: Fn(Arc<S::Object>, Arc<C>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A, E>> + Send + 'static,
        A: Into<Action> + Send + 'static,
    {
        let handle = controller.handle();
        self.exempt.extend_from_slice(controller.exempt());
        let start = move |start: Start| start.apply(controller).run(context, reconcile).boxed();
        self.controllers.push((handle, Box::new(start)));
        self
    }

    /// Works only while this process holds the lease `name`.
    ///
    /// The lease is in the Pod's namespace: `POD_NAMESPACE`, or the client's default namespace, which
    /// is that of the service account or of the kubeconfig. Its holder has the Pod's name: `POD_NAME`,
    /// or the name of the host with a random suffix. [`namespace`](Self::namespace) and
    /// [`identity`](Self::identity) set others, and [`elector`](Self::elector) the durations.
    pub fn lease(mut self, name: impl Into<String>) -> Self {
        self.election = Election::Lease(name.into());
        self
    }

    /// Works only while this process holds the lease of `elector`.
    pub fn elector(mut self, elector: LeaderElector) -> Self {
        self.election = Election::Elector(Box::new(elector));
        self
    }

    /// Sets the namespace of the [lease](Self::lease).
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Sets the name of this process in the [lease](Self::lease). No other process may have it.
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// Hands the slices of this replica over at the end.
    pub fn shards(mut self, shards: &Shards) -> Self {
        self.shards = Some(shards.clone());
        self
    }

    /// Serves a page, probes and metrics at `address`, such as `0.0.0.0:8081`, from the start to the
    /// end. The controllers are on the page.
    pub fn serve(mut self, service: impl Serve, address: impl Into<String>) -> Self {
        self.server = Some((Box::new(service), address.into()));
        self
    }

    /// Runs a task from the start to the end, whether or not this process leads. An error ends the
    /// program.
    ///
    /// `task` gets the token that asks it to end. controller-runtime's counterpart is a `Runnable`
    /// without leader election.
    pub fn task<F, Fut, E>(mut self, name: impl Into<Arc<str>>, task: F) -> Self
    where
        F: FnOnce(CancellationToken) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        self.tasks.push(Task::new(name.into(), task));
        self
    }

    /// Runs a task while this process leads. An error ends the program.
    ///
    /// `task` gets the token that asks it to end, and then has the grace period.
    /// controller-runtime's counterpart is a `Runnable`.
    pub fn leading_task<F, Fut, E>(mut self, name: impl Into<Arc<str>>, task: F) -> Self
    where
        F: FnOnce(CancellationToken) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        self.leading_tasks.push(Task::new(name.into(), task));
        self
    }

    /// Sets the time that calls and tasks have to finish at the end. Default: 20 s, which leaves time
    /// of a Pod's `terminationGracePeriodSeconds` of 30 s.
    pub fn grace_period(mut self, period: Duration) -> Self {
        self.grace_period = period;
        self
    }

    /// Ends the program when `trigger` completes, besides the signals. Each call adds a trigger.
    pub fn shutdown_on(mut self, trigger: impl Future<Output = ()> + Send + 'static) -> Self {
        self.triggers.push(trigger.boxed());
        self
    }

    /// Runs everything until a signal or another trigger, which is `Ok`, or until something fails.
    ///
    /// Also ends if all controllers and leading tasks have ended.
    ///
    /// # Errors
    ///
    /// Fails if the address cannot be used, the lease is lost, an informer was stopped, or a
    /// controller or a task failed or panicked. A `main` that returns the error prints a sentence, and
    /// exits with status 1.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future aborts controllers and tasks at their next `.await`. The lease stays until
    /// it expires, and the informers of the factory run on.
    pub async fn run(self) -> Result<(), ManagerError> {
        let Self {
            factory,
            triggers,
            grace_period,
            identity,
            namespace,
            election,
            shards,
            server,
            controllers,
            exempt,
            tasks,
            leading_tasks,
        } = self;
        let elector = match election {
            Election::None => None,
            Election::Elector(elector) => Some(*elector),
            Election::Lease(name) => {
                let client = factory.client().clone();
                let of_lease = namespace.unwrap_or_else(|| identity::namespace(&client));
                let holder = identity.unwrap_or_else(identity::identity);
                Some(LeaderElector::new(client, &of_lease, &name, holder))
            }
        };
        let mut running = Running {
            factory,
            elector,
            shards,
            grace_period,
            exempt,
            always: Work::default(),
            work: Work::default(),
            leadership: None,
        };
        let requested = select_all(triggers);
        // Boxed, so that a program of many managers, or a test, does not hold them on its stack.
        let end = tokio::select! {
            biased;
            _ = requested => Ok(()),
            end = Box::pin(running.run(server, controllers, tasks, leading_tasks)) => end,
        };
        match &end {
            Ok(()) => info!("asked to shut down"),
            Err(error) => error!(error = %Chain(error), "shutting down"),
        }
        let is_lease_lost = matches!(end, Err(ManagerError::LeaseLost { .. }));
        Box::pin(running.end(is_lease_lost)).await;
        end
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let controllers = self.controllers.iter().map(|(handle, _)| handle.name());
        f.debug_struct("Manager")
            .field("controllers", &controllers.collect::<Vec<_>>())
            .field("grace_period", &self.grace_period)
            .finish_non_exhaustive()
    }
}

/// Parts that run, and have to end.
struct Running {
    factory: SharedInformerFactory,
    elector: Option<LeaderElector>,
    shards: Option<Shards>,
    grace_period: Duration,
    exempt: Vec<Arc<str>>,
    /// Tasks that run from the start to the end.
    always: Work,
    /// Controllers and leading tasks.
    work: Work,
    leadership: Option<Leadership>,
}

// === impl Running ===

impl Running {
    async fn run(
        &mut self,
        server: Option<(Box<dyn Serve>, String)>,
        controllers: Vec<(ControllerHandle, Box<StartController>)>,
        tasks: Vec<Task>,
        leading_tasks: Vec<Task>,
    ) -> Result<(), ManagerError> {
        if let Some((server, address)) = server {
            for (handle, _) in &controllers {
                server.add_controller(handle);
            }
            if let Err(source) = server.serve(&address).await {
                return Err(ManagerError::Serve {
                    source: Arc::new(source),
                    address,
                });
            }
        }
        for Task { name, start } in tasks {
            self.always.spawn(&name, start(self.always.stop.clone()));
        }
        self.factory.start()?;
        let mut informers = self.factory.informers();
        informers.retain(|informer| !self.exempt.iter().any(|name| **name == *informer.name()));
        self.unless_a_task_fails(synced(informers)).await??;
        if let Some(elector) = self.elector.clone() {
            let acquired = async move { elector.acquire().await };
            match self.unless_a_task_fails(acquired).await? {
                Ok(leadership) => self.leadership = Some(leadership),
                Err(error) => return Err(ManagerError::LeaderElection(Arc::new(error))),
            }
        }
        for (handle, start) in controllers {
            let name = handle.name().into();
            let run = start(Start {
                stop: self.work.stop.clone(),
                grace_period: self.grace_period,
                lease: self.leadership.as_ref().map(Leadership::held),
            });
            self.work
                .spawn(&name, run.map_err(ManagerError::Controller));
        }
        for task in leading_tasks {
            self.spawn_leading(task);
        }
        self.worked().await
    }

    /// Spawns a task that the loss of the lease ends.
    fn spawn_leading(&mut self, Task { name, start }: Task) {
        let task = start(self.work.stop.clone());
        let lost = self.lease_lost();
        let while_leading = async move {
            tokio::select! {
                biased;
                () = lost => Ok(()),
                ended = task => ended,
            }
        };
        self.work.spawn(&name, while_leading);
    }

    /// Waits for the loss of the lease, if there is one.
    fn lease_lost(&self) -> BoxFuture<'static, ()> {
        match &self.leadership {
            Some(leadership) => leadership.lost().boxed(),
            None => pending().boxed(),
        }
    }

    /// Awaits a part of the start.
    async fn unless_a_task_fails<T>(
        &mut self,
        start: impl Future<Output = T>,
    ) -> Result<T, ManagerError> {
        tokio::select! {
            biased;
            failed = failed(&mut self.always) => Err(failed),
            started = start => Ok(started),
        }
    }

    /// Waits until the controllers and leading tasks have ended, or until something fails.
    async fn worked(&mut self) -> Result<(), ManagerError> {
        if self.work.is_empty() {
            // The tasks alone are the program.
            return Err(failed(&mut self.always).await);
        }
        let lease_lost = self.lease_lost();
        let all_ended = async {
            while let Some(ended) = self.work.next().await {
                ended?;
            }
            Ok(())
        };
        tokio::select! {
            biased;
            () = lease_lost => {
                let lease = match &self.elector {
                    Some(elector) => elector.name().to_owned(),
                    None => String::new(),
                };
                Err(ManagerError::LeaseLost { lease })
            }
            failed = failed(&mut self.always) => Err(failed),
            ended = all_ended => ended,
        }
    }

    /// Ends everything, in order. Without the lease, controllers and leading tasks end at once by
    /// themselves.
    async fn end(mut self, is_lease_lost: bool) {
        let deadlines = Deadlines::after(self.grace_period);
        let has_ended = if is_lease_lost {
            let at_once = Deadlines::after(Duration::ZERO);
            self.work.end(at_once.work, "the lease is lost").await
        } else {
            self.work
                .end(deadlines.work, "the grace period is over")
                .await
        };
        if let Some(leadership) = self.leadership.take() {
            if has_ended {
                let released = timeout_at(deadlines.all, leadership.release()).await;
                if released.is_err() {
                    warn!("the lease is not released, because the API server does not answer");
                }
            } else {
                warn!("the lease is not released, because work goes on: it expires");
            }
        }
        if let Some(shards) = &self.shards
            && timeout_at(deadlines.all, shards.leave()).await.is_err()
        {
            warn!("slices are not handed over in time: their leases expire");
        }
        self.always
            .end(deadlines.tasks, "the grace period is over")
            .await;
        let left = deadlines.all.saturating_duration_since(Instant::now());
        if let Err(error) = self.factory.shutdown_within(left).await {
            warn!(%error, "running calls of handlers dropped");
        }
    }
}

/// Waits until a task fails. Pends if there is none, or if all have ended well.
async fn failed(tasks: &mut Work) -> ManagerError {
    while let Some(ended) = tasks.next().await {
        if let Err(error) = ended {
            return error;
        }
    }
    pending().await
}

/// Waits until all caches have synced, whatever they wait for.
async fn synced(informers: Vec<GenericInformer>) -> Result<(), ManagerError> {
    let log = |informers, more| info!(informers, more, "waiting for the caches to sync");
    let synced = wait::for_caches(&informers, log, async {
        for informer in &informers {
            informer.wait_until_listed().await;
            if !informer.status().has_synced {
                return Err(ManagerError::InformerStopped {
                    informer: informer.name().to_owned(),
                });
            }
        }
        Ok(())
    });
    synced.await
}

// === impl Start ===

impl Start {
    fn apply<K: Object, E: ReconcileError, S: Storage<K>>(
        self,
        controller: Controller<K, E, S>,
    ) -> Controller<K, E, S> {
        let ends = controller
            .shutdown_on(self.stop.cancelled_owned())
            .grace_period(self.grace_period);
        match self.lease {
            Some(lease) => ends.while_held(lease),
            None => ends,
        }
    }
}

// === impl Task ===

impl Task {
    fn new<F, Fut, E>(name: Arc<str>, task: F) -> Self
    where
        F: FnOnce(CancellationToken) -> Fut + Send + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        let task_name = Arc::clone(&name);
        let start = move |stop| {
            Box::pin(task(stop))
                .map_err(|error| ManagerError::Task {
                    task: task_name,
                    source: error.into().into(),
                })
                .boxed()
        };
        Self {
            name,
            start: Box::new(start),
        }
    }
}
