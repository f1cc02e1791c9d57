//! Kinds that `CustomResourceDefinition` manifests define.
//!
//! `definition` extracts the relevant parts of a document. This module maps the kinds to Rust
//! types, as configured in `types`.

mod definition;
mod field;
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
use crate::error::{Error, Errors, OptionName, Result, ShownPath};
use crate::gvk::Gvk;
use crate::ir::{Manifest, Origin, Resource, Skipped, VersionGate};
use crate::{paths, suggest, types};

/// Pattern of the standard input.
const STANDARD_INPUT: &str = "-";

/// Adds the kinds of all configured manifests to `loaded`.
pub(super) fn load(config: &Config, types: &Types, loaded: &mut Loaded) -> Result<()> {
    let mut load = Load {
        types,
        loaded,
        reached: BTreeMap::new(),
        seen: BTreeMap::new(),
        errors: Errors::default(),
    };
    let mut before: Vec<&Manifests> = Vec::new();
    for source in &config.inputs.manifests {
        if !before.contains(&source) {
            before.push(source);
            let definitions = load.read(source);
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
    /// Files so far, with the setting that matches them.
    reached: BTreeMap<PathBuf, &'a Manifests>,
    /// Definitions so far, by group and kind.
    seen: BTreeMap<(String, String), Definition>,
    errors: Errors,
}

impl<'a> Load<'a> {
    /// Reads the definitions in all matching files, at least one.
    fn read(&mut self, manifests: &'a Manifests) -> Result<Vec<Definition>> {
        let mut found = FoundDocuments::default();
        if manifests.pattern == STANDARD_INPUT {
            let name = Path::new("stdin");
            found.parse(name, &files::standard_input(name)?, &mut self.errors);
            return found.finish(manifests, &mut self.loaded.notes);
        }
        for path in self.loaded.find(&manifests.pattern)? {
            let file = path.canonicalize().unwrap_or_else(|_| path.clone());
            match self.reached.insert(file, manifests) {
                None => {}
                // The file is a link to another file of the same setting.
                Some(first) if first == manifests => continue,
                Some(first) => {
                    let error = reached_twice(&path, first, manifests);
                    found.refuse(error, &mut self.errors);
                    continue;
                }
            }
            match self.loaded.text(&path) {
                Ok(text) => found.parse(&path, &text, &mut self.errors),
                Err(error) => found.refuse(error, &mut self.errors),
            }
        }
        found.finish(manifests, &mut self.loaded.notes)
    }

    /// Adds the resources of new definitions. Their types are in the module of `source`, or are
    /// generated.
    fn add_all(&mut self, source: &Manifests, definitions: Result<Vec<Definition>>) {
        let word = source.module.as_deref().unwrap_or(WRITTEN);
        let module = HeldType::parse(word, OptionName::CRD_MANIFESTS);
        let held_type = self.errors.keep(module);
        let found = self.errors.keep(definitions);
        let Some(held_type) = held_type else {
            return;
        };
        for definition in found.unwrap_or_default() {
            self.add_once(definition, &held_type);
        }
    }

    /// Adds a definition, unless an earlier one has the same kind. The two must be equal.
    fn add_once(&mut self, definition: Definition, module: &HeldType) {
        let key = (definition.group.clone(), definition.kind.clone());
        let Some(before) = self.seen.get(&key) else {
            let added = self.add(&definition, module);
            self.errors.keep(added);
            self.seen.insert(key, definition);
            return;
        };
        // Two globs may match one file, and a manifest may be vendored twice.
        if let Some(difference) = before.difference(&definition) {
            let gvk = definition.first_gvk();
            self.errors.add(Error::duplicate(
                &gvk,
                &before.at,
                &definition.at,
                &difference,
            ));
        }
    }

    /// Adds a resource for each served version.
    fn add(&mut self, definition: &Definition, module: &HeldType) -> Result<()> {
        let types = self.types;
        let mut selected = Vec::new();
        for version in &definition.versions {
            let gvk = definition.gvk(version);
            let reason = if version.served {
                types.selection.leaves_out(&gvk)
            } else {
                Some("not served".to_owned())
            };
            match reason {
                None => selected.push((version, types.get(&gvk))),
                Some(reason) => self.loaded.skipped.push(Skipped {
                    gvk,
                    plural: Some(definition.plural.clone()),
                    scope: Some(definition.scope),
                    origin: Origin::Manifest(version.at.clone()),
                    reason,
                }),
            }
        }
        let mut undeclared = Vec::new();
        for (version, declared) in &selected {
            if declared.is_none() {
                undeclared.push(definition.gvk(version));
            }
        }
        let default = default_type(definition, module, &undeclared)?;
        for (version, declared) in selected {
            let held = declared.as_ref().unwrap_or(&default);
            let resource = to_resource(definition, version, held, types);
            self.loaded.notes.extend(note(&resource, types.tool));
            if declared.is_none() && matches!(default, HeldType::By(_)) {
                self.loaded.hints.extend(hint(&resource, types.tool));
            }
            self.loaded.resources.push(resource);
        }
        Ok(())
    }
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

/// Returns the type of the versions `undeclared`, whose type is not declared.
fn default_type(
    definition: &Definition,
    module: &HeldType,
    undeclared: &[Gvk],
) -> Result<HeldType> {
    let why = match module.of_kind(&definition.kind) {
        Ok(HeldType::By(_)) if undeclared.len() > 1 => {
            ", because each served version needs its own type".to_owned()
        }
        Err(reason) if !undeclared.is_empty() => reason,
        Ok(default) => return Ok(default),
        // No version needs it.
        Err(_) => return Ok(HeldType::Dynamically),
    };
    Err(definition.at.error(format!(
        "no Rust type for {}: declare it with {}, as in `of = crate::api::Foo`{why}",
        suggest::list(undeclared),
        OptionName::KIND
    )))
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
    let kopium_name = kopium::root(&gvk.kind);
    if kopium_name == gvk.kind {
        return None;
    }
    let path = paths::display(&resource.rust_type);
    let (module, _) = path.rsplit_once("::")?;
    let setting = tool.kind(&gvk.to_string(), &format!("of = {module}::{kopium_name}"));
    Some(format!(
        "the type of `{gvk}` is `{path}`; if kopium wrote it, declare it with {setting}"
    ))
}

fn to_resource(
    definition: &Definition,
    version: &Version,
    held: &HeldType,
    types: &Types,
) -> Resource {
    let gvk = definition.gvk(version);
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
