use std::str::FromStr;

use super::checked::Source;
use super::*;

/// A path, as it is told apart.
fn parsed(path: &str) -> Option<String> {
    Source::parse(path).map(|source| match source {
        Source::Label(key) => format!("label {key}"),
        Source::Annotation(key) => format!("annotation {key}"),
        Source::Words(words) => format!("words {}", words.join(" ")),
        Source::Owner | Source::OwnerOf(_) | Source::With(_) => "no path".to_owned(),
    })
}

#[test]
fn paths_are_labels_annotations_or_words() {
    for (path, expected) in [
        ("metadata.labels['app']", "label app"),
        ("metadata.labels[\"a.b/c\"]", "label a.b/c"),
        ("metadata.annotations['x']", "annotation x"),
        ("metadata.name", "words metadata name"),
        ("spec.nodeName", "words spec nodeName"),
        ("spec.pod_cidrs", "words spec pod_cidrs"),
    ] {
        assert_eq!(parsed(path).as_deref(), Some(expected), "{path}");
    }
}

#[test]
fn other_paths_are_refused_with_the_way_out() {
    for path in [
        "",
        ".",
        "spec.",
        "spec..x",
        "spec.containers[*].image",
        "spec.selector['app']",
        "metadata.labels[app]",
        "metadata.labels['']",
        "metadata.labels['app'",
        "metadata.labels['a\\'b']",
        "{.spec}",
    ] {
        assert_eq!(parsed(path), None, "{path}");
        let config = Config::new().built_in("v1", "Pod").index("v1", "Pod", path);
        let error = config.render().unwrap_err().to_string();
        assert!(
            error.starts_with(&format!(".index(..) / --index: `{path}` is neither")),
            "{error}"
        );
        assert!(
            error.ends_with("call `add_index` on the informer"),
            "{error}"
        );
    }
}

/// The command line can say all that the builder can.
#[test]
fn indices_are_written_on_the_command_line_as_they_are_built() {
    for (text, index) in [
        ("spec.nodeName", Index::path("spec.nodeName")),
        ("path=owner", Index::path("owner")),
        (
            "metadata.labels['app'],unique",
            Index::path("metadata.labels['app']").unique(),
        ),
        ("label=app,name=by_x", Index::label("app").named("by_x")),
        ("annotation=a/b", Index::annotation("a/b")),
        ("owner", Index::owner()),
        (
            "owner=apps/v1/ReplicaSet",
            Index::owner_of("apps/v1/ReplicaSet"),
        ),
        (
            "with=crate::ports, name=by_port, value=u16",
            Index::with("crate::ports").named("by_port").value("u16"),
        ),
    ] {
        assert_eq!(Index::from_str(text).as_ref(), Ok(&index), "{text}");
    }
    assert_eq!(
        Index::from_str("spec.x,uniqe").unwrap_err(),
        "after what the index is over may come `unique`, `name=..` and `value=..`, found `uniqe`"
    );
}

/// What is said of an index over Pods that cannot be.
fn refused(index: impl Into<Index>) -> String {
    let config = Config::new()
        .built_in("v1", "Pod")
        .index("v1", "Pod", index);
    let error = config.render().unwrap_err().to_string();
    error.replace(".index(..) / --index: ", "")
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for (index, expected) in [
        (
            Index::owner().unique(),
            "`unique` is not for an index by owner: an owner may own many objects, and is found \
             by its key",
        ),
        (
            Index::owner().value("u16"),
            "`value` is not for an index by owner: an owner may own many objects, and is found by \
             its key",
        ),
        (
            Index::owner_of("Deployment"),
            "`Deployment` is neither a kind such as `apps/v1/Deployment` nor a path of a Rust type",
        ),
        (
            Index::owner_of("v1/Deployment"),
            "`v1/Deployment` is not among the kinds to generate",
        ),
        (
            Index::owner_of("scheduling.k8s.io/v1/PodGroup"),
            "`scheduling.k8s.io/v1/PodGroup` is not among the kinds to generate",
        ),
        (
            Index::owner_of("scheduling.k8s.io/v1beta1/Workload"),
            "`scheduling.k8s.io/v1beta1/Workload` is a kind of Kubernetes 1.37 only, and the \
             index would be there without it",
        ),
        (
            Index::with("crate::hosts"),
            "`crate::hosts` is a function, so that the index needs a name: \
             `Index::with(..).named(..)`, `with=..,name=..`",
        ),
        (
            Index::path("spec.nodeName").named("list"),
            "`list` is what every lister has a method of its own for; name the index",
        ),
        (
            Index::path("spec.index"),
            "`by_index` is what every lister has a method of its own for; name the index",
        ),
        (
            Index::label("a b"),
            "`a b` is not the key of a label, such as `app` or `example.com/team`",
        ),
        (
            Index::path("spec.nodeName").named("a-b"),
            "`a-b` is not a Rust identifier",
        ),
    ] {
        assert_eq!(refused(index), expected);
    }
}

/// One index with one accessor; the settings tell two apart.
#[test]
fn two_indices_of_one_name_are_told_apart_by_a_name() {
    let two = || {
        Config::new()
            .built_in("v1", "Pod")
            .index("v1", "Pod", Index::label("app"))
            .index("v1", "Pod", Index::annotation("app"))
    };
    assert_eq!(
        two().render().unwrap_err().to_string(),
        "index `metadata.annotations['app']` of `v1/Pod` (built-in) and index \
         `metadata.labels['app']` of `v1/Pod` (built-in) both become the accessor `by_app`; \
         Index::named(..) / name=.. tells them apart"
    );
    let repeated = Config::new()
        .built_in("v1", "Pod")
        .index("v1", "Pod", "metadata.labels['app']")
        .index("core/v1", "Pod", Index::label("app"));
    assert!(repeated.render().is_ok(), "said twice, it is one index");
}
