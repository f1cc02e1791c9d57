//! The builder: one method for each option, without checks.

use std::path::{Path, PathBuf};

use super::Config;
use super::value::{BuiltIns, KindOf, ManifestText, Manifests, Pair, Types};

impl Config {
    /// Adds a built-in kind, such as `("apps/v1", "Deployment")` or `("v1", "Pod")`.
    ///
    /// A kind that some versions of `k8s-openapi` lack is generated for the other versions only.
    #[must_use]
    pub fn built_in(mut self, group_version: &str, kind: &str) -> Self {
        self.inputs.built_in.push(format!("{group_version}/{kind}"));
        self
    }

    /// Adds a class of built-in kinds.
    #[must_use]
    pub fn built_ins(mut self, which: BuiltIns) -> Self {
        self.inputs.built_in.push(which.name().to_owned());
        self
    }

    /// Adds the kinds that manifests define. `pattern` is a file, a glob, or a directory of
    /// `.yaml`, `.yml` and `.json` files.
    ///
    /// `types` tells where their Rust types come from. A declaration with `of` sets the type of a
    /// single [`kind`](Self::kind).
    #[must_use]
    pub fn crd_manifests(mut self, pattern: &str, types: Types<'_>) -> Self {
        let manifests = Manifests::new(pattern, types.word());
        self.inputs.manifests.push(manifests);
        self
    }

    /// Adds manifests that are not in a file, such as the CRD list of an API server. Messages refer
    /// to the manifests as `origin`.
    #[must_use]
    pub fn crd_text(mut self, origin: &str, text: &str, types: Types<'_>) -> Self {
        self.manifest_texts.push(ManifestText {
            text: text.to_owned(),
            source: Manifests::new(origin, types.word()),
        });
        self
    }

    /// Adds the kinds that a Rust source file and its modules define by
    /// `#[derive(CustomResource)]`. `module` is the file's own path, such as `crate::api`.
    ///
    /// The attributes are read with kube-derive's defaults, including plurals. Types with
    /// `#[derive(Informer)]` are skipped. A kind that a manifest also defines must match the
    /// manifest, and needs no declaration of its type.
    #[must_use]
    pub fn rust_source(mut self, file: &str, module: &str) -> Self {
        self.inputs.rust_source.push(Manifests::new(file, module));
        self
    }

    /// Restricts the output to these kinds of those in manifests and source. The other kinds
    /// add no code.
    ///
    /// A name is a kind, such as `Foo`, in any group and version, or the kind of one version, such
    /// as `example.com/v1/Foo`.
    /// [`built_in`](Self::built_in) selects built-in kinds.
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
    ///     .crd_manifests(&manifests, informer_gen::Types::In("crate::api"))
    ///     .only(["Issuer"]);
    /// # let text = config.render()?.files.into_values().next().unwrap_or_default();
    /// # assert!(text.contains("IssuerInformer") && !text.contains("OrderInformer"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn only<T: Into<String>>(mut self, kinds: impl IntoIterator<Item = T>) -> Self {
        self.inputs.only.extend(kinds.into_iter().map(Into::into));
        self
    }

    /// Excludes these kinds of those in manifests and source. The names are as in [`only`](Self::only).
    #[must_use]
    pub fn skip<T: Into<String>>(mut self, kinds: impl IntoIterator<Item = T>) -> Self {
        self.inputs.skip.extend(kinds.into_iter().map(Into::into));
        self
    }

    /// Enables a Cargo feature in the `#[cfg(feature = "..")]` of a
    /// [`rust_source`](Self::rust_source). By default all features are disabled.
    #[must_use]
    pub fn feature(mut self, name: &str) -> Self {
        self.inputs.features.push(name.to_owned());
        self
    }

    /// Declares the Rust type, the names, the indices and the relations of a kind.
    ///
    /// `kind` is a name such as `Foo`, if only one selected kind has the name, or
    /// `example.com/v1/Foo`. The declaration is in the language of `#[informer(..)]`, which
    /// [docs/declarations.md] describes. Here `of` is a path that begins with `crate` or `::`, or
    /// `dynamic`, and related kinds may be written as `v1/Secret`. Several declarations of a kind
    /// add up.
    ///
    /// ```
    /// use informer_gen::Config;
    ///
    /// let config = Config::new()
    ///     .built_in("v1", "Pod")
    ///     .kind(
    ///         "v1/Pod",
    ///         r#"index = "spec.nodeName",
    ///            index(label = "app", name = "by_application"),
    ///            index(path = "status.podIP", unique),
    ///            index(owner = apps/v1/ReplicaSet)"#,
    ///     );
    /// # let text = config.render()?.files.into_values().next().unwrap_or_default();
    /// # assert!(text.contains("fn by_pod_ip("));
    /// # Ok::<(), informer_gen::Error>(())
    /// ```
    ///
    /// [docs/declarations.md]: https://github.com/informer-rs/informer/blob/main/docs/declarations.md
    #[must_use]
    pub fn kind(mut self, kind: &str, declaration: &str) -> Self {
        self.declared.kind.push(KindOf::new(kind, declaration));
        self
    }

    /// Names a group's module and accessor. The default is the group's first label.
    #[must_use]
    pub fn group_name(mut self, group: &str, name: &str) -> Self {
        self.declared.group_name.push(Pair::new(group, name));
        self
    }

    /// Names each group's module and accessor after all labels of the group, such as
    /// `networking_k8s_io`, for inputs with many groups of one first label.
    /// [`group_name`](Self::group_name) still applies.
    #[must_use]
    pub fn full_group_names(mut self, full: bool) -> Self {
        self.declared.full_group_names = full;
        self
    }

    /// Sets the path of the crate `informer` in generated code. The default is `::informer`.
    #[must_use]
    pub fn runtime_path(mut self, path: &str) -> Self {
        self.code.runtime_path = Some(path.to_owned());
        self
    }

    /// Sets the path of `k8s-openapi` in generated code. The default is `::k8s_openapi`.
    #[must_use]
    pub fn k8s_openapi_path(mut self, path: &str) -> Self {
        self.code.k8s_openapi_path = Some(path.to_owned());
        self
    }

    /// Sets the visibility of the generated items, such as `pub(crate)`. The default is `pub`.
    #[must_use]
    pub fn visibility(mut self, visibility: &str) -> Self {
        self.code.visibility = Some(visibility.to_owned());
        self
    }

    /// Makes built-in kinds in beta versions depend on a Cargo feature of the crate that includes
    /// the generated code. By default they depend on no feature.
    #[must_use]
    pub fn beta_feature(mut self, feature: &str) -> Self {
        self.code.beta_feature = Some(feature.to_owned());
        self
    }

    /// Makes built-in kinds in alpha versions depend on a Cargo feature of the crate that includes
    /// the generated code. By default they depend on no feature.
    #[must_use]
    pub fn alpha_feature(mut self, feature: &str) -> Self {
        self.code.alpha_feature = Some(feature.to_owned());
        self
    }

    /// Writes each group to a separate file, in a folder beside the main file.
    ///
    /// Use it for checked-in code that `mod` includes. `include!` needs a single file.
    #[must_use]
    pub fn file_per_group(mut self, split: bool) -> Self {
        self.code.file_per_group = split;
        self
    }

    /// Sets the output directory. The default is `OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(directory.into());
        self
    }

    /// Sets the name of the (main) file. The default is `informers.rs`.
    #[must_use]
    pub fn file_name(mut self, name: &str) -> Self {
        self.file_name = Some(name.to_owned());
        self
    }

    /// Sets the directory and name of the (main) file.
    #[must_use]
    pub fn write_to(self, file: &Path) -> Self {
        let name = file.file_name().unwrap_or_default();
        let directory = file.parent().unwrap_or(Path::new(""));
        self.out_dir(directory).file_name(&name.to_string_lossy())
    }
}
