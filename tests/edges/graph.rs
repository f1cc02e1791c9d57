//! Import graph of a package, read from its sources.
//!
//! A node is a module with its own file. An edge goes from the module that uses an item to the
//! module that defines the item, through any re-exports. Paths are resolved from `crate`, `self`,
//! `super`, child modules and `use`, also inside macros. A use of a method appears where its type
//! is imported, not at the call.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

/// Path of modules below the crate's root: `["store", "log"]`. The root is empty.
pub(crate) type ModulePath = Vec<String>;

/// Modules with the modules that they use.
pub(crate) type Graph = BTreeMap<ModulePath, BTreeSet<ModulePath>>;

/// Contents of a module's file, or of its block in a file.
#[derive(Debug, Default)]
struct Module {
    /// File module that contains the block.
    node: ModulePath,
    children: BTreeSet<String>,
    /// Names imported by `use`, with their paths.
    uses: BTreeMap<String, Vec<String>>,
    /// Paths in the code.
    paths: Vec<Vec<String>>,
    /// Paths of `pub use`.
    exports: Vec<Vec<String>>,
    /// `true` if the module has items other than modules and re-exports.
    has_items: bool,
}

/// All modules of a package, by path.
#[derive(Debug, Default)]
pub(crate) struct Sources(BTreeMap<ModulePath, Module>);

// === impl Sources ===

impl Sources {
    /// Reads the package whose root is `folder/lib.rs`, without its tests.
    pub(crate) fn read(folder: &Path) -> Self {
        let mut sources = Self::default();
        sources.add_file(&folder.join("lib.rs"), folder, &[]);
        sources
    }

    /// Returns a package of these files: `("store/log.rs", text)`.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let mut sources = Self::default();
        for (name, text) in files {
            let path = name.trim_end_matches(".rs").split('/').map(str::to_owned);
            let path: ModulePath = path.filter(|name| name != "lib").collect();
            sources.add(&path, &path, parse(name, text));
        }
        sources
    }

    fn add_file(&mut self, file: &Path, folder: &Path, path: &[String]) {
        let text = fs::read_to_string(file).unwrap_or_default();
        assert!(!text.is_empty(), "cannot read {}", file.display());
        self.add(path, path, parse(&file.display().to_string(), &text));
        let children = self.0.get(path).map(|module| module.children.clone());
        for child in children.into_iter().flatten() {
            let path = [path, &[child]].concat();
            if self.0.contains_key(&path) {
                continue;
            }
            let base = path
                .iter()
                .fold(folder.to_owned(), |at, name| at.join(name));
            let beside = base.with_extension("rs");
            let file = if beside.exists() {
                beside
            } else {
                base.join("mod.rs")
            };
            self.add_file(&file, folder, &path);
        }
    }

    fn add(&mut self, path: &[String], node: &[String], items: Vec<syn::Item>) {
        let mut module = Module {
            node: node.to_vec(),
            ..Module::default()
        };
        for item in items {
            if is_for_tests(&item) {
                continue;
            }
            let syn::Item::Mod(inner) = item else {
                module.has_items |= !matches!(item, syn::Item::Use(_));
                Collector(&mut module).visit_item(&item);
                continue;
            };
            let name = inner.ident.to_string();
            if let Some((_, items)) = inner.content {
                let path = [path, std::slice::from_ref(&name)].concat();
                self.add(&path, node, items);
                module.has_items = true;
            }
            module.children.insert(name);
        }
        self.0.insert(path.to_vec(), module);
    }

    /// Returns the graph of uses.
    pub(crate) fn graph(&self) -> Graph {
        let mut graph = Graph::new();
        for (path, module) in &self.0 {
            let targets = graph.entry(module.node.clone()).or_default();
            // The root combines all modules.
            if path.is_empty() {
                continue;
            }
            let exports = module.exports.iter().filter(|_| module.has_items);
            let found = module.paths.iter().chain(exports);
            let found = found.filter_map(|named| self.resolve(path, named, 0));
            targets.extend(found.filter(|target| *target != module.node));
        }
        graph
    }

    /// Returns the node that defines `path`, as seen from the module `at`. Returns `None` for a
    /// path outside of the package, or for a module.
    fn resolve(&self, at: &[String], path: &[String], depth: usize) -> Option<ModulePath> {
        // Cyclic names do not resolve.
        if depth > 16 {
            return None;
        }
        let (first, mut rest) = path.split_first()?;
        let mut place = at.to_vec();
        match first.as_str() {
            "crate" => place.clear(),
            "self" => {}
            "super" => _ = place.pop(),
            name => {
                let module = self.0.get(at)?;
                if module.children.contains(name) {
                    place.push(name.to_owned());
                } else {
                    let meant = module.uses.get(name)?;
                    if meant.first().is_some_and(|start| start == name) {
                        return None;
                    }
                    let whole = [meant.as_slice(), rest].concat();
                    return self.resolve(at, &whole, depth + 1);
                }
            }
        }
        while let Some((name, after)) = rest.split_first() {
            let module = self.0.get(&place)?;
            if name == "super" {
                place.pop();
            } else if name != "self" && module.children.contains(name) {
                place.push(name.clone());
            } else if let Some(meant) = module.uses.get(name) {
                let whole = [meant.as_slice(), after].concat();
                return self.resolve(&place, &whole, depth + 1);
            } else if name != "self" {
                return Some(module.node.clone());
            }
            rest = after;
        }
        // The path is a module. The items used from it have their own paths.
        None
    }
}

/// Formats a path: `store::log`.
pub(crate) fn shown(path: &[String]) -> String {
    if path.is_empty() {
        "the crate's root".to_owned()
    } else {
        path.join("::")
    }
}

fn parse(name: &str, text: &str) -> Vec<syn::Item> {
    let file = syn::parse_file(text);
    assert!(file.is_ok(), "cannot parse {name}: {:?}", file.err());
    file.map_or_else(|_| Vec::new(), |file| file.items)
}

fn is_for_tests(item: &syn::Item) -> bool {
    let attributes = if let syn::Item::Mod(item) = item {
        &item.attrs
    } else if let syn::Item::Use(item) = item {
        &item.attrs
    } else if let syn::Item::Struct(item) = item {
        &item.attrs
    } else {
        return false;
    };
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else {
            return false;
        };
        let text = list.tokens.to_string();
        list.path.is_ident("cfg") && (text == "test" || text.contains("doctest"))
    })
}

/// Collects the paths in code.
struct Collector<'a>(&'a mut Module);

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut found = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut found);
        for (name, path) in found {
            if matches!(item.vis, syn::Visibility::Inherited) {
                self.0.paths.push(path.clone());
            } else {
                self.0.exports.push(path.clone());
            }
            self.0.uses.insert(name, path);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.paths.push(segments(path));
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, macro_call: &'ast syn::Macro) {
        tokens(macro_call.tokens.clone(), &mut self.0.paths);
        syn::visit::visit_macro(self, macro_call);
    }
}

fn segments(path: &syn::Path) -> Vec<String> {
    let segments = path.segments.iter();
    segments.map(|segment| segment.ident.to_string()).collect()
}

/// Returns the paths in the arguments of a macro.
fn tokens(stream: TokenStream, found: &mut Vec<Vec<String>>) {
    let mut path: Vec<String> = Vec::new();
    let mut colons = 0;
    for token in stream {
        match token {
            TokenTree::Ident(ident) => {
                if colons != 2 {
                    found.push(std::mem::take(&mut path));
                }
                path.push(ident.to_string());
                colons = 0;
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
            TokenTree::Group(group) => {
                found.push(std::mem::take(&mut path));
                tokens(group.stream(), found);
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {
                found.push(std::mem::take(&mut path));
                colons = 0;
            }
        }
    }
    found.push(path);
    found.retain(|path| !path.is_empty());
}

/// Returns the names that a `use` imports, with their paths.
fn flatten(tree: &syn::UseTree, before: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    match tree {
        syn::UseTree::Path(step) => {
            before.push(step.ident.to_string());
            flatten(&step.tree, before, found);
            before.pop();
        }
        syn::UseTree::Name(name) if name.ident == "self" => {
            found.push((before.last().cloned().unwrap_or_default(), before.clone()));
        }
        syn::UseTree::Name(name) => {
            let name = name.ident.to_string();
            let path = [before.as_slice(), std::slice::from_ref(&name)].concat();
            found.push((name, path));
        }
        syn::UseTree::Rename(renamed) => {
            let path = [before.as_slice(), &[renamed.ident.to_string()]].concat();
            found.push((renamed.rename.to_string(), path));
        }
        syn::UseTree::Glob(_) => {
            let path = [before.as_slice(), &["*".to_owned()]].concat();
            found.push(("*".to_owned(), path));
        }
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, before, found);
            }
        }
    }
}
