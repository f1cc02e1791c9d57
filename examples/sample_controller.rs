//! The counterpart of Kubernetes' sample-controller: every `Foo` owns a `Deployment`.
//!
//! ```console
//! $ cargo run --example sample_controller                      # embedded API server
//! $ cargo run --example sample_controller -- --kubeconfig ~/.kube/config --context kind-kind
//! $ cargo run --example sample_controller -- --debug 127.0.0.1:0 --hold    # stays, with a debug page
//! ```
//!
//! The example starts a controller, simulates a user who creates, tampers with, scales and deletes
//! a `Foo`, and prints the actions of the controller. The exit status is 0 if the cluster reached
//! the desired state after every step.
//!
//! `api` is the type, and `controller` is the part that you would write for your own resource. The
//! other modules are the simulation.

use std::error::Error;
use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;
use informer::debug::Service;
use informer::k8s::SharedInformerFactoryExt as _;
use informer::{Controller, Session, SharedInformerFactory};
use mimalloc::MiMalloc;
use tokio::sync::oneshot;

#[path = "sample_controller/api.rs"]
mod api;
#[path = "sample_controller/cluster.rs"]
mod cluster;
#[path = "sample_controller/controller.rs"]
mod controller;
#[path = "sample_controller/play.rs"]
mod play;
#[path = "sample_controller/report.rs"]
mod report;

use crate::api::FooInformerFactory as _;
use crate::cluster::{Args, Cluster};
use crate::controller::{Context, reconcile};
use crate::play::Play;
use crate::report::Report;

/// Faster than glibc's allocator at decoding objects; docs/performance.md has figures.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
    match run(Args::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {}", report::chain(&*error));
            ExitCode::from(2)
        }
    }
}

/// Returns `true` if the cluster reached every desired state.
async fn run(args: Args) -> Result<bool, Box<dyn Error>> {
    let report = Report::new();
    report.title("informer sample controller: every Foo owns a Deployment");

    let cluster = Cluster::connect(&args).await?;
    report.fact("server", &cluster.description);
    cluster.install_crd().await?;

    let factory = SharedInformerFactory::builder(cluster.client.clone())
        .namespace(&args.namespace)
        .resync_period(Duration::from_secs(30))
        .build()?;
    let foos = factory.foos();
    let deployments = factory.apps().v1().deployments();
    let graph = foos.related(&factory);
    let session = Session::new(&factory);
    factory.start()?;
    let synced = factory.wait_for_cache_sync().await?;
    for (informer, _) in synced.iter() {
        report.fact("synced", informer);
    }

    let play = Play::new(&cluster, &factory, &args.namespace, report.clone());
    let (stop, stopped) = oneshot::channel::<()>();
    // A change of a Foo, or of a Deployment of a Foo, queues the Foo.
    let controller = Controller::new("foos", &foos)
        .relations(&graph)
        .session(&session)
        .workers(2)
        .shutdown_on(async { drop(stopped.await) });
    let context = Context {
        session,
        graph,
        report: report.clone(),
    };
    if let Some(address) = args.debug {
        let debug = Service::new(&factory)
            .controller(&controller.handle())
            .show(&foos)
            .show(&deployments);
        println!("debug page: http://{}", debug.serve(address).await?);
    }
    let user = async {
        let good = play.run().await;
        if args.hold {
            play.repeat(informer::shutdown_signal()).await;
        }
        drop(stop);
        good
    };
    let (good, ended) = tokio::join!(user, controller.run(context.into(), reconcile));
    ended?;

    factory.shutdown().await;
    cluster.shutdown().await;
    report.summary(good);
    Ok(good)
}
