use super::*;

#[test]
fn existing_inputs_are_reported_to_cargo() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let outputs = Outputs {
        files: BTreeMap::new(),
        inputs: [
            "tests/manifests",
            "tests/manifests/foos.yaml",
            "no/such.yaml",
        ]
        .map(PathBuf::from)
        .into(),
        notes: vec!["one\ncargo::rustc-cfg=two".to_owned()],
        hints: vec!["three".to_owned()],
    };
    let expected = [
        "cargo::rerun-if-changed=tests/manifests",
        "cargo::rerun-if-changed=tests/manifests/foos.yaml",
        r"cargo::warning=one\ncargo::rustc-cfg=two",
    ];
    assert_eq!(
        outputs.cargo_lines(package),
        expected,
        "this package has no build.rs"
    );
}
