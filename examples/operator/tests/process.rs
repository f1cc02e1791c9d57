//! The program as a process: its end, the lease, and the exit status.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failure fails the test"
)]

use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::Duration;

use informer_apiserver::{ApiServer, Control, Fault, Matcher, Verb};
use informer_example_operator::controller::{Document, FINALIZER};
use kube::CustomResourceExt as _;
use serde_json::json;
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Maximum duration of each wait.
const PATIENCE: Duration = Duration::from_secs(60);

const LEASE: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases/document-controller";

/// Operator that leads, and whose only reconciliation waits for a response that does not come.
struct Stalled {
    server: ApiServer,
    operator: Child,
    kubeconfig: PathBuf,
}

// === impl Stalled ===

impl Stalled {
    async fn start(name: &str) -> Self {
        let document = json!({
            "apiVersion": "example.com/v1", "kind": "Document",
            "metadata": { "name": "x", "namespace": "default", "finalizers": [FINALIZER] },
            "spec": { "title": "a title", "content": "" },
        });
        let server = ApiServer::builder()
            .object(&Document::crd())
            .object(&document)
            .start()
            .await
            .unwrap();
        let status = || Matcher::any().verb(Verb::Patch).resource("documents");
        server.control().fail_next(1, status(), Fault::Stall);
        let kubeconfig = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.yaml"));
        std::fs::write(&kubeconfig, server.kubeconfig()).unwrap();
        let operator = Command::new(env!("CARGO_BIN_EXE_informer-example-operator"))
            .args(["--metrics", "127.0.0.1:0", "--grace-period", "1"])
            .env("KUBECONFIG", &kubeconfig)
            .env("NO_COLOR", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let control = server.control();
        timeout(PATIENCE, control.await_request(status()))
            .await
            .expect("the operator reconciles");
        Self {
            server,
            operator,
            kubeconfig,
        }
    }

    fn control(&self) -> Control {
        self.server.control()
    }

    async fn terminate(&self) {
        let id = self.operator.id().expect("the operator runs").to_string();
        let killed = Command::new("kill").args(["-TERM", &id]).status().await;
        assert!(killed.unwrap().success());
    }

    /// Waits for the end of the operator. Returns what it has printed.
    async fn output(self) -> Output {
        let ended = timeout(PATIENCE, self.operator.wait_with_output()).await;
        let output = ended.expect("the operator ends").unwrap();
        self.server.shutdown().await;
        std::fs::remove_file(self.kubeconfig).unwrap();
        output
    }
}

/// K-21.
#[tokio::test]
async fn k21_a_signal_ends_the_operator_although_a_request_is_stalled_and_releases_the_lease() {
    let stalled = Stalled::start("signal").await;
    let control = stalled.control();
    assert_eq!(
        control.get(LEASE).unwrap()["spec"]["holderIdentity"],
        "operator"
    );
    stalled.terminate().await;
    let output = stalled.output().await;
    let log = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{log}");
    assert!(log.contains("dropped: the grace period is over"), "{log}");
    assert!(log.contains("default/x"), "{log}");
    assert_eq!(control.get(LEASE).unwrap()["spec"]["holderIdentity"], "");
}

/// K-22.
#[tokio::test]
async fn k22_the_loss_of_the_lease_ends_the_operator_with_a_status() {
    let stalled = Stalled::start("lease").await;
    let control = stalled.control();
    let steal = |lease: &mut serde_json::Value| {
        lease["spec"]["holderIdentity"] = "other".into();
    };
    control.modify(LEASE, steal).unwrap();
    let output = stalled.output().await;
    let log = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{log}");
    assert!(log.contains("dropped: the lease is lost"), "{log}");
    let lease = control.get(LEASE).unwrap();
    assert_eq!(lease["spec"]["holderIdentity"], "other", "not released");
    assert_eq!(control.count(Verb::Patch, "documents"), 1, "nothing more");
}
