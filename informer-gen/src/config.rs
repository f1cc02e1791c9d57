//! What to generate, as a builder and as flags: one definition for both.

// `builder` sets options, `file` reads them from TOML, `value` is what they are made of, `words` says
// settings as the user gives them, and `run` is what ends the chain.
mod builder;
#[cfg(feature = "config-file")]
pub(crate) mod file;
mod run;
mod value;
mod words;

use std::path::PathBuf;

use crate::progress::Observer;

pub(crate) use self::value::{Answer, ManifestText};
pub use self::value::{BuiltIns, IndexOf, Manifests, Pair};
pub(crate) use self::words::Tool;

/// Says what to generate and how; begin with [`Config::new`].
///
/// The calls check nothing: mistakes are reported by what ends the chain, [`generate`] in a build
/// script, [`write`] anywhere else, [`render`] to get the text only.
///
/// [`generate`]: Self::generate
/// [`write`]: Self::write
/// [`render`]: Self::render
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Config {
    /// Built-in kinds: `stable` for all in versions like v1, `all` for alpha and beta too, or one
    /// by name, such as `apps/v1/Deployment` or `v1/Pod`. May be repeated
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Inputs", long, value_name = "KIND")
    )]
    pub(crate) built_in: Vec<String>,

    /// Manifests with `CustomResourceDefinition`s (a file, a glob or a directory), and the Rust
    /// module that has a type of each kind's name: `crds/*.yaml=crate::api`; or `types` to have the
    /// types written, or `dynamic` for kinds without a type. May be repeated
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Inputs", long = "crd", value_name = "FILES[=MODULE]")
    )]
    pub(crate) manifests: Vec<Manifests>,

    /// Writes the Rust types of the kinds of manifests too, from their schemas, where no module is given; they
    /// need `kube` with its feature `derive`, `serde` and `serde_json`
    #[cfg_attr(
        feature = "cli",
        arg(
            help_heading = "Inputs", long,
            value_name = "BOOL",
            num_args = 0..=1,
            require_equals = true,
            default_missing_value = "true"
        )
    )]
    types: Option<bool>,

    /// The Rust type of one kind, or `dynamic`: `example.com/v1/Foo=crate::api::FooV1`. May be
    /// repeated
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Inputs", long, value_name = "KIND=TYPE")
    )]
    pub(crate) crd_type: Vec<Pair>,

    /// Rust source with `#[derive(CustomResource)]` types, and the module that it is: the file and
    /// the modules that it declares are read. `src/api.rs=crate::api`; without a module it is the
    /// crate's root. May be repeated
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Inputs", long = "rust", value_name = "FILE[=MODULE]")
    )]
    pub(crate) rust_source: Vec<Manifests>,

    /// Takes this kind only of those that manifests, source and discovery have: `Foo`, or
    /// `example.com/v1/Foo`. May be repeated
    #[cfg_attr(
        feature = "cli",
        arg(
            help_heading = "Inputs",
            long,
            value_name = "KIND",
            value_delimiter = ','
        )
    )]
    pub(crate) only: Vec<String>,

    /// Leaves this kind out, of those that manifests, source and discovery have. May be repeated
    #[cfg_attr(
        feature = "cli",
        arg(
            help_heading = "Inputs",
            long,
            value_name = "KIND",
            value_delimiter = ','
        )
    )]
    pub(crate) skip: Vec<String>,

    /// Takes this kind, and does without a Rust type for it. May be repeated
    #[cfg_attr(
        feature = "cli",
        arg(
            help_heading = "Inputs",
            long,
            value_name = "KIND",
            value_delimiter = ','
        )
    )]
    pub(crate) dynamic: Vec<String>,

    /// A Cargo feature that is enabled where Rust source says `#[cfg(feature = "..")]`. May be
    /// repeated
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Inputs", long = "feature", value_name = "FEATURE")
    )]
    pub(crate) features: Vec<String>,

    /// Answers of an API server to discovery, saved to files (a file, a glob or a directory): what
    /// the other inputs say is compared with them. May be repeated
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Discovery", long, value_name = "FILES")
    )]
    pub(crate) discovery: Vec<String>,

    /// The same, and the kinds in them are generated too: built-in ones with their own types, the
    /// others with a type of each kind's name in a Rust module, or `dynamic`:
    /// `discovery/*.json=crate::api`. May be repeated
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Discovery", long, value_name = "FILES[=MODULE]")
    )]
    pub(crate) discovery_kinds: Vec<Manifests>,

    /// Takes kinds of this group only from discovery; `core` is the group without a name. May be
    /// repeated
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Discovery", long, value_name = "GROUP")
    )]
    pub(crate) discovery_group: Vec<String>,

    /// An index over a kind, which becomes a method of its lister: a path, `label=..`,
    /// `annotation=..`, `owner`, `owner=KIND` or `with=FUNCTION`, then `unique`, `name=..` and
    /// `value=TYPE` as needed. `v1/Pod=spec.nodeName`, `v1/Pod=label=app,name=by_application`,
    /// `v1/Pod=owner=apps/v1/ReplicaSet`. May be repeated
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Indices and names", long, value_name = "KIND=FIELD")
    )]
    pub(crate) index: Vec<IndexOf>,

    /// The name of a group's module and accessor, where its first label is not the right one:
    /// `policy.authorization.k8s.io=authz_policy`. May be repeated
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Indices and names", long, value_name = "GROUP=NAME")
    )]
    pub(crate) group_name: Vec<Pair>,

    /// The name of a kind's accessor, where its plural is not the right one:
    /// `example.com/v1/Foo=all_foos`. May be repeated
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Indices and names", long, value_name = "KIND=NAME")
    )]
    pub(crate) accessor: Vec<Pair>,

    /// What the names of a kind's wrappers begin with, where the name of its type is not the right
    /// one: `example.com/v1/Foo=MyFoo` gives `MyFooInformer`. May be repeated
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Indices and names", long, value_name = "KIND=NAME")
    )]
    pub(crate) prefix: Vec<Pair>,

    /// Where generated code finds the crate `informer`; if not given, `::informer`
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Generated code", long, value_name = "PATH")
    )]
    runtime_path: Option<String>,

    /// Where generated code finds the crate `k8s-openapi`; if not given, `::k8s_openapi`
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Generated code", long, value_name = "PATH")
    )]
    k8s_openapi_path: Option<String>,

    /// The visibility of everything generated: `pub` (if not given) or `pub(crate)`
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Generated code", long, value_name = "VISIBILITY")
    )]
    visibility: Option<String>,

    /// The Cargo feature of your crate that built-in kinds in beta versions are behind
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Generated code", long, value_name = "FEATURE")
    )]
    pub(crate) beta_feature: Option<String>,

    /// The Cargo feature of your crate that built-in kinds in alpha versions are behind
    #[cfg_attr(
        feature = "cli",
        arg(help_heading = "Generated code", long, value_name = "FEATURE")
    )]
    pub(crate) alpha_feature: Option<String>,

    /// Write each group to a file of its own, in a folder beside the output
    #[cfg_attr(
        feature = "cli",
        arg(
            help_heading = "Generated code", long,
            value_name = "BOOL",
            num_args = 0..=1,
            require_equals = true,
            default_missing_value = "true"
        )
    )]
    file_per_group: Option<bool>,

    /// What the options are given with.
    #[cfg_attr(feature = "cli", arg(skip = Tool::Flags))]
    front_end: Tool,

    #[cfg_attr(feature = "cli", arg(skip))]
    pub(crate) documents: Vec<Answer>,

    /// Manifests that are not in files.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub(crate) manifest_texts: Vec<ManifestText>,

    /// Files that options came from.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub(crate) read: Vec<PathBuf>,

    /// What they say, and where.
    #[cfg(feature = "config-file")]
    #[cfg_attr(feature = "cli", arg(skip))]
    texts: Vec<file::Texts>,

    #[cfg_attr(feature = "cli", arg(skip))]
    pub(crate) progress: Observer,

    #[cfg_attr(feature = "cli", arg(skip))]
    out_dir: Option<PathBuf>,

    #[cfg_attr(feature = "cli", arg(skip))]
    file_name: Option<String>,
}

// === impl Config ===

impl Config {
    /// Selects nothing; writes `informers.rs` to `OUT_DIR`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Where generated code finds the crate `informer`.
    pub(crate) fn runtime(&self) -> &str {
        self.runtime_path.as_deref().unwrap_or("::informer")
    }

    /// Where generated code finds the crate `k8s-openapi`.
    pub(crate) fn k8s_openapi(&self) -> &str {
        self.k8s_openapi_path.as_deref().unwrap_or("::k8s_openapi")
    }

    /// The visibility of everything generated.
    pub(crate) fn visibility_text(&self) -> &str {
        self.visibility.as_deref().unwrap_or("pub")
    }

    /// Whether the types of kinds of manifests are written where no module is given.
    pub(crate) fn writes_types(&self) -> bool {
        self.types.unwrap_or(false)
    }

    /// Whether each group has a file of its own.
    pub(crate) fn has_file_per_group(&self) -> bool {
        self.file_per_group.unwrap_or(false)
    }

    /// The name of the (main) file.
    pub(crate) fn main_file(&self) -> &str {
        self.file_name.as_deref().unwrap_or("informers.rs")
    }
}
