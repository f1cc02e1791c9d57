//! Replays the kubectl sessions in `docs/apiserver-reference.md`: every command and every output.
//!
//! Sessions marked `console` run on this server and on the real one, those marked
//! `console in-process` on this server only. A session names the events that it reads and deletes,
//! because the real server at times records one about its own Service.
//!
//! kubectl is looked up in `KUBEBUILDER_ASSETS` (`tests/kube-assets/build.sh` builds it) and then
//! on the `PATH`. Its output depends on its version, so it must have the version with which the
//! sessions were recorded. Linux only: the sessions use GNU sed.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure fails the test; clippy exempts only the test functions themselves"
)]

#[path = "../support/assets.rs"]
mod assets;
mod normalise;
#[path = "../support/shapes.rs"]
mod shapes;
mod shell;
mod tables;
mod transcript;

use informer_apiserver::ApiServer;
use informer_apiserver::envtest::Environment;

use crate::assets::assets;
use crate::shell::{Kubectl, replay};
use crate::transcript::{Session, sessions};

/// Starts a server with a user, so that RBAC decides as in a cluster, and with TLS, because kubectl
/// sends tokens over TLS only.
async fn in_process() -> ApiServer {
    let builder = ApiServer::builder().tls().token("nobody", ["nobodies"]);
    builder.start().await.unwrap()
}

/// Checks that `kubectl` prints the output on the page.
async fn check(kubectl: &Kubectl, session: &Session, kubeconfig: &str, name: &str) {
    let outputs = replay(kubectl, session, kubeconfig, name).await;
    let mut mismatches = Vec::new();
    for (step, output) in session.steps.iter().zip(&outputs) {
        let (expected, found) = (normalise::text(&step.output), normalise::text(output));
        if expected != found {
            let command = &step.command;
            mismatches.push(format!(
                "$ {command}--- the page:\n{expected}\n--- {name}:\n{found}\n"
            ));
        }
    }
    assert!(
        mismatches.is_empty(),
        "{} of {} outputs differ\n{}",
        mismatches.len(),
        session.steps.len(),
        mismatches.join("\n")
    );
    assert_eq!(outputs.len(), session.steps.len(), "the shell ended early");
}

#[tokio::test]
async fn kubectl_prints_the_documented_output_on_this_server() {
    let Some(kubectl) = Kubectl::find() else {
        return;
    };
    for (number, session) in sessions().iter().enumerate() {
        let server = in_process().await;
        let name = format!("in-process-{number}");
        check(&kubectl, session, &server.kubeconfig(), &name).await;
        server.shutdown().await;
    }
}

#[tokio::test]
async fn kubectl_prints_the_documented_output_on_the_real_server() {
    let Some(kubectl) = Kubectl::find() else {
        return;
    };
    let Some(assets) = assets() else {
        return;
    };
    for session in sessions().iter().filter(|session| session.everywhere) {
        let real = Environment::start(&assets).await.unwrap();
        let kubeconfig = std::fs::read_to_string(real.write_kubeconfig().unwrap()).unwrap();
        check(&kubectl, session, &kubeconfig, "real").await;
        real.stop().await;
    }
}

/// The page has a command for each verb that users expect.
#[test]
fn the_sessions_cover_what_kubectl_is_used_for() {
    let commands: Vec<String> = sessions()
        .into_iter()
        .flat_map(|session| session.steps)
        .map(|step| step.command)
        .collect();
    let expected = "kubectl get |-o yaml|-o wide|--watch|kubectl create |kubectl apply |\
                    kubectl diff |--type=merge|--type=json|kubectl patch deployment web -p|\
                    kubectl replace |kubectl edit |kubectl delete |--cascade=foreground|\
                    --cascade=orphan|kubectl label |kubectl annotate |kubectl scale |\
                    --for=condition|--for=delete|--for=jsonpath|kubectl explain |\
                    kubectl api-resources |kubectl api-versions |kubectl auth can-i |can-i --list|\
                    kubectl auth whoami |kubectl describe |kubectl events ";
    for expected in expected.split('|') {
        let is_covered = commands.iter().any(|command| command.contains(expected));
        assert!(is_covered, "no session has {expected:?}");
    }
}
