//! Behaviour of the command line.
#![expect(clippy::unwrap_used, reason = "a failing helper fails the test")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde::Deserialize;

#[path = "../../tests/support/cases.rs"]
mod named;

use self::named::{cases, name_of, names_in};

struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs `informer-gen` in a directory.
fn run(directory: &Path, arguments: &[&str]) -> io::Result<Ran> {
    run_with(directory, arguments, "")
}

/// Runs `informer-gen` in a directory with a text on its standard input.
fn run_with(directory: &Path, arguments: &[&str], stdin: &str) -> io::Result<Ran> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_informer-gen"))
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut input = program.stdin.take().unwrap();
    // A program that ends before it reads its input closes the pipe.
    let _ = input.write_all(stdin.as_bytes());
    drop(input);
    let Output {
        status,
        stdout,
        stderr,
    } = program.wait_with_output()?;
    Ok(Ran {
        code: status.code(),
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    })
}

const PODS: [&str; 4] = ["--built-in", "v1/Pod", "-o", "src/informers.rs"];

fn with<'a>(command: &'a str, flags: &[&'a str]) -> Vec<&'a str> {
    [&[command], flags].concat()
}

/// Runs in one folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    test: String,
    #[serde(default)]
    here: bool,
    #[serde(default)]
    files: BTreeMap<String, String>,
    runs: Vec<Expected>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    run: Vec<String>,
    #[serde(default)]
    stdin: String,
    #[serde(default)]
    code: i32,
    stdout: Option<String>,
    stdout_of: Option<String>,
    #[serde(default)]
    stdout_has: Vec<String>,
    stderr: Option<String>,
    #[serde(default)]
    stderr_has: Vec<String>,
}

/// Plays the case of this name. `cli/cases.yaml` describes its members.
fn play(text: &str, name: &str) {
    let cases = informer_manifest::parse::<Vec<Case>>(text).unwrap();
    let mut cases = cases.into_iter().flatten();
    let case = cases.find(|case| name_of(&case.test) == name).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = if case.here { here } else { folder.path() };
    for (name, text) in &case.files {
        let path = place.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    for expected in &case.runs {
        check(place, expected, &format!("{:?}", expected.run));
    }
}

cases! {
    play:
    runs, "cli/cases.yaml":
        generate_writes_and_check_agrees
        stdout_gets_one_text_and_nothing_else
        errors_go_to_stderr_with_their_own_exit_code
        colliding_names_get_flags_to_paste
        list_shows_the_result_for_every_kind
        help_has_examples
        neither_command_overwrites_or_compares_a_file_that_was_not_generated
        a_name_that_kopium_writes_otherwise_is_noted
        shells_can_complete_flags
        check_and_list_have_no_colours_like_every_output_to_a_file
        manifests_come_from_the_standard_input;
}

#[test]
fn each_case_is_a_test() {
    assert_eq!(names_in(runs::TEXT), runs::NAMES);
}

fn check(place: &Path, expected: &Expected, context: &str) {
    let arguments: Vec<&str> = expected.run.iter().map(String::as_str).collect();
    let ran = run_with(place, &arguments, &expected.stdin).unwrap();
    let (stdout, stderr) = (&ran.stdout, &ran.stderr);
    assert_eq!(ran.code, Some(expected.code), "{context}: {stderr}");
    let file = expected.stdout_of.as_ref();
    let file = file.map(|name| fs::read_to_string(place.join(name)).unwrap());
    if let Some(whole) = expected.stdout.as_ref().or(file.as_ref()) {
        assert_eq!(stdout, whole, "{context}");
    }
    if expected.stderr_has.is_empty() {
        let whole = expected.stderr.as_deref().unwrap_or_default();
        assert_eq!(stderr, whole, "{context}");
    }
    for (found, parts) in [
        (stdout, &expected.stdout_has),
        (stderr, &expected.stderr_has),
    ] {
        let words: Vec<&str> = found.split_whitespace().collect();
        for part in parts {
            assert!(
                words.join(" ").contains(part),
                "{context}: no {part} in {found}"
            );
        }
        assert!(
            !found.contains('\u{1b}'),
            "{context}: colours without a terminal"
        );
    }
}

#[test]
fn a_note_about_a_long_file_proposes_to_split_it() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let definitions: Vec<String> = (0..1_000)
        .map(|number| {
            format!(
                "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
                 metadata: {{name: kind{number}s.example.com}}\nspec:\n  group: example.com\n  scope: Cluster\n  \
                 names: {{kind: Kind{number}, plural: kind{number}s}}\n  versions: [{{name: v1, served: true}}]\n"
            )
        })
        .collect();
    fs::write(directory.join("crds.yaml"), definitions.join("---\n")).unwrap();
    let flags = ["--crd=crds.yaml=dynamic", "-o", "informers.rs"];
    let ran = run(directory, &with("generate", &flags)).unwrap();
    let lines = fs::read_to_string(directory.join("informers.rs")).unwrap();
    let lines = lines.lines().count();
    assert!(lines > 10_000, "{lines}");
    assert_eq!(
        ran.stderr,
        format!(
            "wrote informers.rs\nnote: informers.rs has {lines} lines; use --file-per-group to write one \
             file for each group\n"
        )
    );
    let again = run(directory, &with("generate", &flags)).unwrap();
    assert_eq!(
        (again.code, again.stderr.as_str()),
        (Some(0), ""),
        "nothing changed"
    );
}

#[test]
fn check_prints_a_diff_and_writes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let missing = run(directory, &with("check", &PODS)).unwrap();
    assert_eq!(missing.code, Some(1));
    let head = "--- /dev/null\n+++ src/informers.rs\n@@ -0,0 +1,";
    assert!(missing.stdout.starts_with(head), "{}", missing.stdout);
    assert!(!directory.join("src").exists());

    run(directory, &with("generate", &PODS)).unwrap();
    let path = directory.join("src/informers.rs");
    let text = fs::read_to_string(&path).unwrap();
    let edited = text.replace("/// Returns the versions of the core group.", "/// Edited.");
    fs::write(&path, &edited).unwrap();
    let ran = run(directory, &with("check", &PODS)).unwrap();
    assert_eq!(ran.code, Some(1));
    let expected = "--- src/informers.rs\n+++ src/informers.rs\n@@ ";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
    let lines = "\n-    /// Edited.\n+    /// Returns the versions of the core group.\n";
    assert!(ran.stdout.contains(lines), "{}", ran.stdout);
    assert!(
        ran.stderr.starts_with("the generated code is out of date"),
        "{}",
        ran.stderr
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), edited);
}

#[test]
fn every_flag_does_what_the_builder_does() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let flags = [
        "--built-in=apps/v1/Deployment",
        "--built-in=stable",
        "--crd=tests/manifests/foos.yaml=crate::api",
        "--crd=tests/manifests/*.json=crate::api",
        "--kind=example.com/v1/Foo: of = crate::api::MyFoo, accessor = \"all_foos\"",
        "--kind=apps/v1/Deployment: index = \"metadata.labels['app']\"",
        "--group-name=k8s.cni.cncf.io=multus",
        "--full-group-names",
        "--kind=example.com/v1/Foo: prefix = \"MyFoo\"",
        "--skip=example.com/v1beta1/Foo",
        "--kind=type: of = dynamic",
        "--only=Foo,type",
        "--runtime-path=crate::runtime",
        "--k8s-openapi-path=crate::k8s_openapi",
        "--visibility=pub(crate)",
        "--output=-",
    ];
    let ran = run(here, &with("generate", &flags)).unwrap();
    let files = informer_gen::Config::new()
        .built_in("apps/v1", "Deployment")
        .built_ins(informer_gen::BuiltIns::Stable)
        .crd_manifests(
            "tests/manifests/foos.yaml",
            informer_gen::Types::In("crate::api"),
        )
        .crd_manifests(
            "tests/manifests/*.json",
            informer_gen::Types::In("crate::api"),
        )
        .kind("example.com/v1/Foo", "of = crate::api::MyFoo")
        .kind("apps/v1/Deployment", r#"index = "metadata.labels['app']""#)
        .group_name("k8s.cni.cncf.io", "multus")
        .full_group_names(true)
        .kind("example.com/v1/Foo", r#"accessor = "all_foos""#)
        .kind("example.com/v1/Foo", r#"prefix = "MyFoo""#)
        .skip(["example.com/v1beta1/Foo"])
        .kind("type", "of = dynamic")
        .only(["Foo", "type"])
        .runtime_path("crate::runtime")
        .k8s_openapi_path("crate::k8s_openapi")
        .visibility("pub(crate)")
        .render()
        .unwrap()
        .files;
    assert_eq!(ran.stderr, "");
    assert_eq!(Some(&ran.stdout), files.values().next());
}

/// No module, `=types` and the builder are equivalent. Kinds that cannot be
/// typed are reported.
#[test]
fn types_are_written_for_manifests_without_a_module() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let manifest = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
                    metadata: {name: foos.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  \
                    names: {kind: Foo, plural: foos, shortNames: [fo]}\n  versions:\n  \
                    - {name: v1, served: true, schema: {openAPIV3Schema: {type: object, description: 'A Foo.', \
                    properties: {spec: {type: object}}}}}\n  - {name: v1beta1, served: true}\n";
    fs::write(directory.join("foos.yaml"), manifest).unwrap();
    let files = informer_gen::Config::new()
        .crd_manifests(
            &directory.join("foos.yaml").display().to_string(),
            informer_gen::Types::Generated,
        )
        .render()
        .unwrap()
        .files;
    let expected = files.values().next().unwrap();
    for part in [
        "pub mod foo {",
        "pub struct Foo {",
        "/// A Foo.\n        ///\n        /// Resource: `foos` (`fo`) of `example.com/v1`, namespaced.",
        "/// The objects are untyped, because its manifest has no schema.",
    ] {
        assert!(expected.contains(part), "no `{part}` in\n{expected}");
    }
    let note = "note: `example.com/v1beta1/Foo` (foos.yaml:7:17) has no type, because its manifest has no \
                schema: its objects are `DynamicObject`s; declare it with \
                --kind 'example.com/v1beta1/Foo: of = dynamic', or with a type of your own\n";
    for flag in ["--crd=foos.yaml", "--crd=foos.yaml=types"] {
        let ran = run(directory, &["generate", "-o", "-", flag]).unwrap();
        assert_eq!(
            (ran.stderr.as_str(), &ran.stdout),
            (note, expected),
            "{flag}"
        );
    }
    let list = run(directory, &["list", "--crd=foos.yaml"]).unwrap();
    for part in [
        "factory.example().v1().foos() of example::v1::foo::Foo\n",
        "foos() of DynamicObject (no type: its manifest has no schema)\n",
    ] {
        assert!(
            list.stdout.contains(part),
            "no `{part}` in\n{}",
            list.stdout
        );
    }
    let flags = [
        "generate",
        "--crd=foos.yaml",
        "-o",
        "-",
        "--kind=example.com/v1/Foo: index = \"spec.host\"",
    ];
    assert_eq!(
        run(directory, &flags).unwrap().stderr,
        "error: .kind(..) / --kind: `example.com/v1/Foo` (foos.yaml:7:17), at `\"spec.host\"`: `spec` has no \
         fields in the schema\n"
    );
}

#[test]
fn list_has_a_json_format() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ran = run(here, &["list", "--built-in", "v1/Pod", "--format", "json"]).unwrap();
    let entries: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let of = |kind: &str| {
        let entries = entries.as_array().unwrap().iter();
        let mut entries = entries.filter(|entry| entry["kind"] == kind);
        entries.next().unwrap().clone()
    };
    assert_eq!(
        of("Pod"),
        serde_json::json!({
            "group": "", "version": "v1", "kind": "Pod", "resource": "pods",
            "scope": "namespaced", "origin": "built-in", "outcome": "emitted",
            "rust_type": "::k8s_openapi::api::core::v1::Pod",
            "accessor": "factory.core().v1().pods()", "kubernetes": null, "feature": null,
        })
    );
    assert_eq!(of("Binding")["outcome"], "skipped");
    assert_eq!(of("Binding")["resource"], serde_json::Value::Null);
}

/// A declaration says the same on the command line and in a build script.
#[test]
fn declarations_have_all_settings_on_the_command_line() {
    const DECLARATION: &str = r#"index = "spec.nodeName", index(path = "status.podIP", unique),
        index(path = spec.host_network, value = "bool"), index(label = "app", name = "by_x"),
        index(owner, name = "by_any"), index(owner = apps/v1/ReplicaSet),
        index(with = crate::ports, name = "by_port", value = "u16"), selectable = "spec.nodeName""#;
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let flag = format!("--kind=v1/Pod: {DECLARATION}");
    let flags = ["--built-in=v1/Pod", &flag, "--output=-"];
    let ran = run(here, &with("generate", &flags)).unwrap();
    let config = informer_gen::Config::new()
        .built_in("v1", "Pod")
        .kind("v1/Pod", DECLARATION);
    assert_eq!(ran.stderr, "");
    assert_eq!(
        Some(&ran.stdout),
        config.render().unwrap().files.values().next()
    );
    for method in [
        "by_node_name",
        "by_pod_ip",
        "by_host_network",
        "by_x",
        "by_any",
        "by_owner",
        "by_port",
    ] {
        let count = ran.stdout.matches(&format!(" {method}(")).count();
        assert_eq!(count, 1, "{method}");
    }
    assert!(
        ran.stdout
            .contains("const SPEC_NODE_NAME: &'static ::core::primitive::str = \"spec.nodeName\";")
    );
}
