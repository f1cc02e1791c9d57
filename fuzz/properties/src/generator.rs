//! Properties of informer-gen: each input yields a readable error or a valid result.

use std::fs;

use informer_gen::{Config, Error, Types};

/// Maximum nesting of brackets and operators.
const MAX_NESTING: usize = 150;

/// Checks a manifest file.
pub fn gen_manifest(input: &[u8]) {
    in_file(input, |path| {
        generates(&Config::new().crd_manifests(path, Types::In("crate::api")));
        generates(&Config::new().crd_manifests(path, Types::Dynamic));
        generates(&Config::new().crd_manifests(path, Types::Generated));
    });
}

/// Checks a file of Rust source.
pub fn gen_source(input: &[u8]) {
    in_file(input, |path| {
        generates(&Config::new().rust_source(path, "crate::api"));
        let restricted = Config::new().rust_source(path, "").feature("a");
        generates(&restricted.visibility("pub(crate)"));
    });
}

/// Checks a declaration of a built-in kind.
pub fn gen_declaration(input: &[u8]) {
    let Ok(declaration) = str::from_utf8(input) else {
        return;
    };
    // The parser recurses.
    if declaration
        .bytes()
        .filter(|byte| b"([{<&*-|!".contains(byte))
        .count()
        > MAX_NESTING
    {
        return;
    }
    let config = Config::new().built_in("v1", "Pod");
    generates(&config.kind("v1/Pod", declaration));
}

/// Checks the path of an index, in JSON spelling and in Rust spelling.
pub fn gen_index(input: &[u8]) {
    let Ok(path) = str::from_utf8(input) else {
        return;
    };
    gen_declaration(format!("index = {path:?}").as_bytes());
    gen_declaration(format!("index(path = {path}, name = \"by_it\")").as_bytes());
}

/// Calls `check` with the path of a file that contains `input`.
pub fn in_file(input: &[u8], check: impl FnOnce(&str)) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("input");
    fs::write(&path, input).expect("the file is writable");
    check(path.to_str().expect("a path in UTF-8"));
}

/// Checks that the configuration generates the same parseable text twice, or fails with a readable
/// error.
fn generates(config: &Config) {
    let rendered = match config.render() {
        Ok(rendered) => rendered,
        Err(error) => return is_readable(&error),
    };
    let again = config.render().expect("the first run succeeded");
    assert_eq!(rendered, again, "the output is not deterministic");
    assert!(config.list().is_ok(), "`render` succeeds, but `list` fails");
    for text in rendered.files.values() {
        assert!(syn::parse_file(text).is_ok(), "{text}");
    }
}

fn is_readable(error: &Error) {
    assert!(!error.to_string().is_empty());
    let is_ours = error
        .to_string()
        .contains("is not valid Rust, please report it");
    assert!(!is_ours, "{error}");
}
