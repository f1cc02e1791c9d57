//! The builder: a call for each option, which checks nothing.

use std::path::{Path, PathBuf};

use super::{Answer, BuiltIns, Config, IndexOf, ManifestText, Manifests, Pair};
use crate::index::Index;
use crate::input::WRITTEN;
use crate::progress::{Observer, Step};

impl Config {
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
    /// Their Rust types are written too, from the schemas and with the names of kopium: the kind `BGPPeer` of
    /// `example.com/v1` is `example::v1::bgp_peer::BgpPeer` in the generated module. They need `kube` with its feature
    /// `derive`, `k8s-openapi`, `serde` and `serde_json`. A kind without a schema is held by kube's `DynamicObject`.
    ///
    /// [`types_in`](Self::types_in) names types of your own in their place, and [`crd_type`](Self::crd_type) that of a
    /// single kind.
    #[must_use]
    pub fn crd_manifests(mut self, pattern: &str) -> Self {
        self.manifests.push(Manifests::new(pattern, WRITTEN));
        self
    }

    /// Maps the kinds of the manifests that were added last to types of your own: a kind `Foo` to the type `Foo` in
    /// `module`, such as `crate::api`.
    ///
    /// With `dynamic` in place of a module the objects are kube's `DynamicObject`s, and an empty `module` maps no kind:
    /// each has its [`crd_type`](Self::crd_type), or is in a [`rust_source`](Self::rust_source).
    #[must_use]
    pub fn types_in(mut self, module: &str) -> Self {
        let pattern = self.manifests.pop().map(|last| last.pattern);
        let pattern = pattern.unwrap_or_default();
        self.manifests.push(Manifests::new(&pattern, module));
        self
    }

    /// Hands over manifests that are not in a file, such as the list of definitions of an API server; `origin` is what
    /// messages call them, and `module` is as with [`types_in`](Self::types_in), or `types` to have types written.
    #[must_use]
    pub fn crd_text(mut self, origin: &str, text: &str, module: &str) -> Self {
        self.manifest_texts.push(ManifestText {
            text: text.to_owned(),
            source: Manifests::new(origin, module),
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
        self.rust_source.push(Manifests::new(file, module));
        self
    }

    /// Takes these kinds only of those that manifests, source and discovery have; the others cost nothing.
    ///
    /// A name is a kind, such as `Foo`, in whatever group and version it is, or the kind of one version, such as
    /// `example.com/v1/Foo`. What [`dynamic`](Self::dynamic) names is taken too. Built-in kinds are chosen by
    /// [`built_in`](Self::built_in).
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let manifest = |kind: &str, plural: &str| format!(
    /// #     "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: {plural}.a.io}}, \
    /// #      spec: {{group: a.io, scope: Cluster, names: {{kind: {kind}, plural: {plural}}}, versions: [{{name: v1, served: true}}]}}}}"
    /// # );
    /// # std::fs::write(folder.path().join("crds.yaml"), format!("{}\n---\n{}\n", manifest("Issuer", "issuers"), manifest("Order", "orders")))?;
    /// # let manifests = format!("{}/*.yaml", folder.path().display());
    /// let config = informer_gen::Config::new()
    ///     .crd_manifests(&manifests).types_in("crate::api")
    ///     .only(["Issuer"]);
    /// # let text = config.render()?.into_values().next().unwrap_or_default();
    /// # assert!(text.contains("IssuerInformer") && !text.contains("OrderInformer"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn only<T: Into<String>>(mut self, kinds: impl IntoIterator<Item = T>) -> Self {
        self.only.extend(kinds.into_iter().map(Into::into));
        self
    }

    /// Leaves these kinds out, of those that manifests, source and discovery have; the names are as for
    /// [`only`](Self::only).
    #[must_use]
    pub fn skip<T: Into<String>>(mut self, kinds: impl IntoIterator<Item = T>) -> Self {
        self.skip.extend(kinds.into_iter().map(Into::into));
        self
    }

    /// Takes these kinds, and does without Rust types for them: their objects are kube's `DynamicObject`s. The names
    /// are as for [`only`](Self::only).
    #[must_use]
    pub fn dynamic<T: Into<String>>(mut self, kinds: impl IntoIterator<Item = T>) -> Self {
        self.dynamic.extend(kinds.into_iter().map(Into::into));
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

    /// Compares as [`discovery`](Self::discovery) does, and adds the kinds in the documents that can
    /// be listed and watched.
    ///
    /// Built-in kinds have their own types. Others are mapped as with
    /// [`crd_manifests`](Self::crd_manifests): to the type of the kind's name in `module`, or to
    /// `DynamicObject` if `module` is `dynamic`; an empty `module` maps none.
    #[must_use]
    pub fn discovery_kinds(mut self, files: &str, module: &str) -> Self {
        self.discovery_kinds.push(Manifests::new(files, module));
        self
    }

    /// Takes kinds of this group only from discovery, `core` being the one without a name; may be
    /// called for several groups. By default all are taken.
    #[must_use]
    pub fn discovery_group(mut self, group: &str) -> Self {
        self.discovery_group.push(group.to_owned());
        self
    }

    /// Hands over an answer to discovery that is not in a file; `origin` is what messages call it.
    ///
    /// With a module it adds kinds, as [`discovery_kinds`](Self::discovery_kinds) does; without,
    /// it is only compared with the other inputs.
    #[must_use]
    pub fn discovery_answer(mut self, origin: &str, json: &str, module: Option<&str>) -> Self {
        self.documents.push(Answer {
            origin: origin.into(),
            text: json.to_owned(),
            kinds: module.map(|module| Manifests::new(origin, module)),
        });
        self
    }

    /// Adds an index to a selected kind, and a method to its lister: `by_app` for
    /// `metadata.labels['app']`, `by_node_name` for `spec.nodeName`.
    ///
    /// The kind is its name, such as `Foo`, if there is one of the name only, or `example.com/v1/Foo`.
    ///
    /// A text is the path of a field as JSON spells it: in `metadata`, of a built-in kind, or of a kind whose schema
    /// a manifest has, with which it is compared. [`Index`] has the other sorts, with
    /// [paths of Rust](Index::rust_path) for types of your own, and the settings: another name, unique values, values
    /// that are no texts.
    #[must_use]
    pub fn index(mut self, kind: &str, index: impl Into<Index>) -> Self {
        self.index.push(IndexOf {
            kind: kind.to_owned(),
            index: index.into(),
        });
        self
    }

    /// Calls `observer` with every step as it begins, for a display of progress.
    #[must_use]
    pub fn on_progress(mut self, observer: impl Fn(Step<'_>) + Send + Sync + 'static) -> Self {
        self.progress = Observer::new(observer);
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

    /// Sets what the names of a kind's wrappers begin with: `MyFoo` gives `MyFooInformer` and `MyFooLister`. The
    /// default is the name of the Rust type, or the kind if it has none.
    #[must_use]
    pub fn prefix(mut self, kind: &str, prefix: &str) -> Self {
        self.prefix.push(Pair::new(kind, prefix));
        self
    }

    /// Sets where generated code finds the crate `informer`; the default is `::informer`.
    #[must_use]
    pub fn runtime_path(mut self, path: &str) -> Self {
        self.runtime_path = Some(path.to_owned());
        self
    }

    /// Sets where generated code finds `k8s-openapi`; the default is `::k8s_openapi`.
    #[must_use]
    pub fn k8s_openapi_path(mut self, path: &str) -> Self {
        self.k8s_openapi_path = Some(path.to_owned());
        self
    }

    /// Sets the visibility of what is generated, such as `pub(crate)`; the default is `pub`.
    #[must_use]
    pub fn visibility(mut self, visibility: &str) -> Self {
        self.visibility = Some(visibility.to_owned());
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
        self.file_per_group = Some(split);
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
        self.file_name = Some(name.to_owned());
        self
    }

    /// Sets directory and name of the (main) file.
    #[must_use]
    pub fn write_to(self, file: &Path) -> Self {
        let name = file.file_name().unwrap_or_default();
        let directory = file.parent().unwrap_or(Path::new(""));
        self.out_dir(directory).file_name(&name.to_string_lossy())
    }
}
