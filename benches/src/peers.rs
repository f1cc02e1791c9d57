//! Who is measured, and how each is used: as its own documentation shows.

mod informer;
mod kube;

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use ::kube::Config;

pub(crate) use self::informer::InformerFollower;
pub(crate) use self::kube::KubeFollower;
use crate::Result;

/// Who is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    /// This crate's `SharedInformer`.
    Informer(Options),
    /// kube-runtime's `watcher` and `reflector`.
    Kube(Options),
}

/// How it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options {
    /// Streams its list (KEP-3157) instead of paging it.
    pub(crate) streaming: bool,
    /// Whether `managedFields` are kept: not by informer's default, but by kube-runtime's.
    pub(crate) managed_fields: bool,
}

/// A cache that follows the server.
pub(crate) trait Follower {
    /// Waits until the first list is in the cache and was shown to the consumer.
    async fn synced(&mut self) -> Result<()>;

    /// Waits until the second list, which is of this version, was taken in.
    async fn relisted(&mut self, version: &str) -> Result<()>;

    /// Waits until the consumer was shown so many objects since the start.
    async fn notified(&mut self, count: u64);

    /// How many objects the consumer was shown since the start.
    fn notifications(&self) -> u64;

    /// How many objects the cache holds.
    fn len(&self) -> usize;
}

const PAGED: Options = Options {
    streaming: false,
    managed_fields: false,
};
const STREAMING: Options = Options {
    streaming: true,
    ..PAGED
};
const WHOLE: Options = Options {
    managed_fields: true,
    ..PAGED
};

// === impl Peer ===

impl Peer {
    /// All of them; the first is what the others are compared with.
    pub(crate) const ALL: [Self; 6] = [
        Self::Informer(PAGED),
        Self::Informer(STREAMING),
        Self::Informer(WHOLE),
        Self::Kube(WHOLE),
        Self::Kube(Options {
            streaming: true,
            ..WHOLE
        }),
        Self::Kube(PAGED),
    ];
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, options, default) = match self {
            Self::Informer(options) => ("informer", options, PAGED),
            Self::Kube(options) => ("kube-runtime", options, WHOLE),
        };
        f.write_str(name)?;
        if options.streaming {
            f.write_str("/streaming")?;
        }
        if options.managed_fields != default.managed_fields {
            f.write_str(if options.managed_fields {
                "/managed-fields"
            } else {
                "/no-managed-fields"
            })?;
        }
        Ok(())
    }
}

impl FromStr for Peer {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let found = Self::ALL.into_iter().find(|peer| peer.to_string() == text);
        found.ok_or_else(|| {
            format!(
                "one of {}",
                Self::ALL.map(|peer| peer.to_string()).join(", ")
            )
        })
    }
}

/// Where the replay server is, for a client without credentials.
fn config(server: SocketAddr) -> Result<Config> {
    Ok(Config::new(format!("http://{server}").parse()?))
}
