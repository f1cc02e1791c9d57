//! Types of option values.

use std::convert::Infallible;
use std::str::FromStr;

use crate::index::Index;

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

/// Files, and the Rust module of their types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifests {
    /// File, directory or glob.
    pub pattern: String,
    /// Absolute path of a Rust module, or `dynamic`. `None` if not set.
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

/// Index of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexOf {
    /// Kind, such as `v1/Pod`.
    pub kind: String,
    /// Source and settings of the index.
    pub index: Index,
}

/// Relation of a kind: [`Owns`](crate::Owns), [`Reference`](crate::Reference) or
/// [`Selects`](crate::Selects).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationOf<T> {
    /// Kind, such as `example.com/v1/Foo`.
    pub kind: String,
    /// Related kind, and the settings of the relation.
    pub relation: T,
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
    pub(super) fn new(key: &str, value: &str) -> Self {
        Self {
            key: key.to_owned(),
            value: value.to_owned(),
        }
    }
}

impl FromStr for Pair {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((key, value)) if !key.is_empty() && !value.is_empty() => Ok(Self::new(key, value)),
            _ => Err("expected a name and a value with `=` between them"),
        }
    }
}

// === impl IndexOf ===

impl FromStr for IndexOf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Pair { key, value } = text.parse()?;
        Ok(Self {
            kind: key,
            index: value.parse()?,
        })
    }
}

// === impl RelationOf ===

impl<T: FromStr<Err = String>> FromStr for RelationOf<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Pair { key, value } = text.parse()?;
        Ok(Self {
            kind: key,
            relation: value.parse()?,
        })
    }
}
