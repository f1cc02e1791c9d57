//! What to generate, as a builder and as flags: one definition for both.

#[cfg(feature = "config-file")]
pub(crate) mod file;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::env;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::emit;
use crate::error::{Error, OptionName};
use crate::list::{self, Entry};
use crate::naming::{self, Stage};
use crate::plan::Plan;
use crate::write::{self, Difference, Outputs};

/// Says what to generate and how; begin with [`Config::new`].
///
/// The calls check nothing: mistakes are reported by what ends the chain, [`generate`] in a build
/// script, [`write`] anywhere else, [`render`] to get the text only.
///
/// [`generate`]: Self::generate
/// [`write`]: Self::write
/// [`render`]: Self::render
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Config {
    /// Built-in kinds: `stable` for all in versions like v1, `all` for alpha and beta too, or one
    /// by name, such as `apps/v1/Deployment` or `v1/Pod`. May be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "KIND"))]
    pub(crate) built_in: Vec<String>,

    /// Manifests with `CustomResourceDefinition`s (a file, a glob or a directory), and the Rust
    /// module that has a type of each kind's name: `crds/*.yaml=crate::api`; or `dynamic` for
    /// kinds without a type. May be repeated
    #[cfg_attr(feature = "cli", arg(long = "crd", value_name = "FILES[=MODULE]"))]
    pub(crate) manifests: Vec<Manifests>,

    /// The Rust type of one kind, or `dynamic`: `example.com/v1/Foo=crate::api::FooV1`. May be
    /// repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "KIND=TYPE"))]
    pub(crate) crd_type: Vec<Pair>,

    /// Rust source with `#[derive(CustomResource)]` types, and the module that it is: the file and
    /// the modules that it declares are read. `src/api.rs=crate::api`; without a module it is the
    /// crate's root. May be repeated
    #[cfg_attr(feature = "cli", arg(long = "rust", value_name = "FILE[=MODULE]"))]
    pub(crate) rust_source: Vec<Manifests>,

    /// A Cargo feature that is enabled where Rust source says `#[cfg(feature = "..")]`. May be
    /// repeated
    #[cfg_attr(feature = "cli", arg(long = "feature", value_name = "FEATURE"))]
    pub(crate) features: Vec<String>,

    /// Answers of an API server to discovery, saved to files (a file, a glob or a directory): what
    /// the other inputs say is compared with them. May be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILES"))]
    pub(crate) discovery: Vec<String>,

    /// An index over a kind, which becomes a method of its lister:
    /// `apps/v1/Deployment=metadata.labels['app']`, `v1/Pod=spec.nodeName`. May be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "KIND=FIELD"))]
    pub(crate) index: Vec<Pair>,

    /// The name of a group's module and accessor, where its first label is not the right one:
    /// `policy.authorization.k8s.io=authz_policy`. May be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "GROUP=NAME"))]
    pub(crate) group_name: Vec<Pair>,

    /// The name of a kind's accessor, where its plural is not the right one:
    /// `example.com/v1/Foo=all_foos`. May be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "KIND=NAME"))]
    pub(crate) accessor: Vec<Pair>,

    /// Where generated code finds the crate `informer`
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "PATH", default_value = "::informer")
    )]
    pub(crate) runtime_path: String,

    /// Where generated code finds the crate `k8s-openapi`
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "PATH", default_value = "::k8s_openapi")
    )]
    pub(crate) k8s_openapi_path: String,

    /// The visibility of everything generated: `pub` or `pub(crate)`
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "VISIBILITY", default_value = "pub")
    )]
    pub(crate) visibility: String,

    /// The Cargo feature of your crate that built-in kinds in beta versions are behind
    #[cfg_attr(feature = "cli", arg(long, value_name = "FEATURE"))]
    pub(crate) beta_feature: Option<String>,

    /// The Cargo feature of your crate that built-in kinds in alpha versions are behind
    #[cfg_attr(feature = "cli", arg(long, value_name = "FEATURE"))]
    pub(crate) alpha_feature: Option<String>,

    /// Write each group to a file of its own, in a folder beside the output
    #[cfg_attr(feature = "cli", arg(long))]
    pub(crate) file_per_group: bool,

    #[cfg_attr(feature = "cli", arg(skip))]
    out_dir: Option<PathBuf>,

    #[cfg_attr(feature = "cli", arg(skip = DEFAULT_FILE_NAME.to_owned()))]
    pub(crate) file_name: String,
}

/// Which of the built-in kinds to generate for; single ones are added with [`Config::built_in`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum BuiltIns {
    /// Only those added by name.
    #[default]
    None,
    /// Those in versions like `v1` and `v2`.
    Stable,
    /// All, alpha and beta versions too.
    All,
}

/// Files, and the Rust module that belongs to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifests {
    /// A file, a directory or a glob.
    pub pattern: String,
    /// Absolute path of a Rust module, or `dynamic`; `None` if none is given.
    pub module: Option<String>,
}

/// A name and what it is mapped to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The name.
    pub key: String,
    /// What it is mapped to.
    pub value: String,
}

const DEFAULT_FILE_NAME: &str = "informers.rs";

// === impl Config ===

impl Config {
    /// Selects nothing; writes `informers.rs` to `OUT_DIR`.
    #[must_use]
    pub fn new() -> Self {
        Self {
            built_in: Vec::new(),
            manifests: Vec::new(),
            crd_type: Vec::new(),
            rust_source: Vec::new(),
            features: Vec::new(),
            discovery: Vec::new(),
            index: Vec::new(),
            group_name: Vec::new(),
            accessor: Vec::new(),
            runtime_path: "::informer".to_owned(),
            k8s_openapi_path: "::k8s_openapi".to_owned(),
            visibility: "pub".to_owned(),
            beta_feature: None,
            alpha_feature: None,
            file_per_group: false,
            out_dir: None,
            file_name: DEFAULT_FILE_NAME.to_owned(),
        }
    }

    /// Adds a built-in kind, such as `("apps/v1", "Deployment")` or `("v1", "Pod")`.
    ///
    /// If the kind is not in every version of `k8s-openapi`, neither is what is generated for it.
    #[must_use]
    pub fn built_in(mut self, group_version: &str, kind: &str) -> Self {
        self.built_in.push(format!("{group_version}/{kind}"));
        self
    }

    /// Adds a class of built-in kinds.
    #[must_use]
    pub fn built_ins(mut self, which: BuiltIns) -> Self {
        self.built_in.push(which.name().to_owned());
        self
    }

    /// Adds the kinds that are defined in manifests: `pattern` is a file, a glob, or a directory
    /// of which all `.yaml`, `.yml` and `.json` files are read.
    ///
    /// A kind `Foo` is mapped to the type `Foo` in `module`, such as `crate::api`; an empty
    /// `module` maps none. With `dynamic` in place of a module, the objects are kube's
    /// `DynamicObject`s: for kinds without a Rust type. [`crd_type`](Self::crd_type) maps single
    /// kinds to other types.
    #[must_use]
    pub fn crd_manifests(mut self, pattern: &str, module: &str) -> Self {
        self.manifests.push(Manifests {
            pattern: pattern.to_owned(),
            module: (!module.is_empty()).then(|| module.to_owned()),
        });
        self
    }

    /// Maps a kind that a manifest defines, such as `example.com/v1/Foo`, to a Rust type, such as
    /// `crate::api::FooV1`, or to `dynamic`.
    ///
    /// A definition that serves several versions needs it: each version has its own type.
    #[must_use]
    pub fn crd_type(mut self, kind: &str, rust_type: &str) -> Self {
        self.crd_type.push(Pair::new(kind, rust_type));
        self
    }

    /// Adds the kinds that a Rust source file and the modules that it declares define by
    /// `#[derive(CustomResource)]`. `module` is the file's own path, such as `crate::api`.
    ///
    /// The attributes are read with kube-derive's defaults, plurals included. Types with
    /// `#[derive(Informer)]` are left alone. Kinds that a manifest defines too must agree with it,
    /// and need no [`crd_type`](Self::crd_type).
    #[must_use]
    pub fn rust_source(mut self, file: &str, module: &str) -> Self {
        self.rust_source.push(Manifests {
            pattern: file.to_owned(),
            module: (!module.is_empty()).then(|| module.to_owned()),
        });
        self
    }

    /// Enables a Cargo feature where [`rust_source`](Self::rust_source) says
    /// `#[cfg(feature = "..")]`; no feature is enabled by itself.
    #[must_use]
    pub fn feature(mut self, name: &str) -> Self {
        self.features.push(name.to_owned());
        self
    }

    /// Compares what the other inputs say of plural, scope and verbs with an API server's answers
    /// to discovery, saved to files: a file, a glob or a directory.
    ///
    /// Both the aggregated form (`APIGroupDiscoveryList`) and that of one group and version
    /// (`APIResourceList`, `kubectl get --raw /apis/example.com/v1`) are understood.
    #[must_use]
    pub fn discovery(mut self, files: &str) -> Self {
        self.discovery.push(files.to_owned());
        self
    }

    /// Adds an index to a selected kind, and a method to its lister: `by_app` for
    /// `metadata.labels['app']`, `by_node_name` for `spec.nodeName`.
    ///
    /// The field is a label, an annotation, or a path with dots. A path becomes an access to Rust
    /// fields in snake case that must end in a `String`; fields that are an `Option` or a `Vec`
    /// are looked through. If a Rust field is spelt otherwise, write the path as Rust does.
    #[must_use]
    pub fn index(mut self, group_version: &str, kind: &str, field: &str) -> Self {
        let kind = format!("{group_version}/{kind}");
        self.index.push(Pair::new(&kind, field));
        self
    }

    /// Names a group's module and accessor; the default is its first label.
    #[must_use]
    pub fn group_name(mut self, group: &str, name: &str) -> Self {
        self.group_name.push(Pair::new(group, name));
        self
    }

    /// Names the accessor of a kind such as `example.com/v1/Foo`; the default is its plural.
    #[must_use]
    pub fn accessor(mut self, kind: &str, name: &str) -> Self {
        self.accessor.push(Pair::new(kind, name));
        self
    }

    /// Sets where generated code finds the crate `informer`; the default is `::informer`.
    #[must_use]
    pub fn runtime_path(mut self, path: &str) -> Self {
        path.clone_into(&mut self.runtime_path);
        self
    }

    /// Sets where generated code finds `k8s-openapi`; the default is `::k8s_openapi`.
    #[must_use]
    pub fn k8s_openapi_path(mut self, path: &str) -> Self {
        path.clone_into(&mut self.k8s_openapi_path);
        self
    }

    /// Sets the visibility of what is generated, such as `pub(crate)`; the default is `pub`.
    #[must_use]
    pub fn visibility(mut self, visibility: &str) -> Self {
        visibility.clone_into(&mut self.visibility);
        self
    }

    /// Puts built-in kinds in beta versions behind a Cargo feature of the crate that the code is
    /// generated for; by default they are behind none.
    #[must_use]
    pub fn beta_feature(mut self, feature: &str) -> Self {
        self.beta_feature = Some(feature.to_owned());
        self
    }

    /// Puts built-in kinds in alpha versions behind a Cargo feature of the crate that the code is
    /// generated for; by default they are behind none.
    #[must_use]
    pub fn alpha_feature(mut self, feature: &str) -> Self {
        self.alpha_feature = Some(feature.to_owned());
        self
    }

    /// Writes each group to a file of its own, in a folder beside the main one.
    ///
    /// For code that is checked in and included with `mod`; `include!` needs a single file.
    #[must_use]
    pub fn file_per_group(mut self, split: bool) -> Self {
        self.file_per_group = split;
        self
    }

    /// Sets the directory to write to; the default is `OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(directory.into());
        self
    }

    /// Sets the name of the (main) file; the default is `informers.rs`.
    #[must_use]
    pub fn file_name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.file_name);
        self
    }

    /// Sets directory and name of the (main) file.
    #[must_use]
    pub fn write_to(self, file: &Path) -> Self {
        let name = file.file_name().unwrap_or_default();
        let directory = file.parent().unwrap_or(Path::new(""));
        self.out_dir(directory).file_name(&name.to_string_lossy())
    }

    /// Generates the text of all files, by path below the output directory. Reads the manifests,
    /// writes nothing.
    ///
    /// # Errors
    ///
    /// If an option or a manifest is wrong, or if names collide.
    pub fn render(&self) -> Result<BTreeMap<PathBuf, String>, Error> {
        Ok(self.render_with_inputs()?.files)
    }

    /// Generates the files and writes those that differ from what is there. Prints nothing.
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render); and if no directory is set, if a file is in the way that was
    /// not generated, or if writing fails. All is checked before anything is written.
    pub fn write(&self) -> Result<Outputs, Error> {
        let directory = self.directory()?;
        let rendered = self.render_with_inputs()?;
        let folder = self.group_folder();
        let files = write::write(&directory, &rendered.files, folder.as_deref())?;
        Ok(Outputs {
            files,
            inputs: rendered.inputs,
        })
    }

    /// Does what a build script has to do: [`write`](Self::write), then tell cargo which inputs to
    /// watch. Outside of a build script it prints nothing.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn generate(&self) -> Result<Outputs, Error> {
        let outputs = self.write()?;
        let manifest_directory = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        if let Some(package) = manifest_directory.filter(|_| env::var_os("OUT_DIR").is_some()) {
            for line in outputs.cargo_lines(&package) {
                println!("{line}");
            }
        }
        Ok(outputs)
    }

    /// Compares the files with what would be generated, for a test or a step of CI. Writes nothing;
    /// line ends of Windows are not a difference.
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render); and if no directory is set, or if a file cannot be read.
    pub fn check(&self) -> Result<Vec<Difference>, Error> {
        let directory = self.directory()?;
        let rendered = self.render_with_inputs()?;
        let folder = self.group_folder();
        write::differences(&directory, rendered.files, folder.as_deref())
    }

    /// Lists every kind that the inputs know, whether it is generated, and why not.
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render), but selecting nothing is no error.
    pub fn list(&self) -> Result<Vec<Entry>, Error> {
        let loaded = crate::input::load(self)?;
        let plan = Plan::new(self, &loaded.resources)?;
        Ok(list::entries(&plan, &loaded.skipped))
    }

    /// The feature that a version of a built-in kind is behind.
    pub(crate) fn feature_of(&self, version: &str) -> Option<&str> {
        match naming::stage(version)? {
            Stage::Alpha => self.alpha_feature.as_deref(),
            Stage::Beta => self.beta_feature.as_deref(),
            Stage::Stable => None,
        }
    }

    fn directory(&self) -> Result<PathBuf, Error> {
        match &self.out_dir {
            Some(directory) => Ok(directory.clone()),
            None => Ok(env::var_os("OUT_DIR").ok_or(Error::NoOutDir)?.into()),
        }
    }

    /// The folder of the files of single groups, below the output directory.
    pub(crate) fn group_folder(&self) -> Option<PathBuf> {
        let name = Path::new(&self.file_name).with_extension("");
        self.file_per_group.then_some(name)
    }

    fn render_with_inputs(&self) -> Result<Rendered, Error> {
        let is_rust = Path::new(&self.file_name).extension() == Some("rs".as_ref());
        if !is_rust || self.file_name.contains(['/', '\\']) {
            let reason = "is not the name of a Rust file";
            return Err(OptionName::FileName.refuse(&self.file_name, reason));
        }
        let loaded = crate::input::load(self)?;
        if loaded.resources.is_empty() {
            return Err(Error::Empty);
        }
        let plan = Plan::new(self, &loaded.resources)?;
        Ok(Rendered {
            files: emit::render(self, &plan)?,
            inputs: loaded.read.into_iter().collect(),
        })
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

struct Rendered {
    files: BTreeMap<PathBuf, String>,
    inputs: Vec<PathBuf>,
}

// === impl BuiltIns ===

impl BuiltIns {
    const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Stable => "stable",
            Self::All => "all",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        let all = [Self::None, Self::Stable, Self::All];
        all.into_iter().find(|which| which.name() == name)
    }
}

// === impl Manifests ===

impl FromStr for Manifests {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let (pattern, module) = match text.rsplit_once('=') {
            Some((pattern, module)) => (pattern, Some(module.to_owned())),
            None => (text, None),
        };
        Ok(Self {
            pattern: pattern.to_owned(),
            module: module.filter(|module| !module.is_empty()),
        })
    }
}

// === impl Pair ===

impl Pair {
    fn new(key: &str, value: &str) -> Self {
        Self {
            key: key.to_owned(),
            value: value.to_owned(),
        }
    }
}

impl FromStr for Pair {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((key, value)) if !key.is_empty() && !value.is_empty() => Ok(Self::new(key, value)),
            _ => Err("expected a name and a value with `=` between them"),
        }
    }
}
