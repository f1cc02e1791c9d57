//! Kinds that `CustomResourceDefinition` manifests define.
//!
//! `definition` extracts the relevant parts of a document. This module maps the kinds to Rust
//! types, as configured in `types`.

mod definition;
mod found;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use informer_codegen::names::kopium;

use self::definition::{Definition, Version};
use self::found::FoundDocuments;
use super::files;
use super::loaded::Loaded;
use super::types::{HeldType, Types};
use crate::config::{Config, DYNAMIC, ManifestText, Manifests, Tool, WRITTEN};
use crate::error::{Error, Errors, OptionName, ShownPath};
use crate::gvk::Gvk;
use crate::ir::{Manifest, Origin, Resource, Skipped, VersionGate};
use crate::{paths, types};

/// Pattern of the standard input.
const STANDARD_INPUT: &str = "-";

/// Adds the kinds of all configured manifests to `loaded`.
pub(super) fn load(config: &Config, types: &Types, loaded: &mut Loaded) -> Result<(), Error> {
    let mut load = Load {
        types,
        loaded,
        seen: BTreeMap::new(),
        errors: Errors::default(),
    };
    let mut reached = BTreeMap::new();
    let mut before: Vec<&Manifests> = Vec::new();
    for source in &config.inputs.manifests {
        if !before.contains(&source) {
            before.push(source);
            let definitions = read(source, &mut reached, load.loaded, &mut load.errors);
            load.add_all(source, definitions);
        }
    }
    for ManifestText { text, source } in &config.manifest_texts {
        let mut found = FoundDocuments::default();
        found.parse(Path::new(&source.pattern), text, &mut load.errors);
        let definitions = found.finish(source, &mut load.loaded.notes);
        load.add_all(source, definitions);
    }
    load.errors.finish()
}

/// State of reading all manifests.
struct Load<'a> {
    types: &'a Types,
    loaded: &'a mut Loaded,
    /// Definitions so far, by group and kind.
    seen: BTreeMap<(String, String), Definition>,
    errors: Errors,
}

impl Load<'_> {
    /// Adds the resources of new definitions. Their types are in the module of `source`, or are
    /// generated.
    fn add_all(&mut self, source: &Manifests, definitions: Result<Vec<Definition>, Error>) {
        let errors = &mut self.errors;
        let module = source.module.as_deref().unwrap_or(WRITTEN);
        let module = errors.keep(HeldType::parse(module, OptionName::CRD_MANIFESTS));
        let Some((module, definitions)) = module.zip(errors.keep(definitions)) else {
            return;
        };
        for definition in definitions {
            let key = (definition.group.clone(), definition.kind.clone());
            let Some(before) = self.seen.get(&key) else {
                errors.keep(add(&definition, &module, self.types, self.loaded));
                self.seen.insert(key, definition);
                continue;
            };
            // Two globs may match one file, and a manifest may be vendored twice.
            if let Some(difference) = before.difference(&definition) {
                let gvk = definition.first_gvk();
                errors.add(Error::duplicate(
                    &gvk,
                    &before.at,
                    &definition.at,
                    &difference,
                ));
            }
        }
    }
}

/// Reads the definitions in all matching files, at least one. `reached` maps the files of earlier
/// settings to the setting.
fn read<'c>(
    manifests: &'c Manifests,
    reached: &mut BTreeMap<PathBuf, &'c Manifests>,
    loaded: &mut Loaded,
    errors: &mut Errors,
) -> Result<Vec<Definition>, Error> {
    let mut found = FoundDocuments::default();
    if manifests.pattern == STANDARD_INPUT {
        let name = Path::new("stdin");
        found.parse(name, &files::standard_input(name)?, errors);
        return found.finish(manifests, &mut loaded.notes);
    }
    for path in loaded.find(&manifests.pattern, OptionName::CRD_MANIFESTS)? {
        let file = path.canonicalize().unwrap_or_else(|_| path.clone());
        match reached.insert(file, manifests) {
            None => {}
            // The file is a link to another file of the same setting.
            Some(first) if first == manifests => continue,
            Some(first) => {
                found.refuse(reached_twice(&path, first, manifests), errors);
                continue;
            }
        }
        match loaded.text(&path) {
            Ok(text) => found.parse(&path, &text, errors),
            Err(error) => found.refuse(error, errors),
        }
    }
    found.finish(manifests, &mut loaded.notes)
}

/// Returns an error that names both settings, with their modules if the patterns are equal.
fn reached_twice(path: &Path, first: &Manifests, second: &Manifests) -> Error {
    let shown = |manifests: &Manifests| match &manifests.module {
        Some(module) if first.pattern == second.pattern => {
            format!("{}={module}", manifests.pattern)
        }
        _ => manifests.pattern.clone(),
    };
    Error::new(format!(
        "{}: file `{}` matches both `{}` and `{}`, so two settings define its kinds; remove one \
         of them, or declare the types of single kinds with {}",
        OptionName::CRD_MANIFESTS,
        ShownPath(path),
        shown(first),
        shown(second),
        OptionName::KIND
    ))
}

/// Adds a resource for each served version.
fn add(
    definition: &Definition,
    module: &HeldType,
    types: &Types,
    loaded: &mut Loaded,
) -> Result<(), Error> {
    let mut served = Vec::new();
    for version in &definition.versions {
        let left_out = types.selection.leaves_out(&definition.gvk(version));
        let unserved = (!version.served).then(|| "not served".to_owned());
        match unserved.or(left_out) {
            None => served.push(version),
            Some(reason) => loaded.skipped.push(Skipped {
                gvk: definition.gvk(version),
                plural: Some(definition.plural.clone()),
                scope: Some(definition.scope),
                origin: Origin::Manifest(version.at.clone()),
                reason,
            }),
        }
    }
    let default = module.of_kind(&definition.kind);
    let mut resources = Vec::new();
    let mut missing = Vec::new();
    let mut defaulted = Vec::new();
    for version in served {
        let gvk = definition.gvk(version);
        let held = match (types.get(&gvk), &default) {
            (Some(given), _) => given,
            (None, Ok(default @ HeldType::By(_))) => {
                defaulted.push(gvk.clone());
                default.clone()
            }
            (None, Ok(default)) => default.clone(),
            (None, Err(_)) => {
                missing.push(gvk);
                continue;
            }
        };
        let is_by_kind = types.get(&gvk).is_none() && matches!(held, HeldType::By(_));
        let resource = resource(definition, version, gvk, &held, types);
        loaded.notes.extend(note(&resource, types.tool));
        if is_by_kind {
            loaded.hints.extend(hint(&resource, types.tool));
        }
        resources.push(resource);
    }
    let why = match default {
        Err(why) => why,
        Ok(_) if defaulted.len() > 1 => {
            missing = defaulted;
            ", because each served version needs its own type".to_owned()
        }
        Ok(_) => String::new(),
    };
    if !missing.is_empty() {
        let missing: Vec<_> = missing.iter().map(|gvk| format!("`{gvk}`")).collect();
        return Err(definition.at.error(format!(
            "no Rust type for {}: declare it with {}, as in `of = crate::api::Foo`{why}",
            missing.join(", "),
            OptionName::KIND
        )));
    }
    loaded.resources.extend(resources);
    Ok(())
}

/// Returns the remark that a kind has no type.
fn note(resource: &Resource, tool: Tool) -> Option<String> {
    let Resource { gvk, origin, .. } = resource;
    let why = resource.manifest.untyped.as_ref()?;
    let setting = tool.kind(&gvk.to_string(), &format!("of = {DYNAMIC}"));
    Some(format!(
        "`{gvk}` ({origin}) has no type, because {why}: its objects are `DynamicObject`s; declare it \
         with {setting}, or with a type of your own"
    ))
}

/// Returns a hint if a type of the user is named like its kind, and kopium names it otherwise.
fn hint(resource: &Resource, tool: Tool) -> Option<String> {
    let gvk = &resource.gvk;
    let root = kopium::root(&gvk.kind);
    let path = paths::display(&resource.rust_type);
    let (module, _) = path.rsplit_once("::")?;
    (root != gvk.kind).then(|| {
        let setting = tool.kind(&gvk.to_string(), &format!("of = {module}::{root}"));
        format!("the type of `{gvk}` is `{path}`; if kopium wrote it, declare it with {setting}")
    })
}

fn resource(
    definition: &Definition,
    version: &Version,
    gvk: Gvk,
    held: &HeldType,
    types: &Types,
) -> Resource {
    let mut manifest = Manifest {
        description: version.description().to_owned(),
        short_names: definition.short_names.clone(),
        ..Manifest::default()
    };
    let mut dynamic = held.is_dynamic();
    let mut rust_type = types.path(held);
    if matches!(held, HeldType::Written) {
        match types::Types::new(&gvk.kind, version.schema.as_deref()) {
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
        gate: VersionGate::open(),
        deprecated: version.deprecated.clone(),
        origin: Origin::Manifest(definition.at.clone()),
        manifest,
        schema: version.schema.clone(),
    }
}
