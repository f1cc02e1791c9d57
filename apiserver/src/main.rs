//! `informer-apiserver`: a Kubernetes API server without a cluster, for demos and for testing
//! clients.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::ExitCode;
use std::task::Poll;

use clap::Parser;
use futures::poll;
use informer_apiserver::{ApiServer, StartError};
use mimalloc::MiMalloc;
use tempfile::NamedTempFile;
use tracing_subscriber::EnvFilter;

/// A Kubernetes API server without a cluster: objects, watches and custom resources, in memory.
///
/// It listens on 127.0.0.1, serves every client without credentials unless --user is given, and
/// deletes all data when it stops (Ctrl-C).
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each bool is a flag of the command line"
)]
struct Options {
    /// Port to listen on; 0 selects a free port
    #[arg(long, default_value_t = 0, value_name = "PORT")]
    port: u16,

    /// Additional host name to serve, besides the names of loopback; may be repeated. Requests for
    /// other hosts, which web pages in a browser can send, are rejected with 421
    #[arg(long, value_name = "NAME")]
    host_name: Vec<String>,

    /// File to write the kubeconfig to; an existing file is replaced [default:
    /// informer-apiserver-PORT.kubeconfig in the folder for temporary files]
    #[arg(long, value_name = "PATH")]
    kubeconfig: Option<PathBuf>,

    /// File of custom resource definitions to create at start, JSON or YAML; may be repeated
    #[arg(long, value_name = "FILE")]
    crd: Vec<PathBuf>,

    /// File of objects to create at start: JSON (one object, a List, or several in sequence) or
    /// YAML; may be repeated
    #[arg(long, value_name = "FILE")]
    load: Vec<PathBuf>,

    /// Serve HTTPS; the kubeconfig contains the certificate authority
    #[arg(long)]
    tls: bool,

    /// User with a token, authorized by its roles and bindings; may be repeated.
    /// Implies --tls. The user's kubeconfig is written beside the other one, with NAME in its name
    #[arg(long, value_name = "NAME[:GROUP,...]")]
    user: Vec<String>,

    /// Support `shardSelector` and `shardInfo`, as with the alpha feature `ShardedListAndWatch`
    #[arg(long)]
    sharded_list_and_watch: bool,

    /// Keep `managedFields` of every object that a client creates, as a cluster does. Without this
    /// flag, they are kept of objects that are applied, or created with a field manager
    #[arg(long)]
    managed_fields: bool,

    /// Log every request to standard error
    #[arg(long, short)]
    verbose: bool,
}

/// Returns the memory of ended connections to the system.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const EXAMPLES: &str = "\
Examples:
  informer-apiserver --port 8001
  informer-apiserver --crd foo-crd.yaml --load foos.yaml --verbose
  informer-apiserver --tls --user jane:developers
  kubectl --kubeconfig PATH get pods --all-namespaces --watch
  kubectl --kubeconfig PATH apply --server-side -f pod.yaml";

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("cannot write the kubeconfig {} (--kubeconfig names another file)", .0.display())]
    Kubeconfig(PathBuf, #[source] std::io::Error),
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
    let mut builder = ApiServer::builder()
        .bind(address)
        .create_namespaces(true)
        .sharded_list_and_watch(options.sharded_list_and_watch)
        .managed_fields(options.managed_fields);
    for name in options.host_name {
        builder = builder.host_name(name);
    }
    for path in options.crd.into_iter().chain(options.load) {
        builder = builder.load(path);
    }
    if options.tls || !options.user.is_empty() {
        builder = builder.tls();
    }
    for user in &options.user {
        let (name, list) = user.split_once(':').unwrap_or((user, ""));
        let groups = list.split(',').filter(|group| !group.is_empty());
        builder = builder.token(name, groups);
    }
    let server = builder.start().await?;
    let kubeconfig = options.kubeconfig.unwrap_or_else(|| {
        let name = format!("informer-apiserver-{}.kubeconfig", server.address().port());
        std::env::temp_dir().join(name)
    });
    write_private(&kubeconfig, &server.kubeconfig())?;
    let mut others = Vec::new();
    for user in &options.user {
        let name = user.split(':').next().unwrap_or_default();
        let extension = format!("{}.kubeconfig", name.replace('/', "_"));
        let path = kubeconfig.with_extension(extension);
        write_private(&path, &server.kubeconfig_as(name))?;
        others.push((name, path));
    }
    let mut interrupt = pin!(tokio::signal::ctrl_c());
    // Polled before the banner is printed: a Ctrl-C that follows the banner is not lost.
    let early = poll!(interrupt.as_mut());
    println!("Kubernetes API on {}", server.url());
    println!("kubeconfig     in {}", kubeconfig.display());
    for (user, path) in others {
        println!("           and in {} for {user}", path.display());
    }
    println!();
    println!("  kubectl --kubeconfig {} get pods", kubeconfig.display());
    println!(
        "  kubectl --kubeconfig {} apply -f pod.yaml",
        kubeconfig.display()
    );
    if !server.url().starts_with("https") {
        println!("  curl {}/api/v1/pods?watch=1", server.url());
    }
    println!();
    println!("Ctrl-C stops the server and deletes all data.");
    let interrupted = match early {
        Poll::Ready(interrupted) => interrupted,
        Poll::Pending => interrupt.await,
    };
    server.shutdown().await;
    interrupted.map_err(Error::Signal)
}

/// Writes a file with credentials that only the current user can read, on systems with file modes.
///
/// In a folder that others can write to, an existing file or link of that name may belong to
/// another user. A new file with an unpredictable name replaces it.
fn write_private(path: &Path, text: &str) -> Result<(), Error> {
    replace(path, text).map_err(|error| Error::Kubeconfig(path.to_owned(), error))
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
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
