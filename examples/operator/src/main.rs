//! Runs the operator in its own cluster, or in the cluster of a kubeconfig.
//!
//! ```console
//! $ kubectl apply -f <(cargo run -p informer-example-operator -- --crd)
//! $ cargo run -p informer-example-operator -- --metrics 127.0.0.1:8080
//! ```

use std::error::Error;
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use informer::SharedInformerFactory;
use informer::debug::Service;
use informer::leader_election::LeaderElector;
use informer_example_operator::controller::{
    Context, Document, DocumentInformerFactory as _, controller, run,
};
use kube::{Config, CustomResourceExt as _};
use mimalloc::MiMalloc;
use tracing::error;
use tracing_subscriber::EnvFilter;

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
    /// Address of `/metrics`, `/livez`, `/readyz` and, if it is a loopback address, of the debug page
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
async fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env();
    tracing_subscriber::fmt()
        .with_env_filter(filter.unwrap_or_else(|_| EnvFilter::new(LOG)))
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .init();
    match operate(Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error!(error = error.as_ref() as &dyn Error, "ending");
            ExitCode::FAILURE // also if the lease was lost
        }
    }
}

async fn operate(args: Args) -> Result<(), Box<dyn Error + Send + Sync>> {
    if args.crd {
        println!("{}", serde_json::to_string_pretty(&Document::crd())?);
        return Ok(());
    }
    let config = Config::infer().await?;
    let namespace = config.default_namespace.clone();
    let client = informer::connect(config)?;
    let factory = SharedInformerFactory::builder(client)
        .namespaces(&args.namespaces)
        .build()?;
    let context = Context::new(&factory);
    context.metrics.collector.add_factory("operator", &factory);
    let debug = Service::new(&factory).registry(context.metrics.registry());
    debug.serve(args.metrics).await?;
    let ended = lead(&factory, &namespace, &args, context, debug).await;
    factory.shutdown().await;
    ended
}

/// Waits for the caches and then for the lease. Runs the controller until the lease is lost or the
/// process is asked to end.
async fn lead(
    factory: &SharedInformerFactory,
    namespace: &str,
    args: &Args,
    context: Context,
    debug: Service,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let (client, identity) = (factory.client().clone(), args.identity.clone());
    let elector = LeaderElector::new(client, namespace, "document-controller", identity);
    let documents = factory.documents();
    let leading = async {
        factory.start()?;
        // Also while the CustomResourceDefinition or a right is missing. `/readyz` tells the reason.
        documents.wait_until_served().await?;
        Ok::<_, Box<dyn Error + Send + Sync>>(elector.acquire().await?)
    };
    let leadership = tokio::select! {
        leadership = leading => leadership?,
        () = informer::shutdown_signal() => return Ok(()),
    };
    let controller = controller(&documents, &context)
        .grace_period(Duration::from_secs(args.grace_period))
        .while_leading(&leadership)
        .shutdown_on(informer::shutdown_signal());
    let _debug = debug.controller(&controller.handle());
    let ended = run(factory, controller, context).await;
    leadership.release().await;
    ended
}
