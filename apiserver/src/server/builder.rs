//! Settings of a server.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use serde::Serialize;

use super::load::Preload;
use crate::config::{Config, MAX_WATCH};

/// Settings of an [`ApiServer`](crate::ApiServer), validated when it starts.
///
/// [`ApiServer::builder`](crate::ApiServer::builder) creates a builder.
#[derive(Debug)]
#[must_use = "a builder does nothing until `start`"]
pub struct Builder {
    pub(crate) bind: SocketAddr,
    pub(crate) host_names: Vec<String>,
    pub(crate) max_connections: usize,
    pub(crate) event_window: usize,
    pub(crate) config: Config,
    pub(crate) tokens: Vec<(String, Vec<String>)>,
    #[cfg(feature = "tls")]
    pub(crate) tls: bool,
    pub(crate) preload: Vec<Preload>,
}

// === impl Builder ===

impl Default for Builder {
    fn default() -> Self {
        Self {
            bind: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            host_names: Vec::new(),
            max_connections: 10_000,
            event_window: 10_000,
            config: Config {
                bookmark_interval: Duration::from_secs(60),
                sharding: false,
                managed_fields: false,
                hosts: None,
                create_namespaces: false,
            },
            preload: Vec::new(),
            tokens: Vec::new(),
            #[cfg(feature = "tls")]
            tls: false,
        }
    }
}

impl Builder {
    /// Sets the address to listen on. Default: a free port of 127.0.0.1.
    ///
    /// Without a [token](Self::token) the server serves every client that reaches the address.
    pub fn bind(mut self, address: SocketAddr) -> Self {
        self.bind = address;
        self
    }

    /// Accepts requests for the host `name` as well, for an additional name of loopback or for a
    /// proxy, and adds the name to the certificate of [TLS](Self::tls). Default: only the names and
    /// addresses of loopback, so that a web page in a browser cannot use a server without
    /// credentials (DNS rebinding). A server that is bound to another address accepts all hosts.
    ///
    /// Other requests, and writes by pages of other hosts (`Origin`), are answered with 421.
    pub fn host_name(mut self, name: impl Into<String>) -> Self {
        self.host_names.push(name.into());
        self
    }

    /// Sets the maximum number of open connections. Default: 10,000, at least one. Further
    /// connections wait until others have closed; the server closes a connection after two minutes
    /// without a request.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections.max(1);
        self
    }

    /// Sets the number of events, of all resources together, that the server keeps for watches to
    /// resume from and for consistent paged lists. Default: 10,000. Older positions answer
    /// `410 Expired`.
    pub fn event_window(mut self, events: usize) -> Self {
        self.event_window = events;
        self
    }

    /// Sets the interval of bookmarks in watches that allow them. Default: 60 seconds, at least one
    /// millisecond, at most a year. An additional bookmark is sent two seconds before the watch
    /// times out, or after half of its timeout if the timeout is shorter than four seconds.
    pub fn bookmark_interval(mut self, interval: Duration) -> Self {
        self.config.bookmark_interval = interval.clamp(Duration::from_millis(1), MAX_WATCH);
        self
    }

    /// Enables `shardSelector` in lists and watches and `shardInfo` in lists, as the feature gate
    /// `ShardedListAndWatch` does. Default: `false`, which ignores the parameter. The feature is
    /// alpha in Kubernetes 1.36 and 1.37.
    pub fn sharded_list_and_watch(mut self, enabled: bool) -> Self {
        self.config.sharding = enabled;
        self
    }

    /// Keeps `metadata.managedFields` of every object that a client creates, as the real server
    /// does. Default: `false`, which keeps them only of
    /// an object that was applied, was created with an explicit `fieldManager`, or contains
    /// managers itself.
    ///
    /// With the default, objects stay as short as they were written, and writes stay cheap. An
    /// apply to an object without managers attributes the existing fields to the manager
    /// `before-first-apply`.
    pub fn managed_fields(mut self, always: bool) -> Self {
        self.config.managed_fields = always;
        self
    }

    /// Creates a missing namespace when an object is created in it. Default: `false`, which answers
    /// 404 as the real server does.
    pub fn create_namespaces(mut self, create: bool) -> Self {
        self.config.create_namespaces = create;
        self
    }

    /// Registers a user. `name` is both the bearer token and the user name; the user belongs to the
    /// given groups and to `system:authenticated`. A name such as `system:serviceaccount:ns:name`
    /// is that of a service account. Default: no users.
    ///
    /// The first token enables RBAC. An unknown token answers 401. A request without a token is
    /// `system:anonymous`. A user without a role may read discovery only. Roles and bindings are
    /// created as ordinary objects. `ApiServer::client` and the other methods without `as` in their
    /// name then act in the group `system:masters`, which may do everything.
    pub fn token<G: Into<String>>(
        mut self,
        name: impl Into<String>,
        groups: impl IntoIterator<Item = G>,
    ) -> Self {
        let groups = groups.into_iter().map(Into::into).collect();
        self.tokens.push((name.into(), groups));
        self
    }

    /// Enables TLS (feature `tls`). The server creates a certificate authority, and a certificate
    /// for `localhost` and its address. Clients of `ApiServer::client` and
    /// [kubeconfigs](crate::ApiServer::kubeconfig) trust the authority. Default: disabled.
    #[cfg(feature = "tls")]
    pub fn tls(mut self) -> Self {
        self.tls = true;
        self
    }

    /// Creates this object at start; a `List` stands for its items. `status` is kept as given.
    ///
    /// Objects and [files](Self::load) are created in the given order: first a definition such as
    /// `Foo::crd()` of a derived type, then its objects.
    pub fn object(mut self, object: &impl Serialize) -> Self {
        self.preload.push(match serde_json::to_value(object) {
            Ok(document) => Preload::Document(document),
            Err(error) => Preload::Unserializable(error.to_string()),
        });
        self
    }

    /// Creates the objects of this file at start: YAML or JSON; one document, several in sequence,
    /// or lists, as `kubectl get -o json` and the API write them.
    pub fn load(mut self, path: impl Into<std::path::PathBuf>) -> Self {
        self.preload.push(Preload::File(path.into()));
        self
    }
}
