//! Reads the attributes of kube-derive 5 with its defaults.

use std::fmt::Display;
use std::path::Path;

use informer_codegen::kube::{self, Kube};
use informer_codegen::names::{self, api};
use syn::punctuated::Punctuated;
use syn::{Meta, Token};

use super::declared::DeclaredType;
use crate::error::{Error, Location, Result};
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
    /// Position of the type.
    at: &'a Location,
}

// === impl Candidate ===

impl Candidate {
    /// Reads the attributes. Returns `None` if they are not those of a custom resource.
    pub(super) fn new(metas: &[Meta], declared: &DeclaredType<'_>) -> Result<Option<Self>> {
        if !derives(metas, "CustomResource") {
            return Ok(None);
        }
        let keys = KubeKeys::new(metas, declared.path, &declared.at)?;
        let group = keys.required("group", api::is_group, api::GROUP)?;
        let version = keys.required("version", api::is_label, api::LABEL)?;
        let kind = keys.required("kind", api::is_kind, api::KIND)?;
        keys.text("singular")?;
        let plural = match keys.text("plural")? {
            Some(given) => given,
            None => keys.kube.plural(&kind),
        };
        if plural == "ys" && keys.kube.entry("plural").is_none() {
            let problem = "is missing, and kube-derive cannot derive it from a kind of one letter";
            return Err(keys.error("plural", problem));
        }
        let root = match keys.text("root")? {
            Some(given) => given,
            None => kind.clone(),
        };
        if !names::is_type_name(&root) {
            let problem = format!("`{root}` cannot be the name of a Rust type; set `root`");
            return Err(keys.error("kind", problem));
        }
        let is_derived = derives(metas, "Informer") || keys.kube.derives_informer().is_some();
        let mut left_out = None;
        if !keys.flag("served", true)? {
            left_out = Some("not served");
        } else if is_derived {
            left_out = Some("has `#[derive(Informer)]`");
        } else {
            declared.check(&root)?;
        }
        let mut rust_type = declared.module.clone();
        paths::push(&mut rust_type, &root);
        let resource = Resource {
            gvk: Gvk::new(&group, &version, &kind),
            plural,
            scope: Scope::new(keys.flag("namespaced", false)?),
            rust_type,
            dynamic: false,
            gate: VersionGate::open(),
            deprecated: keys.deprecated(),
            origin: Origin::Source(declared.at.clone()),
            manifest: Manifest::default(),
            schema: None,
        };
        Ok(Some(Self { resource, left_out }))
    }

    pub(super) fn add_to(self, sources: &mut Sources) {
        if let Some(reason) = self.left_out {
            let skipped = self.resource.skipped(reason.to_owned());
            sources.skipped.push(skipped);
        } else {
            sources.resources.push(self.resource);
        }
    }
}

/// Reports whether a derive of this name is among the attributes, under any path.
pub(super) fn derives(metas: &[Meta], name: &str) -> bool {
    type Derives = Punctuated<syn::Path, Token![,]>;
    for meta in metas {
        let Meta::List(list) = meta else {
            continue;
        };
        if !list.path.is_ident("derive") {
            continue;
        }
        let Ok(derived) = list.parse_args_with(Derives::parse_terminated) else {
            continue;
        };
        for path in derived {
            if let Some(last) = path.segments.last()
                && last.ident == name
            {
                return true;
            }
        }
    }
    false
}

// === impl KubeKeys ===

impl<'a> KubeKeys<'a> {
    fn new(metas: &[Meta], path: &'a Path, at: &'a Location) -> Result<Self> {
        let Some(kube) = Kube::read(metas) else {
            return Err(field(at, "group", "is missing"));
        };
        for meta in metas {
            if meta.path().is_ident("kube")
                && let Err(error) = meta.require_list()
            {
                let at = Location::of(path, error.span());
                return Err(at.error(format!("`#[kube(..)]`: {error}")));
            }
        }
        for key in SINGLE {
            if let Some(again) = kube.all(key).nth(1) {
                let at = Location::of(path, again.span());
                return Err(field(&at, key, "is given twice"));
            }
        }
        Ok(Self { kube, path, at })
    }

    /// Returns the value of a key that has to be set, to a name by a rule.
    fn required(&self, key: &str, is_valid: fn(&str) -> bool, rule: &str) -> Result<String> {
        match self.text(key)? {
            Some(text) if is_valid(&text) => Ok(text),
            Some(text) => Err(self.error(key, api::found(rule, &text))),
            None => Err(self.error(key, "is missing")),
        }
    }

    fn text(&self, key: &str) -> Result<Option<String>> {
        let Some(entry) = self.kube.entry(key) else {
            return Ok(None);
        };
        match entry.try_string() {
            Some(literal) => Ok(Some(literal.value())),
            None => Err(self.error(key, "must be a string literal")),
        }
    }

    /// Returns the value of a boolean key: alone, or with a value.
    fn flag(&self, key: &str, default: bool) -> Result<bool> {
        let Some(entry) = self.kube.entry(key) else {
            return Ok(default);
        };
        match kube::flag(entry) {
            Some(flag) => Ok(flag),
            None => Err(self.error(key, "must be `true` or `false`")),
        }
    }

    fn deprecated(&self) -> Option<String> {
        let entry = self.kube.entry("deprecated")?;
        match entry.try_string() {
            Some(warning) => Some(warning.value()),
            None if kube::flag(entry) == Some(false) => None,
            None => Some(String::new()),
        }
    }

    /// Returns an error at a key, or at the type if the key is not set.
    fn error(&self, key: &str, problem: impl Display) -> Error {
        match self.kube.entry(key) {
            Some(entry) => field(&Location::of(self.path, entry.span()), key, problem),
            None => field(self.at, key, problem),
        }
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
