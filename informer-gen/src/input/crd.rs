//! Kinds that `CustomResourceDefinition` manifests define.
//!
//! `definition` takes from a document what matters here, and this module maps the kinds to Rust
//! types: the one that an option names, the one that a source file defines, the one of the kind's
//! name in the module of the manifests.

mod definition;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use self::definition::{Definition, Document, Version};
use super::node::{self, Node};
use super::rust::Sources;
use super::{Loaded, files};
use crate::config::{Config, Manifests};
use crate::error::{Error, OptionName};
use crate::ir::{Gate, Gvk, Origin, Resource, Skipped};
use crate::{naming, paths, suggest};

/// Adds the kinds of all manifests that `config` names to `loaded`.
pub(crate) fn load(config: &Config, sources: &Sources, loaded: &mut Loaded) -> Result<(), Error> {
    let types = Types::new(config, sources)?;
    let mut seen = Seen::default();
    for manifests in &config.manifests {
        let module = match manifests.module.as_deref() {
            None => Module::None,
            Some(DYNAMIC) => Module::Dynamic,
            Some(text) => Module::Path(paths::absolute(text, OptionName::CrdManifests)?),
        };
        for definition in read(manifests, loaded)? {
            if seen.is_new(&definition)? {
                add(&definition, &module, &types, loaded)?;
            }
        }
    }
    types.check_used(loaded)
}

/// The word that stands for a type where there is none.
const DYNAMIC: &str = "dynamic";

/// The types of kinds that are not mapped one by one.
enum Module {
    None,
    Path(syn::Path),
    /// `DynamicObject` for all.
    Dynamic,
}

/// What holds the objects of a kind.
#[derive(Clone)]
enum Held {
    By(syn::Path),
    Dynamically,
}

/// The definitions in all files that match; at least one.
fn read(manifests: &Manifests, loaded: &mut Loaded) -> Result<Vec<Definition>, Error> {
    let mut definitions = Vec::new();
    let mut ignored = Vec::new();
    let found = files::find(&manifests.pattern, OptionName::CrdManifests)?;
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
    module: &Module,
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
        let held = match (types.get(&gvk), &default) {
            (Some(given), _) => given,
            (None, Ok(Held::Dynamically)) => Held::Dynamically,
            (None, Ok(default)) => {
                defaulted.push(gvk.clone());
                default.clone()
            }
            (None, Err(_)) => {
                missing.push(gvk);
                continue;
            }
        };
        resources.push(resource(definition, version, gvk, held, types));
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
fn default_type(definition: &Definition, module: &Module) -> Result<Held, String> {
    let module = match module {
        Module::Path(module) => module,
        Module::Dynamic => return Ok(Held::Dynamically),
        Module::None => {
            return Err(format!(
                ", give {} a module, or `{DYNAMIC}` to do without a type; \
                 `kopium -f` writes one from the manifest",
                OptionName::CrdManifests
            ));
        }
    };
    if !naming::is_type_name(&definition.kind) {
        let kind = &definition.kind;
        return Err(format!(", as `{kind}` cannot be the name of a Rust type"));
    }
    let mut path = module.clone();
    path.segments
        .push(naming::identifier(&definition.kind).into());
    Ok(Held::By(path))
}

fn resource(
    definition: &Definition,
    version: &Version,
    gvk: Gvk,
    held: Held,
    types: &Types,
) -> Resource {
    let dynamic = matches!(held, Held::Dynamically);
    Resource {
        gvk,
        plural: definition.plural.clone(),
        scope: definition.scope,
        rust_type: match held {
            Held::By(path) => path,
            Held::Dynamically => types.dynamic.clone(),
        },
        dynamic,
        gate: Gate::open(),
        deprecated: version.deprecated.clone(),
        origin: Origin::Manifest(definition.at.clone()),
    }
}

/// Rust types by kind.
struct Types {
    /// As the user gave them.
    given: BTreeMap<Gvk, Held>,
    /// As sources define them.
    defined: BTreeMap<Gvk, syn::Path>,
    dynamic: syn::Path,
}

impl Types {
    fn new(config: &Config, sources: &Sources) -> Result<Self, Error> {
        let mut given = BTreeMap::new();
        for pair in &config.crd_type {
            let gvk = Gvk::parse(&pair.key).ok_or_else(|| {
                OptionName::CrdType.refuse(&pair.key, "is not a kind such as `example.com/v1/Foo`")
            })?;
            let held = match pair.value.as_str() {
                DYNAMIC => Held::Dynamically,
                path => Held::By(paths::absolute(path, OptionName::CrdType)?),
            };
            let before = given.insert(gvk, held.clone());
            if before.is_some_and(|before| before.name() != held.name()) {
                return Err(OptionName::CrdType.refuse(&pair.key, "is mapped to two types"));
            }
        }
        let defined = sources.resources.iter();
        let mut dynamic = paths::absolute(&config.runtime_path, OptionName::RuntimePath)?;
        for segment in ["__private", "DynamicObject"] {
            dynamic.segments.push(naming::identifier(segment).into());
        }
        Ok(Self {
            given,
            defined: defined
                .map(|resource| (resource.gvk.clone(), resource.rust_type.clone()))
                .collect(),
            dynamic,
        })
    }

    fn get(&self, gvk: &Gvk) -> Option<Held> {
        let defined = self.defined.get(gvk);
        let given = self.given.get(gvk).cloned();
        given.or_else(|| defined.cloned().map(Held::By))
    }

    /// A type for a kind that no manifest defines is a slip of the pen.
    fn check_used(&self, loaded: &Loaded) -> Result<(), Error> {
        let resources = loaded.resources.iter();
        let defined: BTreeSet<&Gvk> = resources
            .filter(|resource| matches!(resource.origin, Origin::Manifest(_)))
            .map(|resource| &resource.gvk)
            .collect();
        match self.given.keys().find(|gvk| !defined.contains(gvk)) {
            None => Ok(()),
            Some(unused) => Err(Error::NotSelected {
                option: OptionName::CrdType,
                gvk: unused.clone(),
                suggestion: suggest::kind(unused, defined),
            }),
        }
    }
}

impl Held {
    fn name(&self) -> String {
        match self {
            Self::By(path) => paths::display(path),
            Self::Dynamically => DYNAMIC.to_owned(),
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
