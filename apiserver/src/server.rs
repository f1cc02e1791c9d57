//! The server: accepts connections, serves them, ends them.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;

use crate::access::{self, Access, User};
use crate::config::Builder;
use crate::control::Control;
use crate::http::handle;
use crate::load::{load, unless_known};
#[cfg(feature = "persist")]
use crate::persist::{self, Journal, Store};
use crate::shared::Shared;
use crate::state::State;
use crate::status::ApiError;

/// How long a connection may take to finish its answer once the server is to end.
const GRACE: Duration = Duration::from_secs(2);

/// The namespaces that every cluster has.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// An API server on a loopback port, inside this process.
///
/// Dropping it stops it without waiting; [`shutdown`](Self::shutdown) waits.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = informer_apiserver::ApiServer::builder().start().await?;
/// let client = server.client()?;
/// assert!(client.apiserver_version().await?.git_version.starts_with("v1.37"));
/// server.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ApiServer {
    address: SocketAddr,
    pub(crate) shared: Arc<Shared>,
    tasks: TaskTracker,
    #[cfg(feature = "persist")]
    store: Option<Arc<Store>>,
}

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address is taken or not ours.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// A file of objects cannot be read, or is not JSON.
    #[error("cannot load {}", path.display())]
    Load {
        /// The file that was given.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A given object or definition is not one.
    #[error("cannot serialize a given object: {0}")]
    Serialize(String),
    /// The file of a persistent server is not one, or in use.
    #[error("cannot use the file {}", path.display())]
    Persist {
        /// The file that was asked for.
        path: PathBuf,
        /// What the store says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Keys or certificates cannot be made.
    #[error("cannot set up TLS: {0}")]
    Tls(String),
    /// A given object or definition was refused.
    #[error("cannot create a given object")]
    Create(#[source] ApiError),
}

// === impl ApiServer ===

impl ApiServer {
    /// The settings of a new server.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) async fn start(builder: Builder) -> Result<Self, StartError> {
        let address = builder.bind;
        let bind = |source| StartError::Bind { address, source };
        let mut state = State::new(builder.event_window, builder.create_namespaces);
        state.collector.enabled = builder.garbage_collection;
        #[cfg(feature = "persist")]
        let store = match &builder.persist {
            Some(path) => {
                let failed = |source| StartError::Persist {
                    path: path.clone(),
                    source,
                };
                let store = Store::open(path).map_err(failed)?;
                state.journal = Some(Journal::default());
                if let Some((revision, rows)) = store.read().map_err(failed)? {
                    state.restore(revision, rows);
                }
                Some(Arc::new(store))
            }
            None => None,
        };
        for namespace in NAMESPACES {
            unless_known(state.create_namespace(namespace))?;
        }
        let has_users = builder.has_users();
        let mut config = builder.config;
        #[cfg(feature = "tls")]
        if builder.tls {
            let tls = crate::tls::Tls::new(address.ip(), &builder.certificates);
            let tls = tls.map_err(|error| StartError::Tls(error.to_string()))?;
            config.tls = Some(Arc::new(tls));
        }
        let mut first = Vec::new();
        if has_users {
            config.access = Some(Access::new(&builder.tokens));
            first = access::first_objects();
        }
        let shared = Arc::new(Shared::new(config, state));
        let control = Control::new(Arc::clone(&shared));
        for object in first {
            unless_known(control.load(object))?;
        }
        #[cfg(feature = "persist")]
        let restored = store.is_some();
        #[cfg(not(feature = "persist"))]
        let restored = false;
        for preload in builder.preload {
            load(&shared, preload, restored).await?;
        }
        let listener = TcpListener::bind(address).await.map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        let tasks = TaskTracker::new();
        tasks.spawn(accept(listener, Arc::clone(&shared), tasks.clone()));
        #[cfg(feature = "persist")]
        if let Some(store) = &store {
            tasks.spawn(persist::keep(Arc::clone(store), Arc::clone(&shared)));
        }
        tasks.close();
        Ok(Self {
            address,
            shared,
            tasks,
            #[cfg(feature = "persist")]
            store,
        })
    }

    /// The address it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where clients find it: `http://127.0.0.1:port`, with TLS `https://127.0.0.1:port`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme(), self.address)
    }

    #[cfg_attr(
        not(feature = "tls"),
        expect(clippy::unused_self, reason = "without TLS there is one")
    )]
    fn scheme(&self) -> &'static str {
        #[cfg(feature = "tls")]
        if self.shared.config.tls.is_some() {
            return "https";
        }
        "http"
    }

    /// A client configuration for it (feature `client`), without kube's own retries, so that faults show.
    #[cfg(feature = "client")]
    #[must_use]
    pub fn kube_config(&self) -> kube::Config {
        let authority = self.address.to_string();
        let url = http::Uri::builder()
            .scheme(self.scheme())
            .authority(authority)
            .path_and_query("/")
            .build()
            .unwrap_or_default();
        let mut config = kube::Config::new(url);
        config.default_retry = false;
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.shared.config.tls {
            config.root_cert = Some(vec![tls.authority_der.clone()]);
        }
        if let Some(access) = &self.shared.config.access {
            config.auth_info.token = Some(access.admin.clone().into());
        }
        config
    }

    /// A client configuration (feature `client`) with the bearer token `token`, as
    /// [`Builder::token`] made one known, or as nobody has.
    #[cfg(feature = "client")]
    #[must_use]
    pub fn kube_config_as(&self, token: &str) -> kube::Config {
        let mut config = self.kube_config();
        config.auth_info.token = Some(token.to_owned().into());
        config
    }

    /// A client (feature `client`) with the bearer token `token`, in the namespace `default`.
    ///
    /// # Errors
    ///
    /// If kube cannot build one; the configuration gives no cause.
    #[cfg(feature = "client")]
    pub fn client_as(&self, token: &str) -> Result<kube::Client, kube::Error> {
        kube::Client::try_from(self.kube_config_as(token))
    }

    /// A client for it (feature `client`), in the namespace `default`.
    ///
    /// # Errors
    ///
    /// If kube cannot build one; the configuration gives no cause.
    #[cfg(feature = "client")]
    pub fn client(&self) -> Result<kube::Client, kube::Error> {
        kube::Client::try_from(self.kube_config())
    }

    /// The side of it that tests look at and turn.
    #[must_use]
    pub fn control(&self) -> Control {
        Control::new(Arc::clone(&self.shared))
    }

    /// Ends watches cleanly, finishes answers for up to two seconds, and waits until every task
    /// has ended.
    ///
    /// # Cancel safety
    ///
    /// Cancelling stops the waiting, not the shutdown.
    pub async fn shutdown(self) {
        self.stop();
        self.tasks.wait().await;
        // What the last answers have changed.
        #[cfg(feature = "persist")]
        if let Some(store) = &self.store {
            persist::flush(store, &self.shared).await;
        }
    }

    fn stop(&self) {
        self.shared.shutdown.cancel();
        self.shared.watches.close();
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Takes connections until the server is to end.
async fn accept(listener: TcpListener, shared: Arc<Shared>, tasks: TaskTracker) {
    loop {
        let accepted = tokio::select! {
            () = shared.shutdown.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                tasks.spawn(greet(stream, Arc::clone(&shared)));
            }
            // Out of file descriptors, for example: others may be freed meanwhile.
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// How long a client may take to agree on TLS.
#[cfg(feature = "tls")]
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Agrees with the client on how to speak, then serves it.
async fn greet(stream: TcpStream, shared: Arc<Shared>) {
    // Events are small and must not wait for each other.
    let _ = stream.set_nodelay(true);
    #[cfg(feature = "tls")]
    if let Some(tls) = shared.config.tls.clone() {
        let accept = tokio::time::timeout(HANDSHAKE, tls.acceptor().accept(stream));
        let accepted = tokio::select! {
            () = shared.shutdown.cancelled() => return,
            accepted = accept => accepted,
        };
        match accepted {
            Ok(Ok(stream)) => {
                let user = tls.user(stream.get_ref().1);
                serve(stream, user, shared).await;
            }
            Ok(Err(error)) => tracing::debug!(%error, "no agreement on TLS"),
            Err(_) => tracing::debug!("no agreement on TLS in time"),
        }
        return;
    }
    serve(stream, None, shared).await;
}

/// Serves one connection until it, or the server, ends.
async fn serve<S>(stream: S, peer: Option<User>, shared: Arc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(|request| handle(Arc::clone(&shared), peer.clone(), request));
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shared.shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            match tokio::time::timeout(GRACE, connection).await {
                Ok(ended) => ended,
                Err(_) => return,
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "connection ended");
    }
}
