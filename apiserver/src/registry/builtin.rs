//! Built-in kinds, which `kinds.txt` lists and explains.

use super::rules::{Generation, KeptByStatus, Rules};

/// One built-in kind in one version.
#[derive(Debug)]
pub(crate) struct BuiltIn {
    /// Empty for the core group.
    pub(crate) group: &'static str,
    pub(crate) version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) plural: &'static str,
    traits: Vec<&'static str>,
}

/// Operations that a kind offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offers {
    Everything,
    /// `get` and `list` only: `ComponentStatus`.
    Reads,
    /// `create` only, and nothing is stored: reviews.
    Reviews,
}

/// Returns every built-in kind, in the order of discovery.
pub(crate) fn built_in() -> impl Iterator<Item = BuiltIn> {
    include_str!("kinds.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let api_version = words.next()?;
            let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
            Some(BuiltIn {
                group,
                version,
                kind: words.next()?,
                plural: words.next()?,
                traits: words.collect(),
            })
        })
}

// === impl BuiltIn ===

impl BuiltIn {
    /// Reports whether the kind has a trait: `namespaced`, `status`, ..
    pub(crate) fn is(&self, what: &str) -> bool {
        self.traits.contains(&what)
    }

    /// Returns the kind's names with this prefix: `short:`, `category:`.
    pub(crate) fn names(&self, of: &str) -> Vec<String> {
        self.values(of).map(str::to_owned).collect()
    }

    fn values(&self, of: &str) -> impl Iterator<Item = &'static str> {
        self.traits
            .iter()
            .filter_map(move |name| name.strip_prefix(of))
    }

    pub(crate) fn rules(&self) -> Rules {
        Rules {
            generation: self.generation(),
            kept_by_status: match self.values("status-keeps:").next() {
                None => KeptByStatus::Nothing,
                Some("metadata") => KeptByStatus::Metadata,
                Some(field) => KeptByStatus::Field(field),
            },
            put_creates: self.is("put-creates"),
            put_needs_version: self.is("put-versions"),
            returns_deleted: self.is("returns-deleted"),
        }
    }

    fn generation(&self) -> Generation {
        match self.values("counts:").next() {
            Some("nothing") => Generation::One,
            Some("late") => Generation::Late,
            Some(field) => Generation::CountedWith(field),
            None if self.is("generations") => Generation::Counted,
            None => Generation::Given,
        }
    }

    /// Returns the warning for requests to a deprecated version.
    pub(crate) fn deprecation(&self) -> Option<String> {
        let Self {
            group,
            version,
            kind,
            ..
        } = self;
        let slash = if group.is_empty() { "" } else { "/" };
        let start = format!("{group}{slash}{version} {kind} is deprecated ");
        include_str!("deprecations.txt")
            .lines()
            .find(|warning| warning.starts_with(&start))
            .map(str::to_owned)
    }

    pub(crate) fn offers(&self) -> Offers {
        if self.is("read-only") {
            Offers::Reads
        } else if self.is("review") {
            Offers::Reviews
        } else {
            Offers::Everything
        }
    }
}
