//! A program with a manager as a process, and as process 1 of its container: SIGTERM in each phase.

use std::env;
use std::future::pending;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use informer::controller::ManagerError;
use informer::shards::Shards;
use informer::{Controller, Event, Manager, SharedInformerFactory, async_handler};
use informer_apiserver::{Fault, Matcher, Verb};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ListParams;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Config};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::support::{Cluster, within};

/// Variables that make [`program`] a program: the kubeconfig, and what hangs in it.
const KUBECONFIG: &str = "INFORMER_TEST_MANAGER_KUBECONFIG";
const HANGS: &str = "INFORMER_TEST_MANAGER_HANGS";

/// Value of [`HANGS`] for a program that shares the objects with others: the calls in each slice hang.
const SLICES: &str = "slices";

const GRACE: Duration = Duration::from_secs(2);

/// Number of objects, each in a namespace of its own: some in each slice.
const MAPS: usize = 16;

/// Number of lists of the leases after which a program has seen another one, and gives slices away.
const LISTS: usize = 20;

/// Program that the other tests start; otherwise it does nothing.
#[tokio::test]
async fn program() -> Result<(), ManagerError> {
    let Ok(config) = env::var(KUBECONFIG) else {
        return Ok(());
    };
    let hangs = env::var(HANGS).unwrap_or_default();
    let config = Kubeconfig::from_yaml(&config).unwrap();
    let config = Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await;
    let client = informer::connect(config.unwrap()).unwrap();
    println!("started");
    let mut builder = SharedInformerFactory::builder(client.clone());
    let mut shards = None;
    if hangs == SLICES {
        let group = Shards::builder(client, "program").namespace("default");
        let group = group.slices(4).retry_period(Duration::from_millis(200));
        let joined = tokio::select! {
            joined = group.identity("program").join() => joined.unwrap(),
            () = informer::shutdown_signal() => return Ok(()),
        };
        builder = builder.shards(&joined);
        shards = Some(joined);
    }
    let factory = builder.build().unwrap();
    let maps = factory.informer::<ConfigMap>();
    if hangs == "handler" {
        let handler = async_handler(|_: Event<ConfigMap>| pending());
        maps.add_event_handler(handler).unwrap();
    }
    let reconcile = |_, hangs: Arc<String>| async move {
        if *hangs == "call" || *hangs == SLICES {
            println!("calling");
            pending::<()>().await;
        }
        Ok::<_, kube::Error>(())
    };
    let mut manager = Manager::new(&factory).grace_period(GRACE);
    let mut controller = Controller::new("maps", &maps).workers(MAPS);
    if let Some(shards) = &shards {
        manager = manager.shards(shards);
        controller = controller.shards(shards);
    } else {
        manager = manager.lease("program").identity("program");
    }
    let manager = manager.controller(controller, Arc::new(hangs), reconcile);
    manager.run().await
}

/// Process of a [`program`], which is killed with this.
struct Program {
    process: Child,
    output: Lines<BufReader<ChildStdout>>,
    /// Number of the program, as its signals need it.
    id: u32,
}

// === impl Program ===

impl Program {
    /// Starts a program. As process 1 of a namespace of its own, `None` if that is not permitted here.
    async fn start(kubeconfig: &str, hangs: &str, as_first: bool) -> Option<Self> {
        let test = env::current_exe().unwrap();
        let arguments = ["--exact", "manager::program", "--nocapture"];
        let mut command = if as_first {
            let mut unshare = Command::new("unshare");
            unshare.args([
                "--user",
                "--map-root-user",
                "--pid",
                "--fork",
                "--kill-child",
            ]);
            unshare.arg(test);
            unshare
        } else {
            Command::new(test)
        };
        command
            .args(arguments)
            .env(KUBECONFIG, kubeconfig)
            .env(HANGS, hangs)
            .kill_on_drop(true)
            .stdout(Stdio::piped());
        let mut process = command.spawn().ok()?;
        let output = BufReader::new(process.stdout.take()?).lines();
        let mut program = Self {
            id: process.id()?,
            process,
            output,
        };
        program.says("started").await.then_some(())?;
        if as_first {
            let path = format!("/proc/{0}/task/{0}/children", program.id);
            let children = std::fs::read_to_string(path).ok()?;
            program.id = children.split_whitespace().next()?.parse().ok()?;
        }
        Some(program)
    }

    /// Reads the output up to this line. Returns `false` if the output ends before.
    async fn says(&mut self, text: &str) -> bool {
        let said = async {
            while let Ok(Some(line)) = self.output.next_line().await {
                if line.ends_with(text) {
                    return true;
                }
            }
            false
        };
        within(text, said).await
    }

    /// Sends SIGTERM, and returns whether the program ended with success.
    async fn end(mut self) -> bool {
        let mut kill = Command::new("kill");
        let sent = kill.args(["-TERM", &self.id.to_string()]).status().await;
        assert!(sent.unwrap().success());
        let ended = within("the end of the program", self.process.wait()).await;
        ended.unwrap().success()
    }
}

/// Phase in which a program gets SIGTERM.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    WithoutServer,
    WaitsForAKind,
    WaitsForASync,
    WaitsForTheLease,
    ReconcilesForEver,
    HasAHandlerThatHangs,
    /// Waits for the lease of its membership.
    Joins,
    /// Gives slices to another program, and waits for calls.
    HandsOver,
}

impl Phase {
    const ALL: [Self; 8] = [
        Self::WithoutServer,
        Self::WaitsForAKind,
        Self::WaitsForASync,
        Self::WaitsForTheLease,
        Self::ReconcilesForEver,
        Self::HasAHandlerThatHangs,
        Self::Joins,
        Self::HandsOver,
    ];

    fn fault(self) -> Option<Fault> {
        let status = |code, reason| Fault::status(code, reason, "on purpose");
        match self {
            Self::WithoutServer => Some(Fault::Stall),
            Self::WaitsForAKind => Some(status(404, "NotFound")),
            Self::WaitsForASync | Self::Joins => Some(status(500, "InternalError")),
            Self::WaitsForTheLease
            | Self::ReconcilesForEver
            | Self::HasAHandlerThatHangs
            | Self::HandsOver => None,
        }
    }

    fn hangs(self) -> &'static str {
        match self {
            Self::ReconcilesForEver => "call",
            Self::HasAHandlerThatHangs => "handler",
            Self::Joins | Self::HandsOver => SLICES,
            Self::WithoutServer
            | Self::WaitsForAKind
            | Self::WaitsForASync
            | Self::WaitsForTheLease => "",
        }
    }

    /// Starts a program, sends SIGTERM in this phase, and checks its end.
    async fn check(self, as_first: bool) -> bool {
        let cluster = Cluster::start().await;
        for number in 0..MAPS {
            let metadata = json!({ "name": "a", "namespace": format!("{number}-space") });
            let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata });
            cluster.control.create_direct(map).unwrap();
        }
        let maps = Matcher::any().resource("configmaps");
        let leases = Matcher::any().resource("leases");
        if let Some(fault) = self.fault() {
            let failing = if self == Self::Joins {
                leases.clone().verb(Verb::Create)
            } else {
                maps.clone()
            };
            cluster.control.fail_next(usize::MAX, failing, fault);
        }
        if self == Self::WaitsForTheLease {
            let lease = json!({
                "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                "metadata": { "name": "program", "namespace": "default" },
                "spec": { "holderIdentity": "other", "leaseDurationSeconds": 600 },
            });
            cluster.control.create_direct(lease).unwrap();
        }
        let kubeconfig = cluster.server.kubeconfig();
        let Some(mut program) = Program::start(&kubeconfig, self.hangs(), as_first).await else {
            cluster.server.shutdown().await;
            return false;
        };
        match self {
            Self::WithoutServer | Self::WaitsForAKind | Self::WaitsForASync => {
                within("a request", cluster.control.await_request(maps)).await;
            }
            Self::WaitsForTheLease => {
                let read = leases.verb(Verb::Get);
                within("a request", cluster.control.await_request(read)).await;
            }
            Self::ReconcilesForEver => assert!(program.says("calling").await),
            Self::HasAHandlerThatHangs | Self::Joins => {
                let written = leases.verb(Verb::Create);
                within("the lease", cluster.control.await_request(written)).await;
            }
            Self::HandsOver => {
                for _ in 0..MAPS {
                    assert!(program.says("calling").await);
                }
                let other = Program::start(&kubeconfig, SLICES, as_first).await;
                let list = leases.verb(Verb::List);
                let before = cluster.control.count(Verb::List, "leases");
                let later = usize::try_from(before).unwrap() + LISTS;
                let later = cluster.control.await_nth_request(list, later);
                within("lists of the leases", later).await;
                assert!(program.end().await, "{self:?}");
                program = other.unwrap();
            }
        }
        assert!(program.end().await, "{self:?}");
        let leases: Api<Lease> = Api::namespaced(cluster.client.clone(), "default");
        let held = leases.list(&ListParams::default()).await.unwrap().items;
        let holders = held
            .into_iter()
            .filter_map(|lease| lease.spec?.holder_identity)
            .filter(|holder| !holder.is_empty());
        let expected = (self == Self::WaitsForTheLease).then_some("other");
        assert!(holders.eq(expected), "{self:?}");
        cluster.server.shutdown().await;
        true
    }
}

/// K-31.
#[tokio::test]
async fn k31_sigterm_ends_a_program_in_each_phase() {
    for phase in Phase::ALL {
        assert!(phase.check(false).await, "{phase:?}: the program starts");
    }
}

/// K-31: a process 1 gets no signal that it does not listen for.
#[tokio::test]
async fn k31_sigterm_ends_process_1_of_a_container_in_each_phase() {
    for phase in Phase::ALL {
        if !phase.check(true).await {
            eprintln!("SKIPPED, namespaces of processes are not permitted here: process 1");
            return;
        }
    }
}
