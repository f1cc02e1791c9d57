//! The command line queries a cluster on demand. The cluster is an embedded API server in this
//! process.

#![expect(clippy::unwrap_used, reason = "a failing helper fails the test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use informer_apiserver::{ApiServer, Fault, Matcher, Verb};
use serde_json::{Value, json};

/// API server with one custom resource, and a folder with a kubeconfig for it.
struct Cluster {
    server: ApiServer,
    folder: tempfile::TempDir,
}

impl Cluster {
    async fn start() -> Self {
        Self::with([widgets()]).await
    }

    /// Starts a cluster with these definitions.
    async fn with(definitions: impl IntoIterator<Item = Value>) -> Self {
        let builder = ApiServer::builder();
        let builder = definitions
            .into_iter()
            .fold(builder, |builder, definition| builder.object(&definition));
        let server = builder.start().await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "nowhere",
            "clusters": [
                {"name": "here", "cluster": {"server": server.url()}},
                {"name": "nowhere", "cluster": {"server": "http://127.0.0.1:1"}},
            ],
            "users": [{"name": "me", "user": {}}],
            "contexts": [
                {"name": "here", "context": {"cluster": "here", "user": "me"}},
                {"name": "nowhere", "context": {"cluster": "nowhere", "user": "me"}},
            ],
        });
        fs::write(folder.path().join("kubeconfig"), config.to_string()).unwrap();
        Self { server, folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs `informer-gen` with this kubeconfig. Returns the exit code, the output, and the errors
    /// without the address.
    async fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_informer-gen"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env("KUBECONFIG", self.path().join("kubeconfig"));
        // The server runs on this runtime meanwhile.
        let ran = tokio::task::spawn_blocking(move || command.output());
        let Output {
            status,
            stdout,
            stderr,
        } = ran.await.unwrap().unwrap();
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            text.replace(&self.server.url(), "http://cluster")
        };
        (status.code(), text(stdout), text(stderr))
    }

    /// Runs `informer-gen` with these words, which fails with an error of these parts.
    async fn fails(&self, arguments: &[&str], parts: &[&str]) {
        let (code, _, stderr) = self.run(arguments).await;
        assert_eq!(code, Some(2), "{stderr}");
        for part in parts {
            assert!(stderr.contains(part), "no {part} in {stderr}");
        }
    }
}

fn widgets() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Widget", "plural": "widgets", "singular": "widget"},
            "scope": "Cluster",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {"color": {"type": "string"}}},
                }}},
            }],
        },
    })
}

/// The CRDs of a cluster are manifests with schemas.
#[tokio::test(flavor = "multi_thread")]
async fn the_definitions_of_a_cluster_are_read() {
    let cluster = Cluster::start().await;
    let flags = [
        "generate",
        "--context=here",
        "--from-cluster=dynamic",
        "--kind=Widget: index = \"spec.color\"",
        "-o",
        "informers.rs",
    ];
    let (code, stdout, stderr) = cluster.run(&flags).await;
    let wrote = "wrote informers.rs\n";
    assert_eq!((code, &*stdout, &*stderr), (Some(0), "", wrote));
    let text = fs::read_to_string(cluster.path().join("informers.rs")).unwrap();
    assert!(text.contains("pub fn by_color("), "{text}");
    assert!(
        !text.contains("127.0.0.1"),
        "the address of the cluster is not in the output"
    );
    let wrong = flags.map(|flag| flag.replace("color", "colour"));
    let wrong: Vec<&str> = wrong.iter().map(String::as_str).collect();
    let place = "`example.com/v1/Widget` (http://cluster/:1:";
    let reason = "`spec` has no field `colour`, did you mean `color`?\n";
    cluster.fails(&wrong, &[place, reason]).await;
}

/// A page has 50 definitions.
#[tokio::test(flavor = "multi_thread")]
async fn the_definitions_of_a_cluster_are_read_in_pages() {
    let gadgets = (0..120).map(|number| {
        let text = widgets().to_string();
        let text = text.replace("widget", &format!("gadget{number}"));
        let text = text.replace("Widget", &format!("Gadget{number}"));
        serde_json::from_str(&text).unwrap()
    });
    let cluster = Cluster::with(gadgets).await;
    let flags = ["list", "--context=here", "--from-cluster=dynamic"];
    let (code, stdout, stderr) = cluster.run(&flags).await;
    assert_eq!((code, &*stderr), (Some(0), ""));
    for number in 0..120 {
        assert!(stdout.contains(&format!("Gadget{number} ")), "{stdout}");
    }
    let lists = cluster
        .server
        .control()
        .count(Verb::List, "customresourcedefinitions");
    assert_eq!(lists, 3);
}

/// A server whose list never ends.
#[tokio::test(flavor = "multi_thread")]
async fn the_pages_of_definitions_are_bounded() {
    let cluster = Cluster::start().await;
    let page = json!({
        "kind": "CustomResourceDefinitionList",
        "apiVersion": "apiextensions.k8s.io/v1",
        "metadata": {"continue": "more"},
        "items": [],
    });
    let endless = Fault::Raw {
        code: 200,
        content_type: "application/json".to_owned(),
        body: page.to_string().into(),
    };
    let definitions = Matcher::any().resource("customresourcedefinitions");
    let control = cluster.server.control();
    control.fail_next(usize::MAX, definitions, endless);
    let flags = ["list", "--context=here", "--from-cluster=dynamic"];
    let reason = "error: http://cluster/ has more than 1000 pages of CRDs (0 so far): save those that \
                  you need, and pass them with --crd\n";
    cluster.fails(&flags, &[reason]).await;
    let lists = control.count(Verb::List, "customresourcedefinitions");
    assert_eq!(lists, 1_000);
}

/// A wrong declaration is the same error as with a manifest.
#[tokio::test(flavor = "multi_thread")]
async fn an_error_about_a_kind_names_the_cluster() {
    let cluster = Cluster::start().await;
    let declared = "--kind=Widget: index = \"spec.hosst\"";
    let arguments = ["list", "--context=here", "--from-cluster", declared];
    let begin = "error: .kind(..) / --kind: `example.com/v1/Widget` (http://cluster/:";
    cluster
        .fails(&arguments, &[begin, "at `\"spec.hosst\"`: "])
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_cluster_is_named_with_the_cause() {
    let cluster = Cluster::start().await;
    let begin = "error: cannot query http://127.0.0.1:1/: ";
    let parts = [begin, "onnection refused"];
    cluster.fails(&["list", "--from-cluster"], &parts).await;
    let arguments = ["list", "--from-cluster", "--context=no-such"];
    let begin = "error: cannot load the configuration of the cluster: ";
    cluster.fails(&arguments, &[begin, "no-such"]).await;
}
