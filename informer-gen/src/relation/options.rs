//! Options that declare relations: [`Owns`], [`Reference`] and [`Selects`].

use std::str::FromStr;

use informer_codegen::path::Spelling;

use super::{Relation, Verb};

/// Kind of objects that the objects of another kind control, by owner references.
///
/// [`Config::owns`](crate::Config::owns) takes everything that converts into an `Owns`. A string is
/// a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owns(Relation);

/// Reference of a kind to another: a field with the name of the related object.
///
/// ```
/// use informer_gen::{Config, Reference};
///
/// let config = Config::new()
///     .built_in("v1", "ConfigMap")
///     .references(
///         "v1/ConfigMap",
///         Reference::to("v1/Secret").path("metadata.annotations['example.com/secret']"),
///     );
/// # let text = config.render()?.into_values().next().unwrap_or_default();
/// # assert!(text.contains("by_secret:"));
/// # Ok::<(), informer_gen::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference(Relation);

/// Selection of the objects of another kind by their labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selects(Relation);

/// Option that declares a relation.
pub(crate) trait Declaration: Sized {
    const VERB: Verb;

    fn new(relation: Relation) -> Self;

    fn relation(&self) -> &Relation;

    fn parse(text: &str) -> Result<Self, String> {
        parse(Self::VERB, text).map(Self::new)
    }
}

// === impl Owns ===

impl Owns {
    /// Creates the relation to the owned objects of `kind`: a generated or built-in kind, such as
    /// `apps/v1/Deployment`, or a Rust type, such as `crate::api::Foo`.
    #[must_use]
    pub fn of(kind: &str) -> Self {
        Self(Relation::new(Verb::Owns, kind))
    }

    /// Names the owned objects, in the plural. The default is the plural of the type: `deployments`
    /// for `Deployment`.
    #[must_use]
    pub fn accessor(mut self, name: &str) -> Self {
        self.0.accessor = Some(name.to_owned());
        self
    }
}

impl From<&str> for Owns {
    fn from(kind: &str) -> Self {
        Self::of(kind)
    }
}

// === impl Reference ===

impl Reference {
    /// Creates a reference to objects of `kind`: a generated or built-in kind, such as `v1/Secret`,
    /// or a Rust type, such as `crate::api::Foo`. A reference needs a [path](Self::path).
    #[must_use]
    pub fn to(kind: &str) -> Self {
        Self(Relation::new(Verb::References, kind))
    }

    /// Sets the path of the names in JSON spelling, such as `spec.tls.secretName`. Paths are those
    /// of indices, see [`Index::path`](crate::Index::path).
    #[must_use]
    pub fn path(mut self, path: &str) -> Self {
        self.0.set_path(path, Spelling::Json);
        self
    }

    /// Sets the path of the names in Rust spelling, such as `spec.tls.secret_name`. See
    /// [`Index::rust_path`](crate::Index::rust_path).
    #[must_use]
    pub fn rust_path(mut self, path: &str) -> Self {
        self.0.set_path(path, Spelling::Rust);
        self
    }

    /// Sets the path of the namespace, in the spelling of the path. By default a referenced object
    /// is in the namespace of the object that refers to it.
    #[must_use]
    pub fn namespace(mut self, path: &str) -> Self {
        self.0.namespace = Some(path.to_owned());
        self
    }

    /// Sets the path of the kind, in the spelling of the path. Names of objects of another kind are
    /// ignored.
    #[must_use]
    pub fn kind(mut self, path: &str) -> Self {
        self.0.kind = Some(path.to_owned());
        self
    }

    /// Names the referenced objects, in the plural. The default is the plural of the type:
    /// `secrets`, and `by_secret` for the method of the lister. `pull_secrets` gives
    /// `by_pull_secrets`.
    ///
    /// References to one kind under one name are a single relation.
    #[must_use]
    pub fn accessor(mut self, name: &str) -> Self {
        self.0.accessor = Some(name.to_owned());
        self
    }
}

// === impl Selects ===

impl Selects {
    /// Creates a selection of objects of `kind`: a generated or built-in kind, such as `v1/Pod`, or
    /// a Rust type, such as `crate::api::Foo`. A selection needs a [path](Self::path).
    #[must_use]
    pub fn of(kind: &str) -> Self {
        Self(Relation::new(Verb::Selects, kind))
    }

    /// Sets the path of the selectors in JSON spelling, such as `spec.selector`. It ends at a
    /// `LabelSelector` or at a map of labels.
    #[must_use]
    pub fn path(mut self, path: &str) -> Self {
        self.0.set_path(path, Spelling::Json);
        self
    }

    /// Sets the path of the selectors in Rust spelling. It ends at a `LabelSelector` or at a map of
    /// labels.
    #[must_use]
    pub fn rust_path(mut self, path: &str) -> Self {
        self.0.set_path(path, Spelling::Rust);
        self
    }

    /// Names the selected objects, in the plural. The default is the plural of the type, and
    /// `selecting` for the method of the lister. `backends` gives `selecting_backends`.
    #[must_use]
    pub fn accessor(mut self, name: &str) -> Self {
        self.0.accessor = Some(name.to_owned());
        self
    }
}

/// Implements the option and its command-line form.
macro_rules! declaration {
    ($name:ident, $verb:ident, $form:literal) => {
        impl Declaration for $name {
            const VERB: Verb = Verb::$verb;

            fn new(relation: Relation) -> Self {
                Self(relation)
            }

            fn relation(&self) -> &Relation {
                &self.0
            }
        }

        #[doc = concat!("Parses the command-line form: ", $form, ".")]
        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text)
            }
        }
    };
}

declaration!(Owns, Owns, "`apps/v1/Deployment,accessor=deploys`");
declaration!(
    Reference,
    References,
    "`v1/Secret:spec.tls.secretName`, `v1/Secret,rust-path=spec.tls.secret_name,accessor=certificates`"
);
declaration!(Selects, Selects, "`v1/Pod:spec.selector`");

/// Parses a target, optionally with a path, and then settings.
fn parse(verb: Verb, text: &str) -> Result<Relation, String> {
    let mut parts = text.split(',').map(str::trim);
    let (target, path) = split(parts.next().unwrap_or_default());
    let mut relation = Relation::new(verb, target);
    if let Some(path) = path {
        relation.set("path", path)?;
    }
    for part in parts {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        relation.set(name, value)?;
    }
    Ok(relation)
}

/// Splits at the first colon that is not part of a Rust path.
fn split(text: &str) -> (&str, Option<&str>) {
    let mut colons = text.match_indices(':').map(|(at, _)| at);
    let is_single = |at: &usize| {
        let (before, after) = text.split_at(*at);
        !before.ends_with(':') && !after.starts_with("::")
    };
    let found = colons
        .find(is_single)
        .and_then(|at| text.split_at_checked(at));
    match found {
        Some((target, path)) => (target, path.strip_prefix(':')),
        None => (text, None),
    }
}
