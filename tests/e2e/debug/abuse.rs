//! A thousand clients that read slowly or nothing, beside the probes of a kubelet.

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use informer::debug::Service;
use k8s_openapi::api::core::v1::ConfigMap;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::timeout;

use super::get;
use crate::support::{Cluster, sync, within};

/// Number of clients at a time.
const CLIENTS: usize = 1000;

/// Number of probes of each kind that must be answered while the clients are there.
const PROBES: usize = 3;

/// Shorter than each time limit of the server: an answer that needs the end of one comes too late.
const PROMPT: Duration = Duration::from_secs(9);

/// Client that connects again when it sees that the server has closed its connection.
#[derive(Debug, Clone, Copy)]
struct Client {
    sends: &'static str,
    how_often: Sends,
    reads: Reads,
}

#[derive(Debug, Clone, Copy)]
enum Sends {
    Once,
    /// Does not wait for answers.
    Endlessly,
}

#[derive(Debug, Clone, Copy)]
enum Reads {
    All,
    /// A byte after each probe.
    Slowly,
    Nothing,
}

const LIVEZ: &str = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";
const METRICS: &str =
    "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a token\r\n\r\n";
const EVENTS: &str =
    "GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a token\r\n\r\n";
const UNFINISHED: &str = "GET /livez HTTP/1.1\r\nHost: ";

const ABUSES: [(&str, Sends, Reads); 9] = [
    ("", Sends::Once, Reads::All),
    (UNFINISHED, Sends::Once, Reads::All),
    (LIVEZ, Sends::Once, Reads::All),
    (METRICS, Sends::Once, Reads::Slowly),
    (METRICS, Sends::Once, Reads::Nothing),
    (METRICS, Sends::Endlessly, Reads::Slowly),
    (METRICS, Sends::Endlessly, Reads::Nothing),
    (LIVEZ, Sends::Endlessly, Reads::Nothing),
    (EVENTS, Sends::Once, Reads::Nothing),
];

// === impl Client ===

impl Client {
    /// Connects again and again.
    async fn run(
        self,
        address: SocketAddr,
        connected: Arc<watch::Sender<usize>>,
        mut ticks: watch::Receiver<usize>,
    ) {
        loop {
            let socket = TcpSocket::new_v4().unwrap();
            socket.set_recv_buffer_size(2048).unwrap();
            if let Ok(stream) = socket.connect(address).await {
                connected.send_modify(|count| *count += 1);
                // However it ends, the next connection follows.
                _ = self.use_connection(stream, &mut ticks).await;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Sends and reads until the server closes the connection.
    async fn use_connection(
        self,
        stream: TcpStream,
        ticks: &mut watch::Receiver<usize>,
    ) -> io::Result<()> {
        let (mut reader, mut writer) = stream.into_split();
        let many = self.sends.repeat(100);
        let sending = async {
            writer.write_all(self.sends.as_bytes()).await?;
            match self.how_often {
                // The client does not close its side.
                Sends::Once => pending::<io::Result<()>>().await,
                Sends::Endlessly => loop {
                    writer.write_all(many.as_bytes()).await?;
                },
            }
        };
        let reading = async {
            match self.reads {
                Reads::All => _ = reader.read_to_end(&mut Vec::new()).await?,
                Reads::Nothing => pending().await,
                Reads::Slowly => {
                    while reader.read_u8().await.is_ok() {
                        ticks.changed().await.map_err(io::Error::other)?;
                    }
                }
            }
            Ok(())
        };
        tokio::select! {
            ended = sending => ended,
            ended = reading => ended,
        }
    }
}

/// Permits the process to open a socket for each client and each connection of the server.
fn raise_the_limit_of_files() {
    let needed = 4 * CLIENTS as u64;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < needed) {
        let raised = Rlimit {
            current: limit
                .maximum
                .map_or(Some(needed), |most| Some(most.min(needed))),
            maximum: limit.maximum,
        };
        setrlimit(Resource::Nofile, raised).unwrap();
    }
}

/// D-09. The clients have a thread of their own, as if they were elsewhere.
#[tokio::test]
async fn d09_the_probes_are_answered_beside_a_thousand_clients_that_do_not_read() {
    raise_the_limit_of_files();
    let cluster = Cluster::start().await;
    let factory = cluster.factory();
    let _maps = factory.informer::<ConfigMap>();
    let debug = Service::new(&factory).token("a token");
    let debug = debug.registry(Arc::new(large_registry()));
    sync(&factory).await;
    for (sends, how_often, reads) in ABUSES {
        let abuse = Client {
            sends,
            how_often,
            reads,
        };
        let open = debug.serve("0.0.0.0:0").await.unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], open.port()));
        let (connected, mut connections) = watch::channel(0);
        let connected = Arc::new(connected);
        let (tick, ticks) = watch::channel(0);
        let clients = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        for _ in 0..CLIENTS {
            clients.spawn(abuse.run(address, Arc::clone(&connected), ticks.clone()));
        }
        let all = connections.wait_for(|count| *count >= CLIENTS);
        within("the clients", all).await.unwrap();
        for probe in 0..PROBES {
            for path in ["/livez", "/readyz"] {
                let what = format!("{path} beside {abuse:?}, try {probe}");
                let answered = timeout(PROMPT, get(address, path)).await;
                let (status, body) = answered.expect(&what);
                assert_eq!(status, 200, "{what}: {body}");
            }
            tick.send_replace(probe);
        }
        clients.shutdown_background();
    }
    within("the end", factory.shutdown()).await;
    cluster.server.shutdown().await;
}

/// Returns a registry whose page is larger than the buffers of a connection.
fn large_registry() -> Registry {
    let mut registry = Registry::default();
    let series = Family::<[(&str, String); 1], Counter>::default();
    registry.register("series", "Many", series.clone());
    for number in 0..20_000 {
        let labels = [("number", number.to_string())];
        series.get_or_create(&labels).inc();
    }
    registry
}
