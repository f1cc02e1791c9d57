//! The server itself: start, address and clients, shutdown.

pub(crate) mod builder;
mod connections;
mod error;
mod first;
mod kubeconfig;
mod load;

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use self::connections::Acceptor;
pub use self::error::StartError;
use self::first::create_first;
use crate::api::state::ServerState;
use crate::api::write::create_namespace;
use crate::auth::{Access, first_objects};
use crate::control::Control;
#[cfg(feature = "tls")]
use crate::http::tls::Tls;
use crate::server::builder::Builder;
use crate::server::load::load;
use crate::shared::Shared;

/// Namespaces that every cluster has.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// An API server on a loopback port, inside this process.
///
/// Dropping the server stops it without waiting; [`shutdown`](Self::shutdown) waits.
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
    connections: Acceptor,
}

// === impl ApiServer ===

impl ApiServer {
    /// Returns the default settings of a new server.
    pub fn builder() -> Builder {
        Builder::default()
    }

    async fn start(builder: Builder) -> Result<Self, StartError> {
        let address = builder.bind;
        let bind = |source| StartError::Bind { address, source };
        let mut state = ServerState::new(builder.event_window);
        for namespace in NAMESPACES {
            create_namespace(&mut state, namespace).map_err(StartError::Create)?;
        }
        let mut config = builder.config;
        let is_local = address.ip().to_canonical().is_loopback();
        config.hosts = is_local.then(|| builder.host_names.clone());
        #[cfg(feature = "tls")]
        let tls = if builder.tls {
            let tls = Tls::new(address.ip(), &builder.host_names)
                .map_err(|error| StartError::Tls(error.to_string()))?;
            Some(Arc::new(tls))
        } else {
            None
        };
        let access = (!builder.tokens.is_empty()).then(|| Access::new(&builder.tokens));
        let listener = TcpListener::bind(address).await.map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        let shared = Arc::new(Shared::new(config, access, state));
        let control = Control::new(Arc::clone(&shared));
        create_first(&control, address).map_err(StartError::Create)?;
        if shared.access.is_some() {
            for object in first_objects() {
                control.load(object).map_err(StartError::Create)?;
            }
        }
        for preload in builder.preload {
            load(&control, preload).await?;
        }
        let limit = Semaphore::new(builder.max_connections.min(Semaphore::MAX_PERMITS));
        let connections = Acceptor {
            limit: Arc::new(limit),
            stop: shared.shutdown.child_token(),
            shared: Arc::clone(&shared),
            tasks: TaskTracker::new(),
            #[cfg(feature = "tls")]
            tls,
        };
        let server = Self {
            address,
            shared,
            connections,
        };
        server.accept(listener);
        Ok(server)
    }

    fn accept(&self, listener: TcpListener) {
        let tasks = &self.connections.tasks;
        tasks.spawn(self.connections.clone().accept(listener));
        tasks.close();
    }

    /// Closes the listener and cuts all connections, as a crash does. The objects, their versions
    /// and the history of watches stay. [`listen`](Self::listen) ends the outage.
    ///
    /// # Cancel safety
    ///
    /// Cancelling stops the waiting, not the outage.
    pub async fn stop_listening(&self) {
        self.connections.stop.cancel();
        self.connections.tasks.wait().await;
    }

    /// Listens again on the same address, with the same objects, after
    /// [`stop_listening`](Self::stop_listening).
    ///
    /// # Errors
    ///
    /// If the address is in use.
    ///
    /// # Cancel safety
    ///
    /// After a cancellation the server listens, or it does not.
    pub async fn listen(&mut self) -> Result<(), StartError> {
        let address = self.address;
        let bind = |source| StartError::Bind { address, source };
        self.stop_listening().await;
        let listener = TcpListener::bind(address).await.map_err(bind)?;
        self.connections.stop = self.shared.shutdown.child_token();
        self.connections.tasks = TaskTracker::new();
        self.accept(listener);
        Ok(())
    }

    /// Returns the address that the server listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the server's URL: `http://127.0.0.1:port`, or `https://127.0.0.1:port` with TLS.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme(), self.address)
    }

    #[cfg_attr(
        not(feature = "tls"),
        expect(clippy::unused_self, reason = "the receiver is used with TLS only")
    )]
    fn scheme(&self) -> &'static str {
        #[cfg(feature = "tls")]
        if self.connections.tls.is_some() {
            return "https";
        }
        "http"
    }

    /// Returns an administrator's client configuration (feature `client`), without kube's own
    /// retries, which would hide injected faults.
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
        if let Some(tls) = &self.connections.tls {
            config.root_cert = Some(vec![tls.authority_der.clone()]);
        }
        if let Some(access) = &self.shared.access {
            config.auth_info.token = Some(access.admin.clone().into());
        }
        config
    }

    /// Returns a client configuration (feature `client`) with the bearer token `token`. A token
    /// that [`Builder::token`] did not register is answered with 401.
    #[cfg(feature = "client")]
    #[must_use]
    pub fn kube_config_as(&self, token: &str) -> kube::Config {
        let mut config = self.kube_config();
        config.auth_info.token = Some(token.to_owned().into());
        config
    }

    /// Creates a client (feature `client`) with the bearer token `token`, in the namespace
    /// `default`.
    ///
    /// # Errors
    ///
    /// If kube cannot build a client; the configuration itself causes no error.
    #[cfg(feature = "client")]
    pub fn client_as(&self, token: &str) -> Result<kube::Client, kube::Error> {
        kube::Client::try_from(self.kube_config_as(token))
    }

    /// Creates an administrator's client (feature `client`), in the namespace `default`.
    ///
    /// # Errors
    ///
    /// If kube cannot build a client; the configuration itself causes no error.
    #[cfg(feature = "client")]
    pub fn client(&self) -> Result<kube::Client, kube::Error> {
        kube::Client::try_from(self.kube_config())
    }

    /// Returns the control of this server, with which tests inspect the state and inject faults.
    #[must_use]
    pub fn control(&self) -> Control {
        Control::new(Arc::clone(&self.shared))
    }

    /// Ends watches cleanly, gives responses in flight up to two seconds to finish, and waits until
    /// every task has ended.
    ///
    /// # Cancel safety
    ///
    /// Cancelling stops the waiting, not the shutdown.
    pub async fn shutdown(self) {
        self.stop();
        self.connections.tasks.wait().await;
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

// === impl Builder ===

impl Builder {
    /// Binds the address, creates the given objects, and serves until the server is shut down or
    /// dropped.
    ///
    /// # Errors
    ///
    /// If the address cannot be bound, a file cannot be read, or an object cannot be created.
    ///
    /// # Cancel safety
    ///
    /// Cancelling releases everything that the start has allocated.
    pub async fn start(self) -> Result<ApiServer, StartError> {
        ApiServer::start(self).await
    }
}
