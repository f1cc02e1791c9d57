//! Types of option values.

use std::convert::Infallible;
use std::str::FromStr;

/// Word in place of a type for untyped objects.
pub(crate) const DYNAMIC: &str = "dynamic";

/// Word in place of a module for generated types.
pub(crate) const WRITTEN: &str = "types";

/// Class of built-in kinds to generate. [`Config::built_in`](crate::Config::built_in) adds single
/// kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum BuiltIns {
    /// Only kinds added by name.
    #[default]
    None,
    /// Kinds in versions like `v1` and `v2`.
    Stable,
    /// All kinds, including alpha and beta versions.
    All,
}

/// Rust types of the kinds of manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Types<'m> {
    /// Types that are generated too, from the schemas and with kopium's names: the kind `BGPPeer` of
    /// `example.com/v1` becomes `example::v1::bgp_peer::BgpPeer` in the generated module. They need
    /// `kube` with its feature `derive`, `k8s-openapi`, `serde` and `serde_json`. The objects of a kind
    /// without a schema are kube's `DynamicObject`s.
    Generated,
    /// kube's `DynamicObject`.
    Dynamic,
    /// Types of your own: for the kind `Foo`, the type `Foo` in this module, such as `crate::api`.
    In(&'m str),
}

/// Files, and the Rust module of their types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifests {
    /// File, directory or glob.
    pub pattern: String,
    /// Absolute path of a Rust module, or `dynamic`, or `types`. `None` if not set.
    pub module: Option<String>,
}

/// Name with the value that it is mapped to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Name.
    pub key: String,
    /// Value.
    pub value: String,
}

/// Declaration of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindOf {
    /// Kind, such as `v1/Pod`.
    pub kind: String,
    /// Declaration, in the language of `#[informer(..)]`.
    pub declaration: String,
}

/// Manifests that are not in a file.
#[derive(Clone, Debug)]
pub(crate) struct ManifestText {
    pub(crate) text: String,
    /// Name of the manifests in messages, and the module of their types.
    pub(crate) source: Manifests,
}

// === impl BuiltIns ===

impl BuiltIns {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Stable => "stable",
            Self::All => "all",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        let all = [Self::None, Self::Stable, Self::All];
        all.into_iter().find(|which| which.name() == name)
    }
}

// === impl Types ===

impl<'m> Types<'m> {
    /// Returns the module, or the word in its place.
    pub(super) fn word(self) -> &'m str {
        match self {
            Self::Generated => WRITTEN,
            Self::Dynamic => DYNAMIC,
            Self::In(module) => module,
        }
    }
}

/// Reads the words of the command line: `types` or nothing, `dynamic`, or a module.
impl<'m> From<&'m str> for Types<'m> {
    fn from(word: &'m str) -> Self {
        match word {
            "" | WRITTEN => Self::Generated,
            DYNAMIC => Self::Dynamic,
            module => Self::In(module),
        }
    }
}

// === impl Manifests ===

impl Manifests {
    /// Creates the value. An empty module counts as none.
    pub(super) fn new(pattern: &str, module: &str) -> Self {
        Self {
            pattern: pattern.to_owned(),
            module: (!module.is_empty()).then(|| module.to_owned()),
        }
    }
}

impl FromStr for Manifests {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let (pattern, module) = text.rsplit_once('=').unwrap_or((text, ""));
        Ok(Self::new(pattern, module))
    }
}

// === impl Pair ===

impl Pair {
    pub(crate) fn new(key: &str, value: &str) -> Self {
        Self {
            key: key.to_owned(),
            value: value.to_owned(),
        }
    }
}

impl FromStr for Pair {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (key, value) = text.split_once('=').unwrap_or_default();
        if key.is_empty() || value.is_empty() {
            return Err("expected a name and a value with `=` between them");
        }
        Ok(Self::new(key, value))
    }
}

// === impl KindOf ===

impl KindOf {
    pub(crate) fn new(kind: &str, declaration: &str) -> Self {
        Self {
            kind: kind.trim().to_owned(),
            declaration: declaration.to_owned(),
        }
    }
}

impl FromStr for KindOf {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (kind, declaration) = text.split_once(':').unwrap_or_default();
        if kind.trim().is_empty() {
            return Err("expected a kind and a declaration with `:` between them");
        }
        Ok(Self::new(kind, declaration))
    }
}
