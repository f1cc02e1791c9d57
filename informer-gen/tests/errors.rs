//! Every mistake is reported with its position and advice.

use std::fs;
use std::io;

use informer_gen::Config;

/// Returns the error of `render` for a manifest. The message shows only the file name `crd.yaml` of
/// the path.
fn check(manifest: &str, configure: impl FnOnce(Config) -> Config) -> io::Result<String> {
    check_files(&[("crd.yaml", manifest)], "*", configure)
}

fn check_files(
    files: &[(&str, &str)],
    pattern: &str,
    configure: impl FnOnce(Config) -> Config,
) -> io::Result<String> {
    let directory = tempfile::tempdir()?;
    for (name, text) in files {
        fs::write(directory.path().join(name), text)?;
    }
    let directory = format!("{}/", directory.path().display());
    let config = Config::new()
        .crd_manifests(&format!("{directory}{pattern}"))
        .types_in("crate::api");
    Ok(outcome(&configure(config)).replace(&directory, ""))
}

fn outcome(config: &Config) -> String {
    match config.render() {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn same(config: Config) -> Config {
    config
}

/// Returns a definition of `Foo` of `example.com` in two versions. `served` applies to `v2`.
fn foo(served: bool) -> String {
    CRD.replace(
        "versions:\n",
        &format!("versions:\n  - {{name: v2, served: {served}}}\n"),
    )
}

/// Each field has a line of its own, so that a message shows which field it means.
const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names:
    kind: Foo
    plural: foos
  versions:
  - name: v1
    served: true
";

// === manifests ===

#[test]
fn a_definition_is_accepted() {
    assert_eq!(check(CRD, same).unwrap(), "no error");
    assert_eq!(check(&foo(false), same).unwrap(), "no error");
}

#[test]
fn yaml_that_does_not_parse_is_located() {
    assert_eq!(
        check("a: 1\nb: [1,\n", same).unwrap(),
        "crd.yaml:2:4: cannot be parsed as YAML: unclosed bracket '['"
    );
    let tab = check("spec:\n\tgroup: x\n", same).unwrap();
    assert!(
        tab.starts_with("crd.yaml:2:2: cannot be parsed as YAML: "),
        "{tab}"
    );
    let twice = check("kind: a\nkind: b\n", same).unwrap();
    assert!(
        twice.starts_with("crd.yaml:2:1: cannot be parsed as YAML: "),
        "{twice}"
    );
}

#[test]
fn a_large_bundle_is_read_and_an_endless_one_rejected() {
    let nested = |depth: usize| -> String {
        let lines = (0..depth).map(|level| format!("{}a:\n", " ".repeat(level)));
        format!("{CRD}---\n{}", lines.collect::<String>())
    };
    assert_eq!(check(&nested(250), same).unwrap(), "no error");
    let message = check(&nested(2000), same).unwrap();
    assert!(message.contains("cannot be parsed as YAML"), "{message}");
    let mut bundle = String::new();
    for number in 0..1_500 {
        let one = CRD.replace("Foo", &format!("Foo{number}"));
        bundle.push_str(&one.replace("foos", &format!("foo{number}s")));
        bundle.push_str("---\n");
    }
    assert_eq!(check(&bundle, same).unwrap(), "no error");
}

#[test]
fn aliases_that_expand_beyond_memory_are_rejected() {
    let levels = (1..30).map(|level| {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        format!("a{level}: &a{level} [{aliases}]\n")
    });
    let levels: Vec<String> = levels.collect();
    let message = check(&format!("a0: &a0 [x]\n{}", levels.concat()), same).unwrap();
    assert!(message.contains("cannot be parsed as YAML"), "{message}");
}

#[test]
fn templates_are_recognised() {
    let message = check(&CRD.replace("example.com", "{{ .Values.group }}"), same).unwrap();
    assert!(message.starts_with("crd.yaml:3:"), "{message}");
    assert!(
        message.ends_with("; the file looks like a template, pass its rendered form"),
        "{message}"
    );
}

#[test]
fn a_manifest_of_something_else_is_refused() {
    assert_eq!(
        check(
            "\napiVersion: apps/v1\nkind: Deployment\nspec: {versions: 1}\n",
            same
        )
        .unwrap(),
        ".crd_manifests(..) / --crd: `*` has no CustomResourceDefinition, \
         but `apps/v1/Deployment` at crd.yaml:2:1"
    );
    assert_eq!(
        check("- a\n", same).unwrap(),
        ".crd_manifests(..) / --crd: `*` has no CustomResourceDefinition, \
         but a document that is not a Kubernetes object at crd.yaml:1:1"
    );
    assert_eq!(
        check("---\n---\n", same).unwrap(),
        ".crd_manifests(..) / --crd: `*` has no CustomResourceDefinition"
    );
}

#[test]
fn old_definitions_are_refused() {
    let manifest = CRD.replace("k8s.io/v1", "k8s.io/v1beta1");
    assert_eq!(
        check(&manifest, same).unwrap(),
        "crd.yaml:1:13: `apiextensions.k8s.io/v1beta1` definitions are not supported, \
         convert them to `apiextensions.k8s.io/v1`"
    );
    let manifest = CRD.replace("k8s.io/v1", "k8s.io/v3");
    assert_eq!(
        check(&manifest, same).unwrap(),
        "crd.yaml:1:13: `apiVersion` must be `apiextensions.k8s.io/v1`, \
         found `apiextensions.k8s.io/v3`"
    );
}

#[test]
fn each_field_of_a_definition_is_checked() {
    let label = "must be lower-case letters, digits and `-`, and begin with a letter";
    for (from, to, expected) in [
        (
            "  scope: Namespaced\n",
            "",
            "5:3: `spec.scope` is missing".to_owned(),
        ),
        (
            "scope: Namespaced",
            "scope: namespaced",
            "6:10: `spec.scope` must be `Cluster` or `Namespaced`, found `namespaced`".to_owned(),
        ),
        (
            "scope: Namespaced",
            "scope: []",
            "6:10: `spec.scope` must be a string".to_owned(),
        ),
        (
            "name: foos.example.com",
            "name: foo.example.com",
            "3:18: `metadata.name` must be `foos.example.com`, the plural and the group, found \
             `foo.example.com`"
                .to_owned(),
        ),
        (
            "metadata: {name: foos.example.com}\n",
            "",
            "1:1: `metadata` is missing".to_owned(),
        ),
        (
            "plural: foos",
            "plural: Foos",
            format!("9:13: `spec.names.plural` {label}, found `Foos`"),
        ),
        (
            "plural: foos",
            "plural: ''",
            format!("9:13: `spec.names.plural` {label}, found ``"),
        ),
        (
            "plural: foos",
            "plural: f.s",
            format!("9:13: `spec.names.plural` {label}, found `f.s`"),
        ),
        (
            "    plural: foos\n",
            "",
            "8:5: `spec.names.plural` is missing".to_owned(),
        ),
        (
            "kind: Foo",
            "kind: Épée",
            "8:11: `spec.names.kind` must be letters, digits and `-`, and begin with a letter, \
             found `Épée`"
                .to_owned(),
        ),
        (
            "group: example.com",
            "group: example",
            "5:10: `spec.group` must be a domain in lower case with at least one dot, \
             found `example`"
                .to_owned(),
        ),
        (
            "group: example.com",
            "group: Example.com.",
            "5:10: `spec.group` must be a domain in lower case with at least one dot, \
             found `Example.com.`"
                .to_owned(),
        ),
        (
            "name: v1",
            "name: V1",
            format!("11:11: `spec.versions[].name` {label}, found `V1`"),
        ),
        (
            "name: v1",
            "name: 2024-01x",
            format!("11:11: `spec.versions[].name` {label}, found `2024-01x`"),
        ),
        (
            "served: true",
            "served: perhaps",
            "12:13: `spec.versions[].served` must be `true` or `false`".to_owned(),
        ),
        (
            "    served: true\n",
            "",
            "11:5: `spec.versions[].served` is missing".to_owned(),
        ),
    ] {
        let manifest = CRD.replace(from, to);
        let expected = format!("crd.yaml:{expected}");
        assert_eq!(check(&manifest, same).unwrap(), expected, "{from} -> {to}");
    }
}

#[test]
fn missing_files_are_reported() {
    for pattern in ["no/such/*.yaml", "no-such-file.yaml"] {
        assert_eq!(
            outcome(&Config::new().crd_manifests(pattern).types_in("crate::api")),
            format!(".crd_manifests(..) / --crd: `{pattern}` matches no file")
        );
    }
    assert_eq!(
        outcome(&Config::new().crd_manifests("a/***").types_in("crate::api")),
        ".crd_manifests(..) / --crd: `a/***` is not a glob: Pattern syntax error near position \
         4: wildcards are either regular `*` or recursive `**`"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("crd.yaml");
    fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    let path = path.display().to_string();
    let message = outcome(&Config::new().crd_manifests(&path).types_in("crate::api"));
    assert!(
        message.starts_with(&format!("cannot read `{path}`: ")),
        "{message}"
    );
}

// === types ===

#[test]
fn every_served_version_needs_its_own_type() {
    assert_eq!(
        check(&foo(true), same).unwrap(),
        "crd.yaml:8:11: no Rust type for `example.com/v2/Foo`, `example.com/v1/Foo`: declare it \
         with .kind(..) / --kind, as in `of = crate::api::Foo`, because each served version needs its own type"
    );
    let one = |config: Config| config.kind("example.com/v1/Foo", "of = crate::api::FooV1");
    assert_eq!(check(&foo(true), one).unwrap(), "no error");
    let both = |config| one(config).kind("example.com/v2/Foo", "of = crate::api::FooV1");
    assert_eq!(
        check(&foo(true), both).unwrap(),
        "`example.com/v2/Foo` (crd.yaml:8:11) and `example.com/v1/Foo` (crd.yaml:8:11) both have \
         the Rust type `crate::api::FooV1`; declare another type of one of them with .kind(..) / \
         --kind, as in `of = crate::api::Foo`"
    );
}

#[test]
fn kinds_that_are_not_rust_names_need_a_type() {
    for kind in ["Foo-Bar", "Self"] {
        let manifest = CRD.replace("kind: Foo", &format!("kind: {kind}"));
        assert_eq!(
            check(&manifest, same).unwrap(),
            format!(
                "crd.yaml:8:11: no Rust type for `example.com/v1/{kind}`: declare it with \
                 .kind(..) / --kind, as in `of = crate::api::Foo`, because `{kind}` cannot be the name of a Rust type"
            )
        );
        let name = format!("example.com/v1/{kind}");
        let mapped = |config: Config| config.kind(&name, "of = crate::api::FooBar");
        assert_eq!(check(&manifest, mapped).unwrap(), "no error");
    }
}

#[test]
fn types_are_absolute_and_for_kinds_that_exist() {
    let typed = |gvk: &'static str, path: &'static str| {
        move |config: Config| config.kind(gvk, &format!("of = {path}"))
    };
    assert_eq!(
        check(CRD, typed("example.com/v1/Foo", "api::Foo")).unwrap(),
        ".kind(..) / --kind: `api::Foo` must begin with `crate::` or `::`, because \
         nested modules use it; is it `crate::api::Foo` or `::api::Foo`?"
    );
    assert_eq!(
        check(CRD, typed("example.com/v1/Foo", "crate::")).unwrap(),
        ".kind(..) / --kind: `example.com/v1/Foo` (crd.yaml:8:11), at `crate::`: expected a type: \
         write `of = \"other::Foo\"`"
    );
    assert_eq!(
        check(CRD, typed("example.com/v1/Fooo", "crate::Foo")).unwrap(),
        ".kind(..) / --kind: `example.com/v1/Fooo` is not among the kinds to generate, \
         did you mean `example.com/v1/Foo`?"
    );
    assert_eq!(check(CRD, typed("Foo", "crate::Foo")).unwrap(), "no error");
    let twice = |config: Config| {
        let config = config.kind("example.com/v1/Foo", "of = crate::Foo");
        config.kind("example.com/v1/Foo", "of = crate::Bar")
    };
    assert_eq!(
        check(CRD, twice).unwrap(),
        ".kind(..) / --kind: `example.com/v1/Foo` (crd.yaml:8:11), at `of`: `of` is given twice: \
         remove one (it is given here first: `of`)"
    );
}

// === built-in kinds ===

#[test]
fn unknown_built_in_kinds_get_suggestions() {
    for (group_version, kind, expected) in [
        (
            "apps/v1",
            "Deploymnt",
            "no built-in kind `apps/v1/Deploymnt`, did you mean `apps/v1/Deployment`?",
        ),
        (
            "v1",
            "Deployment",
            "no built-in kind `v1/Deployment`, did you mean `apps/v1/Deployment`?",
        ),
        (
            "core/v1",
            "Pdo",
            "no built-in kind `v1/Pdo`, did you mean `v1/Pod`?",
        ),
        (
            "batch/v2",
            "Job",
            "no built-in kind `batch/v2/Job`, did you mean `batch/v1/Job`?",
        ),
        (
            "example.com/v1",
            "Widget",
            "no built-in kind `example.com/v1/Widget`",
        ),
        (
            "v1",
            "pods",
            "no built-in kind `v1/pods`, did you mean `v1/Pod`?",
        ),
        (
            "",
            "Pod",
            ".built_in(..) / --built-in: `/Pod` is neither `stable`, `all` nor `none`, nor a kind \
             such as `apps/v1/Deployment` or `Pod`, did you mean `v1/Pod`?",
        ),
    ] {
        assert_eq!(
            outcome(&Config::new().built_in(group_version, kind)),
            expected
        );
    }
}

#[test]
fn kinds_that_cannot_be_watched_are_refused_with_the_reason() {
    for (group_version, kind, reason) in [
        ("v1", "ComponentStatus", "its verbs are [get, list]"),
        ("core/v1", "Binding", "it can only be created"),
        ("policy/v1", "Eviction", "it is a subresource of pods"),
        ("autoscaling/v1", "Scale", "it is a subresource"),
        (
            "authentication.k8s.io/v1",
            "TokenReview",
            "it can only be created",
        ),
        (
            "v1",
            "Status",
            "it is a response of the API server, not an object",
        ),
    ] {
        let message = outcome(&Config::new().built_in(group_version, kind));
        let name = format!("{group_version}/{kind}").replace("core/", "");
        assert_eq!(
            message,
            format!("built-in kind `{name}` is not watchable: {reason}")
        );
    }
}

// === names ===

#[test]
fn two_definitions_of_one_kind_contradict_each_other() {
    let other = CRD.replace("plural: foos", "plural: feet");
    let other = other.replace("foos.example.com", "feet.example.com");
    let files = [("a.yaml", CRD), ("b.yaml", other.as_str())];
    assert_eq!(
        check_files(&files, "*", same).unwrap(),
        "`example.com/v1/Foo` is defined twice, with differences: \
         a.yaml:8:11 and b.yaml:8:11"
    );
    let files = [("a.yaml", CRD), ("b.yaml", CRD)];
    assert_eq!(
        check_files(&files, "*", same).unwrap(),
        "no error",
        "a repetition"
    );
}

#[test]
fn accessors_that_collide_name_both_kinds() {
    let bars = CRD.replace("Foo", "FooBar").replace("foos", "foobars");
    let hyphen = CRD.replace("Foo", "FooBarX").replace("foos", "foo-bars");
    let files = [("a.yaml", bars.as_str()), ("b.yaml", hyphen.as_str())];
    let expected = "`example.com/v1/FooBar` (a.yaml:8:11) and `example.com/v1/FooBarX` \
                    (b.yaml:8:11) both become the accessor `foo_bars`; tell them \
                    apart with\n    .kind(\"example.com/v1/FooBarX\", r#\"accessor = \"foo_bars_2\"\"#)";
    assert_eq!(check_files(&files, "*", same).unwrap(), expected);
    let named =
        |config: Config| config.kind("example.com/v1/FooBarX", r#"accessor = "foo_bar_xs""#);
    assert_eq!(check_files(&files, "*", named).unwrap(), "no error");
}

/// Accessors cannot resolve the collision of two kinds with one resource, which the API server
/// would reject.
#[test]
fn resources_that_collide_name_both_kinds() {
    let other = CRD.replace("kind: Foo", "kind: Foot");
    let files = [("a.yaml", CRD), ("b.yaml", other.as_str())];
    let expected = "`example.com/v1/Foo` (a.yaml:8:11) and `example.com/v1/Foot` (b.yaml:8:11) \
                    both become the resource `example.com/v1/foos`; a resource of the API has one kind";
    let named = |config: Config| config.kind("example.com/v1/Foot", r#"accessor = "feet""#);
    assert_eq!(check_files(&files, "*", same).unwrap(), expected);
    assert_eq!(check_files(&files, "*", named).unwrap(), expected);
}

#[test]
fn types_that_collide_name_both_kinds() {
    let other = CRD.replace("Foo", "Bar").replace("foos", "bars");
    let files = [("a.yaml", CRD), ("b.yaml", other.as_str())];
    let same_name = |config: Config| config.kind("example.com/v1/Bar", "of = crate::other::Foo");
    assert_eq!(
        check_files(&files, "*", same_name).unwrap(),
        "`example.com/v1/Bar` (b.yaml:8:11) and `example.com/v1/Foo` (a.yaml:8:11) both become \
         the type `FooInformer`; tell them apart with\n    .kind(\"example.com/v1/Foo\", r#\"prefix = \"Foo2\"\"#)"
    );
}

#[test]
fn groups_that_collide_can_be_named() {
    let policy = CRD.replace("example.com", "policy.example.com");
    let with_built_in = |config: Config| config.built_in("policy/v1", "PodDisruptionBudget");
    assert_eq!(
        check(&policy, with_built_in).unwrap(),
        "group `policy` and group `policy.example.com` both become the module `policy`; \
         tell them apart with\n    .group_name(\"policy\", \"policy\")\n    \
         .group_name(\"policy.example.com\", \"policy_example\")"
    );
    let named = |config| with_built_in(config).group_name("policy.example.com", "example_policy");
    assert_eq!(check(&policy, named).unwrap(), "no error");
    let core = CRD.replace("example.com", "core.example.com");
    let with_pods = |config: Config| config.built_in("v1", "Pod");
    let message = check(&core, with_pods).unwrap();
    assert!(
        message.starts_with("group core and group `core.example.com` both"),
        "{message}"
    );
}

#[test]
fn groups_cannot_have_the_name_of_a_method_of_the_factory() {
    let manifest = CRD.replace("example.com", "start.io");
    assert_eq!(
        check(&manifest, same).unwrap(),
        "group `start.io` would get the accessor `factory.start()`, which is already a method of \
         the factory; name the group with\n    .group_name(\"start.io\", \"start_io\")"
    );
    let named = |config: Config| config.group_name("start.io", "start_io");
    assert_eq!(check(&manifest, named).unwrap(), "no error");
}

#[test]
fn settings_of_names_need_a_generated_kind() {
    let pods = || Config::new().built_in("v1", "Pod");
    assert_eq!(
        outcome(&pods().group_name("apps", "programs")),
        ".group_name(..) / --group-name: `apps` is not a group of a kind to generate"
    );
    let jobs = Config::new().built_in("batch/v1", "Job");
    assert_eq!(
        outcome(&jobs.group_name("batsch", "jobs")),
        ".group_name(..) / --group-name: `batsch` is not a group of a kind to generate, did you \
         mean `batch`?"
    );
    assert_eq!(
        outcome(&pods().group_name("", "the core")),
        ".group_name(..) / --group-name: `the core` is not a Rust identifier"
    );
    assert_eq!(
        outcome(&pods().kind("v1/Pods", r#"accessor = "all_pods""#)),
        ".kind(..) / --kind: `v1/Pods` is not among the kinds to generate, \
         did you mean `v1/Pod`?"
    );
}

// === other options ===

#[test]
fn indices_need_a_generated_kind_and_a_resolvable_path() {
    let pods = || Config::new().built_in("v1", "Pod");
    assert_eq!(
        outcome(&pods().kind("apps/v1/Deployment", r#"index = "metadata.name""#)),
        ".kind(..) / --kind: `apps/v1/Deployment` is not among the kinds to generate"
    );
    assert_eq!(
        outcome(&pods().kind("v1/Pod", r#"index = "spec.containers[0].image""#)),
        ".kind(..) / --kind: `v1/Pod` (built-in), at `\"spec.containers[0].image\"`: a path leads to all \
         elements of a list: omit the position; only the function of an index, `with = function`, \
         can choose one"
    );
    let both = pods()
        .kind("v1/Pod", r#"index = "metadata.labels['app']""#)
        .kind("v1/Pod", r#"index = "metadata.annotations['app']""#);
    assert_eq!(
        outcome(&both),
        ".kind(..) / --kind: `v1/Pod` (built-in), at `\"metadata.annotations['app']\"`: two indices have \
         the name `by_app`: rename this one, `index(name = \"by_app_2\", ...)` (the first one is here: \
         `\"metadata.labels['app']\"`)"
    );
    let twice = pods()
        .kind("v1/Pod", r#"index = "spec.nodeName""#)
        .kind("core/v1/Pod", r#"index = "spec.nodeName""#);
    assert_eq!(
        outcome(&twice),
        ".kind(..) / --kind: `v1/Pod` (built-in), at `\"spec.nodeName\"`: the index `spec.nodeName` is \
         given twice: remove one (it is given here first: `\"spec.nodeName\"`)"
    );
}

#[test]
fn paths_and_names_of_the_output_are_checked() {
    let pods = || Config::new().built_in("v1", "Pod");
    for (config, expected) in [
        (
            pods().runtime_path("informer"),
            ".runtime_path(..) / --runtime-path: `informer` must begin with `crate::` or `::`, \
             because nested modules use it; is it `crate::informer` or `::informer`?",
        ),
        (
            pods().k8s_openapi_path("a b"),
            ".k8s_openapi_path(..) / --k8s-openapi-path: `a b` is not a Rust path: \
             unexpected token",
        ),
        (
            pods().visibility("pub(super)"),
            ".visibility(..) / --visibility: `pub(super)` has another meaning in nested modules; \
             use `pub` or `pub(crate)`",
        ),
        (
            pods().visibility("public"),
            ".visibility(..) / --visibility: `public` is not a visibility; use `pub` or \
             `pub(crate)`",
        ),
        (
            pods().file_name("../informers.rs"),
            ".file_name(..) / --output: `../informers.rs` is not the name of a Rust file, \
             such as `informers.rs`",
        ),
        (
            pods().file_name("informers.txt"),
            ".file_name(..) / --output: `informers.txt` is not the name of a Rust file, \
             such as `informers.rs`",
        ),
        (
            Config::new(),
            "nothing to generate: choose kinds with .built_in(..) / --built-in, \
             .crd_manifests(..) / --crd or .rust_source(..) / --rust",
        ),
    ] {
        assert_eq!(outcome(&config), expected);
    }
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
        let outcome = check(&manifest, |config| config.types_in("types"));
        assert_eq!(outcome.unwrap(), "no error", "{level}");
    }
}
