//! Relations of a kind to other kinds: declarations, and the checked relation that is emitted.
//!
//! [`Relation`] is a declaration, a value without checks. `checked` resolves all names, types and
//! paths of it, or returns an error.

mod checked;

use informer_codegen::emit::type_text;
use informer_codegen::ir::{self, Over};
use informer_codegen::path::Spelling;

pub(crate) use self::checked::checked;
use crate::error::{Error, OptionName};

/// Relation of a kind to a target kind, without checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    pub(crate) verb: Verb,
    /// Kind of the related objects, such as `apps/v1/Deployment`, or a Rust type.
    pub(crate) target: String,
    /// Path to the names or to the selectors.
    pub(crate) path: Option<String>,
    /// `true` if the path leads to a `PodSpec`, which has the names in several places.
    pub(crate) in_pod_spec: bool,
    /// Path to the namespace of a name.
    pub(crate) namespace: Option<String>,
    /// Path to the kind of a name.
    pub(crate) kind: Option<String>,
    /// Spelling of the paths.
    pub(crate) spelling: Spelling,
    /// Name of the related objects, if it differs from the plural of the target.
    pub(crate) accessor: Option<String>,
}

/// Way in which a kind relates to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verb {
    /// Objects of the kind control objects of the target.
    Owns,
    /// Objects of the kind have the names of objects of the target.
    References,
    /// Objects of the kind have selectors of the labels of the target.
    Selects,
}

// === impl Relation ===

impl Relation {
    /// Returns the path, which owners do not have.
    fn path(&self) -> Result<&str, Error> {
        self.path.as_deref().ok_or_else(|| {
            let reason = "needs the path to its name or its selector, as in \
                          `.path(\"spec.name\")`, `path = \"spec.name\"`, `path=spec.name`";
            self.verb.option().refuse(&self.target, reason)
        })
    }

    /// Returns the path of another field of the struct that has the name.
    fn sibling(&self, field: &str) -> String {
        let path = self.path.as_deref().unwrap_or_default();
        match path.rsplit_once('.') {
            Some((parent, _)) => format!("{parent}.{field}"),
            None => field.to_owned(),
        }
    }
}

// === impl Verb ===

impl Verb {
    /// Returns the option that declares such relations.
    pub(crate) const fn option(self) -> OptionName {
        match self {
            Self::Owns => OptionName::Owns,
            Self::References => OptionName::References,
            Self::Selects => OptionName::Selects,
        }
    }
}

/// Formats a checked relation for messages. `of` is the kind that has the relation.
pub(crate) fn shown(relation: &ir::Relation, of: &str) -> String {
    let verb = match &relation.over {
        Over::Owner => "owned",
        Over::Names { .. } => "referenced",
        Over::Selectors { .. } => "selected",
    };
    format!("{verb} `{}` of {of}", type_text(&relation.target))
}
