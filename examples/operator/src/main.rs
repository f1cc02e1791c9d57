//! Runs the operator in its own cluster, or in the cluster of a kubeconfig.
//!
//! ```console
//! $ kubectl apply -f <(cargo run -p informer-example-operator -- --crd)
//! $ cargo run -p informer-example-operator -- --metrics 127.0.0.1:8080
//! ```

use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use clap::Parser;
use informer::SharedInformerFactory;
use informer::leader_election::LeaderElector;
use informer_example_operator::controller::{
    Context, Document, DocumentInformerFactory as _, controller, run,
};
use kube::{Config, CustomResourceExt as _};
use mimalloc::MiMalloc;
use tokio::net::TcpListener;

/// Faster than glibc's allocator at decoding objects; docs/performance.md has figures.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// An operator for `Document`s.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Print the CustomResourceDefinition as JSON, and exit
    #[arg(long)]
    crd: bool,
    /// Address of the `/metrics` endpoint
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    metrics: SocketAddr,
    /// Identity of this process in the leader election: the name of its Pod
    #[arg(
        long,
        value_name = "NAME",
        env = "POD_NAME",
        default_value = "operator"
    )]
    identity: String,
    /// Seconds that running reconciliations have to finish on shutdown; less than the
    /// `terminationGracePeriodSeconds` of the Pod
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    grace_period: u64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .init();
    let args = Args::parse();
    if args.crd {
        println!("{}", serde_json::to_string_pretty(&Document::crd())?);
        return Ok(());
    }
    let config = Config::infer().await?;
    let namespace = config.default_namespace.clone();
    let client = informer::connect(config)?;
    let context = Context::new(client.clone());
    let listener = TcpListener::bind(args.metrics).await?;
    tokio::select! {
        ended = lead(client, &namespace, &args, context.clone()) => ended,
        failed = context.metrics.serve(listener) => match failed? {},
    }
}

/// Waits for the lease. Runs the controller until the lease is lost or the process is asked to end.
async fn lead(
    client: kube::Client,
    namespace: &str,
    args: &Args,
    context: Context,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let identity = args.identity.clone();
    let elector = LeaderElector::new(client.clone(), namespace, "document-controller", identity);
    let leadership = tokio::select! {
        leadership = elector.acquire() => leadership?,
        () = informer::shutdown_signal() => return Ok(()),
    };
    let factory = SharedInformerFactory::builder(client).build()?;
    context.metrics.collector.add_factory("operator", &factory);
    let documents = factory.documents();
    let controller = controller(&documents, &context)
        .grace_period(Duration::from_secs(args.grace_period))
        .while_leading(&leadership)
        .shutdown_on(informer::shutdown_signal());
    let ended = run(&factory, controller, context).await;
    factory.shutdown().await;
    leadership.release().await;
    ended // an error, and so an exit status, if the lease was lost
}
