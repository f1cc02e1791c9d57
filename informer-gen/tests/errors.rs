//! Errors that need more than an input and its result. `tests/awkward.rs` has the others.

use std::fs;
use std::io;

use informer_gen::{Config, Types};

/// Returns the error of `render` for a manifest.
fn check(manifest: &str) -> io::Result<String> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("crd.yaml");
    fs::write(&path, manifest)?;
    Ok(outcome(&path.display().to_string()))
}

fn outcome(path: &str) -> String {
    let config = Config::new().crd_manifests(path, Types::Generated);
    match config.render() {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Foo, plural: foos}
  versions:
  - name: v1
    served: true
";

#[test]
fn a_large_bundle_is_read_and_an_endless_one_rejected() {
    let nested = |depth: usize| -> String {
        let lines = (0..depth).map(|level| format!("{}a:\n", " ".repeat(level)));
        format!("{CRD}---\n{}", lines.collect::<String>())
    };
    assert_eq!(check(&nested(250)).unwrap(), "no error");
    let message = check(&nested(2000)).unwrap();
    assert!(message.contains("cannot be parsed as YAML"), "{message}");
    let mut bundle = String::new();
    for number in 0..1_500 {
        let one = CRD.replace("Foo", &format!("Foo{number}"));
        bundle.push_str(&one.replace("foos", &format!("foo{number}s")));
        bundle.push_str("---\n");
    }
    assert_eq!(check(&bundle).unwrap(), "no error");
}

#[test]
fn aliases_that_expand_beyond_memory_are_rejected() {
    let levels = (1..30).map(|level| {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        format!("a{level}: &a{level} [{aliases}]\n")
    });
    let levels: Vec<String> = levels.collect();
    let message = check(&format!("a0: &a0 [x]\n{}", levels.concat())).unwrap();
    assert!(message.contains("cannot be parsed as YAML"), "{message}");
}

#[test]
fn utf_16_is_read_and_a_file_that_cannot_be_read_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("crd.yaml");
    let text = format!("\u{feff}{CRD}");
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(&path, bytes).unwrap();
    let name = path.display().to_string();
    assert_eq!(outcome(&name), "no error");
    fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    let reason = "has a byte order mark of UTF-16, but is not valid UTF-16; save it as UTF-8";
    assert_eq!(outcome(&name), format!("cannot read `{name}`: {reason}"));
}

#[test]
fn a_pattern_without_a_text_is_an_error() {
    let config = Config::new().crd_manifests("", Types::In("crate::api"));
    let error = config.list().unwrap_err();
    assert_eq!(
        error.to_string(),
        ".crd_manifests(..) / --crd: `` names no file"
    );
}

/// cargo shows the `Debug` text of a build script's error: the message, not the fields.
#[test]
fn debug_prints_the_message() {
    let error = Config::new().built_in("v1", "Pdo").render().unwrap_err();
    assert_eq!(
        format!("{error:?}"),
        "no built-in kind `v1/Pdo`, did you mean `v1/Pod`?"
    );
    assert_eq!(format!("{error:?}"), error.to_string());

    let source = Config::new().rust_source("no/such/api.rs", "crate::api");
    let unreadable = source.render().unwrap_err();
    let text = format!("{unreadable:?}");
    assert!(text.starts_with("cannot read `no/such/api.rs`: "), "{text}");
    assert_eq!(
        text.matches("os error").count(),
        1,
        "the cause appears once: {text}"
    );
}

/// The deepest schema that a manifest can have fits the stack of a test thread.
#[test]
fn a_schema_may_be_as_deep_as_a_document() {
    for (level, depth) in [
        ("{type: array, items: ", 240),
        ("{type: object, properties: {a: ", 120),
    ] {
        let ends = "}".repeat(depth * level.matches('{').count());
        let schema = format!("{}{{type: string}}{ends}", level.repeat(depth));
        let schema = format!("{{type: object, properties: {{spec: {schema}}}}}");
        let manifest = CRD.replace(
            "  - name: v1\n",
            &format!("  - name: v1\n    schema: {{openAPIV3Schema: {schema}}}\n"),
        );
        let outcome = check(&manifest);
        assert_eq!(outcome.unwrap(), "no error", "{level}");
    }
}
