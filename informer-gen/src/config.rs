//! Options of the generator, as a builder and as command-line flags: one definition for both.

// `builder` sets options, `value` has their types, and `words` formats settings for messages.
mod builder;
mod value;
mod words;

use std::path::{Path, PathBuf};

use informer_codegen::names::api::{self, Stage};

pub use self::value::{BuiltIns, KindOf, Manifests, Pair, Types};
pub(crate) use self::value::{DYNAMIC, ManifestText, WRITTEN};
pub(crate) use self::words::Tool;

/// Options of the generator. Start with [`Config::new`].
///
/// The builder methods do not check their arguments. The methods that end the chain report
/// mistakes: [`generate`] in a build script, [`write`] elsewhere, and [`render`] for the text only.
///
/// [`generate`]: Self::generate
/// [`write`]: Self::write
/// [`render`]: Self::render
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Config {
    #[cfg_attr(feature = "cli", command(flatten))]
    pub(crate) inputs: Kinds,
    #[cfg_attr(feature = "cli", command(flatten))]
    pub(crate) declared: Declared,
    #[cfg_attr(feature = "cli", command(flatten))]
    pub(crate) code: Code,

    /// Front end that sets the options.
    #[cfg_attr(feature = "cli", arg(skip = Tool::Flags))]
    front_end: Tool,

    /// Manifests that are not in files.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub(crate) manifest_texts: Vec<ManifestText>,

    #[cfg_attr(feature = "cli", arg(skip))]
    out_dir: Option<PathBuf>,

    #[cfg_attr(feature = "cli", arg(skip))]
    file_name: Option<String>,
}

/// Kinds of the inputs.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    feature = "cli",
    derive(clap::Args),
    command(next_help_heading = "Inputs")
)]
pub(crate) struct Kinds {
    /// Built-in kinds: `stable` for all in versions like v1, `all` for alpha and beta too, or one
    /// by name, such as `apps/v1/Deployment` or `Pod`. May be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "KIND"))]
    pub(crate) built_in: Vec<String>,

    /// Manifests with `CustomResourceDefinition`s (a file, a glob or a directory). The Rust types
    /// are generated from the schemas, and need `kube` with its feature `derive`, `serde` and
    /// `serde_json`; or they are named like each kind in a module: `crds/*.yaml=crate::api`; or
    /// the objects are untyped: `crds/*.yaml=dynamic`. May be repeated
    #[cfg_attr(feature = "cli", arg(long = "crd", value_name = "FILES[=MODULE]"))]
    pub(crate) manifests: Vec<Manifests>,

    /// Rust source with `#[derive(CustomResource)]` types, and its module path:
    /// `src/api.rs=crate::api`. The file and the modules that it declares are read; without a
    /// module path, the file is the root of the crate. May be repeated
    #[cfg_attr(feature = "cli", arg(long = "rust", value_name = "FILE[=MODULE]"))]
    pub(crate) rust_source: Vec<Manifests>,

    /// Generate only this kind of those in manifests and source: `Foo`, or `example.com/v1/Foo`. May be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "KIND", value_delimiter = ','))]
    pub(crate) only: Vec<String>,

    /// Exclude this kind of those in manifests and source. May be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "KIND", value_delimiter = ','))]
    pub(crate) skip: Vec<String>,

    /// Cargo feature to enable in `#[cfg(feature = "..")]` of Rust source. May be repeated
    #[cfg_attr(feature = "cli", arg(long = "feature", value_name = "FEATURE"))]
    pub(crate) features: Vec<String>,
}

/// Declarations and names of kinds.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    feature = "cli",
    derive(clap::Args),
    command(next_help_heading = "Declarations and names")
)]
pub(crate) struct Declared {
    /// Declaration of a kind: the Rust type, names, indices and relations, in the language of
    /// `#[informer(..)]`. `v1/Pod: index = "spec.nodeName"`, `Foo: of = crate::api::MyFoo,
    /// references(v1/Secret = "spec.tls.secretName")`. May be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "KIND: DECLARATION"))]
    pub(crate) kind: Vec<KindOf>,

    /// Name of a group's module and accessor, in place of the group's first label:
    /// `policy.authorization.k8s.io=authz_policy`. May be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "GROUP=NAME"))]
    pub(crate) group_name: Vec<Pair>,

    /// Name each group's module and accessor after all labels of the group, in place of the first:
    /// `networking_k8s_io`
    #[cfg_attr(feature = "cli", arg(long))]
    pub(crate) full_group_names: bool,
}

/// Properties of the generated code.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    feature = "cli",
    derive(clap::Args),
    command(next_help_heading = "Generated code")
)]
pub(crate) struct Code {
    /// Path of the crate `informer` in generated code (default: `::informer`)
    #[cfg_attr(feature = "cli", arg(long, value_name = "PATH"))]
    pub(crate) runtime_path: Option<String>,

    /// Path of the crate `k8s-openapi` in generated code (default: `::k8s_openapi`)
    #[cfg_attr(feature = "cli", arg(long, value_name = "PATH"))]
    pub(crate) k8s_openapi_path: Option<String>,

    /// Visibility of the generated items: `pub` (default) or `pub(crate)`
    #[cfg_attr(feature = "cli", arg(long, value_name = "VISIBILITY"))]
    pub(crate) visibility: Option<String>,

    /// Cargo feature of your crate that enables built-in kinds in beta versions
    #[cfg_attr(feature = "cli", arg(long, value_name = "FEATURE"))]
    pub(crate) beta_feature: Option<String>,

    /// Cargo feature of your crate that enables built-in kinds in alpha versions
    #[cfg_attr(feature = "cli", arg(long, value_name = "FEATURE"))]
    pub(crate) alpha_feature: Option<String>,

    /// Write each group to a separate file, in a folder beside the output
    #[cfg_attr(feature = "cli", arg(long))]
    pub(crate) file_per_group: bool,
}

// === impl Config ===

impl Config {
    /// Creates a configuration that selects no kind and writes `informers.rs` to `OUT_DIR`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the path of the crate `informer` in generated code.
    pub(crate) fn runtime(&self) -> &str {
        self.code.runtime_path.as_deref().unwrap_or("::informer")
    }

    /// Returns the path of the crate `k8s-openapi` in generated code.
    pub(crate) fn k8s_openapi(&self) -> &str {
        self.code
            .k8s_openapi_path
            .as_deref()
            .unwrap_or("::k8s_openapi")
    }

    /// Returns the visibility of the generated items.
    pub(crate) fn visibility_text(&self) -> &str {
        self.code.visibility.as_deref().unwrap_or("pub")
    }

    /// Returns the name of the (main) file.
    pub(crate) fn main_file(&self) -> &str {
        self.file_name.as_deref().unwrap_or("informers.rs")
    }

    /// Returns the front end for proposed settings.
    pub(crate) fn tool(&self) -> Tool {
        self.front_end
    }

    /// Returns the directory of the files, if it was set.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.out_dir.as_deref()
    }

    /// Returns the feature that enables built-in kinds of a version.
    pub(crate) fn feature_of(&self, version: &str) -> Option<&str> {
        match api::stage(version)? {
            Stage::Alpha => self.code.alpha_feature.as_deref(),
            Stage::Beta => self.code.beta_feature.as_deref(),
            Stage::Stable => None,
        }
    }

    /// Returns the folder for the files of single groups, relative to the output directory.
    pub(crate) fn group_folder(&self) -> Option<PathBuf> {
        if !self.code.file_per_group {
            return None;
        }
        Some(Path::new(self.main_file()).with_extension(""))
    }
}
