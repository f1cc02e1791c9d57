//! Behaviour of the command line.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Output};

struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs `informer-gen` in a directory.
fn run(directory: &Path, arguments: &[&str]) -> io::Result<Ran> {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_informer-gen"))
        .args(arguments)
        .current_dir(directory)
        .output()?;
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

#[test]
fn generate_writes_and_check_agrees() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let ran = run(directory, &with("generate", &PODS)).unwrap();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
    assert_eq!(ran.stderr, "wrote src/informers.rs\n");
    let again = run(directory, &with("generate", &PODS)).unwrap();
    assert_eq!(
        (again.code, again.stderr.as_str()),
        (Some(0), ""),
        "nothing changed"
    );
    let checked = run(directory, &with("check", &PODS)).unwrap();
    assert_eq!((checked.code, checked.stdout.as_str()), (Some(0), ""));
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
    assert!(
        !ran.stdout.contains('\x1b'),
        "no colours without a terminal"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), edited);
}

#[test]
fn stdout_gets_the_text_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    run(directory, &with("generate", &PODS)).unwrap();
    let ran = run(directory, &["generate", "--built-in", "v1/Pod", "-o", "-"]).unwrap();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let written = fs::read_to_string(directory.join("src/informers.rs")).unwrap();
    assert_eq!(ran.stdout, written);
    let split = [
        "generate",
        "--built-in",
        "v1/Pod",
        "--file-per-group",
        "-o",
        "-",
    ];
    let ran = run(directory, &split).unwrap();
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr
            .contains("do not combine it with --file-per-group"),
        "{}",
        ran.stderr
    );
    let ran = run(directory, &["check", "--built-in", "v1/Pod", "-o", "-"]).unwrap();
    assert_eq!(ran.code, Some(2));
}

#[test]
fn errors_go_to_stderr_with_their_own_exit_code() {
    let directory = tempfile::tempdir().unwrap();
    let flags = ["--built-in", "apps/v1/Deploymnt", "-o", "x.rs"];
    let ran = run(directory.path(), &with("generate", &flags)).unwrap();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert_eq!(
        ran.stderr,
        "error: no built-in kind `apps/v1/Deploymnt`, did you mean `apps/v1/Deployment`?\n"
    );
    for arguments in [
        &["generate"][..],
        &["generate", "--kind", "Foo", "-o", "x.rs"],
    ] {
        let ran = run(directory.path(), arguments).unwrap();
        assert_eq!(ran.code, Some(2), "{arguments:?}");
    }
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
        .crd_manifests("tests/manifests/foos.yaml")
        .types_in("crate::api")
        .crd_manifests("tests/manifests/*.json")
        .types_in("crate::api")
        .kind("example.com/v1/Foo", "of = crate::api::MyFoo")
        .kind("apps/v1/Deployment", r#"index = "metadata.labels['app']""#)
        .group_name("k8s.cni.cncf.io", "multus")
        .kind("example.com/v1/Foo", r#"accessor = "all_foos""#)
        .kind("example.com/v1/Foo", r#"prefix = "MyFoo""#)
        .skip(["example.com/v1beta1/Foo"])
        .kind("type", "of = dynamic")
        .only(["Foo", "type"])
        .runtime_path("crate::runtime")
        .k8s_openapi_path("crate::k8s_openapi")
        .visibility("pub(crate)")
        .render()
        .unwrap();
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
        .crd_manifests(&directory.join("foos.yaml").display().to_string())
        .render()
        .unwrap();
    let expected = files.values().next().unwrap();
    for part in [
        "pub mod foo {",
        "pub struct Foo {",
        "/// A Foo.\n        ///\n        /// Resource: `foos` (`fo`) of `example.com/v1`, namespaced.",
        "/// The objects are untyped, because its manifest has no schema.",
    ] {
        assert!(expected.contains(part), "no `{part}` in\n{expected}");
    }
    for flag in ["--crd=foos.yaml", "--crd=foos.yaml=types"] {
        let ran = run(directory, &["generate", "-o", "-", flag]).unwrap();
        assert_eq!((ran.stderr.as_str(), &ran.stdout), ("", expected), "{flag}");
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
fn colliding_names_get_flags_to_paste() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let flags = [
        "--built-in=v1/Pod",
        "--built-in=policy/v1/PodDisruptionBudget",
        "--crd=tests/manifests/foos.yaml=dynamic",
        "--group-name=example.com=policy",
        "--kind=Pod: index(owner)",
        "--kind=PodDisruptionBudgets: index(owner)",
        "--output=-",
    ];
    let ran = run(here, &with("generate", &flags)).unwrap();
    assert_eq!(
        ran.stderr,
        "error: 2 errors:\n- .kind(..) / --kind: `PodDisruptionBudgets` is not among the kinds to generate, did \
         you mean `policy/v1/PodDisruptionBudget`?\n- group `example.com` and group `policy` both become the module \
         `policy`; tell them apart with\n    --group-name example.com=example_com\n    \
         --group-name policy=policy\n"
    );
}

#[test]
fn list_shows_the_result_for_every_kind() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let flags = [
        "list",
        "--built-in=v1/Pod",
        "--built-in=scheduling.k8s.io/v1alpha1/Workload",
        "--crd=tests/manifests/foos.yaml=crate::api",
        "--kind=example.com/v1beta1/Foo: of = crate::api::FooV1Beta1",
    ];
    let ran = run(here, &flags).unwrap();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = ran.stdout.lines().map(words).collect();
    assert!(lines[1].starts_with("example.com/v1"), "one's own kinds");
    for expected in [
        "KIND RESOURCE SCOPE FROM GENERATED",
        "v1/Pod pods namespaced built-in \
         factory.core().v1().pods() of ::k8s_openapi::api::core::v1::Pod",
        "v1/Secret secrets namespaced built-in no: not selected",
        "v1/ComponentStatus componentstatuses cluster built-in \
         no: not watchable: its verbs are [get, list]",
        "scheduling.k8s.io/v1alpha1/Workload workloads namespaced built-in \
         factory.scheduling().v1alpha1().workloads() of \
         ::k8s_openapi::api::scheduling::v1alpha1::Workload (Kubernetes 1.35)",
        "example.com/v1beta1/Foo foos namespaced tests/manifests/foos.yaml:10:11 \
         factory.example().v1beta1().foos() of crate::api::FooV1Beta1",
        "example.com/v1alpha1/Foo foos namespaced tests/manifests/foos.yaml:28:13 \
         no: not served",
    ] {
        assert!(
            lines.iter().any(|line| line == expected),
            "{expected}\n{}",
            ran.stdout
        );
    }
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

#[test]
fn help_has_examples() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for arguments in [&["--help"][..], &["generate", "--help"]] {
        let ran = run(here, arguments).unwrap();
        assert_eq!(ran.code, Some(0));
        assert!(
            ran.stdout
                .contains("informer-gen generate --crd 'crds/*.yaml=crate::api'")
        );
        assert!(ran.stdout.contains("Exit status: 0"));
    }
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
    assert_eq!(Some(&ran.stdout), config.render().unwrap().values().next());
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
            .contains("const SPEC_NODE_NAME = \"spec.nodeName\";")
    );
}

/// Neither command overwrites or compares a file that was not generated.
#[test]
fn a_file_that_was_not_generated_is_neither_compared_nor_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::create_dir(directory.join("src")).unwrap();
    fs::write(directory.join("src/informers.rs"), "fn mine() {}\n").unwrap();
    for command in ["generate", "check"] {
        let ran = run(directory, &with(command, &PODS)).unwrap();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{command}");
        assert_eq!(
            ran.stderr,
            "error: `src/informers.rs` was not written by informer-gen and is not overwritten; \
             remove the file, or choose another output\n"
        );
    }
}

/// kopium writes `BgpPeer` for the kind `BGPPeer`.
#[test]
fn a_name_that_kopium_writes_otherwise_is_noted() {
    let directory = tempfile::tempdir().unwrap();
    let manifest = fs::read_to_string("tests/manifests/foos.yaml").unwrap();
    let manifest = manifest.replace("kind: Foo", "kind: BGPPeer");
    fs::write(directory.path().join("bgp.yaml"), manifest).unwrap();
    let flags = ["generate", "--crd=bgp.yaml=crate::api", "-o", "a.rs"];
    let types = "--kind=example.com/v1beta1/BGPPeer: of = crate::api::Old";
    let ran = run(directory.path(), &[&flags[..], &[types]].concat()).unwrap();
    let expected = "wrote a.rs\nnote: the type of `example.com/v1/BGPPeer` is `crate::api::BGPPeer`; if \
                    kopium wrote it, declare it with --kind 'example.com/v1/BGPPeer: of = crate::api::BgpPeer'\n";
    assert_eq!(ran.stderr, expected);
}

#[test]
fn shells_can_complete_flags() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = run(here, &["completions", shell]).unwrap();
        assert_eq!(ran.code, Some(0), "{shell}");
        assert!(ran.stdout.contains("built-in"), "{shell}");
    }
}

/// Output to a file contains no colours.
#[test]
fn output_to_a_file_has_no_colours() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for arguments in [
        with("check", &PODS),
        vec!["list"],
        vec!["generate", "--built-in", "v1/Pdo", "-o", "-"],
    ] {
        let ran = run(directory, &arguments).unwrap();
        let text = ran.stdout + &ran.stderr;
        assert!(
            !text.is_empty() && !text.contains('\u{1b}'),
            "{arguments:?}"
        );
    }
}
