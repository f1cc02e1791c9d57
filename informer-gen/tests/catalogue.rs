//! Compares the table of built-in kinds with the sources of `k8s-openapi` and with golden names.

#[path = "../../tests/support/k8s_openapi.rs"]
mod k8s_openapi;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use informer_gen::{BuiltIns, Config, Entry, Outcome, Scope};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Kind in both representations: path of the type, plural, scope.
type Kind = (String, String, Scope);

/// Kinds with the minor versions that have them.
type Kinds = BTreeMap<Kind, BTreeSet<u8>>;

const MINORS: std::ops::RangeInclusive<u8> = 33..=37;

/// Adds all listable kinds below a directory.
fn scan(directory: &Path, module: &str, minor: u8, kinds: &mut Kinds) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            scan(&path, &format!("{module}::{name}"), minor, kinds)?;
            continue;
        }
        let text = fs::read_to_string(&path)?;
        if let Some(rest) = text.split("impl crate::ListableResource for ").nth(1) {
            let kind = rest.split_whitespace().next().unwrap_or_default();
            let between = |start: &str, end: &str| {
                let rest = text
                    .split(start)
                    .nth(1)
                    .and_then(|rest| rest.split(end).next());
                rest.unwrap_or_default().to_owned()
            };
            let plural = between("const URL_PATH_SEGMENT: &'static str = \"", "\"");
            let scope = match between("type Scope = crate::", ";").as_str() {
                "ClusterResourceScope" => Scope::Cluster,
                "NamespaceResourceScope" => Scope::Namespaced,
                other => return Err(format!("{kind} has the scope {other}").into()),
            };
            assert_eq!(between("const KIND: &'static str = \"", "\""), kind);
            let key = (format!("{module}::{kind}"), plural, scope);
            kinds.entry(key).or_default().insert(minor);
        }
    }
    Ok(())
}

fn all() -> Result<Vec<Entry>> {
    Ok(Config::new().built_ins(BuiltIns::All).list()?)
}

fn name(entry: &Entry) -> String {
    format!("{}/{}/{}", entry.group, entry.version, entry.kind)
}

/// Parses `1.34 to 1.37` or `1.35`. `None` means all versions.
fn minors(kubernetes: Option<&str>) -> Result<BTreeSet<u8>> {
    let Some(text) = kubernetes else {
        return Ok(MINORS.collect());
    };
    let (first, last) = text.split_once(" to ").unwrap_or((text, text));
    let minor = |text: &str| text.trim_start_matches("1.").parse::<u8>();
    Ok((minor(first)?..=minor(last)?).collect())
}

#[test]
fn the_table_matches_the_sources() {
    let sources = k8s_openapi::sources().unwrap();
    let mut expected = Kinds::new();
    for minor in MINORS {
        let directory = sources.join(format!("v1_{minor}"));
        scan(&directory, "::k8s_openapi", minor, &mut expected).unwrap();
    }
    assert_eq!(expected.len(), 109);
    expected.retain(|(path, ..), _| !path.ends_with("::ComponentStatus"));
    let mut found = Kinds::new();
    for entry in all().unwrap() {
        if let Outcome::Emitted {
            rust_type,
            kubernetes,
            ..
        } = entry.outcome
        {
            let key = (rust_type, entry.resource.unwrap(), entry.scope.unwrap());
            found.insert(key, minors(kubernetes.as_deref()).unwrap());
        }
    }
    assert_eq!(found, expected);
}

/// `informer-gen list` without options shows each listable kind of k8s-openapi, with its state.
#[test]
fn list_shows_each_kind_of_k8s_openapi_with_its_state() {
    let sources = k8s_openapi::sources().unwrap();
    let mut expected = Kinds::new();
    for minor in MINORS {
        let directory = sources.join(format!("v1_{minor}"));
        scan(&directory, "::k8s_openapi", minor, &mut expected).unwrap();
    }
    let run = |flags: &[&str]| {
        let program = env!("CARGO_BIN_EXE_informer-gen");
        let output = Command::new(program).arg("list").args(flags).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    for (flags, selected) in [(&[][..], false), (&["--built-in", "all"], true)] {
        let table = run(flags);
        let json = run(&[flags, &["--format", "json"]].concat());
        let json: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
        let (mut lines, mut objects) = (0, 0);
        for (path, plural, scope) in expected.keys() {
            let (group_and_version, kind) = path.rsplit_once("::").unwrap();
            let version = group_and_version.rsplit("::").next().unwrap();
            let matches_kind = |words: &[&str]| {
                let name = format!("{version}/{kind}");
                let is_named = words[0] == name || words[0].ends_with(&format!("/{name}"));
                is_named && words[1] == plural && words[2] == scope.to_string()
            };
            let rows = table.lines().map(|line| line.split_whitespace().collect());
            let states: Vec<String> = rows
                .filter(|words: &Vec<&str>| matches_kind(words))
                .map(|words| words[4..].join(" "))
                .collect();
            let unwatchable = kind == "ComponentStatus";
            let state = match (unwatchable, selected) {
                (true, _) => "no: not watchable: its verbs are [get, list]".to_owned(),
                (_, true) => format!(" of {path}"),
                (_, false) => "no: not selected".to_owned(),
            };
            // A kind and version may exist in two groups.
            assert!(!states.is_empty(), "{path} is not listed");
            assert!(
                states.iter().any(|found| found.contains(&state)),
                "{path}: {states:?}"
            );
            lines += 1;
            objects += json
                .iter()
                .filter(|entry| {
                    let outcome = if selected && !unwatchable {
                        entry["rust_type"] == path.as_str()
                    } else {
                        entry["outcome"] == "skipped"
                    };
                    outcome
                        && entry["kind"] == kind
                        && entry["version"] == version
                        && entry["resource"] == plural.as_str()
                })
                .count()
                .min(1);
        }
        assert_eq!((lines, objects), (109, 109));
    }
}

#[test]
fn only_versions_like_v1_are_stable() {
    let stable = Config::new().built_ins(BuiltIns::Stable).list().unwrap();
    let emitted = |entry: &&Entry| matches!(entry.outcome, Outcome::Emitted { .. });
    let versions: BTreeSet<_> = stable
        .iter()
        .filter(emitted)
        .map(|entry| entry.version.as_str())
        .collect();
    assert_eq!(versions, ["v1", "v2"].into());
    assert_eq!(stable.iter().filter(emitted).count(), 64);
}

#[test]
fn unwatchable_kinds_are_listed_with_the_reason() {
    let entries = all().unwrap();
    let skipped: Vec<_> = entries
        .iter()
        .filter_map(|entry| match &entry.outcome {
            Outcome::Skipped { reason } => Some((name(entry), reason.as_str())),
            Outcome::Emitted { .. } => None,
        })
        .collect();
    assert_eq!(skipped.len(), 12);
    let status = (
        "/v1/ComponentStatus".to_owned(),
        "not watchable: its verbs are [get, list]",
    );
    assert!(skipped.contains(&status), "{skipped:?}");
}

/// Lists the whole surface on one page, so that a diff shows every changed name.
#[test]
fn accessors_are_golden() {
    let names: Vec<String> = all()
        .unwrap()
        .into_iter()
        .filter_map(|entry| match entry.outcome {
            Outcome::Emitted { accessor, .. } => Some(accessor),
            Outcome::Skipped { .. } => None,
        })
        .collect();
    let found = names.join("\n") + "\n";
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write("tests/golden/accessors.txt", &found).unwrap();
    }
    assert_eq!(
        found,
        fs::read_to_string("tests/golden/accessors.txt").unwrap()
    );
}
