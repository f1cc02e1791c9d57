//! Errors of the generator, with advice.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use proc_macro2::Span;

use crate::gvk::Gvk;

/// Error of a generator run.
///
/// Each message names the file and position, or the builder call and the flag, that caused the
/// error. `Debug` prints the message too, because cargo shows the `Debug` text of an error that a
/// build script returns.
#[non_exhaustive]
#[derive(thiserror::Error)]
pub enum Error {
    /// The value of an option is invalid.
    #[error("{option}: `{value}` {reason}")]
    Option {
        /// Option, as builder call and as flag.
        option: OptionName,
        /// Rejected value.
        value: String,
        /// Reason for the rejection.
        reason: String,
    },
    /// No built-in kind has the name.
    #[error("no built-in kind `{gvk}`{suggestion}")]
    UnknownBuiltIn {
        /// Requested kind.
        gvk: Gvk,
        /// Nearest name, as a question.
        suggestion: Suggestion,
    },
    /// The API serves the kind, but does not support list and watch.
    #[error("built-in kind `{gvk}` is not watchable: {reason}")]
    NotWatchable {
        /// Requested kind.
        gvk: Gvk,
        /// Verbs that the kind supports.
        reason: String,
    },
    /// An option refers to a kind that is not generated.
    #[error("{option}: `{gvk}` is not among the kinds to generate{suggestion}")]
    NotSelected {
        /// Option, as builder call and as flag.
        option: OptionName,
        /// Kind that the option refers to.
        gvk: Gvk,
        /// Nearest name, as a question.
        suggestion: Suggestion,
    },
    /// A path or pattern for manifests matches no file.
    #[error("{option}: `{pattern}` matches no file")]
    NoMatch {
        /// Option, as builder call and as flag.
        option: OptionName,
        /// Given path or pattern.
        pattern: String,
    },
    /// The matching manifests contain no `CustomResourceDefinition`.
    #[error(
        "{}: `{pattern}` has no CustomResourceDefinition{found}",
        OptionName::CrdManifests
    )]
    NotACrd {
        /// Given path or pattern.
        pattern: String,
        /// Kinds found instead. Empty if the manifests contain no object.
        found: String,
    },
    /// Two settings match the same manifest file.
    #[error(
        "{}: file `{}` matches both `{first}` and `{second}`, so two settings define its kinds; \
         remove one of them, or declare the types of single kinds with {}",
        OptionName::CrdManifests, path.display(), OptionName::Kind
    )]
    ReachedTwice {
        /// File, by the path of the second setting.
        path: PathBuf,
        /// First setting.
        first: String,
        /// Second setting.
        second: String,
    },
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A declaration of a kind is wrong.
    #[error("{}: {party}{}: {message}", OptionName::Kind, place(.at.as_deref()))]
    Declaration {
        /// Kind, with its position.
        party: String,
        /// Wrong part of the declaration.
        at: Option<String>,
        /// Description of the mistake, and advice.
        message: String,
    },
    /// A manifest is neither YAML nor JSON.
    #[error("{at}: cannot be parsed as YAML: {message}{hint}")]
    Parse {
        /// Position at which the parser stopped.
        at: Location,
        /// Message of the parser.
        message: String,
        /// Advice. Empty if the cause is unclear.
        hint: &'static str,
    },
    /// Rust source cannot be read, or contains a construct that the generator cannot evaluate.
    #[error("{at}: {problem}")]
    Source {
        /// Position of the construct.
        at: Location,
        /// Description of the problem, and advice.
        problem: String,
    },
    /// A source file and its modules define no custom resource.
    #[error(
        "{}: `{}` and its modules have no `#[derive(CustomResource)]` with `#[kube(..)]`; types \
         from macros and `include!` are not found",
        OptionName::RustSource, path.display()
    )]
    NoCustomResource {
        /// Path of the file.
        path: PathBuf,
    },
    /// Two inputs contradict each other about a kind.
    #[error("the {what} of `{gvk}` is {first}, but {second}")]
    Contradiction {
        /// Kind.
        gvk: Box<Gvk>,
        /// Property that differs, such as `plural`.
        what: &'static str,
        /// First value, and its position.
        first: String,
        /// Second value, and its position.
        second: String,
    },
    /// A `CustomResourceDefinition` has the version that Kubernetes 1.22 removed.
    #[error(
        "{at}: `apiextensions.k8s.io/v1beta1` definitions are not supported, \
         convert them to `apiextensions.k8s.io/v1`"
    )]
    BetaCrd {
        /// Position of the `apiVersion`.
        at: Location,
    },
    /// A field of a `CustomResourceDefinition` is missing or has a value that is not allowed.
    #[error("{at}: {field} {problem}")]
    Field {
        /// Position of the value, or of the mapping that lacks it.
        at: Location,
        /// Path of the field, such as `spec.scope`.
        field: String,
        /// Description of the problem.
        problem: String,
    },
    /// The Rust type of the objects of a kind is unknown.
    #[error(
        "{at}: no Rust type for {}: declare it with {}, as in `of = crate::api::Foo`{why}",
        list(gvks),
        OptionName::Kind
    )]
    NoType {
        /// Position of the definition.
        at: Location,
        /// Kinds without a type.
        gvks: Vec<Gvk>,
        /// Reason why the default does not apply.
        why: String,
    },
    /// Two kinds have the same Rust type, although a type belongs to one group, version and kind.
    #[error(
        "{first} and {second} both have the Rust type `{rust_type}`; declare another type of one of them \
         with {}, as in `of = crate::api::Foo`",
        OptionName::Kind
    )]
    SharedType {
        /// First kind, with its position.
        first: String,
        /// Second kind, with its position.
        second: String,
        /// Shared type.
        rust_type: String,
    },
    /// A kind is defined twice, with differences.
    #[error("`{gvk}` is defined twice, with differences: {first} and {second}")]
    Duplicate {
        /// Kind.
        gvk: Gvk,
        /// Position of the first definition.
        first: String,
        /// Position of the second definition.
        second: String,
    },
    /// Several items would have the same name in the generated code.
    #[error("{} become {what}; {help}", all_of(parties))]
    Collision {
        /// Conflicting items in the order of discovery, at least two.
        parties: Vec<String>,
        /// Resulting name.
        what: String,
        /// Advice on how to resolve the conflict.
        help: String,
    },
    /// The name of a group's accessor is a method of the factory, which would hide the accessor.
    #[error(
        "group `{group}` would get the accessor `factory.{name}()`, which is already a method of the \
         factory; name the group with{help}"
    )]
    ReservedGroup {
        /// API group.
        group: String,
        /// Name of the accessor.
        name: String,
        /// Setting that changes the name.
        help: String,
    },
    /// Several errors occurred.
    #[error("{}", each(.0))]
    Several(Vec<Error>),
    /// The options select no kind.
    #[error(
        "nothing to generate: choose kinds with {}, {} or {}",
        OptionName::BuiltIn,
        OptionName::CrdManifests,
        OptionName::RustSource
    )]
    Empty,
    /// No output directory is set, and only a build script has a default.
    #[error("OUT_DIR is not set: outside of a build script, call .out_dir(..)")]
    NoOutDir,
    /// An output file exists that this generator did not write.
    #[error(
        "`{}` was not written by informer-gen and is not overwritten; \
         remove the file, or choose another output", path.display()
    )]
    Foreign {
        /// Path of the file.
        path: PathBuf,
    },
    /// A file cannot be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The generated text is not valid Rust: a bug of the generator.
    #[error("the text generated for {what} is not valid Rust, please report it: {source}\n{text}")]
    Internal {
        /// Description of the generated item.
        what: String,
        /// Generated text or tokens.
        text: String,
        /// Error of the parser.
        source: syn::Error,
    },
}

/// Position in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Path of the file, as it was found.
    pub path: PathBuf,
    /// Line, starting at 1.
    pub line: u64,
    /// Column in characters, starting at 1.
    pub column: u64,
}

/// Name of an option. Displays as the call on [`Config`](crate::Config) and the flag on the command
/// line.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionName {
    /// Selects a built-in kind.
    BuiltIn,
    /// Selects manifests, and the module of their types.
    CrdManifests,
    /// Selects Rust source.
    RustSource,
    /// Restricts the output to some of the defined kinds.
    Only,
    /// Excludes kinds.
    Skip,
    /// Generates kinds without a Rust type.
    Dynamic,
    /// Declares the type, the names, the indices and the relations of a kind.
    Kind,
    /// Names a group.
    GroupName,
    /// Sets the path of the runtime.
    RuntimePath,
    /// Sets the path of `k8s-openapi`.
    K8sOpenapiPath,
    /// Sets the visibility of the generated items.
    Visibility,
    /// Sets the name of the main file.
    FileName,
}

/// Suggested name. Displays as the end of a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestion(pub Option<String>);

// === impl Error ===

impl Error {
    /// Reports whether items of the input have the same name, whatever else the input has.
    pub(crate) fn is_collision(&self) -> bool {
        matches!(
            self,
            Self::Collision { .. } | Self::Duplicate { .. } | Self::ReservedGroup { .. }
        )
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut message = self.to_string();
        f.write_str(&message)?;
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let text = error.to_string();
            // Most messages include their cause already.
            if !message.contains(&text) {
                write!(f, "\ncaused by: {text}")?;
            }
            message = text;
            cause = error.source();
        }
        Ok(())
    }
}

// === impl OptionName ===

impl OptionName {
    pub(crate) fn refuse(self, value: impl Into<String>, reason: impl Into<String>) -> Error {
        Error::Option {
            option: self,
            value: value.into(),
            reason: reason.into(),
        }
    }

    /// Returns the option as a call on the builder.
    pub(crate) const fn call(self) -> &'static str {
        self.names().0
    }

    /// Returns the option on the command line.
    pub(crate) const fn flag(self) -> &'static str {
        self.names().1
    }

    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::BuiltIn => (".built_in", "--built-in"),
            Self::CrdManifests => (".crd_manifests", "--crd"),
            Self::RustSource => (".rust_source", "--rust"),
            Self::Only => (".only", "--only"),
            Self::Skip => (".skip", "--skip"),
            Self::Dynamic => (".dynamic", "--dynamic"),
            Self::Kind => (".kind", "--kind"),
            Self::GroupName => (".group_name", "--group-name"),
            Self::RuntimePath => (".runtime_path", "--runtime-path"),
            Self::K8sOpenapiPath => (".k8s_openapi_path", "--k8s-openapi-path"),
            Self::Visibility => (".visibility", "--visibility"),
            Self::FileName => (".file_name", "--output"),
        }
    }
}

impl fmt::Display for OptionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(..) / {}", self.call(), self.flag())
    }
}

// === impl Location ===

impl Location {
    /// Returns the position of `span` in Rust source.
    pub(crate) fn of(path: &Path, span: Span) -> Self {
        let start = span.start();
        Self {
            path: path.to_owned(),
            line: start.line as u64,
            column: start.column as u64 + 1,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.path.display(), self.line, self.column)
    }
}

// === impl Suggestion ===

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(name) => write!(f, ", did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}

/// Formats the wrong part of a declaration.
fn place(at: Option<&str>) -> String {
    at.map_or_else(String::new, |at| format!(", at `{at}`"))
}

fn list(gvks: &[Gvk]) -> String {
    let names: Vec<_> = gvks.iter().map(|gvk| format!("`{gvk}`")).collect();
    names.join(", ")
}

/// Formats `a and b both`, or `a, b and c all`.
fn all_of(parties: &[String]) -> String {
    match parties {
        [first, second] => format!("{first} and {second} both"),
        [others @ .., last] => format!("{} and {last} all", others.join(", ")),
        [] => String::new(),
    }
}

/// Formats errors as a list, each on its own line or lines.
fn each(errors: &[Error]) -> String {
    let lines = errors.iter().map(|error| format!("\n- {error}"));
    format!("{} errors:{}", errors.len(), lines.collect::<String>())
}

/// Collected errors, in the order of discovery.
#[derive(Debug, Default)]
pub(crate) struct Errors(Vec<Error>);

// === impl Errors ===

impl Errors {
    /// Adds an error. Splits an error that contains several.
    pub(crate) fn add(&mut self, error: Error) {
        if let Error::Several(errors) = error {
            self.0.extend(errors);
        } else {
            self.0.push(error);
        }
    }

    /// Returns the value of `result`, or records its error.
    pub(crate) fn keep<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// Moves the errors of `others` for which `matches` returns `true` to the end.
    pub(crate) fn add_matching(&mut self, others: Self, matches: impl Fn(&Error) -> bool) {
        let others = others.0.into_iter();
        self.0.extend(others.filter(|error| matches(error)));
    }

    /// Ends the collection.
    ///
    /// # Errors
    ///
    /// Returns the only error, or all errors as [`Error::Several`].
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        match self.0.pop() {
            None => Ok(()),
            Some(only) if self.0.is_empty() => Err(only),
            Some(last) => {
                self.0.push(last);
                Err(Error::Several(self.0))
            }
        }
    }
}
