//! A bad day of two processes, whose logs are those of the guide `docs/production.md`.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failure fails the test"
)]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use informer_apiserver::{ApiServer, Control, Fault, Matcher, Verb};
use informer_example_operator::controller::{Document, FINALIZER};
use kube::CustomResourceExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStderr, Command};
use tokio::time::timeout;

/// Maximum duration of each wait. The whole day takes a few seconds.
const PATIENCE: Duration = Duration::from_secs(30);

const LEASE: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases/document-controller";

const GUIDE: &str = include_str!("../../../docs/production.md");

/// Process of the operator, which is killed if a test fails.
struct Operator {
    process: Child,
    lines: Lines<BufReader<ChildStderr>>,
    log: Vec<String>,
}

// === impl Operator ===

impl Operator {
    /// Starts a process that caches these namespaces, of which the empty one stands for all.
    fn start(kubeconfig: &str, identity: &str, namespaces: &str) -> Self {
        let file = format!("{identity}.yaml");
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(file);
        std::fs::write(&file, kubeconfig).unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_informer-example-operator"))
            .args(["--metrics", "127.0.0.1:0", "--grace-period", "1"])
            .env("KUBECONFIG", &file)
            .env("POD_NAME", identity)
            .env("WATCH_NAMESPACE", namespaces)
            .env_remove("POD_NAMESPACE")
            .env_remove("RUST_LOG")
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let stderr = process.stderr.take().expect("a pipe");
        Self {
            process,
            lines: BufReader::new(stderr).lines(),
            log: Vec::new(),
        }
    }

    /// Waits for a line with this text.
    async fn logs(&mut self, text: &str) {
        loop {
            let line = timeout(PATIENCE, self.lines.next_line()).await;
            assert!(line.is_ok(), "`{text}` is not logged in time");
            let line = line.unwrap().unwrap();
            assert!(line.is_some(), "the process has ended without `{text}`");
            let line = line.unwrap();
            println!("{line}");
            self.log.push(line);
            if self.log.last().is_some_and(|line| line.contains(text)) {
                return;
            }
        }
    }

    /// Expects this status and these texts in the answer of the readiness probe.
    async fn readyz(&self, status: u16, texts: &[&str]) {
        let served = self.log.iter().find_map(|line| line.split_once("address="));
        let (_, address) = served.expect("the operator has logged its address");
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let begin = format!("HTTP/1.1 {status} ");
        assert!(answer.starts_with(&begin), "{answer}");
        for text in texts {
            assert!(answer.contains(text), "no {text} in {answer}");
        }
    }

    async fn terminate(&self) {
        let id = self.process.id().expect("the operator runs").to_string();
        let killed = Command::new("kill").args(["-TERM", &id]).status().await;
        assert!(killed.unwrap().success());
    }

    /// Waits for the end of the process. Returns its exit status and its log.
    async fn end(mut self) -> (Option<i32>, String) {
        let rest = async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                println!("{line}");
                self.log.push(line);
            }
            self.process.wait().await.unwrap()
        };
        let status = timeout(PATIENCE, rest).await.expect("the operator ends");
        (status.code(), self.log.join("\n"))
    }
}

/// Returns the lines of a log, without what differs in each run: times, names of modules, repetitions,
/// and the values of some fields.
fn shown(log: &str) -> BTreeSet<String> {
    let lines = log.lines().map(|line| {
        let is_shown = |word: &&str| !word.ends_with('Z') && !word.starts_with("informer_");
        let (line, _) = line.split_once(" error=").unwrap_or((line, ""));
        let words = line.split_whitespace().filter(is_shown);
        let words = words.map(|word| match word.split_once('=') {
            Some((name @ ("address" | "seconds" | "failures"), _)) => name,
            _ => word,
        });
        words.collect::<Vec<_>>().join(" ")
    });
    lines.collect()
}

fn document(namespace: &str) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Document",
        "metadata": { "name": "web", "namespace": namespace, "finalizers": [FINALIZER] },
        "spec": { "title": "a title", "content": "" },
    })
}

/// Permits `operator` what the operator does in a namespace.
fn grant(control: &Control, namespace: &str) {
    let all_on = |group: &str, resource: &str| json!({ "apiGroups": [group], "resources": [resource], "verbs": ["*"] });
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
        "metadata": { "name": "operator", "namespace": namespace },
        "rules": [
            all_on("example.com", "*"),
            all_on("coordination.k8s.io", "leases"),
            all_on("events.k8s.io", "events"),
        ],
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": { "name": "operator", "namespace": namespace },
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "operator",
        },
        "subjects": [{
            "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "operator",
        }],
    });
    control.create_direct(role).unwrap();
    control.create_direct(binding).unwrap();
}

#[tokio::test]
async fn f22_an_operator_reconciles_its_namespaces_and_a_forbidden_one_after_the_grant() {
    let builder = ApiServer::builder().object(&Document::crd());
    let builder = builder.token("operator", Vec::<String>::new());
    let server = builder.start().await.unwrap();
    let control = server.control();
    for name in ["team", "other"] {
        let metadata = json!({ "name": name });
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata });
        control.create_direct(namespace).unwrap();
    }
    for namespace in ["default", "team", "other"] {
        control.create_direct(document(namespace)).unwrap();
    }
    grant(&control, "default");
    let kubeconfig = server.kubeconfig_as("operator");
    let mut operator = Operator::start(&kubeconfig, "operator-2", "team,default");

    operator.logs("namespace=\"team\"").await;
    let forbidden = operator.log.join("\n");
    let advice = "retrying: forbidden: grant `list` and `watch` on it";
    assert!(forbidden.contains(advice), "{forbidden}");
    let patched = |namespace| {
        let patch = Matcher::any().verb(Verb::Patch).resource("documents");
        patch.namespace(namespace)
    };
    timeout(PATIENCE, control.await_request(patched("default")))
        .await
        .expect("the permitted document is reconciled");
    operator.readyz(200, &[]).await;

    grant(&control, "team");
    timeout(PATIENCE, control.await_request(patched("team")))
        .await
        .expect("the other document is reconciled");
    operator.logs("recovered").await;
    operator.terminate().await;
    let (status, log) = operator.end().await;
    assert_eq!(status, Some(0), "{log}");
    let other = "/apis/example.com/v1/namespaces/other/documents/web";
    let other = control.get(other).unwrap();
    assert!(other["status"].is_null(), "left alone");
    server.shutdown().await;
}

/// K-21, K-22.
#[tokio::test]
async fn k21_k22_two_operators_log_a_bad_day_as_the_guide_shows() {
    let mut server = ApiServer::builder().start().await.unwrap();
    let control = server.control();
    let mut first = Operator::start(&server.kubeconfig(), "operator-0", "");

    // The CustomResourceDefinition comes late, and the right to list its objects even later.
    first.logs("not served").await;
    let degraded = "documents.v1.example.com: degraded for ";
    let reason = "s: not served: is its CustomResourceDefinition installed?";
    first.readyz(503, &[degraded, reason]).await;
    control.set_forbidden("documents", true);
    let definition = serde_json::to_value(Document::crd()).unwrap();
    control.create_direct(definition).unwrap();
    first.logs("forbidden").await;
    let reason = "s: forbidden: grant `list` and `watch` on it";
    first.readyz(503, &[reason]).await;
    control.set_forbidden("documents", false);
    first.logs("reconciling").await;
    first.readyz(200, &[]).await;
    let holder = || control.get(LEASE).unwrap()["spec"]["holderIdentity"].clone();
    assert_eq!(holder(), "operator-0");

    // The API server is restarted.
    server.stop_listening().await;
    first.logs("cannot renew the lease").await;
    first.readyz(200, &[]).await;
    server.listen().await.unwrap();
    first.logs("recovered").await;

    // The leader is asked to end while a request has no answer. The standby takes over.
    let mut second = Operator::start(&server.kubeconfig(), "operator-1", "");
    second.logs("waiting for the lease").await;
    let patch = || Matcher::any().verb(Verb::Patch).resource("documents");
    control.fail_next(2, patch(), Fault::Stall);
    control.create_direct(document("default")).unwrap();
    timeout(PATIENCE, control.await_request(patch()))
        .await
        .expect("a call of `reconcile`");
    first.terminate().await;
    let (status, first) = first.end().await;
    assert_eq!(status, Some(0), "{first}");

    // The new leader loses its lease, and reconciles nothing more.
    timeout(PATIENCE, control.await_nth_request(patch(), 2))
        .await
        .expect("the standby takes over");
    control
        .modify(LEASE, |lease: &mut Value| {
            lease["spec"]["holderIdentity"] = "other".into();
        })
        .unwrap();
    let (status, second) = second.end().await;
    assert_eq!(status, Some(1), "{second}");
    assert_eq!(holder(), "other", "not released");
    assert_eq!(control.count(Verb::Patch, "documents"), 2, "nothing more");
    server.shutdown().await;

    let (_, guide) = GUIDE.split_once("## Log\n").unwrap();
    let block = guide.split("```").nth(1).unwrap();
    let block = block.strip_prefix("text\n").unwrap();
    let (of_first, of_second) = block.split_once("\n\n").unwrap();
    assert_eq!(shown(&first), shown(of_first));
    assert_eq!(shown(&second), shown(of_second));
}
