//! Reads the attributes of kube-derive 5 with its defaults.

use std::fmt::Display;
use std::path::Path;

use informer_codegen::declaration::entry::Entry;
use informer_codegen::kube::{self, Kube};
use informer_codegen::names::{self, api};
use syn::punctuated::Punctuated;
use syn::{Meta, Token};

use super::declared::DeclaredType;
use crate::error::{Error, Location};
use crate::gvk::{Gvk, Scope};
use crate::input::loaded::Sources;
use crate::ir::{Manifest, Origin, Resource, VersionGate};
use crate::paths;

/// Type that derives `CustomResource`.
pub(super) struct Candidate {
    resource: Resource,
    /// Reason why the kind is not generated, if so.
    left_out: Option<&'static str>,
}

/// Keys of all `#[kube(..)]`, with errors for wrong values.
struct KubeKeys<'a> {
    kube: Kube,
    path: &'a Path,
}

// === impl Candidate ===

impl Candidate {
    /// Reads the attributes. Returns `None` if they are not those of a custom resource.
    pub(super) fn new(metas: &[Meta], declared: &DeclaredType<'_>) -> Result<Option<Self>, Error> {
        if !derives(metas, "CustomResource") {
            return Ok(None);
        }
        let DeclaredType { path, module, .. } = *declared;
        let at = declared.at.clone();
        let keys = KubeKeys::new(metas, path, &at)?;
        let (group, _) = keys.required("group", &at, api::is_group, api::GROUP)?;
        let (version, _) = keys.required("version", &at, api::is_label, api::LABEL)?;
        let (kind, kind_at) = keys.required("kind", &at, api::is_kind, api::KIND)?;
        keys.text("singular")?;
        let plural = keys
            .text("plural")?
            .unwrap_or_else(|| keys.kube.plural(&kind));
        if plural == "ys" && keys.kube.entry("plural").is_none() {
            let problem = "is missing, and kube-derive cannot derive it from a kind of one letter";
            return Err(field(&at, "plural", problem));
        }
        let root = keys.text("root")?.unwrap_or_else(|| kind.clone());
        if !names::is_type_name(&root) {
            let problem = format!("`{root}` cannot be the name of a Rust type; set `root`");
            return Err(field(&kind_at, "kind", problem));
        }
        let is_derived = derives(metas, "Informer") || keys.kube.derives_informer().is_some();
        let left_out = if !keys.flag("served", true)? {
            Some("not served")
        } else if is_derived {
            Some("has `#[derive(Informer)]`")
        } else {
            declared.check(&root)?;
            None
        };
        let mut rust_type = module.clone();
        paths::push(&mut rust_type, &root);
        let resource = Resource {
            gvk: Gvk::new(&group, &version, &kind),
            plural,
            scope: Scope::new(keys.flag("namespaced", false)?),
            rust_type,
            dynamic: false,
            gate: VersionGate::open(),
            deprecated: keys.deprecated(),
            origin: Origin::Source(at),
            manifest: Manifest::default(),
            schema: None,
        };
        Ok(Some(Self { resource, left_out }))
    }

    pub(super) fn add_to(self, sources: &mut Sources) {
        match self.left_out {
            Some(reason) => sources
                .skipped
                .push(self.resource.skipped(reason.to_owned())),
            None => sources.resources.push(self.resource),
        }
    }
}

/// Reports whether a derive of this name is among the attributes, under any path.
pub(super) fn derives(metas: &[Meta], name: &str) -> bool {
    metas
        .iter()
        .filter(|meta| meta.path().is_ident("derive"))
        .filter_map(|meta| meta.require_list().ok())
        .filter_map(|list| {
            list.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated)
                .ok()
        })
        .flatten()
        .any(|path| path.segments.last().is_some_and(|last| last.ident == name))
}

// === impl KubeKeys ===

impl<'a> KubeKeys<'a> {
    fn new(metas: &[Meta], path: &'a Path, at: &Location) -> Result<Self, Error> {
        let kube = Kube::read(metas).ok_or_else(|| field(at, "group", "is missing"))?;
        let keys = Self { kube, path };
        for meta in metas {
            if meta.path().is_ident("kube")
                && let Err(error) = meta.require_list()
            {
                let at = Location::of(path, error.span());
                return Err(at.error(format!("`#[kube(..)]`: {error}")));
            }
        }
        for key in SINGLE {
            if let Some(again) = keys.kube.all(key).nth(1) {
                return Err(keys.wrong(again, "is given twice"));
            }
        }
        Ok(keys)
    }

    /// Returns the value of a key that has to be set, to a name by a rule.
    fn required(
        &self,
        key: &str,
        at: &Location,
        is_valid: fn(&str) -> bool,
        rule: &str,
    ) -> Result<(String, Location), Error> {
        let (Some(text), Some(entry)) = (self.text(key)?, self.kube.entry(key)) else {
            return Err(field(at, key, "is missing"));
        };
        if !is_valid(&text) {
            return Err(self.wrong(entry, &api::found(rule, &text)));
        }
        Ok((text, Location::of(self.path, entry.span())))
    }

    fn text(&self, key: &str) -> Result<Option<String>, Error> {
        let Some(entry) = self.kube.entry(key) else {
            return Ok(None);
        };
        match entry.try_string() {
            Some(literal) => Ok(Some(literal.value())),
            None => Err(self.wrong(entry, "must be a string literal")),
        }
    }

    /// Returns the value of a boolean key: alone, or with a value.
    fn flag(&self, key: &str, default: bool) -> Result<bool, Error> {
        let Some(entry) = self.kube.entry(key) else {
            return Ok(default);
        };
        kube::flag(entry).ok_or_else(|| self.wrong(entry, "must be `true` or `false`"))
    }

    fn deprecated(&self) -> Option<String> {
        let entry = self.kube.entry("deprecated")?;
        match entry.try_string() {
            Some(warning) => Some(warning.value()),
            None => (kube::flag(entry) != Some(false)).then(String::new),
        }
    }

    fn wrong(&self, entry: &Entry, problem: &str) -> Error {
        field(&Location::of(self.path, entry.span()), entry.key(), problem)
    }
}

/// Keys that are read here, and that may be set once.
const SINGLE: &[&str] = &[
    "group",
    "version",
    "kind",
    "root",
    "plural",
    "singular",
    "namespaced",
    "served",
    "deprecated",
];

fn field(at: &Location, key: &str, problem: impl Display) -> Error {
    at.error(format!("`{key}` of `#[kube(..)]` {problem}"))
}
