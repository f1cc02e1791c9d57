//! Relations of a kind to other kinds: the options, and the checked relation that is emitted.
//!
//! [`Owns`], [`Reference`] and [`Selects`] are the options. They have a [`Relation`], a value
//! without checks. `checked` resolves all names, types and paths of it, or returns an error.

mod checked;
mod options;
#[cfg(test)]
mod tests;

use informer_codegen::emit::type_text;
use informer_codegen::ir::{self, Over};
use informer_codegen::path::Spelling;

pub(crate) use self::checked::checked;
pub(crate) use self::options::Declaration;
pub use self::options::{Owns, Reference, Selects};
use crate::error::{Error, OptionName};
use crate::suggest;

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
    pub(crate) fn new(verb: Verb, target: &str) -> Self {
        Self {
            verb,
            target: target.to_owned(),
            path: None,
            in_pod_spec: false,
            namespace: None,
            kind: None,
            spelling: Spelling::Json,
            accessor: None,
        }
    }

    fn set_path(&mut self, path: &str, spelling: Spelling) {
        self.path = Some(path.to_owned());
        self.spelling = spelling;
    }

    /// Sets a setting by its name.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let has_path = self.verb != Verb::Owns;
        let is_reference = self.verb == Verb::References;
        match name {
            "accessor" => self.accessor = Some(value.to_owned()),
            "path" | "rust-path" if has_path && self.path.is_some() => {
                return Err(format!(
                    "`{}` takes one path, found another: `{value}`",
                    self.verb.name()
                ));
            }
            "path" if has_path => self.set_path(value, Spelling::Json),
            "rust-path" if has_path => self.set_path(value, Spelling::Rust),
            "namespace" if is_reference => self.namespace = Some(value.to_owned()),
            "kind" if is_reference => self.kind = Some(value.to_owned()),
            _ => return Err(self.unknown(name)),
        }
        Ok(())
    }

    /// Returns the error for a setting that the verb does not have.
    fn unknown(&self, name: &str) -> String {
        let known: &[&str] = match self.verb {
            Verb::Owns => &["accessor"],
            Verb::References => &["path", "rust-path", "namespace", "kind", "accessor"],
            Verb::Selects => &["path", "rust-path", "accessor"],
        };
        let verb = self.verb.name();
        let suggestion = suggest::nearest(name, known.iter().map(|name| (*name).to_owned()));
        if suggestion.0.is_some() {
            return format!("`{verb}` has no setting `{name}`{suggestion}");
        }
        format!(
            "`{verb}` has no setting `{name}`; it has `{}`",
            known.join("`, `")
        )
    }

    /// Returns the path, which owners do not have.
    fn path(&self) -> Result<&str, Error> {
        self.path.as_deref().ok_or_else(|| {
            let reason = "needs a path, as in `.path(\"spec.name\")`, `path = \"spec.name\"`, \
                          `path=spec.name`";
            self.verb.option().refuse(&self.target, reason)
        })
    }

    /// Returns the path of another field of the struct that has the name.
    pub(crate) fn sibling(&self, field: &str) -> String {
        let path = self.path.as_deref().unwrap_or_default();
        match path.rsplit_once('.') {
            Some((parent, _)) => format!("{parent}.{field}"),
            None => field.to_owned(),
        }
    }
}

// === impl Verb ===

impl Verb {
    /// Returns the name of the setting.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Owns => "owns",
            Self::References => "references",
            Self::Selects => "selects",
        }
    }

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
