//! The values of options that are more than a word.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

use crate::index::Index;

/// Which of the built-in kinds to generate for; single ones are added with [`Config::built_in`](crate::Config::built_in).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum BuiltIns {
    /// Only those added by name.
    #[default]
    None,
    /// Those in versions like `v1` and `v2`.
    Stable,
    /// All, alpha and beta versions too.
    All,
}

/// Files, and the Rust module that belongs to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifests {
    /// A file, a directory or a glob.
    pub pattern: String,
    /// Absolute path of a Rust module, or `dynamic`; `None` if none is given.
    pub module: Option<String>,
}

/// A name and what it is mapped to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The name.
    pub key: String,
    /// What it is mapped to.
    pub value: String,
}

/// An index, and the kind that it is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexOf {
    /// Such as `v1/Pod`.
    pub kind: String,
    /// What it is over, and how it is named.
    pub index: Index,
}

/// An answer to discovery that is not in a file.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// What messages call it.
    pub(crate) origin: PathBuf,
    pub(crate) text: String,
    /// It adds kinds, whose types are in this module.
    pub(crate) kinds: Option<Manifests>,
}

/// Manifests that are not in a file.
#[derive(Clone, Debug)]
pub(crate) struct ManifestText {
    pub(crate) text: String,
    /// What messages call it, and the module of its types.
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
    /// An empty module is none.
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
