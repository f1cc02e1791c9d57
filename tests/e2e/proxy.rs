//! TCP proxy in front of a server, which loses connections on demand.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// State of the connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// Connections reach the server.
    Up,
    /// Existing and new connections are reset.
    Reset,
    /// Existing connections are reset, and new ones are refused.
    Refused,
}

/// Numbers of connections.
#[derive(Default)]
struct Connections {
    accepted: AtomicUsize,
    open: AtomicUsize,
}

/// Proxy on a separate port. Dropping the proxy closes its connections.
pub(crate) struct Proxy {
    address: SocketAddr,
    link: watch::Sender<Link>,
    connections: Arc<Connections>,
    /// Tasks of the connections, which end when the proxy is dropped.
    _tasks: JoinSet<()>,
}

// === impl Proxy ===

impl Proxy {
    /// Starts a proxy to the server of `config`. Returns the proxy with a client configuration that
    /// goes through the proxy.
    pub(crate) async fn start(config: &kube::Config) -> (Self, kube::Config) {
        let url = config.cluster_url.clone().into_parts();
        let authority = url.authority.unwrap();
        let server: SocketAddr = authority.as_str().parse().unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let link = watch::Sender::new(Link::Up);
        let mut tasks = JoinSet::new();
        let connections = Arc::<Connections>::default();
        let numbers = Arc::clone(&connections);
        tasks.spawn(run(listener, address, server, link.subscribe(), numbers));
        let mut through = config.clone();
        let uri = http::Uri::builder().scheme(url.scheme.unwrap());
        through.cluster_url = uri
            .authority(address.to_string())
            .path_and_query("/")
            .build()
            .unwrap();
        let proxy = Self {
            address,
            link,
            connections,
            _tasks: tasks,
        };
        (proxy, through)
    }

    /// Returns the number of connections that clients have opened, those of
    /// [`set`](Self::set) included.
    pub(crate) fn accepted(&self) -> usize {
        self.connections.accepted.load(Ordering::Relaxed)
    }

    /// Returns the number of connections between clients and the server.
    pub(crate) fn open(&self) -> usize {
        self.connections.open.load(Ordering::Relaxed)
    }

    /// Changes the state of the connections, and waits until it applies to new ones.
    pub(crate) async fn set(&self, link: Link) {
        self.link.send_replace(link);
        while (link == Link::Refused) == TcpStream::connect(self.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    }
}

async fn run(
    listener: TcpListener,
    address: SocketAddr,
    server: SocketAddr,
    mut link: watch::Receiver<Link>,
    numbers: Arc<Connections>,
) {
    let mut listener = Some(listener);
    let mut connections = JoinSet::new();
    loop {
        let now = *link.borrow_and_update();
        if now == Link::Refused {
            listener = None;
        }
        let Some(listening) = &listener else {
            link.wait_for(|link| *link != Link::Refused).await.unwrap();
            listener = Some(listen_again(address).unwrap());
            continue;
        };
        tokio::select! {
            changed = link.changed() => changed.unwrap(),
            accepted = listening.accept() => {
                let (client, _) = accepted.unwrap();
                numbers.accepted.fetch_add(1, Ordering::Relaxed);
                if now == Link::Up {
                    connections.spawn(forward(client, server, link.clone(), numbers.clone()));
                } else {
                    reset(&client);
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Binds the port again, which earlier connections may still use in the operating system.
fn listen_again(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(64)
}

async fn forward(
    mut client: TcpStream,
    server: SocketAddr,
    mut link: watch::Receiver<Link>,
    numbers: Arc<Connections>,
) {
    numbers.open.fetch_add(1, Ordering::Relaxed);
    let mut upstream = TcpStream::connect(server).await.unwrap();
    tokio::select! {
        _ended = copy_bidirectional(&mut client, &mut upstream) => {}
        _down = link.wait_for(|link| *link != Link::Up) => reset(&client),
    }
    numbers.open.fetch_sub(1, Ordering::Relaxed);
}

/// Makes the following close a reset.
fn reset(client: &TcpStream) {
    client.set_zero_linger().unwrap();
}
