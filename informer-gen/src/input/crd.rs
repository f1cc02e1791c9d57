//! Kinds that `CustomResourceDefinition` manifests define.
//!
//! `definition` takes from a document what matters here, and this module maps the kinds to Rust
//! types, as `types` has them.

mod definition;

use std::collections::BTreeMap;
use std::path::Path;

use self::definition::{Definition, Document, Version};
use super::Loaded;
use super::node::{self, Node};
use super::types::{Held, Module, Types, WRITTEN};
use crate::config::{Config, Manifests};
use crate::error::{Error, OptionName};
use crate::ir::{Gate, Gvk, Manifest, Origin, Resource, Skipped};
use crate::types;

/// Adds the kinds of all manifests that `config` names to `loaded`.
pub(super) fn load(config: &Config, types: &Types, loaded: &mut Loaded) -> Result<(), Error> {
    let mut seen = Seen::default();
    for manifests in &config.manifests {
        let written = config.writes_types().then_some(WRITTEN);
        let module = manifests.module.as_deref().or(written);
        let module = Module::new(module, OptionName::CrdManifests)?;
        for definition in read(manifests, loaded)? {
            if seen.is_new(&definition)? {
                add(&definition, &module, types, loaded)?;
            }
        }
    }
    Ok(())
}

/// The definitions in all files that match; at least one.
fn read(manifests: &Manifests, loaded: &mut Loaded) -> Result<Vec<Definition>, Error> {
    let mut definitions = Vec::new();
    let mut ignored = Vec::new();
    for path in loaded.find(&manifests.pattern, OptionName::CrdManifests)? {
        let text = loaded.text(&path)?;
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
    module: &Module,
    types: &Types,
    loaded: &mut Loaded,
) -> Result<(), Error> {
    let (served, unserved): (Vec<_>, Vec<_>) = definition
        .versions
        .iter()
        .partition(|version| version.served);
    let default = module.type_of(&definition.kind);
    let mut resources = Vec::new();
    let mut missing = Vec::new();
    let mut defaulted = Vec::new();
    for version in served {
        let gvk = definition.gvk(version);
        let held = match (types.get(&gvk), &default) {
            (Some(given), _) => given,
            (None, Ok(default @ Held::By(_))) => {
                defaulted.push(gvk.clone());
                default.clone()
            }
            (None, Ok(default)) => default.clone(),
            (None, Err(_)) => {
                missing.push(gvk);
                continue;
            }
        };
        resources.push(resource(definition, version, gvk, &held, types));
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

fn resource(
    definition: &Definition,
    version: &Version,
    gvk: Gvk,
    held: &Held,
    types: &Types,
) -> Resource {
    let mut manifest = Manifest {
        description: version.description().to_owned(),
        short_names: definition.short_names.clone(),
        ..Manifest::default()
    };
    let mut dynamic = held.is_dynamic();
    let mut rust_type = types.path(held);
    if matches!(held, Held::Written) {
        match types::Types::new(&types::Definition {
            group: &gvk.group,
            version: &gvk.version,
            kind: &gvk.kind,
            plural: &definition.plural,
            scope: definition.scope,
            short_names: &definition.short_names,
            schema: version.schema.as_deref(),
        }) {
            Ok(written) => {
                rust_type = Types::written(&gvk, written.root());
                manifest.types = Some(written);
            }
            Err(why) => {
                dynamic = true;
                manifest.untyped = Some(why);
            }
        }
    }
    Resource {
        gvk,
        plural: definition.plural.clone(),
        scope: definition.scope,
        rust_type,
        dynamic,
        gate: Gate::open(),
        deprecated: version.deprecated.clone(),
        origin: Origin::Manifest(definition.at.clone()),
        manifest,
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
                self.0.insert(key, definition.without_schemata());
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
