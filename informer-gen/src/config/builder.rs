//! The builder: one method for each option, without checks.

use std::path::{Path, PathBuf};

use super::{BuiltIns, Config, IndexOf, ManifestText, Manifests, Pair, RelationOf};
use crate::index::Index;
use crate::input::WRITTEN;
use crate::relation::{Owns, Reference, Selects};

impl Config {
    /// Adds a built-in kind, such as `("apps/v1", "Deployment")` or `("v1", "Pod")`.
    ///
    /// A kind that some versions of `k8s-openapi` lack is generated for the other versions only.
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

    /// Adds the kinds that manifests define. `pattern` is a file, a glob, or a directory of
    /// `.yaml`, `.yml` and `.json` files.
    ///
    /// The generator also writes their Rust types, from the schemas and with kopium's names: the
    /// kind `BGPPeer` of `example.com/v1` becomes `example::v1::bgp_peer::BgpPeer` in the generated
    /// module. The types need `kube` with its feature `derive`, `k8s-openapi`, `serde` and
    /// `serde_json`. The objects of a kind without a schema are kube's `DynamicObject`s.
    ///
    /// [`types_in`](Self::types_in) uses types of your own instead, and
    /// [`crd_type`](Self::crd_type) sets the type of a single kind.
    #[must_use]
    pub fn crd_manifests(mut self, pattern: &str) -> Self {
        self.manifests.push(Manifests::new(pattern, WRITTEN));
        self
    }

    /// Maps the kinds of the last added manifests to types of your own: a kind `Foo` to the type
    /// `Foo` in `module`, such as `crate::api`.
    ///
    /// If `module` is `dynamic`, the objects are kube's `DynamicObject`s. An empty `module` maps no
    /// kind: each kind then needs a [`crd_type`](Self::crd_type) or a
    /// [`rust_source`](Self::rust_source).
    #[must_use]
    pub fn types_in(mut self, module: &str) -> Self {
        let pattern = self.manifests.pop().map(|last| last.pattern);
        let pattern = pattern.unwrap_or_default();
        self.manifests.push(Manifests::new(&pattern, module));
        self
    }

    /// Adds manifests that are not in a file, such as the CRD list of an API server. Messages refer
    /// to the manifests as `origin`. `module` is as in [`types_in`](Self::types_in), or `types` to
    /// generate types.
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
    /// A definition with several served versions needs this call, because each version has its own
    /// type.
    #[must_use]
    pub fn crd_type(mut self, kind: &str, rust_type: &str) -> Self {
        self.crd_type.push(Pair::new(kind, rust_type));
        self
    }

    /// Adds the kinds that a Rust source file and its modules define by
    /// `#[derive(CustomResource)]`. `module` is the file's own path, such as `crate::api`.
    ///
    /// The attributes are read with kube-derive's defaults, including plurals. Types with
    /// `#[derive(Informer)]` are skipped. A kind that a manifest also defines must match the
    /// manifest, and needs no [`crd_type`](Self::crd_type).
    #[must_use]
    pub fn rust_source(mut self, file: &str, module: &str) -> Self {
        self.rust_source.push(Manifests::new(file, module));
        self
    }

    /// Restricts the output to these kinds of those in manifests and source. The other kinds
    /// add no code.
    ///
    /// A name is a kind, such as `Foo`, in any group and version, or the kind of one version, such
    /// as `example.com/v1/Foo`. Kinds named by [`dynamic`](Self::dynamic) are generated too.
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

    /// Excludes these kinds of those in manifests and source. The names are as in [`only`](Self::only).
    #[must_use]
    pub fn skip<T: Into<String>>(mut self, kinds: impl IntoIterator<Item = T>) -> Self {
        self.skip.extend(kinds.into_iter().map(Into::into));
        self
    }

    /// Generates these kinds without Rust types: their objects are kube's `DynamicObject`s. The
    /// names are as in [`only`](Self::only).
    #[must_use]
    pub fn dynamic<T: Into<String>>(mut self, kinds: impl IntoIterator<Item = T>) -> Self {
        self.dynamic.extend(kinds.into_iter().map(Into::into));
        self
    }

    /// Enables a Cargo feature in the `#[cfg(feature = "..")]` of a
    /// [`rust_source`](Self::rust_source). By default all features are disabled.
    #[must_use]
    pub fn feature(mut self, name: &str) -> Self {
        self.features.push(name.to_owned());
        self
    }

    /// Adds an index to a selected kind, and a method to its lister: `by_app` for
    /// `metadata.labels['app']`, `by_node_name` for `spec.nodeName`.
    ///
    /// `kind` is a name such as `Foo`, if only one selected kind has the name, or
    /// `example.com/v1/Foo`.
    ///
    /// A string is the path of a field in JSON spelling. It may lead into `metadata`, into a
    /// built-in kind, or into a kind whose manifest has a schema, which then checks the path.
    /// [`Index`] has the other sources, such as [Rust paths](Index::rust_path) for types of your
    /// own, and the settings: another name, unique values, and values that are not strings.
    #[must_use]
    pub fn index(mut self, kind: &str, index: impl Into<Index>) -> Self {
        self.index.push(IndexOf {
            kind: kind.to_owned(),
            index: index.into(),
        });
        self
    }

    /// Declares that objects of a kind own objects of another kind, by their controller references.
    ///
    /// `kind` is a name as in [`index`](Self::index). The relations of a kind are the fields and
    /// methods of a struct, such as `FooRelated`, which `foos.related(&factory)` returns. Built-in
    /// kinds have the relations of the API without configuration, and no such struct.
    #[must_use]
    pub fn owns(mut self, kind: &str, owned: impl Into<Owns>) -> Self {
        self.owns.push(RelationOf {
            kind: kind.to_owned(),
            relation: owned.into(),
        });
        self
    }

    /// Declares that objects of a kind refer to objects of another kind by name, and adds a method
    /// to the lister: `by_secret` for `v1/Secret`. Relations are as in [`owns`](Self::owns).
    #[must_use]
    pub fn references(mut self, kind: &str, reference: Reference) -> Self {
        self.references.push(RelationOf {
            kind: kind.to_owned(),
            relation: reference,
        });
        self
    }

    /// Declares that objects of a kind select objects of another kind by their labels, and adds a
    /// method to the lister: `selecting`. Relations are as in [`owns`](Self::owns).
    #[must_use]
    pub fn selects(mut self, kind: &str, selects: Selects) -> Self {
        self.selects.push(RelationOf {
            kind: kind.to_owned(),
            relation: selects,
        });
        self
    }

    /// Names a group's module and accessor. The default is the group's first label.
    #[must_use]
    pub fn group_name(mut self, group: &str, name: &str) -> Self {
        self.group_name.push(Pair::new(group, name));
        self
    }

    /// Names the accessor of a kind such as `example.com/v1/Foo`. The default is its plural.
    #[must_use]
    pub fn accessor(mut self, kind: &str, name: &str) -> Self {
        self.accessor.push(Pair::new(kind, name));
        self
    }

    /// Sets the prefix of the names of a kind's wrappers: `MyFoo` gives `MyFooInformer` and
    /// `MyFooLister`. The default is the name of the Rust type, or of the kind if it has no type.
    #[must_use]
    pub fn prefix(mut self, kind: &str, prefix: &str) -> Self {
        self.prefix.push(Pair::new(kind, prefix));
        self
    }

    /// Sets the path of the crate `informer` in generated code. The default is `::informer`.
    #[must_use]
    pub fn runtime_path(mut self, path: &str) -> Self {
        self.runtime_path = Some(path.to_owned());
        self
    }

    /// Sets the path of `k8s-openapi` in generated code. The default is `::k8s_openapi`.
    #[must_use]
    pub fn k8s_openapi_path(mut self, path: &str) -> Self {
        self.k8s_openapi_path = Some(path.to_owned());
        self
    }

    /// Sets the visibility of the generated items, such as `pub(crate)`. The default is `pub`.
    #[must_use]
    pub fn visibility(mut self, visibility: &str) -> Self {
        self.visibility = Some(visibility.to_owned());
        self
    }

    /// Makes built-in kinds in beta versions depend on a Cargo feature of the crate that includes
    /// the generated code. By default they depend on no feature.
    #[must_use]
    pub fn beta_feature(mut self, feature: &str) -> Self {
        self.beta_feature = Some(feature.to_owned());
        self
    }

    /// Makes built-in kinds in alpha versions depend on a Cargo feature of the crate that includes
    /// the generated code. By default they depend on no feature.
    #[must_use]
    pub fn alpha_feature(mut self, feature: &str) -> Self {
        self.alpha_feature = Some(feature.to_owned());
        self
    }

    /// Writes each group to a separate file, in a folder beside the main file.
    ///
    /// Use it for checked-in code that `mod` includes. `include!` needs a single file.
    #[must_use]
    pub fn file_per_group(mut self, split: bool) -> Self {
        self.file_per_group = Some(split);
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
