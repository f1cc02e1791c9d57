//! Inputs with their results: `tests/golden/awkward` has the 92 awkward inputs (names, plurals,
//! groups, scopes, sources and files that have broken generators), `tests/golden/errors` one
//! mistake a file, `tests/golden/inputs` forms of manifests and sources, selections and collisions.
//!
//! A file has the input files, options as on the command line, and the result. `.yaml` and `.json`
//! files are manifests with the types in `crate::api`, or as the option `types` says; with `none`, only
//! the options name manifests. `api.rs` is the source of that module. With `show: types` or
//! `show: declarations`, the result is the text of the generated types, or of the indices and relations. A list of
//! declarations is tried one by one. Some awkward inputs do not apply to this generator, or are
//! covered better elsewhere: `tests/golden/elsewhere.yaml` names the other test, and the reason.
//!
//! `UPDATE_GOLDEN=1 cargo test -p informer-gen --test awkward` accepts the current results.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failing helper fails the test"
)]

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use informer_gen::{Config, Outcome, Rendered, Scope};

/// Input of a case.
#[derive(Default)]
struct Input<'a> {
    /// Names and contents.
    files: Vec<(&'a str, String)>,
    /// Names and values.
    options: Vec<(&'a str, &'a str)>,
    /// Kind, and declarations that it gets one at a time.
    declarations: Option<(&'a str, &'a str)>,
}

fn golden(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(folder)
}

/// Returns the names of the cases in a folder, in order.
fn names(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(golden(folder)).unwrap();
    let name = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    entries.map(|entry| name(entry.unwrap().path())).collect()
}

fn compare(folder: &str) {
    let mut other = String::new();
    for name in names(folder) {
        let path = golden(folder).join(&name).with_extension("txt");
        let text = fs::read_to_string(&path).unwrap();
        let (input, expected) = text.split_once("=== becomes\n").unwrap();
        let found = result(&parse(input));
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, format!("{input}=== becomes\n{found}")).unwrap();
        } else if found != expected {
            writeln!(other, "--- {name}\n{expected}+++ found\n{found}").unwrap();
        }
    }
    assert!(other.is_empty(), "{other}");
}

#[test]
fn awkward_inputs_become_code_or_errors() {
    compare("awkward");
}

/// J-02, in the files `definition_..`. Every mistake is reported with its position and advice.
#[test]
fn mistakes_are_explained() {
    compare("errors");
}

/// J-04, J-09 (`types_..`).
#[test]
fn inputs_are_read_as_they_are_written() {
    compare("inputs");
}

fn parse(text: &str) -> Input<'_> {
    let mut input = Input::default();
    let sections = text.split("=== ").skip(1);
    for (name, content) in sections.map(|section| section.split_once('\n').unwrap()) {
        if name == "options" {
            let options = content.lines().map(|line| line.split_once(": ").unwrap());
            input.options.extend(options);
        } else if let Some(kind) = name.strip_prefix("declarations of ") {
            input.declarations = Some((kind, content));
        } else {
            input.files.push((name, content.to_owned()));
        }
    }
    if input.options.contains(&("line-ends", "windows")) {
        for (_, content) in &mut input.files {
            *content = content.replace('\n', "\r\n");
        }
    }
    input
}

fn result(input: &Input<'_>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let place = format!("{}/", folder.path().display());
    let types = input.options.iter().find(|(name, _)| *name == "types");
    let types = types.map_or("crate::api", |(_, types)| types);
    let mut config = Config::new();
    for (name, content) in &input.files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        if *name == "api.rs" {
            config = config.rust_source(&format!("{place}{name}"), "crate::api");
        }
    }
    for extension in ["yaml", "json"] {
        let mut names = input.files.iter().map(|(name, _)| name);
        if types != "none" && names.any(|name| name.ends_with(extension)) {
            let manifests = format!("{place}**/*.{extension}");
            config = config.crd_manifests(&manifests, types.into());
        }
    }
    for (name, value) in &input.options {
        config = with_option(config, name, value, &place);
    }
    let Some((kind, declarations)) = input.declarations else {
        let shown = input.options.iter().find(|(name, _)| *name == "show");
        let shown = match shown.map(|(_, what)| *what) {
            Some("types") => type_modules(&config),
            Some("declarations") => impls(&config),
            _ => outline(&config),
        };
        return match shown {
            Ok(lines) => lines,
            Err(error) => format!("error: {error}\n"),
        }
        .replace(&place, "");
    };
    let tried = declarations.lines().map(|declaration| {
        let rendered = config.clone().kind(kind, declaration).render();
        let error = rendered.err().map(|error| format!("error: {error}"));
        let result = error.unwrap_or_else(|| "accepted".to_owned());
        format!("{declaration}\n    {}\n", result.replace(&place, ""))
    });
    tried.collect()
}

fn with_option(config: Config, name: &str, value: &str, place: &str) -> Config {
    let (before, after) = value.split_once('=').unwrap_or((value, ""));
    match name {
        "built-in" => {
            let (version, kind) = value.rsplit_once('/').unwrap();
            config.built_in(version, kind)
        }
        "kind" => {
            let (kind, declaration) = value.split_once(": ").unwrap();
            config.kind(kind, declaration)
        }
        "crd" => config.crd_manifests(&format!("{place}{before}"), after.into()),
        "crd-anywhere" => config.crd_manifests(before, after.into()),
        "rust" => config.rust_source(&format!("{place}{before}"), after),
        "group-name" => config.group_name(before, after),
        "full-group-names" => config.full_group_names(value == "true"),
        "feature" => config.feature(value),
        "only" => config.only(value.split(',')),
        "skip" => config.skip(value.split(',')),
        "visibility" => config.visibility(value),
        "runtime-path" => config.runtime_path(value),
        "k8s-openapi-path" => config.k8s_openapi_path(value),
        "file-name" => config.file_name(value),
        "line-ends" | "show" | "types" => config,
        other => panic!("unknown option {other}"),
    }
}

/// Returns the modules with generated types.
fn type_modules(config: &Config) -> Result<String, informer_gen::Error> {
    let modules = blocks(config, "/// The types of")?;
    Ok(modules.concat())
}

/// Returns the constants of the indices and the relations, and the traits of the relations.
fn impls(config: &Config) -> Result<String, informer_gen::Error> {
    let mut impls = blocks(config, "impl ")?;
    impls.retain(|block| {
        let (head, _) = block.split_once('{').unwrap();
        head.ends_with("Lookups ")
    });
    Ok(impls.concat())
}

/// Returns the blocks of the generated code that begin with a line such as `beginning`.
fn blocks(config: &Config, beginning: &str) -> Result<Vec<String>, informer_gen::Error> {
    let files = config.render()?.files;
    let mut blocks = Vec::new();
    let mut lines = files.values().flat_map(|file| file.lines());
    while let Some(first) = lines.next() {
        let depth = first.len() - first.trim_start().len();
        if !first.trim_start().starts_with(beginning) {
            continue;
        }
        let mut block = String::new();
        for line in std::iter::once(first).chain(lines.by_ref()) {
            writeln!(block, "{}", line.get(depth..).unwrap_or_default()).unwrap();
            if line.trim_start().len() + depth == line.len() && line.ends_with('}') {
                break;
            }
        }
        blocks.push(block);
    }
    Ok(blocks)
}

/// Returns an outline of the generated code: every kind, and the named declarations.
fn outline(config: &Config) -> Result<String, informer_gen::Error> {
    let Rendered {
        files,
        notes,
        hints,
        ..
    } = config.render()?;
    let mut text = String::new();
    for entry in config.list()? {
        let gvk = format!("{}/{}/{}", entry.group, entry.version, entry.kind);
        let gvk = gvk.trim_start_matches('/');
        match entry.outcome {
            Outcome::Emitted {
                rust_type,
                accessor,
                kubernetes,
                ..
            } => {
                let versions = kubernetes.map(|versions| format!(" (Kubernetes {versions})"));
                let versions = versions.unwrap_or_default();
                let scope = match entry.scope {
                    Some(Scope::Cluster) => ", cluster-scoped",
                    Some(Scope::Namespaced) | None => "",
                };
                writeln!(text, "{gvk}: {accessor} of {rust_type}{versions}{scope}").unwrap();
            }
            // Skips the rest of the table.
            Outcome::Skipped { .. } if entry.origin == "built-in" => {}
            Outcome::Skipped { reason } => writeln!(text, "{gvk}: {reason}").unwrap(),
        }
    }
    for line in files.values().flat_map(|file| file.lines()).map(str::trim) {
        let named = [
            "pub mod ",
            "pub struct ",
            "pub(crate) struct ",
            "#[deprecated",
            "if resource == ",
        ];
        let informers = line.starts_with("pub fn ") && line.contains("(&self) -> ");
        let is_named = named.iter().any(|start| line.starts_with(start));
        let is_of_all = ["Interface", "Lookups<", "fn lister"]
            .iter()
            .any(|part| line.contains(part));
        if (is_named || informers) && !is_of_all {
            writeln!(text, "    {}", line.trim_end_matches([' ', '{'])).unwrap();
        }
    }
    for note in notes.iter().chain(&hints) {
        writeln!(text, "note: {note}").unwrap();
    }
    Ok(text)
}

/// No awkward input is missing, and the tests elsewhere exist.
#[test]
fn every_awkward_input_has_a_row() {
    let rows = fs::read_to_string(golden("elsewhere.yaml")).unwrap();
    let rows: Vec<Vec<[String; 4]>> = informer_manifest::parse(&rows).unwrap();
    let mut numbered = names("awkward");
    for [name, file, test, why] in rows.into_iter().flatten() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let content = fs::read_to_string(root.join(&file)).unwrap();
        let exists = test.is_empty() || content.contains(&format!("fn {test}("));
        assert!(exists, "{file} has no test `{test}`");
        assert!(!why.is_empty(), "{name}");
        assert!(numbered.insert(name.clone()), "{name} is there twice");
    }
    let number = |name: &String| name[1..3].parse().unwrap();
    let numbers: BTreeSet<u8> = numbered.iter().map(number).collect();
    assert_eq!(numbers, (1..=92).collect());
}
