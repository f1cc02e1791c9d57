//! Follows a source file and its modules to the types that derive `CustomResource`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Item, ItemEnum, ItemMod, ItemStruct, Meta};

use super::condition::Conditions;
use super::declared::DeclaredType;
use super::kube::{self, Candidate};
use super::parse::{self, literal};
use crate::error::{Location, Result, ShownPath};
use crate::input::loaded::Loaded;

/// Walks the files, and collects candidates.
pub(super) struct Walk<'a> {
    conditions: &'a Conditions,
    loaded: &'a mut Loaded,
    wrappers_are_public: bool,
    visited: BTreeSet<PathBuf>,
    candidates: Vec<Candidate>,
}

/// Position of the walk.
struct ModulePlace<'a> {
    /// Current file.
    path: &'a Path,
    /// Directory of the files of modules that are declared here.
    directory: PathBuf,
    /// Directory that a `#[path]` is relative to.
    path_attributes: PathBuf,
    module: syn::Path,
}

// === impl Walk ===

impl<'a> Walk<'a> {
    pub(super) fn new(
        conditions: &'a Conditions,
        wrappers_are_public: bool,
        loaded: &'a mut Loaded,
    ) -> Self {
        Self {
            conditions,
            loaded,
            wrappers_are_public,
            visited: BTreeSet::new(),
            candidates: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Vec<Candidate> {
        self.candidates
    }

    /// Reads the first file: the file of a crate or of a module.
    pub(super) fn root(&mut self, path: &Path, module: &syn::Path) -> Result<()> {
        let name = path.file_name().and_then(OsStr::to_str);
        let owns_directory = matches!(name, Some("lib.rs" | "main.rs" | "mod.rs"));
        self.file(path, module, owns_directory)
    }

    fn file(&mut self, path: &Path, module: &syn::Path, owns_directory: bool) -> Result<()> {
        // `#[path]` attributes can form a cycle.
        if !self.visited.insert(path.to_owned()) {
            return Ok(());
        }
        let text = self.loaded.text(path)?;
        let syn::File { attrs, items, .. } = parse::file(path, &text)?;
        if self.conditions.apply(&attrs, path)?.is_none() {
            return Ok(());
        }
        let parent = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut directory = parent.clone();
        if let Some(stem) = path.file_stem()
            && !owns_directory
        {
            directory.push(stem);
        }
        let place = ModulePlace {
            path,
            directory,
            path_attributes: parent,
            module: module.clone(),
        };
        self.items(&items, &place)
    }

    fn items(&mut self, items: &[Item], place: &ModulePlace<'_>) -> Result<()> {
        for item in items {
            if let Item::Mod(module) = item {
                self.module(module, place)?;
            } else if let Item::Union(union) = item {
                self.candidate(&union.attrs, &union.ident, &union.vis, None, place)?;
            } else if let Item::Struct(ItemStruct {
                attrs,
                ident,
                vis,
                generics,
                ..
            })
            | Item::Enum(ItemEnum {
                attrs,
                ident,
                vis,
                generics,
                ..
            }) = item
            {
                self.candidate(attrs, ident, vis, Some(generics), place)?;
            }
        }
        Ok(())
    }

    fn candidate(
        &mut self,
        attributes: &[syn::Attribute],
        ident: &syn::Ident,
        visibility: &syn::Visibility,
        generics: Option<&syn::Generics>,
        place: &ModulePlace<'_>,
    ) -> Result<()> {
        // The conditions of other items may be unknown, and are not needed.
        if !attributes.iter().any(is_relevant) {
            return Ok(());
        }
        let Some(metas) = self.conditions.apply(attributes, place.path)? else {
            return Ok(());
        };
        let declared = DeclaredType {
            path: place.path,
            at: Location::of(place.path, ident.span()),
            visibility,
            generics,
            module: &place.module,
            wrappers_are_public: self.wrappers_are_public,
        };
        let candidate = Candidate::new(&metas, &declared)?;
        self.candidates.extend(candidate);
        Ok(())
    }

    fn module(&mut self, module: &ItemMod, place: &ModulePlace<'_>) -> Result<()> {
        let Some(metas) = self.conditions.apply(&module.attrs, place.path)? else {
            return Ok(());
        };
        let mut path = place.module.clone();
        path.segments.push(module.ident.clone().into());
        let name = module.ident.unraw().to_string();
        let given = metas
            .iter()
            .find_map(path_attribute)
            .map(|given| place.path_attributes.join(given));
        if let Some((_, items)) = &module.content {
            let directory = match given {
                Some(given) => given,
                None => place.directory.join(name),
            };
            let inner = ModulePlace {
                path: place.path,
                path_attributes: directory.clone(),
                directory,
                module: path,
            };
            return self.items(items, &inner);
        }
        // A file that `#[path]` names owns its directory, as `mod.rs` does.
        if let Some(file) = given {
            return self.file(&file, &path, true);
        }
        let beside = place.directory.join(format!("{name}.rs"));
        let inside = place.directory.join(&name).join("mod.rs");
        if beside.is_file() {
            self.file(&beside, &path, false)
        } else if inside.is_file() {
            self.file(&inside, &path, true)
        } else {
            Err(Location::of(place.path, module.span()).error(format!(
                "no file for module `{name}`: neither `{}` nor `{}`",
                ShownPath(&beside),
                ShownPath(&inside)
            )))
        }
    }
}

/// Reports whether an attribute may be one of a custom resource.
fn is_relevant(attribute: &syn::Attribute) -> bool {
    let path = attribute.path();
    if path.is_ident("kube") || path.is_ident("cfg_attr") {
        return true;
    }
    kube::derives(std::slice::from_ref(&attribute.meta), "CustomResource")
}

/// Returns the value of `#[path = ".."]`.
fn path_attribute(meta: &Meta) -> Option<String> {
    let pair = meta.require_name_value().ok()?;
    match literal(&pair.value) {
        Some(syn::Lit::Str(path)) if pair.path.is_ident("path") => Some(path.value()),
        Some(_) | None => None,
    }
}
