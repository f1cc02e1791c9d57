//! The sessions with kubectl in `docs/apiserver-reference.md`, replayed: every command, every output.
//!
//! Those marked `console` run on this server and on the real one, those marked `console in-process`
//! on this server alone. kubectl is looked for where `KUBEBUILDER_ASSETS` says
//! (`tests/kube-assets/build.sh` builds it) and then on the `PATH`; as its words change, it must be
//! of the version that the sessions were recorded with. On Linux only: the sessions use GNU's sed.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here fails a test; clippy only knows the test functions themselves"
)]

#[path = "../support/assets.rs"]
mod assets;
mod normalise;
mod shell;
mod tables;
mod transcript;

use informer_apiserver::ApiServer;
use informer_apiserver::envtest::Environment;

use crate::assets::assets;
use crate::shell::{Kubectl, replay};
use crate::transcript::{Session, sessions};

/// The server is told of a user, so that roles decide as they do in a cluster. It speaks TLS, as
/// kubectl sends tokens in no other way.
async fn in_process() -> ApiServer {
    let builder = ApiServer::builder().tls().token("nobody", ["nobodies"]);
    builder.start().await.unwrap()
}

/// What `kubectl` shows is what the page says.
async fn check(kubectl: &Kubectl, session: &Session, kubeconfig: &str, name: &str) {
    let outputs = replay(kubectl, session, kubeconfig, name).await;
    let mut wrong = Vec::new();
    for (step, output) in session.steps.iter().zip(&outputs) {
        let (expected, found) = (normalise::text(&step.output), normalise::text(output));
        if expected != found {
            let command = &step.command;
            wrong.push(format!(
                "$ {command}--- the page:\n{expected}\n--- {name}:\n{found}\n"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} outputs differ\n{}",
        wrong.len(),
        session.steps.len(),
        wrong.join("\n")
    );
    assert_eq!(outputs.len(), session.steps.len(), "the shell has ended");
}

#[tokio::test]
async fn kubectl_shows_on_this_server_what_the_guide_says() {
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
async fn kubectl_shows_on_the_real_server_what_the_guide_says() {
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

/// The page has a command for each of the verbs that users expect.
#[test]
fn the_sessions_cover_what_kubectl_is_used_for() {
    let commands: Vec<String> = sessions()
        .into_iter()
        .flat_map(|session| session.steps)
        .map(|step| step.command)
        .collect();
    for expected in [
        "kubectl get ",
        "-o yaml",
        "-o wide",
        "--watch",
        "kubectl create ",
        "kubectl apply ",
        "kubectl diff ",
        "--type=merge",
        "--type=json",
        "kubectl patch deployment web -p",
        "kubectl replace ",
        "kubectl edit ",
        "kubectl delete ",
        "--cascade=foreground",
        "--cascade=orphan",
        "kubectl label ",
        "kubectl annotate ",
        "kubectl scale ",
        "--for=condition",
        "--for=delete",
        "--for=jsonpath",
        "kubectl explain ",
        "kubectl api-resources ",
        "kubectl api-versions ",
        "kubectl auth can-i ",
        "can-i --list",
        "kubectl auth whoami ",
        "kubectl describe ",
        "kubectl events ",
    ] {
        let is_there = commands.iter().any(|command| command.contains(expected));
        assert!(is_there, "no session has {expected:?}");
    }
}
