//! Peers to measure, each used as its documentation shows.

mod informer;
mod kube;

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use ::kube::Config;
use ::kube::core::ApiResource;

pub(crate) use self::informer::InformerFollower;
pub(crate) use self::kube::{KubeFollower, KubeObject};
use crate::Result;
use crate::control::Lookups;
use crate::progress::Tally;
use crate::world::Kind;

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
    /// This crate's `SharedInformer` with `Tiered` storage, in a factory with a memory budget.
    Tiered,
    /// This crate's `SharedInformer` of `DynamicObject`s.
    Dynamic,
    /// kube-runtime's `watcher` and `reflector`.
    Kube,
    /// client-go's `SharedInformer`, in a separate program.
    ClientGo,
    /// Reads the first list and decodes nothing.
    Bytes,
}

/// Options of a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options {
    /// Requests protobuf.
    pub(crate) protobuf: bool,
    /// Runs on mimalloc instead of the system's allocator.
    pub(crate) mimalloc: bool,
}

/// Cache that follows the server.
pub(crate) trait Follower: Sized {
    /// Starts a cache of each resource, with one client.
    fn start_all(
        server: SocketAddr,
        resources: &[ApiResource],
        options: Options,
    ) -> Result<Vec<Self>>;

    /// Waits until the cache contains the first list and the consumer has received it.
    async fn synced(&mut self) -> Result<()>;

    /// Waits until the cache contains the second list, which has this version.
    async fn relisted(&mut self, version: &str) -> Result<()>;

    /// Returns the counter of the consumer's notifications since the start.
    fn tally(&self) -> &Tally;

    /// Returns the number of cached objects.
    fn len(&self) -> usize;

    /// Returns a reader of the cache, and adds the reader's index.
    fn reader(&self, lookups: &Lookups) -> Result<impl Reader>;
}

/// Reader of a cache, usable from any thread.
pub(crate) trait Reader: Send + Sync + 'static {
    /// Gets the object with the namespace and name at position `at` of all.
    fn get(&self, at: usize) -> bool;

    /// Gets the same object and reads one of its fields.
    fn get_field(&self, at: usize) -> bool;

    /// Reads that field without owning the object, or returns `None` if the peer cannot do that.
    fn borrow(&self, _at: usize) -> Option<bool> {
        None
    }

    /// Lists the objects that have the label, or returns `None` if there is no label.
    fn list_selected(&self) -> Option<usize>;

    /// Lists the Pods of a node by an index, or returns `None` if the peer has no indices.
    fn list_of_node(&self, node: &str) -> Option<usize>;

    /// Visits the Pods of a node by an index without owning them, or returns `None` if the peer
    /// cannot do that.
    fn visit_of_node(&self, _node: &str) -> Option<usize> {
        None
    }
}

const JSON: Options = options(false, false);
const JSON_MIMALLOC: Options = options(false, true);
pub(crate) const PROTOBUF: Options = options(true, false);
const PROTOBUF_MIMALLOC: Options = options(true, true);

const fn options(protobuf: bool, mimalloc: bool) -> Options {
    Options { protobuf, mimalloc }
}

/// Baseline of the comparison.
pub(crate) const BASE: &str = "kube-runtime";

// === impl Peer ===

impl Peer {
    /// All peers, in the order of the table.
    pub(crate) const ALL: [Self; 12] = [
        peer(BASE, Program::Kube, JSON),
        peer("client-go", Program::ClientGo, JSON),
        peer("client-go/protobuf", Program::ClientGo, PROTOBUF),
        peer("typed", Program::Typed, JSON),
        peer("typed/mimalloc", Program::Typed, JSON_MIMALLOC),
        peer("typed/protobuf", Program::Typed, PROTOBUF),
        peer("typed/protobuf-mimalloc", Program::Typed, PROTOBUF_MIMALLOC),
        peer("packed", Program::Packed, JSON),
        peer("packed/protobuf", Program::Packed, PROTOBUF),
        peer("tiered", Program::Tiered, JSON),
        peer("dynamic", Program::Dynamic, JSON),
        peer("bytes/protobuf", Program::Bytes, PROTOBUF),
    ];

    /// Returns the name in tables.
    pub(crate) fn title(&self) -> String {
        let library = match self.program {
            Program::Typed => "informer Typed",
            Program::Packed => "informer Packed",
            Program::Tiered => "informer Tiered",
            Program::Dynamic => "informer DynamicObject",
            Program::Kube => "kube-runtime",
            Program::ClientGo => "client-go",
            Program::Bytes => "reading the bytes",
        };
        let Options { protobuf, mimalloc } = self.options;
        let encoding = if protobuf { "protobuf" } else { "JSON" };
        let allocator = if mimalloc { ", mimalloc" } else { "" };
        format!("{library}, {encoding}{allocator}")
    }

    /// Reports whether the peer is an informer of this crate.
    pub(crate) fn is_informer(&self) -> bool {
        matches!(
            self.program,
            Program::Typed | Program::Packed | Program::Tiered | Program::Dynamic
        )
    }

    /// Reports whether the peer is measured in worlds of this kind. Built-in kinds have
    /// protobuf.
    pub(crate) fn measures(&self, kind: Kind, are_built_in: bool) -> bool {
        let Options { protobuf, mimalloc } = self.options;
        match (kind, self.program) {
            (_, Program::ClientGo) => protobuf == are_built_in,
            (_, Program::Tiered) => kind == Kind::File && are_built_in,
            (Kind::Types, program) => !protobuf && !mimalloc && program != Program::Packed,
            (_, Program::Dynamic) => false,
            (Kind::Sustained, program) => program == Program::Typed,
            _ => are_built_in || !(protobuf || mimalloc),
        }
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
pub(crate) fn config(server: SocketAddr) -> Result<Config> {
    Ok(Config::new(format!("http://{server}").parse()?))
}
