//! What must hold for every loader, whatever the file: an error that can be read, or a result that holds.
//!
//! Each function takes the input of one fuzz target and panics where a property is violated. The targets
//! of `fuzz/` run them under libFuzzer, which sets `cfg(fuzzing)`; `tests` runs them for the committed
//! corpora and for random inputs. Neither is part of the crate that users get.

#![expect(clippy::expect_used, reason = "a property that is violated panics")]

use std::fs;

use crate::{Config, Error, Index};

/// A file of manifests.
pub fn gen_manifest(input: &[u8]) {
    in_file(input, |path| {
        generates(&Config::new().crd_manifests(path).types_in("crate::api"));
        generates(&Config::new().crd_manifests(path).types_in("dynamic"));
        generates(&Config::new().crd_manifests(path));
    });
}

/// A file of Rust source.
pub fn gen_source(input: &[u8]) {
    in_file(input, |path| {
        generates(&Config::new().rust_source(path, "crate::api"));
        let restricted = Config::new().rust_source(path, "").feature("a");
        generates(&restricted.visibility("pub(crate)"));
    });
}

/// The answer of an API server to discovery.
pub fn gen_discovery(input: &[u8]) {
    in_file(input, |path| {
        generates(&Config::new().built_in("v1", "Pod").discovery(path));
        generates(&Config::new().discovery_kinds(path, "crate::api"));
        generates(&Config::new().discovery_kinds(path, "dynamic"));
    });
}

/// A configuration file. The files that it names are not there, which is as good as any.
#[cfg(feature = "config-file")]
pub fn gen_config(input: &[u8]) {
    in_file(input, |path| match Config::from_file(path) {
        Ok(config) => generates(&config),
        Err(error) => is_readable(&error),
    });
}

/// The path of an index, in JSON's names and in Rust's.
pub fn gen_index(input: &[u8]) {
    let Ok(path) = str::from_utf8(input) else {
        return;
    };
    for index in [Index::path(path), Index::rust_path(path).named("by_it")] {
        let config = Config::new().built_in("v1", "Pod");
        generates(&config.index("v1/Pod", index));
    }
}

fn in_file(input: &[u8], check: impl FnOnce(&str)) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("input");
    fs::write(&path, input).expect("it can be written");
    check(path.to_str().expect("a path in UTF-8"));
}

/// Generates text that parses, and the same again; or gives an error.
fn generates(config: &Config) {
    let files = match config.render() {
        Ok(files) => files,
        Err(error) => return is_readable(&error),
    };
    let again = config.render().expect("it was generated before");
    assert_eq!(files, again, "the same input, other bytes");
    assert!(config.list().is_ok(), "generated, but not listed");
    for text in files.values() {
        assert!(syn::parse_file(text).is_ok(), "{text}");
    }
}

fn is_readable(error: &Error) {
    assert!(!error.to_string().is_empty());
    let is_ours = matches!(error, Error::Internal { .. });
    assert!(!is_ours, "{error}");
}

#[cfg(test)]
mod tests;
