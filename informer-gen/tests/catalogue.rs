//! Compares the table of built-in kinds with the sources of `k8s-openapi` and with golden names.

#[path = "../../tests/support/k8s_openapi.rs"]
mod k8s_openapi;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::error::Error;
use std::fs;

use informer_gen::{BuiltIns, Config, ListedKind, Outcome, Scope};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Kind in both representations: path of the type, plural, scope.
type Kind = (String, String, Scope);

/// Kinds with the minor versions that have them.
type Kinds = BTreeMap<Kind, BTreeSet<u8>>;

const MINORS: std::ops::RangeInclusive<u8> = 33..=37;

/// Returns the listable kinds of all versions.
fn sources() -> Result<Kinds> {
    let sources = k8s_openapi::sources()?;
    let mut kinds = Kinds::new();
    for minor in MINORS {
        for (module, text) in k8s_openapi::modules(&sources, minor)? {
            let between = |start: &str, end: &str| {
                let (_, rest) = text.split_once(start)?;
                Some(rest.split_once(end)?.0.to_owned())
            };
            let Some(kind) = between("impl crate::ListableResource for ", " ") else {
                continue;
            };
            let scope = match between("type Scope = crate::", ";").as_deref() {
                Some("ClusterResourceScope") => Scope::Cluster,
                Some("NamespaceResourceScope") => Scope::Namespaced,
                other => return Err(format!("{kind} has the scope {other:?}").into()),
            };
            let named = between("const KIND: &'static str = \"", "\"");
            assert_eq!(named.as_ref(), Some(&kind));
            let plural = between("const URL_PATH_SEGMENT: &'static str = \"", "\"");
            let path = format!("::k8s_openapi::{module}::{kind}");
            let key = (path, plural.unwrap_or_default(), scope);
            kinds.entry(key).or_default().insert(minor);
        }
    }
    Ok(kinds)
}

fn all() -> Result<Vec<ListedKind>> {
    Ok(Config::new().built_ins(BuiltIns::All).list()?)
}

fn name(entry: &ListedKind) -> String {
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

/// `informer-gen list` prints these entries. Without options, each of them is skipped.
#[test]
fn the_table_matches_the_sources() {
    let mut expected = sources().unwrap();
    assert_eq!(expected.len(), 109);
    let nothing = Config::new().list().unwrap();
    for (path, plural, scope) in expected.keys() {
        let kind = path.rsplit("::").next().unwrap();
        let is_listed = nothing.iter().any(|entry| {
            let is_this = entry.kind == kind && entry.resource.as_ref() == Some(plural);
            let is_skipped = matches!(&entry.outcome, Outcome::Skipped { reason }
                if reason.starts_with("not selected") || kind == "ComponentStatus");
            is_this && entry.scope == Some(*scope) && is_skipped
        });
        assert!(is_listed, "{path}");
    }
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

#[test]
fn only_versions_like_v1_are_stable() {
    let stable = Config::new().built_ins(BuiltIns::Stable).list().unwrap();
    let emitted = |entry: &&ListedKind| matches!(entry.outcome, Outcome::Emitted { .. });
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
