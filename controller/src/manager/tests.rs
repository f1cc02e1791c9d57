//! Start and end of a manager, from every phase. The server is in memory, and the clock is paused.

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::Request;
use informer_runtime::{Event, ObjectKey, SharedInformerFactory, WatchListMode, async_handler};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{Manager, ManagerError, Serve};
use crate::controller::{Controller, ControllerHandle};
use crate::logged;
use crate::tests::server::Server;
use crate::tests::{ms, secs};

type Log = Arc<Mutex<Vec<String>>>;

const GRACE: Duration = Duration::from_secs(3);
/// Time of a call that never ends.
const FOR_EVER: Duration = Duration::from_secs(86_400);

/// Manager of a program with a controller, tasks, a lease and a page, which notes what it does.
struct World {
    server: Server,
    /// Requests whose path contains one of these texts are never answered.
    stalled: Log,
    factory: SharedInformerFactory,
    log: Log,
    end: CancellationToken,
}

/// Page that notes its controllers and its address.
struct Page(Log);

impl Serve for Page {
    fn add_controller(&self, controller: &ControllerHandle) {
        self.0
            .lock()
            .push(format!("page shows {}", controller.name()));
    }

    fn serve<'s>(&'s self, address: &'s str) -> BoxFuture<'s, io::Result<SocketAddr>> {
        self.0.lock().push(format!("page at {address}"));
        async move { address.parse().map_err(io::Error::other) }.boxed()
    }
}

impl World {
    fn new() -> Self {
        let server = Server::new(0);
        let metadata = json!({ "name": "a", "namespace": "default" });
        let key = ObjectKey::namespaced("default", "a");
        server.put("configmaps", &key, Some(json!({ "metadata": metadata })));
        let stalled = Log::default();
        let client = {
            let client = server.client();
            let stalled = Arc::clone(&stalled);
            let service = tower::service_fn(move |request: Request<Body>| {
                let path = request.uri().path().to_owned();
                let is_stalled = stalled.lock().iter().any(|part| path.contains(part));
                let client = client.clone();
                async move {
                    if is_stalled {
                        pending::<()>().await;
                    }
                    client.send(request).await.map_err(io::Error::other)
                }
            });
            Client::new(service, "default")
        };
        let factory = SharedInformerFactory::builder(client).watch_list(WatchListMode::Never);
        Self {
            server,
            stalled,
            factory: factory.build().unwrap(),
            log: Log::default(),
            end: CancellationToken::new(),
        }
    }

    /// Leaves requests whose path contains this text without an answer.
    fn stall(&self, path: &str) {
        self.stalled.lock().push(path.to_owned());
    }

    fn note(&self, text: &str) {
        self.log.lock().push(text.to_owned());
    }

    fn log(&self) -> Vec<String> {
        self.log.lock().clone()
    }

    /// Returns a manager whose controller takes this time for a call.
    fn manager(&self, call: Duration) -> Manager {
        let maps = self.factory.informer::<ConfigMap>();
        let reconcile = move |map: Arc<ConfigMap>, log: Arc<Log>| async move {
            let name = map.metadata.name.clone().unwrap_or_default();
            log.lock().push(format!("begin {name}"));
            sleep(call).await;
            log.lock().push(format!("end {name}"));
            Ok::<_, io::Error>(())
        };
        let task = |name: &'static str| {
            let log = Arc::clone(&self.log);
            move |stop: CancellationToken| async move {
                log.lock().push(format!("{name} starts"));
                stop.cancelled().await;
                log.lock().push(format!("{name} ends"));
                Ok::<_, io::Error>(())
            }
        };
        Manager::new(&self.factory)
            .lease("lease")
            .identity("me")
            .controller(
                Controller::new("maps", &maps),
                Arc::new(Arc::clone(&self.log)),
                reconcile,
            )
            .task("always", task("always"))
            .leading_task("leading", task("leading"))
            .serve(Page(Arc::clone(&self.log)), "127.0.0.1:80")
            .grace_period(GRACE)
            .shutdown_on(self.end.clone().cancelled_owned())
    }

    fn holder(&self) -> Option<String> {
        let leases = self.server.objects("leases");
        let holder = leases.first()?["spec"]["holderIdentity"].as_str()?;
        Some(holder.to_owned())
    }

    /// Asks a manager to end after this time. Returns the result, and the time from there.
    async fn run(&self, manager: Manager, after: Duration) -> (Result<(), ManagerError>, Duration) {
        let mut tasks = JoinSet::new();
        tasks.spawn(manager.run());
        sleep(after).await;
        self.note("SIGTERM");
        let began = Instant::now();
        self.end.cancel();
        let ended = tasks.join_next().await.unwrap().unwrap();
        (ended, began.elapsed())
    }
}

/// K-30: parts start and end in the documented order, and the lease is released.
#[tokio::test(start_paused = true)]
async fn k30_parts_start_and_end_in_order() {
    let world = World::new();
    let (ended, took) = world.run(world.manager(secs(1)), ms(500)).await;
    assert!(ended.is_ok() && took <= secs(1), "{ended:?} {took:?}");
    let log = [
        "page shows maps",
        "page at 127.0.0.1:80",
        "always starts",
        "leading starts",
        "begin a",
        "SIGTERM",
        "leading ends",
        "end a",
        "always ends",
    ];
    assert_eq!(world.log(), log);
    assert_eq!(world.holder().as_deref(), Some(""), "the lease is released");
    assert!(world.factory.start().is_err(), "the factory is shut down");
}

/// K-30. A cache that a controller starts without, of a kind that may not exist, holds nothing up.
#[tokio::test(start_paused = true)]
async fn k30_a_cache_that_no_controller_needs_is_not_waited_for() {
    let world = World::new();
    world
        .server
        .fail(|target| (target.resource == "secrets").then_some((404, "NotFound")));
    let secrets = world.factory.informer::<Secret>();
    let maps = world.factory.informer::<ConfigMap>();
    let log = Arc::new(Arc::clone(&world.log));
    let manager = Manager::new(&world.factory)
        .controller(
            Controller::new("maps", &maps).starts_without(&secrets),
            log,
            |_, log: Arc<Log>| async move {
                log.lock().push("called".to_owned());
                Ok::<_, io::Error>(())
            },
        )
        .shutdown_on(world.end.clone().cancelled_owned());
    let (ended, _) = world.run(manager, secs(1)).await;
    assert!(ended.is_ok(), "{ended:?}");
    assert_eq!(world.log(), ["called", "SIGTERM"]);
}

/// Phase in which a program is asked to end.
struct Phase {
    name: &'static str,
    manager: fn(&World) -> Manager,
    /// `true` if something does not end by itself.
    hangs: bool,
    /// Holder of the lease after the end.
    holder: Option<&'static str>,
}

const PHASES: [Phase; 11] = [
    Phase {
        name: "before the server answers",
        manager: |world| {
            world.stall("/");
            world.manager(secs(1))
        },
        hangs: false,
        holder: None,
    },
    Phase {
        name: "waiting for a kind",
        manager: |world| {
            world
                .server
                .fail(|target| (target.resource == "configmaps").then_some((404, "NotFound")));
            world.manager(secs(1))
        },
        hangs: false,
        holder: None,
    },
    Phase {
        name: "waiting for a right",
        manager: |world| {
            world
                .server
                .fail(|target| (target.resource == "configmaps").then_some((403, "Forbidden")));
            world.manager(secs(1))
        },
        hangs: false,
        holder: None,
    },
    Phase {
        name: "waiting for a list",
        manager: |world| {
            world.stall("configmaps");
            world.manager(secs(1))
        },
        hangs: false,
        holder: None,
    },
    Phase {
        name: "waiting for the lease of another",
        manager: |world| {
            let spec = json!({
                "holderIdentity": "other", "leaseDurationSeconds": 15,
                "renewTime": "2026-01-01T00:00:00.000000Z",
            });
            let metadata = json!({ "name": "lease", "namespace": "default" });
            let key = ObjectKey::namespaced("default", "lease");
            let lease = json!({ "metadata": metadata, "spec": spec });
            world.server.put("leases", &key, Some(lease));
            world.manager(secs(1))
        },
        hangs: false,
        holder: Some("other"),
    },
    Phase {
        name: "waiting for an answer about the lease",
        manager: |world| {
            world.stall("leases");
            world.manager(secs(1))
        },
        hangs: false,
        holder: None,
    },
    Phase {
        name: "reconciling",
        manager: |world| world.manager(secs(5)),
        hangs: true,
        holder: Some(""),
    },
    Phase {
        name: "a call that hangs",
        manager: |world| world.manager(FOR_EVER),
        hangs: true,
        holder: Some(""),
    },
    Phase {
        name: "a leading task that hangs",
        manager: |world| {
            let hang = |_| pending::<Result<(), io::Error>>();
            world.manager(secs(0)).leading_task("stuck", hang)
        },
        hangs: true,
        holder: Some(""),
    },
    Phase {
        name: "a task that hangs",
        manager: |world| {
            let hang = |_| pending::<Result<(), io::Error>>();
            world.manager(secs(0)).task("stuck", hang)
        },
        hangs: true,
        holder: Some(""),
    },
    Phase {
        name: "a handler that hangs",
        manager: |world| {
            let maps = world.factory.informer::<ConfigMap>();
            maps.add_event_handler(async_handler(|_: Event<ConfigMap>| pending()))
                .unwrap();
            world.manager(secs(0))
        },
        hangs: true,
        holder: Some(""),
    },
];

/// K-31: from each phase, the program ends within the grace period and a second, and releases the
/// lease.
#[tokio::test(start_paused = true)]
async fn k31_a_program_ends_in_time_from_every_phase() {
    for phase in PHASES {
        let world = World::new();
        let manager = (phase.manager)(&world);
        let (ended, took) = world.run(manager, secs(3)).await;
        let name = phase.name;
        assert!(ended.is_ok(), "{name}: {ended:?}");
        let limit = if phase.hangs {
            GRACE + secs(1)
        } else {
            ms(100)
        };
        assert!(took <= limit, "{name}: {took:?}");
        assert_eq!(world.holder().as_deref(), phase.holder, "{name}");
    }
}

/// K-31: an API server that is gone cannot hold the end up. The lease then expires.
#[tokio::test(start_paused = true)]
async fn k31_a_server_without_answers_does_not_hold_the_end_up() {
    let log = logged::capture("informer_controller");
    let world = World::new();
    let manager = world.manager(secs(0));
    let stalled = Arc::clone(&world.stalled);
    let manager = manager.task("outage", |_| async move {
        sleep(secs(2)).await;
        stalled.lock().push("/".to_owned());
        pending::<Result<(), io::Error>>().await
    });
    let (ended, took) = world.run(manager, secs(3)).await;
    assert!(
        ended.is_ok() && took <= GRACE + secs(1),
        "{ended:?} {took:?}"
    );
    let text = log.text();
    let told = "the lease is not released, because the API server does not answer";
    assert!(text.contains(told), "{text}");
}

/// K-32: what fails ends the program, and the error says which part it was.
#[tokio::test(start_paused = true)]
async fn k32_a_failure_ends_everything_and_is_named() {
    let world = World::new();
    let fail = |_| async { Err(io::Error::other("no disk")) };
    let ended = world.manager(secs(1)).task("files", fail).run().await;
    let error = ended.unwrap_err();
    assert_eq!(format!("{error:?}"), "task \"files\" failed: no disk");
    assert!(
        world.log().contains(&"always ends".to_owned()),
        "{:?}",
        world.log()
    );

    let world = World::new();
    let panics = |_| async { panic!("on purpose") };
    let manager = world
        .manager(secs(1))
        .leading_task::<_, _, io::Error>("jobs", panics);
    let error = manager.run().await.unwrap_err();
    assert_eq!(error.to_string(), "\"jobs\" panicked");
    assert_eq!(world.holder().as_deref(), Some(""), "the lease is released");

    let world = World::new();
    let manager = world
        .manager(secs(1))
        .serve(Page(Log::default()), "nowhere");
    let error = manager.run().await.unwrap_err();
    assert!(
        format!("{error:?}").starts_with("cannot listen on nowhere: "),
        "{error:?}"
    );

    let world = World::new();
    world.factory.shutdown().await;
    let error = world.manager(secs(1)).run().await.unwrap_err();
    assert_eq!(
        format!("{error:?}"),
        "cannot start: the factory was shut down: build a new one"
    );
}

/// K-32: a lost lease drops calls and leading tasks at once, and is an error.
#[tokio::test(start_paused = true)]
async fn k32_a_lost_lease_ends_the_work_at_once() {
    let world = World::new();
    let key = ObjectKey::namespaced("default", "lease");
    let server = world.server.clone();
    let steal = move |_| async move {
        sleep(secs(5)).await;
        let mut lease = server.objects("leases").remove(0);
        lease["spec"]["holderIdentity"] = "thief".into();
        server.put("leases", &key, Some(lease));
        pending::<Result<(), io::Error>>().await
    };
    let (log, dropped) = (logged::capture(module_path!()), Arc::new(()));
    let held = Arc::clone(&dropped);
    let hangs = |_| async move {
        pending::<()>().await;
        drop(held);
        Ok::<_, io::Error>(())
    };
    let manager = world
        .manager(FOR_EVER)
        .grace_period(secs(600))
        .task("thief", steal)
        .leading_task("hangs", hangs);
    let error = manager.run().await.unwrap_err();
    assert_eq!(Arc::strong_count(&dropped), 1, "the task was dropped");
    let lines = log.text();
    let by_itself = lines.lines().filter(|line| line.contains("dropped: "));
    assert_eq!(by_itself.count(), 2, "the call, and the thief: {lines}");
    assert_eq!(error.to_string(), "lost the lease \"lease\"");
    assert!(world.log().contains(&"begin a".to_owned()));
    assert!(!world.log().contains(&"end a".to_owned()));
    assert_eq!(world.holder().as_deref(), Some("thief"));
}
