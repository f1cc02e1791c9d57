//! A program with a manager as a process, and as process 1 of its container: SIGTERM in each phase.

use std::env;
use std::future::pending;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use informer::controller::ManagerError;
use informer::{Controller, Event, Manager, SharedInformerFactory, async_handler};
use informer_apiserver::{Fault, Matcher, Verb};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Config};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::support::{Cluster, within};

/// Variables that make [`program`] a program: the kubeconfig, and what hangs in it.
const KUBECONFIG: &str = "INFORMER_TEST_MANAGER_KUBECONFIG";
const HANGS: &str = "INFORMER_TEST_MANAGER_HANGS";

const GRACE: Duration = Duration::from_secs(2);

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
    let factory = SharedInformerFactory::builder(client).build().unwrap();
    let maps = factory.informer::<ConfigMap>();
    if hangs == "handler" {
        let handler = async_handler(|_: Event<ConfigMap>| pending());
        maps.add_event_handler(handler).unwrap();
    }
    let reconcile = |_, hangs: Arc<String>| async move {
        if *hangs == "call" {
            println!("calling");
            pending::<()>().await;
        }
        Ok::<_, kube::Error>(())
    };
    let manager = Manager::new(&factory)
        .lease("program")
        .identity("program")
        .controller(Controller::new("maps", &maps), Arc::new(hangs), reconcile)
        .grace_period(GRACE);
    println!("started");
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
}

impl Phase {
    const ALL: [Self; 6] = [
        Self::WithoutServer,
        Self::WaitsForAKind,
        Self::WaitsForASync,
        Self::WaitsForTheLease,
        Self::ReconcilesForEver,
        Self::HasAHandlerThatHangs,
    ];

    fn fault(self) -> Option<Fault> {
        let status = |code, reason| Fault::status(code, reason, "on purpose");
        match self {
            Self::WithoutServer => Some(Fault::Stall),
            Self::WaitsForAKind => Some(status(404, "NotFound")),
            Self::WaitsForASync => Some(status(500, "InternalError")),
            Self::WaitsForTheLease | Self::ReconcilesForEver | Self::HasAHandlerThatHangs => None,
        }
    }

    fn hangs(self) -> &'static str {
        match self {
            Self::ReconcilesForEver => "call",
            Self::HasAHandlerThatHangs => "handler",
            Self::WithoutServer
            | Self::WaitsForAKind
            | Self::WaitsForASync
            | Self::WaitsForTheLease => "",
        }
    }

    /// Starts a program, sends SIGTERM in this phase, and checks its end.
    async fn check(self, as_first: bool) -> bool {
        let cluster = Cluster::start().await;
        cluster.create("a", "1");
        let maps = Matcher::any().resource("configmaps");
        if let Some(fault) = self.fault() {
            cluster.control.fail_next(usize::MAX, maps.clone(), fault);
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
        let leases = Matcher::any().resource("leases");
        match self {
            Self::WithoutServer | Self::WaitsForAKind | Self::WaitsForASync => {
                within("a request", cluster.control.await_request(maps)).await;
            }
            Self::WaitsForTheLease => {
                let read = leases.verb(Verb::Get);
                within("a request", cluster.control.await_request(read)).await;
            }
            Self::ReconcilesForEver => assert!(program.says("calling").await),
            Self::HasAHandlerThatHangs => {
                let written = leases.verb(Verb::Create);
                within("the lease", cluster.control.await_request(written)).await;
            }
        }
        assert!(program.end().await, "{self:?}");
        let leases: Api<Lease> = Api::namespaced(cluster.client.clone(), "default");
        let lease = leases.get_opt("program").await.unwrap();
        let holder = lease.and_then(|lease| lease.spec?.holder_identity);
        let expected = (self == Self::WaitsForTheLease).then_some("other");
        let holder = holder.as_deref().filter(|holder| !holder.is_empty());
        assert_eq!(holder, expected, "{self:?}");
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
