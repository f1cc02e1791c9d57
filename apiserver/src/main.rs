//! `informer-apiserver`: a Kubernetes API server without a cluster, for demos and for trying clients.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::ExitCode;
use std::task::Poll;

use clap::Parser;
use futures::poll;
use informer_apiserver::{ApiServer, Builder, StartError};
use serde_json::Value;
use tracing_subscriber::EnvFilter;

/// A Kubernetes API server without a cluster: objects, watches and custom resources, in memory.
///
/// It listens on 127.0.0.1, asks for no credentials, and forgets everything when it ends (Ctrl-C).
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
struct Options {
    /// Port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 0, value_name = "PORT")]
    port: u16,

    /// Where to write the kubeconfig [default: informer-apiserver-PORT.kubeconfig in the folder for
    /// temporary files]
    #[arg(long, value_name = "PATH")]
    kubeconfig: Option<PathBuf>,

    /// Custom resource definitions to start with, JSON or YAML; may be given more than once
    #[arg(long, value_name = "FILE")]
    crd: Vec<PathBuf>,

    /// Objects to start with, JSON or YAML, one or a List; may be given more than once
    #[arg(long, value_name = "FILE")]
    load: Vec<PathBuf>,

    /// Log every request to standard error
    #[arg(long, short)]
    verbose: bool,
}

const EXAMPLES: &str = "\
Examples:
  informer-apiserver --port 8001
  informer-apiserver --crd foo-crd.yaml --load foos.yaml --verbose
  kubectl --kubeconfig PATH get pods --all-namespaces --watch
  kubectl --kubeconfig PATH create --validate=false -f pod.yaml

It has no OpenAPI documents, so kubectl must not ask for them (--validate=false), and it takes no
server-side apply.";

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("cannot read {}", .0.display())]
    Read(PathBuf, #[source] std::io::Error),
    #[error("{} is neither JSON nor YAML: {reason}", path.display())]
    Parse { path: PathBuf, reason: String },
    #[error("{} is not a CustomResourceDefinition, but {kind:?}", path.display())]
    NotADefinition { path: PathBuf, kind: String },
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("cannot write the kubeconfig {}", .0.display())]
    Write(PathBuf, #[source] std::io::Error),
    #[error("cannot wait for Ctrl-C")]
    Signal(#[source] std::io::Error),
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    let level = if options.verbose { "debug" } else { "warn" };
    let filter = EnvFilter::new(format!("warn,informer_apiserver={level}"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
    match run(options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("informer-apiserver: {}", with_causes(&error));
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> Result<(), Error> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
    let mut builder = ApiServer::builder().bind(address).create_namespaces(true);
    for path in &options.crd {
        builder = definitions(builder, path)?;
    }
    for path in &options.load {
        for document in documents(path)? {
            builder = builder.object(&document);
        }
    }
    let server = builder.start().await?;
    let kubeconfig = options.kubeconfig.unwrap_or_else(|| {
        let name = format!("informer-apiserver-{}.kubeconfig", server.address().port());
        std::env::temp_dir().join(name)
    });
    std::fs::write(&kubeconfig, kubeconfig_text(&server.url()))
        .map_err(|error| Error::Write(kubeconfig.clone(), error))?;
    let mut interrupt = pin!(tokio::signal::ctrl_c());
    // Polled once, so that an interrupt counts from the moment the banner can be read.
    let early = poll!(interrupt.as_mut());
    println!("Kubernetes API on {}", server.url());
    println!("kubeconfig     in {}", kubeconfig.display());
    println!();
    println!("  kubectl --kubeconfig {} get pods", kubeconfig.display());
    println!(
        "  kubectl --kubeconfig {} create --validate=false -f pod.yaml",
        kubeconfig.display()
    );
    println!("  curl {}/api/v1/pods?watch=1", server.url());
    println!();
    println!("Ctrl-C ends it and forgets everything.");
    let interrupted = match early {
        Poll::Ready(interrupted) => interrupted,
        Poll::Pending => interrupt.await,
    };
    server.shutdown().await;
    interrupted.map_err(Error::Signal)
}

fn definitions(mut builder: Builder, path: &Path) -> Result<Builder, Error> {
    for document in documents(path)? {
        let kind = document
            .get("kind")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if !matches!(
            kind,
            "CustomResourceDefinition" | "List" | "CustomResourceDefinitionList"
        ) {
            return Err(Error::NotADefinition {
                path: path.to_owned(),
                kind: kind.to_owned(),
            });
        }
        builder = builder.crd(&document);
    }
    Ok(builder)
}

/// The documents of a file: one of JSON, or any number of YAML.
fn documents(path: &Path) -> Result<Vec<Value>, Error> {
    let unparsable = |reason: String| Error::Parse {
        path: path.to_owned(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|e| Error::Read(path.to_owned(), e))?;
    if text.trim_start().starts_with('{') {
        let document = serde_json::from_str(&text).map_err(|e| unparsable(e.to_string()))?;
        return Ok(vec![document]);
    }
    let mut documents: Vec<Value> =
        serde_saphyr::from_multiple(&text).map_err(|e| unparsable(e.to_string()))?;
    documents.retain(|document| !document.is_null());
    Ok(documents)
}

fn kubeconfig_text(url: &str) -> String {
    format!(
        "apiVersion: v1
kind: Config
clusters:
- name: informer-apiserver
  cluster:
    server: {url}
users:
- name: anyone
  user: {{}}
contexts:
- name: informer-apiserver
  context:
    cluster: informer-apiserver
    namespace: default
    user: anyone
current-context: informer-apiserver
"
    )
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}
