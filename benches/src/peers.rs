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
use crate::world::{Kind, World};

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
    /// kube-runtime's `watcher` and `reflector`.
    Kube,
    /// client-go's `SharedInformer`, in a separate program.
    ClientGo,
    /// Reads the first list and decodes nothing.
    Bytes,
}

/// Options of a peer. Peers are compared that have the same ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent options of a library"
)]
pub(crate) struct Options {
    /// Requests protobuf.
    pub(crate) protobuf: bool,
    /// Runs on mimalloc instead of the system's allocator.
    pub(crate) mimalloc: bool,
    /// Keeps `metadata.managedFields`, as the other libraries do by default and informer does not.
    pub(crate) whole: bool,
    /// Reads the first list as a watch (`WatchList`) instead of pages.
    pub(crate) streaming: bool,
    /// Has no type of the objects at compile time.
    pub(crate) dynamic: bool,
}

/// Cache that follows the server.
pub(crate) trait Follower: Sized {
    /// Starts a cache of each resource, with one client.
    fn start_all(
        server: SocketAddr,
        resources: &[ApiResource],
        world: &World,
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

    /// Returns a reader of the cache, and adds an index of the nodes.
    fn reader(&self, lookups: &Lookups) -> Result<impl Reader>;
}

/// Reader of a cache, usable from any thread.
///
/// It has the namespaces and names of all objects in a random order, as the library takes them, with
/// texts that were allocated in that order. So a call of the library is measured, and not the cache
/// misses of looking its arguments up.
pub(crate) trait Reader: Send + Sync + 'static {
    /// Gets the object whose name is at position `at`.
    fn get(&self, at: usize) -> bool;

    /// Gets the same object and reads one of its fields.
    fn get_field(&self, at: usize) -> bool;

    /// Reads that field without owning the object, or returns `None` if the peer cannot do that.
    fn borrow(&self, _at: usize) -> Option<bool> {
        None
    }

    /// Lists the objects that have the label by testing all, or returns `None` if there is no label.
    fn list_selected(&self) -> Option<usize>;

    /// Adds an index of the label. Returns a list of the objects that have the label by this index,
    /// or `None` if there is no label or the peer has no indices.
    fn index_label(&self) -> Result<Option<impl Fn() -> usize>> {
        Ok(None::<fn() -> usize>)
    }

    /// Lists the Pods of a node by an index, or returns `None` if the peer has no indices.
    fn list_of_node(&self, node: &str) -> Option<usize>;

    /// Visits the Pods of a node by an index without owning them, or returns `None` if the peer
    /// cannot do that.
    fn visit_of_node(&self, _node: &str) -> Option<usize> {
        None
    }
}

/// Options that informer has by default, and that careful users of the other libraries choose.
const JSON: Options = Options {
    protobuf: false,
    mimalloc: false,
    whole: false,
    streaming: false,
    dynamic: false,
};
pub(crate) const PROTOBUF: Options = Options {
    protobuf: true,
    ..JSON
};

/// Baseline of the comparison.
pub(crate) const BASE: &str = "kube-runtime/stripped";

// === impl Options ===

impl Options {
    const fn mimalloc(self) -> Self {
        Self {
            mimalloc: true,
            ..self
        }
    }

    const fn whole(self) -> Self {
        Self {
            whole: true,
            ..self
        }
    }

    const fn streaming(self) -> Self {
        Self {
            streaming: true,
            ..self
        }
    }

    const fn dynamic(self) -> Self {
        Self {
            dynamic: true,
            ..self
        }
    }
}

// === impl Peer ===

impl Peer {
    /// All peers, in the order of the table.
    pub(crate) const ALL: [Self; 25] = [
        peer("kube-runtime", Program::Kube, JSON.whole()),
        peer(BASE, Program::Kube, JSON),
        peer(
            "kube-runtime/stripped-mimalloc",
            Program::Kube,
            JSON.mimalloc(),
        ),
        peer(
            "kube-runtime/stripped-streaming",
            Program::Kube,
            JSON.streaming(),
        ),
        peer(
            "kube-runtime/stripped-dynamic",
            Program::Kube,
            JSON.dynamic(),
        ),
        peer("client-go/stripped", Program::ClientGo, JSON),
        peer(
            "client-go/stripped-dynamic",
            Program::ClientGo,
            JSON.dynamic(),
        ),
        peer("client-go/protobuf", Program::ClientGo, PROTOBUF.whole()),
        peer("client-go/protobuf-stripped", Program::ClientGo, PROTOBUF),
        peer(
            "client-go/protobuf-stripped-streaming",
            Program::ClientGo,
            PROTOBUF.streaming(),
        ),
        peer("typed", Program::Typed, JSON),
        peer("typed/mimalloc", Program::Typed, JSON.mimalloc()),
        peer("typed/whole", Program::Typed, JSON.whole()),
        peer("typed/streaming", Program::Typed, JSON.streaming()),
        peer("typed/protobuf", Program::Typed, PROTOBUF),
        peer(
            "typed/protobuf-mimalloc",
            Program::Typed,
            PROTOBUF.mimalloc(),
        ),
        peer("typed/protobuf-whole", Program::Typed, PROTOBUF.whole()),
        peer(
            "typed/protobuf-streaming",
            Program::Typed,
            PROTOBUF.streaming(),
        ),
        peer("packed", Program::Packed, JSON),
        peer("packed/protobuf", Program::Packed, PROTOBUF),
        peer(
            "packed/protobuf-streaming",
            Program::Packed,
            PROTOBUF.streaming(),
        ),
        peer("tiered", Program::Tiered, JSON),
        peer("tiered/protobuf", Program::Tiered, PROTOBUF),
        peer("dynamic", Program::Typed, JSON.dynamic()),
        peer("bytes/protobuf", Program::Bytes, PROTOBUF),
    ];

    /// Returns the position in [`ALL`](Self::ALL).
    pub(crate) fn position(&self) -> Option<usize> {
        Self::ALL.iter().position(|peer| peer == self)
    }

    /// Returns the name in tables.
    pub(crate) fn title(&self) -> String {
        let library = match self.program {
            Program::Typed if self.options.dynamic => "informer DynamicObject",
            Program::Typed => "informer Typed",
            Program::Packed => "informer Packed",
            Program::Tiered => "informer Tiered",
            Program::Kube if self.options.dynamic => "kube-runtime DynamicObject",
            Program::Kube => "kube-runtime",
            Program::ClientGo if self.options.dynamic => "client-go dynamic",
            Program::ClientGo => "client-go",
            Program::Bytes => "reading the bytes",
        };
        let Options {
            protobuf,
            mimalloc,
            whole,
            streaming,
            dynamic: _,
        } = self.options;
        let encoding = if protobuf { "protobuf" } else { "JSON" };
        let mut title = format!("{library}, {encoding}");
        for (is_set, option) in [
            (mimalloc, "mimalloc"),
            (whole, "with managedFields"),
            (streaming, "streaming list"),
        ] {
            if is_set {
                title.push_str(", ");
                title.push_str(option);
            }
        }
        title
    }

    /// Reports whether the peer is an informer of this crate.
    pub(crate) fn is_informer(&self) -> bool {
        matches!(
            self.program,
            Program::Typed | Program::Packed | Program::Tiered
        )
    }

    /// Reports whether figures of this peer and of a `base` are of the same work: the same encoding,
    /// fields, types and kind of list, and of programs in Rust the same allocator.
    pub(crate) fn is_like(&self, base: &Self) -> bool {
        let has_own_allocator = matches!(base.program, Program::ClientGo | Program::Bytes);
        let alike = Options {
            mimalloc: if has_own_allocator {
                self.options.mimalloc
            } else {
                base.options.mimalloc
            },
            ..base.options
        };
        self.options == alike
    }

    /// Reports whether the peers are alike but for `metadata.managedFields`, with which each does what
    /// its library does by default: `base` keeps them, and this informer does not.
    pub(crate) fn has_defaults_beside(&self, base: &Self) -> bool {
        base.options.whole
            && self.options
                == Options {
                    whole: false,
                    ..base.options
                }
    }

    /// Reports whether the peer is measured in worlds of this kind. Built-in kinds have protobuf,
    /// and types in every program.
    pub(crate) fn measures(&self, kind: Kind, are_built_in: bool) -> bool {
        let Options {
            protobuf,
            mimalloc,
            whole,
            streaming,
            dynamic,
        } = self.options;
        let has_encoding = if self.program == Program::ClientGo {
            protobuf == are_built_in
        } else {
            are_built_in || !protobuf
        };
        let has_kind = match (kind, self.program) {
            (Kind::Types, program) => {
                matches!(program, Program::Typed | Program::Kube | Program::ClientGo)
            }
            (Kind::Sustained, program) => matches!(program, Program::Typed | Program::ClientGo),
            (_, Program::Tiered) => are_built_in,
            _ => true,
        };
        let is_large = are_built_in && kind.is_sized();
        has_encoding
            && has_kind
            && (are_built_in || !mimalloc)
            && (!are_built_in || !dynamic)
            && (is_large || !(whole || streaming))
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
        Self::ALL
            .into_iter()
            .find(|peer| peer.name == text)
            .ok_or_else(|| {
                let names = Self::ALL.map(|peer| peer.name);
                format!("one of {}", names.join(", "))
            })
    }
}

/// Returns the configuration of a client without credentials for the replay server.
pub(crate) fn config(server: SocketAddr) -> Result<Config> {
    Ok(Config::new(format!("http://{server}").parse()?))
}

#[cfg(test)]
mod tests;
