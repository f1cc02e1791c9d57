//! Indices: the option, and the checked index that is emitted.
//!
//! [`Index`] is the option, a value without checks. `checked` resolves all names and types of it,
//! or returns an error.

mod checked;

use std::str::FromStr;

use informer_codegen::path::Spelling;

pub(crate) use self::checked::{checked, is_same, order};

/// Index of a kind: its source, its name, and the type of its values.
///
/// [`Config::index`](crate::Config::index) takes everything that converts into an `Index`. A string
/// is a path in JSON spelling.
///
/// ```
/// use informer_gen::{Config, Index};
///
/// let config = Config::new()
///     .built_in("v1", "Pod")
///     .index("v1/Pod", "spec.nodeName")
///     .index("v1/Pod", Index::label("app").named("by_application"))
///     .index("v1/Pod", Index::path("status.podIP").unique())
///     .index("v1/Pod", Index::owner_of("apps/v1/ReplicaSet"));
/// # let text = config.render()?.into_values().next().unwrap_or_default();
/// # assert!(text.contains("first by_pod_ip("));
/// # Ok::<(), informer_gen::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    over: Over,
    /// Name of the method, if it differs from the default of `over`.
    name: Option<String>,
    /// Type of the values, if they are not strings.
    value: Option<String>,
    unique: bool,
}

/// Source of the values of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Over {
    Path(String, Spelling),
    Label(String),
    Annotation(String),
    /// Owner of any kind, or of one kind: `apps/v1/Deployment`, or a Rust type.
    Owner(Option<String>),
    /// Path of a function.
    With(String),
}

// === impl Index ===

impl Index {
    /// Creates an index of the values at a path in JSON spelling, such as `spec.nodeName`,
    /// `metadata.labels['app']` or `spec.selector['app']`. The method is `by_` and the last field
    /// or key.
    ///
    /// `['key']` selects the value of a key in any map with string keys. The path may lead into
    /// `metadata` and into built-in kinds, whose Rust fields are known. For other types use a [Rust
    /// path](Self::rust_path). Paths traverse wrappers of fields, such as `Option` and `Vec`,
    /// implicitly.
    #[must_use]
    pub fn path(path: &str) -> Self {
        Self::over(Over::Path(path.to_owned(), Spelling::Json))
    }

    /// Creates an index of the values at a path in Rust spelling, such as `spec.deployment_name` or
    /// `spec.parameters['tier']`, in any type. The method is `by_` and the last field or key.
    ///
    /// serde's attributes do not matter, and rustc reports fields that do not exist.
    #[must_use]
    pub fn rust_path(path: &str) -> Self {
        Self::over(Over::Path(path.to_owned(), Spelling::Rust))
    }

    /// Creates an index of the value of a label.
    #[must_use]
    pub fn label(key: &str) -> Self {
        Self::over(Over::Label(key.to_owned()))
    }

    /// Creates an index of the value of an annotation.
    #[must_use]
    pub fn annotation(key: &str) -> Self {
        Self::over(Over::Annotation(key.to_owned()))
    }

    /// Creates an index of the UID of the controlling owner, of any kind. The method is
    /// `by_owner_uid`.
    #[must_use]
    pub fn owner() -> Self {
        Self::over(Over::Owner(None))
    }

    /// Creates an index of the key of the controlling owner, if the owner is of `kind`, in any
    /// version. `kind` is a generated or built-in kind, such as `apps/v1/Deployment`, or a Rust
    /// type, such as `crate::api::Foo`. The method is `by_owner`.
    #[must_use]
    pub fn owner_of(kind: &str) -> Self {
        Self::over(Over::Owner(Some(kind.to_owned())))
    }

    /// Creates an index of the results of a function `fn(&K) -> Vec<String>`, by its path, such as
    /// `crate::domains`. The index needs a [name](Self::named).
    #[must_use]
    pub fn with(function: &str) -> Self {
        Self::over(Over::With(function.to_owned()))
    }

    /// Names the method.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Sets the type of the values, such as `u16`. The default is `String`.
    #[must_use]
    pub fn value(mut self, rust_type: &str) -> Self {
        self.value = Some(rust_type.to_owned());
        self
    }

    /// Declares that each value belongs to one object. The method then returns an `Option`: the
    /// first object in key order, if several objects have the value.
    #[must_use]
    pub fn unique(mut self) -> Self {
        self.unique = true;
        self
    }

    fn over(over: Over) -> Self {
        Self {
            over,
            name: None,
            value: None,
            unique: false,
        }
    }
}

impl From<&str> for Index {
    fn from(path: &str) -> Self {
        Self::path(path)
    }
}

/// Parses the command-line form: `spec.nodeName`, `rust-path=spec.node_name`,
/// `label=app,name=by_x,unique`, `owner`, `owner=apps/v1/Deployment`,
/// `with=crate::domains,name=by_domain,value=u16`.
impl FromStr for Index {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split(',').map(str::trim);
        let first = parts.next().unwrap_or_default();
        let mut index = match first.split_once('=') {
            Some(("path", path)) => Self::path(path),
            Some(("rust-path", path)) => Self::rust_path(path),
            Some(("label", key)) => Self::label(key),
            Some(("annotation", key)) => Self::annotation(key),
            Some(("owner", kind)) => Self::owner_of(kind),
            Some(("with", function)) => Self::with(function),
            None if first == "owner" => Self::owner(),
            Some(_) | None => Self::path(first),
        };
        for part in parts {
            index = match part.split_once('=') {
                Some(("name", name)) => index.named(name),
                Some(("value", rust_type)) => index.value(rust_type),
                None if part == "unique" => index.unique(),
                Some(_) | None => {
                    return Err(format!(
                        "after its source, an index takes `unique`, `name=..` and \
                         `value=..`, found `{part}`"
                    ));
                }
            };
        }
        Ok(index)
    }
}

#[cfg(test)]
mod tests;
