#[path = "../../../../../tests/support/k8s_openapi.rs"]
mod k8s_openapi;

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use informer_codegen::ctxt::Ctxt;
use informer_codegen::declaration::Declaration;
use informer_codegen::declaration::path::Written;
use informer_codegen::ir::Verb;
use proc_macro2::Ident;

use super::super::kind::kinds as catalogue;
use super::*;
use crate::ir::{NEWEST_MINOR, OLDEST_MINOR};

/// Fields of the structs of one version of Kubernetes, by the path of the struct. The fields map
/// Rust names to types.
type Structs = BTreeMap<String, BTreeMap<String, String>>;

/// Returns the structs of the version `1.minor`.
fn structs(sources: &Path, minor: u8) -> Structs {
    let modules = k8s_openapi::modules(sources, minor).unwrap().into_iter();
    let structs = modules.filter_map(|(module, text)| {
        let (_, rest) = text.split_once("\npub struct ")?;
        let (name, rest) = rest.split_once(' ').unwrap();
        let (body, _) = rest.split_once("\n}").unwrap();
        let fields = body.lines().filter_map(|line| {
            let field = line.trim().strip_prefix("pub ")?;
            let (name, value) = field.trim_end_matches(',').split_once(": ")?;
            Some((name.to_owned(), value.to_owned()))
        });
        Some((format!("crate::{module}::{name}"), fields.collect()))
    });
    structs.collect()
}

/// Returns a type without `Option` and `Vec`.
fn inner(rust_type: &str) -> &str {
    let wrappers = ["Option<", "std::vec::Vec<"];
    let mut inside = wrappers
        .iter()
        .filter_map(|wrapper| rust_type.strip_prefix(wrapper));
    match inside.next().and_then(|inside| inside.strip_suffix('>')) {
        Some(inside) => inner(inside),
        None => rust_type,
    }
}

/// Returns the type of the field at a path in JSON, from the struct `root`.
fn field_type<'s>(structs: &'s Structs, root: &'s str, path: &str) -> Result<&'s str, String> {
    path.split('.').try_fold(root, |at, json| {
        let fields = structs.get(at);
        let fields = fields.ok_or_else(|| format!("{at} is not a struct"))?;
        let field = fields.get(&names::api_field(json));
        let field = field.ok_or_else(|| format!("{at} has no field {json}"))?;
        Ok(inner(field))
    })
}

/// Relation of a kind.
struct Relation {
    verb: Verb,
    target: String,
    path: Option<String>,
    kind: Option<String>,
    namespace: Option<String>,
    in_pod_spec: bool,
}

/// Returns the relations of a built-in kind.
fn relations(gvk: &Gvk) -> Vec<Relation> {
    let ctxt = Ctxt::default();
    let mut all = Declaration::default();
    all.read(&ctxt, declaration(gvk).parse().unwrap());
    ctxt.finish().unwrap();
    let text = |path: Option<Written>| path.map(|path| path.text().to_owned());
    let relations = all.relations.into_iter().map(|relation| {
        let path = text(relation.path);
        let at = pod_spec_of(gvk).and_then(|at| path.as_deref()?.strip_prefix(at));
        let in_pod_spec = at.is_some_and(|names| names.starts_with('['));
        Relation {
            verb: relation.verb,
            target: relation.target.text(),
            path: if in_pod_spec {
                pod_spec_of(gvk).map(str::to_owned)
            } else {
                path
            },
            kind: text(relation.kind),
            namespace: text(relation.namespace),
            in_pod_spec,
        }
    });
    relations.collect()
}

/// Returns the kinds of both tables.
fn all() -> Vec<Gvk> {
    let own = blocks(KINDS).map(|(kind, _)| kind);
    let pods = pods().map(|(kind, _)| kind);
    let mut all: Vec<Gvk> = own
        .chain(pods)
        .map(|kind| Gvk::parse(kind).unwrap())
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Returns all paths of a relation.
fn paths(relation: &Relation) -> Vec<String> {
    let Some(path) = &relation.path else {
        return Vec::new();
    };
    if !relation.in_pod_spec {
        let others = [&relation.namespace, &relation.kind].into_iter().flatten();
        return [path].into_iter().chain(others).cloned().collect();
    }
    let target = Gvk::parse(&relation.target).unwrap();
    let mut places = pod_spec().filter(|(other, _)| *other == target);
    let (_, inside) = places.next().unwrap();
    inside
        .iter()
        .map(|inside| format!("{path}.{inside}"))
        .collect()
}

/// Returns the minor versions that have a kind, and the module of its type.
fn defined(gvk: &Gvk) -> (std::ops::RangeInclusive<u8>, &'static str) {
    let found = catalogue().find(|kind| kind.gvk() == *gvk);
    let kind = found.unwrap_or_else(|| panic!("{gvk} is not in the catalogue"));
    (kind.first_minor..=kind.last_minor, kind.module)
}

#[test]
fn every_target_exists_in_all_versions_of_the_kind() {
    for kind in all() {
        let (minors, _) = defined(&kind);
        for relation in relations(&kind) {
            let target = Gvk::parse(&relation.target).unwrap();
            let (target_minors, _) = defined(&target);
            let contains =
                target_minors.start() <= minors.start() && minors.end() <= target_minors.end();
            assert!(contains, "{kind} -> {target}");
            assert!(
                informer_codegen::names::api::is_stable(&target.version),
                "{kind} -> {target}"
            );
        }
    }
}

/// A field that a version of Kubernetes lacks would fail the build with that version.
#[test]
fn every_path_leads_to_a_name_or_a_selector_in_all_versions() {
    let sources = k8s_openapi::sources().unwrap();
    let mut checked = 0;
    for minor in OLDEST_MINOR..=NEWEST_MINOR {
        let structs = structs(&sources, minor);
        for kind in all() {
            let (minors, module) = defined(&kind);
            if !minors.contains(&minor) {
                continue;
            }
            let root = format!("crate::{module}::{}", kind.kind);
            for relation in relations(&kind) {
                let expected: &[&str] = match relation.verb {
                    Verb::Owns => &[],
                    Verb::References => &["std::string::String"],
                    Verb::Selects => &[
                        "crate::apimachinery::pkg::apis::meta::v1::LabelSelector",
                        "std::collections::BTreeMap<std::string::String, std::string::String>",
                    ],
                };
                for path in paths(&relation) {
                    // The resolution of paths knows the metadata.
                    if path.starts_with("metadata.") {
                        continue;
                    }
                    let found = field_type(&structs, &root, &path);
                    let found = found.unwrap_or_else(|why| panic!("1.{minor} {kind}: {why}"));
                    assert!(
                        expected.contains(&found),
                        "1.{minor} {kind} {path}: {found}"
                    );
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 1_000, "{checked}");
}

/// Returns the page of the graph.
fn page() -> String {
    let mut page = String::from(include_str!("page.md"));
    for part in [owners(), references(), pods_list(), pod_spec_fields()] {
        page = page.replacen("$$", &part, 1);
    }
    page
}

/// Returns the edges of owners and selectors.
fn owners() -> String {
    let mut edges = String::new();
    for kind in all() {
        for relation in relations(&kind) {
            let arrow = match relation.verb {
                Verb::Owns => "-- owns -->",
                Verb::Selects => "-. selects .->",
                Verb::References => continue,
            };
            let target = Gvk::parse(&relation.target).unwrap();
            writeln!(edges, "    {} {arrow} {}", kind.kind, target.kind).unwrap();
        }
    }
    edges
}

/// Returns a row for each kind and target of references.
fn references() -> String {
    let mut rows = String::new();
    for kind in all() {
        let mut targets: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let of_kind = relations(&kind).into_iter();
        let references = of_kind.filter(|relation| relation.verb == Verb::References);
        for relation in references.filter(|relation| !relation.in_pod_spec) {
            let path = relation.path.unwrap();
            let place = match &relation.kind {
                Some(_) => format!("`{path}`, by kind"),
                None => format!("`{path}`"),
            };
            targets.entry(relation.target).or_default().push(place);
        }
        for (target, places) in targets {
            let (by, places) = (by(&target), places.join("<br>"));
            writeln!(rows, "| `{kind}` | `{target}` | `{by}` | {places} |").unwrap();
        }
    }
    rows
}

/// Returns the method that returns the objects that refer to a `target`.
fn by(target: &str) -> Ident {
    let kind = target.rsplit('/').next().unwrap();
    names::referrers(kind, Span::call_site()).unwrap()
}

/// Returns a line for each kind with a `PodSpec`.
fn pods_list() -> String {
    let kinds = pods().map(|(kind, at)| format!("- `{kind}` at `{at}`\n"));
    kinds.collect()
}

/// Returns a row for each target of names in a `PodSpec`.
fn pod_spec_fields() -> String {
    let mut rows = String::new();
    for (target, paths) in pod_spec() {
        let paths: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
        let (by, paths) = (by(&target.to_string()), paths.join("<br>"));
        writeln!(rows, "| `{target}` | `{by}` | {paths} |").unwrap();
    }
    rows
}

/// `UPDATE_GOLDEN=1` writes the page.
#[test]
fn the_page_shows_every_relation() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/relations-built-in.md");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, page()).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), page());
}
