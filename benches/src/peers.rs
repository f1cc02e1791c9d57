//! Peers to measure, each used as its documentation shows.

mod informer;
mod kube;
mod projection;

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use ::kube::Config;

pub(crate) use self::informer::InformerFollower;
pub(crate) use self::kube::KubeFollower;
pub(crate) use self::projection::PodSummary;
use crate::Result;
use crate::progress::Tally;

/// Peer to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Peer {
    /// Name on the command line.
    pub(crate) name: &'static str,
    pub(crate) program: Program,
    pub(crate) options: Options,
}

/// Implementation of a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    /// This crate's `SharedInformer` with `Typed` storage.
    Typed,
    /// This crate's `SharedInformer` with `Packed` storage.
    Packed,
    /// This crate's `SharedInformer` with `Typed` storage and a type with a few of a Pod's fields.
    Projection,
    /// kube-runtime's `watcher` and `reflector`.
    Kube,
    /// client-go's `SharedInformer`, in a separate program.
    ClientGo,
}

/// Options of a peer.
#[expect(
    clippy::struct_excessive_bools,
    reason = "the options are independent of each other"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options {
    /// Uses a streaming list (KEP-3157) instead of pages.
    pub(crate) streaming: bool,
    /// Requests protobuf.
    pub(crate) protobuf: bool,
    /// Keeps `managedFields`. informer drops them by default, the other peers keep them.
    pub(crate) managed_fields: bool,
    /// Field to cut out of the bytes.
    pub(crate) without: Option<&'static str>,
    /// Runs on mimalloc instead of the system's allocator.
    pub(crate) mimalloc: bool,
}

/// Cache that follows the server.
pub(crate) trait Follower {
    /// Waits until the cache contains the first list and the consumer has received it.
    async fn synced(&mut self) -> Result<()>;

    /// Waits until the cache contains the second list, which has this version.
    async fn relisted(&mut self, version: &str) -> Result<()>;

    /// Returns the counter of the consumer's notifications since the start.
    fn tally(&self) -> &Tally;

    /// Returns the number of cached objects.
    fn len(&self) -> usize;

    /// Returns a reader of the cache, and adds the reader's index.
    fn reader(&self) -> Result<impl Reader>;
}

/// Reader of a cache, usable from any thread.
pub(crate) trait Reader: Send + Sync + 'static {
    /// Gets the object with the name at position `at` of all names.
    fn get(&self, at: usize) -> bool;

    /// Lists the Pods of the app `web`, a fifth of all Pods, by their labels.
    fn list_selected(&self) -> usize;

    /// Lists the Pods of a node by an index, or returns `None` if the peer has no indices.
    fn list_of_node(&self, node: &str) -> Option<usize>;
}

/// Label of the selector.
pub(crate) const APP_LABEL: &str = "app.kubernetes.io/name";
pub(crate) const APP: &str = "web";

const DEFAULT: Options = Options {
    streaming: false,
    protobuf: false,
    managed_fields: false,
    without: None,
    mimalloc: false,
};
const STREAMING: Options = Options {
    streaming: true,
    ..DEFAULT
};
const MIMALLOC: Options = Options {
    mimalloc: true,
    ..DEFAULT
};
const PROTOBUF: Options = Options {
    protobuf: true,
    ..DEFAULT
};
const WHOLE: Options = Options {
    managed_fields: true,
    ..DEFAULT
};

/// Baseline of the comparison.
pub(crate) const BASE: &str = "kube-runtime";

// === impl Peer ===

impl Peer {
    /// All peers, in the order of the table.
    pub(crate) const ALL: [Self; 21] = [
        peer(BASE, Program::Kube, WHOLE),
        peer(
            "kube-runtime/streaming",
            Program::Kube,
            Options {
                streaming: true,
                ..WHOLE
            },
        ),
        peer("kube-runtime/no-managed-fields", Program::Kube, DEFAULT),
        peer(
            "kube-runtime/mimalloc",
            Program::Kube,
            Options {
                mimalloc: true,
                ..WHOLE
            },
        ),
        peer("client-go", Program::ClientGo, WHOLE),
        peer(
            "client-go/streaming",
            Program::ClientGo,
            Options {
                streaming: true,
                ..WHOLE
            },
        ),
        peer(
            "client-go/protobuf",
            Program::ClientGo,
            Options {
                protobuf: true,
                ..WHOLE
            },
        ),
        peer(
            "client-go/protobuf-streaming",
            Program::ClientGo,
            Options {
                protobuf: true,
                streaming: true,
                ..WHOLE
            },
        ),
        peer("typed", Program::Typed, DEFAULT),
        peer("typed/streaming", Program::Typed, STREAMING),
        peer("typed/mimalloc", Program::Typed, MIMALLOC),
        peer("typed/managed-fields", Program::Typed, WHOLE),
        peer(
            "typed/no-status",
            Program::Typed,
            Options {
                without: Some("status"),
                ..DEFAULT
            },
        ),
        peer("typed/protobuf", Program::Typed, PROTOBUF),
        peer(
            "typed/protobuf-mimalloc",
            Program::Typed,
            Options {
                protobuf: true,
                ..MIMALLOC
            },
        ),
        peer("packed", Program::Packed, DEFAULT),
        peer("packed/streaming", Program::Packed, STREAMING),
        peer("packed/mimalloc", Program::Packed, MIMALLOC),
        peer("packed/protobuf", Program::Packed, PROTOBUF),
        peer("projection", Program::Projection, DEFAULT),
        peer("projection/protobuf", Program::Projection, PROTOBUF),
    ];

    /// Returns the name in tables.
    pub(crate) fn title(&self) -> String {
        let (library, how) = self.name.split_once('/').unwrap_or((self.name, ""));
        let library = match self.program {
            Program::Typed => "informer Typed",
            Program::Packed => "informer Packed",
            Program::Projection => "informer projection",
            Program::Kube | Program::ClientGo => library,
        };
        let how: Vec<&str> = [if self.options.protobuf { "" } else { "JSON" }]
            .into_iter()
            .chain([how])
            .filter(|part| !part.is_empty())
            .collect();
        format!("{library}, {}", how.join(", ").replace('-', " "))
    }

    /// Returns the reason why this program cannot measure the peer, if so.
    pub(crate) fn lacks(&self) -> Option<&'static str> {
        let is_ours = match self.program {
            Program::Typed | Program::Packed | Program::Projection => true,
            Program::Kube | Program::ClientGo => false,
        };
        (is_ours && self.options.protobuf && informer::protobuf().is_none())
            .then_some("this informer does not support protobuf")
    }
}

const fn peer(name: &'static str, program: Program, options: Options) -> Peer {
    Peer {
        name,
        program,
        options,
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl FromStr for Peer {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let found = Self::ALL.into_iter().find(|peer| peer.name == text);
        found.ok_or_else(|| format!("one of {}", Self::ALL.map(|peer| peer.name).join(", ")))
    }
}

/// Returns the configuration of a client without credentials for the replay server.
fn config(server: SocketAddr) -> Result<Config> {
    Ok(Config::new(format!("http://{server}").parse()?))
}
