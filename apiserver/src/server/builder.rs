//! How a server is set up.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::load::Preload;
use crate::config::{Config, MAX_WATCH};

/// Settings of an [`ApiServer`](crate::ApiServer), checked when it starts.
///
/// Made by [`ApiServer::builder`](crate::ApiServer::builder).
#[derive(Debug)]
#[must_use = "a builder does nothing until `start`"]
pub struct Builder {
    pub(crate) bind: SocketAddr,
    pub(crate) host_names: Vec<String>,
    pub(crate) max_connections: usize,
    pub(crate) event_window: usize,
    pub(crate) garbage_collection: bool,
    pub(crate) config: Config,
    pub(crate) tokens: Vec<(String, Vec<String>)>,
    #[cfg(feature = "persist")]
    pub(crate) persist: Option<std::path::PathBuf>,
    #[cfg(feature = "tls")]
    pub(crate) tls: bool,
    #[cfg(feature = "tls")]
    pub(crate) certificates: Vec<(String, Vec<String>)>,
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
            garbage_collection: true,
            config: Config {
                bookmark_interval: Duration::from_secs(60),
                watch_timeout: Duration::from_secs(30 * 60),
                max_page: None,
                limit_at_zero: false,
                sharding: false,
                managed_fields: false,
                request_log: 10_000,
                hosts: None,
                create_namespaces: false,
            },
            preload: Vec::new(),
            tokens: Vec::new(),
            #[cfg(feature = "persist")]
            persist: None,
            #[cfg(feature = "tls")]
            tls: false,
            #[cfg(feature = "tls")]
            certificates: Vec::new(),
        }
    }
}

impl Builder {
    /// The address to listen on. Default: a free port of 127.0.0.1.
    ///
    /// Without a [token](Self::token) the server serves everybody who reaches the address.
    pub fn bind(mut self, address: SocketAddr) -> Self {
        self.bind = address;
        self
    }

    /// Answers to requests for this host too, which another name of loopback or a proxy makes
    /// necessary, and has it in the certificate of [TLS](Self::tls). Default: the names and addresses
    /// of loopback alone, so that no page that a browser shows can use a server without credentials;
    /// a server that is bound to another address answers to all.
    ///
    /// Other requests, and writes of pages of other hosts (`Origin`), are answered with 421.
    pub fn host_name(mut self, name: impl Into<String>) -> Self {
        self.host_names.push(name.into());
        self
    }

    /// The most connections at once. Default: 10,000, at least one. Further ones are taken when
    /// others have ended, which those without a request do after two minutes.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections.max(1);
        self
    }

    /// How many events of all resources together are remembered for watches to resume from and
    /// for lists to stay consistent with. Default: 10,000. What is older answers `410 Expired`.
    pub fn event_window(mut self, events: usize) -> Self {
        self.event_window = events;
        self
    }

    /// How often a watch that allows bookmarks gets one. Default: 60 seconds, at least one
    /// millisecond, at most a year. One more is sent two seconds before the watch times out, or after half of
    /// its time if it is shorter than four seconds.
    pub fn bookmark_interval(mut self, interval: Duration) -> Self {
        self.config.bookmark_interval = interval.clamp(Duration::from_millis(1), MAX_WATCH);
        self
    }

    /// How long a watch lasts that asks for no `timeoutSeconds`. Default: 30 minutes. At most a year,
    /// which is also the most that a watch can ask for.
    pub fn watch_timeout(mut self, timeout: Duration) -> Self {
        self.config.watch_timeout = timeout.min(MAX_WATCH);
        self
    }

    /// The most items in one answer to a list, whatever it asks for. Default: no such limit.
    pub fn max_page(mut self, items: usize) -> Self {
        self.config.max_page = Some(items.max(1));
        self
    }

    /// Whether `limit` counts in a list at resourceVersion "0". Default: no, as in a server that
    /// answers such lists from its cache.
    pub fn limit_at_version_zero(mut self, counts: bool) -> Self {
        self.config.limit_at_zero = counts;
        self
    }

    /// Whether lists and watches know `shardSelector` and lists answer with `shardInfo`, as in a
    /// server with the feature gate `ShardedListAndWatch`. Default: no, which ignores the parameter;
    /// the feature is alpha in Kubernetes 1.36 and 1.37.
    pub fn sharded_list_and_watch(mut self, enabled: bool) -> Self {
        self.config.sharding = enabled;
        self
    }

    /// Whether `metadata.managedFields` are kept of every object that a client creates, as in the
    /// real server (feature `openapi`, which has the schemas for it). Default: only of an object
    /// that was applied, was created under an explicit `fieldManager`, or brings managers with it.
    ///
    /// The default leaves objects as short as they were written, and their writes as cheap. Who
    /// applies to an object that nobody was recorded for finds its fields with the manager
    /// `before-first-apply`.
    pub fn managed_fields(mut self, always: bool) -> Self {
        self.config.managed_fields = always;
        self
    }

    /// How many requests [`Control::requests`](crate::Control::requests) remembers. Default:
    /// 10,000, at least one.
    pub fn request_log(mut self, requests: usize) -> Self {
        self.config.request_log = requests.max(1);
        self
    }

    /// Whether creating an object in a namespace that does not exist creates the namespace.
    /// Default: no, it answers 404 as the real server does.
    pub fn create_namespaces(mut self, create: bool) -> Self {
        self.config.create_namespaces = create;
        self
    }

    /// Knows a user by the bearer token `name`, which is also the user's name, in these groups and
    /// in `system:authenticated`. A name like `system:serviceaccount:ns:name` is that of a service
    /// account. Default: none.
    ///
    /// With the first token, RBAC decides: another token answers 401, no token is
    /// `system:anonymous`, and who has no role may look at discovery and no more. Roles and
    /// bindings are created as objects. `ApiServer::client` and what else has no `as` in its
    /// name are of the group `system:masters` then, which may do everything.
    pub fn token<G: Into<String>>(
        mut self,
        name: impl Into<String>,
        groups: impl IntoIterator<Item = G>,
    ) -> Self {
        let groups = groups.into_iter().map(Into::into).collect();
        self.tokens.push((name.into(), groups));
        self
    }

    /// Speaks TLS (feature `tls`): the server makes an authority and a certificate for `localhost`
    /// and its address, which clients of `ApiServer::client` and
    /// [kubeconfigs](crate::ApiServer::kubeconfig) know. Default: no.
    #[cfg(feature = "tls")]
    pub fn tls(mut self) -> Self {
        self.tls = true;
        self
    }

    /// Knows a user by a client certificate (feature `tls`), which
    /// [`ApiServer::client_certificate`](crate::ApiServer::client_certificate) has: `name` is its common name, and the user is in these
    /// groups, the first of which is its organization. Speaks [TLS](Self::tls), and has RBAC decide
    /// as [`token`](Self::token) does.
    #[cfg(feature = "tls")]
    pub fn client_certificate<G: Into<String>>(
        mut self,
        name: impl Into<String>,
        groups: impl IntoIterator<Item = G>,
    ) -> Self {
        let groups = groups.into_iter().map(Into::into).collect();
        self.certificates.push((name.into(), groups));
        self.tls()
    }

    /// Keeps objects and their versions in the file at `path` (feature `persist`), which is made if
    /// it is not there: a server that starts with it later goes on from there. What the builder
    /// was given and the file has already stays as it is in the file. Default: memory only.
    ///
    /// Writes are answered before they are on disk; [`ApiServer::shutdown`](crate::ApiServer::shutdown) loses none of them, a
    /// crash loses the last moments. Events are not kept: a watch or list from before the restart
    /// answers 410, unless nothing has changed since.
    #[cfg(feature = "persist")]
    pub fn persist(mut self, path: impl Into<std::path::PathBuf>) -> Self {
        self.persist = Some(path.into());
        self
    }

    /// Whether `ownerReferences` are followed: dependents go with their owners, and
    /// `propagationPolicy` counts. Default: yes. What comes with a DELETE has happened when it is
    /// answered. Without, owners go at once and dependents stay, as in a cluster without
    /// controllers.
    ///
    /// Objects that [`object`](Self::object) or [`Control`](crate::Control) puts there may name
    /// owners that do not exist; those that clients write are collected then, as in a cluster.
    pub fn garbage_collection(mut self, follow_owners: bool) -> Self {
        self.garbage_collection = follow_owners;
        self
    }

    /// Starts with this `CustomResourceDefinition`, for example `Foo::crd()` of a derived type.
    /// Definitions and [objects](Self::object) are created in the order in which they are given.
    pub fn crd(self, definition: &impl Serialize) -> Self {
        self.object(definition)
    }

    /// Whether somebody was made known, so that roles decide.
    pub(crate) fn has_users(&self) -> bool {
        #[cfg(feature = "tls")]
        if !self.certificates.is_empty() {
            return true;
        }
        !self.tokens.is_empty()
    }

    /// Starts with this object; a `List` stands for its items. `status` is kept as it is.
    pub fn object(mut self, object: &impl Serialize) -> Self {
        self.preload.push(match serde_json::to_value(object) {
            Ok(document) => Preload::Document(document),
            Err(error) => Preload::Unserializable(error.to_string()),
        });
        self
    }

    /// Starts with this object, as [`object`](Self::object), without copying it: for many.
    pub fn document(mut self, object: Value) -> Self {
        self.preload.push(Preload::Document(object));
        self
    }

    /// Starts with the objects in this file of JSON: one document, one after the other, or lists, as
    /// `kubectl get -o json` and the API write them. It is read as a stream when the server starts,
    /// and may be large.
    pub fn load(mut self, path: impl Into<std::path::PathBuf>) -> Self {
        self.preload.push(Preload::File(path.into()));
        self
    }
}
