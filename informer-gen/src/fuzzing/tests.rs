//! The properties hold for the committed corpora, and for random inputs that resemble their
//! entries.

use informer_fuzz_replay::{check, corpus};

use super::*;

#[test]
fn manifests_are_read_or_refused() {
    check("gen_manifest", gen_manifest);
}

#[test]
fn source_is_read_or_refused() {
    check("gen_source", gen_source);
}

#[test]
fn discovery_is_read_or_refused() {
    check("gen_discovery", gen_discovery);
}

#[cfg(feature = "config-file")]
#[test]
fn configuration_is_read_or_refused() {
    check("gen_config", gen_config);
}

#[test]
fn paths_of_indices_are_read_or_refused() {
    check("gen_index", gen_index);
}

/// The first entry of each corpus is valid, so that mutations have valid parts to break.
#[test]
fn the_first_entries_of_the_corpora_are_valid() {
    let good = |entry: &str, config: &dyn Fn(&str) -> Config| {
        let (target, _) = entry.split_once('/').unwrap();
        let entries = corpus(target).into_iter();
        let found = entries
            .into_iter()
            .find(|found| found.name == entry)
            .unwrap();
        in_file(&found.bytes, |path| {
            let error = config(path).render().err();
            assert_eq!(error.map(|error| error.to_string()), None, "{entry}");
        });
    };
    let manifests = |path: &str| Config::new().crd_manifests(path).types_in("crate::api");
    good("gen_manifest/foo.yaml", &manifests);
    good("gen_manifest/anchors.yaml", &manifests);
    let source = |path: &str| Config::new().rust_source(path, "crate::api");
    good("gen_source/foo.rs", &source);
    good("gen_source/attributes.rs", &source);
    good("gen_discovery/aggregated.json", &|path| {
        Config::new().discovery_kinds(path, "dynamic")
    });
    good("gen_discovery/plain.json", &|path| {
        Config::new().discovery_kinds(path, "")
    });
    #[cfg(feature = "config-file")]
    good("gen_config/all.toml", &|path| {
        Config::from_file(path).unwrap()
    });
}
