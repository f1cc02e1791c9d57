//! Runs the operator in its own cluster, or in the cluster of a kubeconfig.
//!
//! ```console
//! $ kubectl apply -f <(cargo run -p informer-example-operator -- --crd)
//! $ cargo run -p informer-example-operator -- --metrics 127.0.0.1:8080
//! ```

use std::error::Error;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::time::Duration;

use clap::Parser;
use informer::SharedInformerFactory;
use informer::debug::Service;
use informer_example_operator::controller::{Context, Document, manager};
use kube::{Config, CustomResourceExt as _};
use mimalloc::MiMalloc;
use tracing_subscriber::EnvFilter;

/// Faster than glibc's allocator at decoding objects; docs/performance.md has figures.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// An operator for `Document`s. Several replicas elect a leader
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Print the CustomResourceDefinition as JSON, and exit
    #[arg(long)]
    crd: bool,
    /// Address of `/metrics`, `/livez`, `/readyz` and, if it is a loopback address, of the debug page
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    metrics: SocketAddr,
    /// Namespaces whose documents are reconciled, separated by commas; all without it
    #[arg(
        long,
        value_name = "NAMESPACES",
        env = "WATCH_NAMESPACE",
        value_delimiter = ',',
        default_value = ""
    )]
    namespaces: Vec<String>,
    /// Seconds that running reconciliations have to finish on shutdown; less than the
    /// `terminationGracePeriodSeconds` of the Pod
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    grace_period: u64,
}

/// Levels of the log, unless `RUST_LOG` is set. kube logs each failed request once more.
const LOG: &str = "info,kube_client::client::builder=off";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    if args.crd {
        println!("{}", serde_json::to_string_pretty(&Document::crd())?);
        return Ok(());
    }
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(LOG));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .init();
    let client = informer::connect(Config::infer().await?)?;
    let factory = SharedInformerFactory::builder(client)
        .namespaces(&args.namespaces)
        .build()?;
    let context = Context::new(&factory);
    context.metrics.collector.add_factory("operator", &factory);
    let service = Service::new(&factory).registry(context.metrics.registry());
    manager(&factory, context)
        .lease("document-controller")
        .serve(service, args.metrics.to_string())
        .grace_period(Duration::from_secs(args.grace_period))
        .run()
        .await?;
    Ok(())
}
