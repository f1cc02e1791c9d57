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
        notes: Vec::new(),
    };
    let expected = [
        "cargo::rerun-if-changed=tests/manifests",
        "cargo::rerun-if-changed=tests/manifests/foos.yaml",
    ];
    assert_eq!(
        outputs.cargo_lines(package),
        expected,
        "this package has no build.rs"
    );
}
