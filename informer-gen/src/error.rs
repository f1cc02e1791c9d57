//! What can go wrong, said so that it can be put right.

mod errors;

use std::fmt;
use std::io;
use std::path::PathBuf;

pub(crate) use self::errors::Errors;
use crate::ir::Gvk;

/// Why nothing was generated.
///
/// Each message names the file and position, or the builder call and the flag, that it is about.
/// `Debug` prints the message too, as that is what cargo shows of a build script that returns it.
#[non_exhaustive]
#[derive(thiserror::Error)]
pub enum Error {
    /// The value of an option cannot be understood.
    #[error("{option}: `{value}` {reason}")]
    Option {
        /// The option, as builder call and as flag.
        option: OptionName,
        /// What was given.
        value: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No built-in kind has this name.
    #[error("no built-in kind `{gvk}`{suggestion}")]
    UnknownBuiltIn {
        /// What was asked for.
        gvk: Gvk,
        /// The nearest name, as a question.
        suggestion: Suggestion,
    },
    /// The API serves this kind, but not for list and watch.
    #[error("built-in kind `{gvk}` is not watchable: {reason}")]
    NotWatchable {
        /// What was asked for.
        gvk: Gvk,
        /// Which verbs it has.
        reason: String,
    },
    /// An option speaks of a kind that is not generated.
    #[error("{option}: `{gvk}` is not among the kinds to generate{suggestion}")]
    NotSelected {
        /// The option, as builder call and as flag.
        option: OptionName,
        /// What was given.
        gvk: Gvk,
        /// The nearest name, as a question.
        suggestion: Suggestion,
    },
    /// A path or pattern for manifests leads to no file.
    #[error("{option}: `{pattern}` matches no file")]
    NoMatch {
        /// The option, as builder call and as flag.
        option: OptionName,
        /// What was given.
        pattern: String,
    },
    /// The manifests that match hold no `CustomResourceDefinition`.
    #[error(
        "{}: `{pattern}` has no CustomResourceDefinition{found}",
        OptionName::CrdManifests
    )]
    NotACrd {
        /// What was given.
        pattern: String,
        /// What is there instead; empty if nothing is.
        found: String,
    },
    /// Two settings lead to the same file of manifests.
    #[error(
        "{}: `{}` is reached by `{first}` and by `{second}`, so that two settings speak of its kinds; \
         take one of them away, or map single kinds with {}",
        OptionName::CrdManifests, path.display(), OptionName::CrdType
    )]
    ReachedTwice {
        /// The file, as the second setting leads to it.
        path: PathBuf,
        /// The setting that came first.
        first: String,
        /// The other one.
        second: String,
    },
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A configuration file is not TOML, or has an option that there is not.
    #[error("{at}: {message}")]
    ConfigFile {
        /// Where.
        at: Location,
        /// What is wrong.
        message: String,
    },
    /// What is wrong is an option that a configuration file has.
    #[error("{at}: {error}")]
    InConfigFile {
        /// Where.
        at: Location,
        /// What is wrong with it.
        error: Box<Error>,
    },
    /// A manifest is neither YAML nor JSON.
    #[error("{at}: cannot be parsed as YAML: {message}{hint}")]
    Parse {
        /// Where the parser stopped.
        at: Location,
        /// What it says.
        message: String,
        /// What to do, if that can be told.
        hint: &'static str,
    },
    /// Rust source cannot be read, or has something that cannot be decided from it.
    #[error("{at}: {problem}")]
    Source {
        /// Where.
        at: Location,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A source file and its modules define no custom resource.
    #[error(
        "{}: `{}` and its modules have no `#[derive(CustomResource)]` with `#[kube(..)]`; types \
         that a macro or `include!` makes are not seen",
        OptionName::RustSource, path.display()
    )]
    NoCustomResource {
        /// The file.
        path: PathBuf,
    },
    /// Two inputs do not say the same of a kind.
    #[error("the {what} of `{gvk}` is {first}, but {second}")]
    Contradiction {
        /// The kind.
        gvk: Box<Gvk>,
        /// What differs, such as `plural`.
        what: &'static str,
        /// What one says, and where.
        first: String,
        /// What the other says, and where.
        second: String,
    },
    /// A document is not the answer of an API server to discovery.
    #[error("{at}: is no discovery document: {problem}")]
    NotDiscovery {
        /// Where.
        at: Location,
        /// What is missing.
        problem: String,
    },
    /// Discovery documents add no kind.
    #[error(
        "{}: `{pattern}` has no kind that can be listed and watched{groups}",
        OptionName::DiscoveryKinds
    )]
    NothingDiscovered {
        /// What was given.
        pattern: String,
        /// The groups that were looked for; empty if all were.
        groups: String,
    },
    /// The API server does not serve a kind, or does not let it be listed and watched.
    #[error("`{gvk}` ({origin}) {problem} (as of {at})")]
    NotServed {
        /// The kind.
        gvk: Box<Gvk>,
        /// Where it was found.
        origin: String,
        /// What the server says.
        problem: String,
        /// Where it says so.
        at: Location,
    },
    /// A `CustomResourceDefinition` of the version that Kubernetes 1.22 removed.
    #[error(
        "{at}: `apiextensions.k8s.io/v1beta1` definitions are not supported, \
         convert them to `apiextensions.k8s.io/v1`"
    )]
    BetaCrd {
        /// The place of its `apiVersion`.
        at: Location,
    },
    /// A field of a `CustomResourceDefinition` is missing or has a value that is not allowed.
    #[error("{at}: {field} {problem}")]
    Field {
        /// The place of the value, or of the mapping that lacks it.
        at: Location,
        /// The field's path, such as `spec.scope`.
        field: String,
        /// What is wrong with it.
        problem: String,
    },
    /// It is not known which Rust type holds the objects of this kind.
    #[error(
        "{at}: no Rust type for {}: map it with {}{why}",
        list(gvks),
        OptionName::CrdType
    )]
    NoType {
        /// The place of the definition.
        at: Location,
        /// The kinds without a type.
        gvks: Vec<Gvk>,
        /// Why the default does not do.
        why: String,
    },
    /// Two kinds have the same Rust type, but a type is of one group, version and kind.
    #[error(
        "{first} and {second} both have the Rust type `{rust_type}`; {} tells them apart",
        OptionName::CrdType
    )]
    SharedType {
        /// The kind that came first, and its place.
        first: String,
        /// The other one.
        second: String,
        /// Their type.
        rust_type: String,
    },
    /// A kind is defined twice, not in the same way.
    #[error("`{gvk}` is defined twice, and not in the same way: {first} and {second}")]
    Duplicate {
        /// The kind.
        gvk: Gvk,
        /// The place of the definition that came first.
        first: String,
        /// The place of the other one.
        second: String,
    },
    /// Things would have the same name in the generated code.
    #[error("{} become {what}; {help}", all_of(parties))]
    Collision {
        /// The things, in the order in which they were found; two at least.
        parties: Vec<String>,
        /// What they become.
        what: String,
        /// How to tell them apart.
        help: String,
    },
    /// The name of a group's accessor is one of the factory's own methods, which would hide it.
    #[error(
        "group `{group}` would be reached by `factory.{name}()`, which is a method of the factory \
         itself; name the group with{help}"
    )]
    ReservedGroup {
        /// The API group.
        group: String,
        /// Its accessor.
        name: String,
        /// The setting that does so.
        help: String,
    },
    /// Several things are wrong.
    #[error("{}", each(.0))]
    Several(Vec<Error>),
    /// The options select nothing.
    #[error(
        "nothing to generate: choose kinds with {}, {}, {} or {}",
        OptionName::BuiltIn,
        OptionName::CrdManifests,
        OptionName::RustSource,
        OptionName::DiscoveryKinds
    )]
    Empty,
    /// Outside of a build script there is no default for where to write.
    #[error("OUT_DIR is not set: call .out_dir(..) when this is not a build script")]
    NoOutDir,
    /// A file that is in the way was not written by this generator.
    #[error(
        "`{}` was not written by informer-gen, so it is not overwritten; \
         remove it or write somewhere else", path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The generated text is not Rust: a defect of the generator.
    #[error("the text generated for {what} is not valid Rust, please report it: {source}\n{text}")]
    Internal {
        /// What was being generated.
        what: String,
        /// The text or the tokens.
        text: String,
        /// What the parser says.
        source: syn::Error,
    },
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file, as it was found.
    pub path: PathBuf,
    /// From 1.
    pub line: u64,
    /// From 1, in characters.
    pub column: u64,
}

/// An option; prints as the call on [`Config`](crate::Config) and the flag on the command line.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionName {
    /// A built-in kind.
    BuiltIn,
    /// Manifests, and the module of their types.
    CrdManifests,
    /// The type of one kind.
    CrdType,
    /// Rust source.
    RustSource,
    /// The kinds to take, of those that are defined somewhere.
    Only,
    /// The kinds to leave out.
    Skip,
    /// The kinds to do without a Rust type.
    Dynamic,
    /// Discovery documents to compare with.
    Discovery,
    /// Discovery documents that add kinds.
    DiscoveryKinds,
    /// A group to take from discovery.
    DiscoveryGroup,
    /// An index.
    Index,
    /// The name of a group.
    GroupName,
    /// The name of a kind's accessor.
    Accessor,
    /// The name that the wrappers of a kind begin with.
    Prefix,
    /// The path of the runtime.
    RuntimePath,
    /// The path of `k8s-openapi`.
    K8sOpenapiPath,
    /// The visibility of what is generated.
    Visibility,
    /// The name of the main file.
    FileName,
}

/// What might have been meant; prints as the end of a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestion(pub Option<String>);

// === impl Error ===

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = self.to_string();
        f.write_str(&said)?;
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let text = error.to_string();
            // Most messages have their cause in them.
            if !said.contains(&text) {
                write!(f, "\ncaused by: {text}")?;
            }
            said = text;
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

    /// The option as a call on the builder.
    pub(crate) const fn call(self) -> &'static str {
        let [call, _, _] = self.names();
        call
    }

    /// The option on the command line.
    pub(crate) const fn flag(self) -> &'static str {
        let [_, flag, _] = self.names();
        flag
    }

    /// The option in a configuration file.
    #[cfg(feature = "config-file")]
    pub(crate) const fn key(self) -> &'static str {
        let [_, _, key] = self.names();
        key
    }

    const fn names(self) -> [&'static str; 3] {
        match self {
            Self::BuiltIn => [".built_in", "--built-in", "built-in"],
            Self::CrdManifests => [".crd_manifests", "--crd", "crd"],
            Self::CrdType => [".crd_type", "--crd-type", "crd-type"],
            Self::RustSource => [".rust_source", "--rust", "rust"],
            Self::Only => [".only", "--only", "only"],
            Self::Skip => [".skip", "--skip", "skip"],
            Self::Dynamic => [".dynamic", "--dynamic", "dynamic"],
            Self::Discovery => [".discovery", "--discovery", "discovery"],
            Self::DiscoveryKinds => [".discovery_kinds", "--discovery-kinds", "discovery-kinds"],
            Self::DiscoveryGroup => [".discovery_group", "--discovery-group", "discovery-groups"],
            Self::Index => [".index", "--index", "index"],
            Self::GroupName => [".group_name", "--group-name", "group-name"],
            Self::Accessor => [".accessor", "--accessor", "accessor"],
            Self::Prefix => [".prefix", "--prefix", "prefix"],
            Self::RuntimePath => [".runtime_path", "--runtime-path", "runtime-path"],
            Self::K8sOpenapiPath => [
                ".k8s_openapi_path",
                "--k8s-openapi-path",
                "k8s-openapi-path",
            ],
            Self::Visibility => [".visibility", "--visibility", "visibility"],
            Self::FileName => [".file_name", "--output", "output"],
        }
    }
}

impl fmt::Display for OptionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(..) / {}", self.call(), self.flag())
    }
}

// === impl Location ===

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

fn list(gvks: &[Gvk]) -> String {
    let names: Vec<_> = gvks.iter().map(|gvk| format!("`{gvk}`")).collect();
    names.join(", ")
}

/// `a and b both`, `a, b and c all`.
fn all_of(parties: &[String]) -> String {
    match parties {
        [first, second] => format!("{first} and {second} both"),
        [others @ .., last] => format!("{} and {last} all", others.join(", ")),
        [] => String::new(),
    }
}

/// An error in a line, or in as many as it has.
fn each(errors: &[Error]) -> String {
    let lines = errors.iter().map(|error| format!("\n- {error}"));
    format!("{} errors:{}", errors.len(), lines.collect::<String>())
}
