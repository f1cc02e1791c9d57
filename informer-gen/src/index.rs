//! Indices: what users ask for, and what becomes of it.
//!
//! [`Index`] is the option, a value without checks; `checked` makes of it what is emitted, with
//! all names and types, or an error.

mod checked;
mod path;
mod schema;

use std::str::FromStr;

use informer_codegen::path::Spelling;

pub(crate) use self::checked::{Owners, checked, is_same, order};

/// An index over a kind: what by, under which name, and of which values.
///
/// Whatever can be turned into one is taken by [`Config::index`](crate::Config::index): a text is a path of JSON.
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
    /// The method's name, if it is not what `over` gives.
    name: Option<String>,
    /// The type of the values, if they are no texts.
    value: Option<String>,
    unique: bool,
}

/// What an index is over.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Over {
    Path(String, Spelling),
    Label(String),
    Annotation(String),
    /// Of whatever kind, or of this one: `apps/v1/Deployment`, or a Rust type.
    Owner(Option<String>),
    /// The path of a function.
    With(String),
}

// === impl Index ===

impl Index {
    /// An index over the values at a path such as `spec.nodeName`, `metadata.labels['app']` or
    /// `spec.selector['app']`; the method is `by_` and the last word, or the key.
    ///
    /// `['key']` is the value of a map whose keys are texts, wherever there is one.
    /// The names are those in JSON. Which fields of Rust they are is known of `metadata` and of
    /// built-in kinds; into other types leads a [path of Rust](Self::rust_path). Fields that are an
    /// `Option`, a `Vec`, .. are looked through.
    #[must_use]
    pub fn path(path: &str) -> Self {
        Self::over(Over::Path(path.to_owned(), Spelling::Json))
    }

    /// An index over the values at a path such as `spec.deployment_name` or
    /// `spec.parameters['tier']`, by the names of the fields in Rust, of whatever type; the method
    /// is `by_` and the last word, or the key.
    ///
    /// serde has no part in it, and rustc says if a field is not there.
    #[must_use]
    pub fn rust_path(path: &str) -> Self {
        Self::over(Over::Path(path.to_owned(), Spelling::Rust))
    }

    /// An index over the value of a label.
    #[must_use]
    pub fn label(key: &str) -> Self {
        Self::over(Over::Label(key.to_owned()))
    }

    /// An index over the value of an annotation.
    #[must_use]
    pub fn annotation(key: &str) -> Self {
        Self::over(Over::Annotation(key.to_owned()))
    }

    /// An index over the UID of the controlling owner, of whatever kind; the method is
    /// `by_owner_uid`.
    #[must_use]
    pub fn owner() -> Self {
        Self::over(Over::Owner(None))
    }

    /// An index over the key of the controlling owner, if it is of this kind, whatever version:
    /// one that is generated too or built-in, such as `apps/v1/Deployment`, or a Rust type, such as
    /// `crate::api::Foo`. The method is `by_owner`.
    #[must_use]
    pub fn owner_of(kind: &str) -> Self {
        Self::over(Over::Owner(Some(kind.to_owned())))
    }

    /// An index over what a function gives, `fn(&K) -> Vec<String>`, by its path, such as
    /// `crate::domains`. It needs a [name](Self::named).
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

    /// Sets the type of the values, such as `u16`; by default they are texts.
    #[must_use]
    pub fn value(mut self, rust_type: &str) -> Self {
        self.value = Some(rust_type.to_owned());
        self
    }

    /// Says that a value belongs to one object, so that the method gives an `Option`: the first
    /// object by key, if there are several all the same.
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

/// As on the command line: `spec.nodeName`, `rust-path=spec.node_name`,
/// `label=app,name=by_x,unique`, `owner`, `owner=apps/v1/Deployment`, `with=crate::domains,name=by_domain,value=u16`.
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
                        "after what the index is over may come `unique`, `name=..` and \
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
