//! The 92 awkward inputs: names, plurals, groups, scopes, sources and files that have broken
//! generators. Each row is named by its number. `tests/golden/awkward` has the input and the
//! result.
//!
//! Some inputs do not apply to this generator, or are covered better elsewhere. Such a row names
//! the other test, and the reason.
//!
//! `UPDATE_GOLDEN=1 cargo test -p informer-gen --test awkward` accepts the current results.

#![expect(clippy::unwrap_used, reason = "a failing helper fails the test")]

#[path = "support/crd.rs"]
mod crd;

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use informer_gen::{Config, Outcome};

/// Declares rows: a test for each, and the list of their names.
macro_rules! rows {
    ($($name:ident: $row:expr;)*) => {
        $(
            #[test]
            fn $name() {
                let row: $crate::Row = $row;
                row.run(stringify!($name));
            }
        )*

        pub(super) const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

#[path = "awkward/cargo_and_files.rs"]
mod cargo_and_files;
#[path = "awkward/groups_and_versions.rs"]
mod groups_and_versions;
#[path = "awkward/identifiers.rs"]
mod identifiers;
#[path = "awkward/plurals.rs"]
mod plurals;
#[path = "awkward/rust_source.rs"]
mod rust_source;
#[path = "awkward/scopes_and_verbs.rs"]
mod scopes_and_verbs;

type Configure = fn(Config, &str) -> Config;

/// Awkward input, or the test that covers it.
enum Row {
    /// Files and further options. Files that end in `.yaml` or `.json` are manifests with the types
    /// in `crate::api`. The second argument of the options is the folder of the files.
    Input(Vec<(String, String)>, Configure),
    /// A test by its file, from the root of the repository, and the reason.
    Elsewhere(&'static str, &'static str, &'static str),
}

/// Creates a row of manifests.
fn manifests<const N: usize>(texts: [String; N]) -> Row {
    with_options(texts, |config, _| config)
}

fn with_options<const N: usize>(texts: [String; N], configure: Configure) -> Row {
    let names = ["a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml"];
    let files = names.into_iter().map(str::to_owned).zip(texts);
    Row::Input(files.collect(), configure)
}

/// Creates a row without files.
fn options(configure: Configure) -> Row {
    Row::Input(Vec::new(), configure)
}

/// Creates a row of source files. The first file is the module `crate::api`.
fn source(files: &[(&str, &str)]) -> Row {
    source_with(files, |config, place| {
        config.rust_source(&format!("{place}api.rs"), "crate::api")
    })
}

fn source_with(files: &[(&str, &str)], configure: Configure) -> Row {
    let files = files.iter();
    let files = files.map(|&(name, text)| (name.to_owned(), text.to_owned()));
    Row::Input(files.collect(), configure)
}

// === impl Row ===

impl Row {
    fn run(self, name: &str) {
        match self {
            Self::Elsewhere(file, test, why) => {
                let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
                let content = fs::read_to_string(root.join(file)).unwrap();
                // The test is a function, or a case of trybuild, which is a file.
                let exists = test.is_empty() || content.contains(&format!("fn {test}("));
                assert!(exists, "{file} has no test `{test}`");
                assert!(!why.is_empty());
            }
            Self::Input(files, configure) => compare(name, &describe(&files, configure)),
        }
    }
}

/// Describes the input and its result.
fn describe(files: &[(String, String)], configure: Configure) -> String {
    let folder = tempfile::tempdir().unwrap();
    let place = format!("{}/", folder.path().display());
    let mut text = String::new();
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        writeln!(text, "=== {name}").unwrap();
        for line in content.lines() {
            writeln!(text, "{}", line.trim_end_matches('\r')).unwrap();
        }
    }
    let mut config = Config::new();
    for extension in ["yaml", "json"] {
        if files.iter().any(|(name, _)| name.ends_with(extension)) {
            config = config
                .crd_manifests(&format!("{place}**/*.{extension}"))
                .types_in("crate::api");
        }
    }
    let config = configure(config, &place);
    text.push_str("=== becomes\n");
    match outline(&config) {
        Ok(lines) => text.push_str(&lines),
        Err(error) => writeln!(text, "error: {error}").unwrap(),
    }
    text.replace(&place, "")
}

/// Returns an outline of the generated code: every kind, and the named declarations.
fn outline(config: &Config) -> Result<String, informer_gen::Error> {
    let files = config.render()?;
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
                writeln!(text, "{gvk}: {accessor} of {rust_type}{versions}").unwrap();
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
        if (is_named || informers) && !line.contains("Interface") && !line.contains("fn lister") {
            writeln!(text, "    {}", line.trim_end_matches([' ', '{'])).unwrap();
        }
    }
    Ok(text)
}

fn compare(name: &str, found: &str) {
    let path = folder().join(name).with_extension("txt");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(folder()).unwrap();
        fs::write(&path, found).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "{}", path.display());
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/awkward")
}

/// No row is missing or duplicate, and no golden file is unused.
#[test]
fn every_awkward_input_has_a_row() {
    let names = [
        identifiers::NAMES,
        plurals::NAMES,
        groups_and_versions::NAMES,
        scopes_and_verbs::NAMES,
        rust_source::NAMES,
        cargo_and_files::NAMES,
    ]
    .concat();
    let numbers: Vec<u8> = names
        .iter()
        .map(|name| name[1..3].parse().unwrap())
        .collect();
    let expected: BTreeSet<u8> = (1..=92).collect();
    assert_eq!(numbers.iter().copied().collect::<BTreeSet<_>>(), expected);
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            names.contains(&name),
            "{} belongs to no row",
            path.display()
        );
    }
}
