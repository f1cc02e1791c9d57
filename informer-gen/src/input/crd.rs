//! Kinds that `CustomResourceDefinition` manifests define.
//!
//! `files` finds and reads, `node` parses YAML with positions, `definition` takes from a document
//! what matters here, and this module maps the kinds to Rust types.

mod definition;
mod files;
mod node;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use self::definition::{Definition, Document, Version};
use self::node::Node;
use super::Loaded;
use crate::config::{Config, Manifests};
use crate::error::{Error, OptionName};
use crate::ir::{Gate, Gvk, Origin, Resource, Skipped};
use crate::{naming, paths, suggest};

/// Adds the kinds of all manifests that `config` names to `loaded`.
pub(crate) fn load(config: &Config, loaded: &mut Loaded) -> Result<(), Error> {
    let types = Types::new(config)?;
    let mut seen = Seen::default();
    for manifests in &config.manifests {
        let module = manifests.module.as_deref();
        let module = module
            .map(|text| paths::absolute(text, OptionName::CrdManifests))
            .transpose()?;
        for definition in read(manifests, loaded)? {
            if seen.is_new(&definition)? {
                add(&definition, module.as_ref(), &types, loaded)?;
            }
        }
    }
    types.check_used(loaded)
}

/// The definitions in all files that match; at least one.
fn read(manifests: &Manifests, loaded: &mut Loaded) -> Result<Vec<Definition>, Error> {
    let mut definitions = Vec::new();
    let mut ignored = Vec::new();
    let found = files::find(&manifests.pattern)?;
    loaded.read.extend(found.directory);
    for path in found.files {
        let text = files::read(&path)?;
        loaded.read.insert(path.clone());
        for document in node::parse(&path, &text)? {
            collect(&document, &path, &mut definitions, &mut ignored)?;
        }
    }
    if definitions.is_empty() {
        let first = ignored.first();
        let found = first.map_or_else(String::new, |first| format!(", but {first}"));
        return Err(Error::NotACrd {
            pattern: manifests.pattern.clone(),
            found,
        });
    }
    Ok(definitions)
}

/// Sorts one document, or the items of a list, into definitions and other things.
fn collect(
    node: &Node,
    path: &Path,
    definitions: &mut Vec<Definition>,
    ignored: &mut Vec<String>,
) -> Result<(), Error> {
    match Document::new(node, path)? {
        Document::Definition(definition) => definitions.push(definition),
        Document::List(items) => {
            for item in items {
                collect(item, path, definitions, ignored)?;
            }
        }
        Document::Other(description) => ignored.push(description),
    }
    Ok(())
}

/// Adds a resource for each version that is served.
fn add(
    definition: &Definition,
    module: Option<&syn::Path>,
    types: &Types,
    loaded: &mut Loaded,
) -> Result<(), Error> {
    let (served, unserved): (Vec<_>, Vec<_>) = definition
        .versions
        .iter()
        .partition(|version| version.served);
    let default = default_type(definition, module);
    let mut resources = Vec::new();
    let mut missing = Vec::new();
    let mut defaulted = Vec::new();
    for version in served {
        let gvk = definition.gvk(version);
        let rust_type = match (types.get(&gvk), &default) {
            (Some(given), _) => given.clone(),
            (None, Ok(default)) => {
                defaulted.push(gvk.clone());
                default.clone()
            }
            (None, Err(_)) => {
                missing.push(gvk);
                continue;
            }
        };
        resources.push(resource(definition, version, gvk, rust_type));
    }
    let why = match default {
        Err(why) => why,
        Ok(_) if defaulted.len() > 1 => {
            missing = defaulted;
            ", as each version that is served needs a type of its own".to_owned()
        }
        Ok(_) => String::new(),
    };
    if !missing.is_empty() {
        let at = definition.at.clone();
        return Err(Error::NoType {
            at,
            gvks: missing,
            why,
        });
    }
    loaded.resources.extend(resources);
    loaded
        .skipped
        .extend(unserved.into_iter().map(|version| Skipped {
            gvk: definition.gvk(version),
            plural: Some(definition.plural.clone()),
            scope: Some(definition.scope),
            origin: Origin::Manifest(version.at.clone()),
            reason: "not served".to_owned(),
        }));
    Ok(())
}

/// The type that is named like the kind, or why there is none.
fn default_type(definition: &Definition, module: Option<&syn::Path>) -> Result<syn::Path, String> {
    let Some(module) = module else {
        return Err(format!(", or give {} a module", OptionName::CrdManifests));
    };
    if !naming::is_type_name(&definition.kind) {
        let kind = &definition.kind;
        return Err(format!(", as `{kind}` cannot be the name of a Rust type"));
    }
    let mut path = module.clone();
    path.segments
        .push(naming::identifier(&definition.kind).into());
    Ok(path)
}

fn resource(
    definition: &Definition,
    version: &Version,
    gvk: Gvk,
    rust_type: syn::Path,
) -> Resource {
    Resource {
        gvk,
        plural: definition.plural.clone(),
        scope: definition.scope,
        rust_type,
        gate: Gate::open(),
        deprecated: version.deprecated,
        origin: Origin::Manifest(definition.at.clone()),
    }
}

/// Rust types by kind, as the user gave them.
struct Types(BTreeMap<Gvk, syn::Path>);

impl Types {
    fn new(config: &Config) -> Result<Self, Error> {
        let mut types = BTreeMap::new();
        for pair in &config.crd_type {
            let gvk = Gvk::parse(&pair.key).ok_or_else(|| {
                OptionName::CrdType.refuse(&pair.key, "is not a kind such as `example.com/v1/Foo`")
            })?;
            let path = paths::absolute(&pair.value, OptionName::CrdType)?;
            let before = types.insert(gvk, path.clone());
            if before.is_some_and(|before| paths::display(&before) != paths::display(&path)) {
                return Err(OptionName::CrdType.refuse(&pair.key, "is mapped to two types"));
            }
        }
        Ok(Self(types))
    }

    fn get(&self, gvk: &Gvk) -> Option<&syn::Path> {
        self.0.get(gvk)
    }

    /// A type for a kind that no manifest defines is a slip of the pen.
    fn check_used(&self, loaded: &Loaded) -> Result<(), Error> {
        let resources = loaded.resources.iter();
        let defined: BTreeSet<&Gvk> = resources
            .filter(|resource| matches!(resource.origin, Origin::Manifest(_)))
            .map(|resource| &resource.gvk)
            .collect();
        match self.0.keys().find(|gvk| !defined.contains(gvk)) {
            None => Ok(()),
            Some(unused) => Err(Error::NotSelected {
                option: OptionName::CrdType,
                gvk: unused.clone(),
                suggestion: suggest::kind(unused, defined),
            }),
        }
    }
}

/// The definitions so far, to tell repetitions from contradictions.
#[derive(Default)]
struct Seen(BTreeMap<(String, String), Definition>);

impl Seen {
    /// Whether this is not a repetition, such as of a file that two globs match.
    fn is_new(&mut self, definition: &Definition) -> Result<bool, Error> {
        let key = (definition.group.clone(), definition.kind.clone());
        match self.0.get(&key) {
            None => {
                self.0.insert(key, definition.clone());
                Ok(true)
            }
            Some(before) if before.says_the_same_as(definition) => Ok(false),
            Some(before) => Err(Error::Duplicate {
                gvk: definition.first_gvk(),
                first: before.at.to_string(),
                second: definition.at.to_string(),
            }),
        }
    }
}
