use std::collections::HashSet;

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube::ResourceExt;
use serde::de::DeserializeOwned;

use super::*;

fn texts(kind: Kind, count: usize) -> Vec<String> {
    let world = World {
        kind,
        objects: count,
        events: 0,
    };
    let objects = Objects::of(&world, None).unwrap();
    let revision = Revision {
        version: 99,
        restarts: 3,
    };
    let text = |number| String::from_utf8(objects.json(number, revision, "").unwrap()).unwrap();
    (0..count).map(text).collect()
}

/// Checks 600 objects, and returns them.
fn check<K: ResourceExt + DeserializeOwned>(kind: Kind) -> Vec<K> {
    let texts = texts(kind, 600);
    assert_eq!(texts, self::texts(kind, 600));
    let mut names = HashSet::new();
    let object = |text: &String| {
        assert!(
            !text.contains('\u{0}') && !text.contains('$'),
            "a placeholder is unknown: {text}"
        );
        let object: K =
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(object.resource_version().as_deref(), Some("99"));
        assert!(
            names.insert((object.namespace(), object.name_any())),
            "{text}"
        );
        object
    };
    texts.iter().map(object).collect()
}

#[test]
fn objects_are_valid_different_and_the_same_in_every_run() {
    check::<ConfigMap>(Kind::ConfigMaps);
    check::<Secret>(Kind::Secrets);
    check::<Certificate>(Kind::Certificates);
    check::<HttpRoute>(Kind::Routes);
    check::<Application>(Kind::Applications);
    for kind in [Kind::Uniform, Kind::Mixed] {
        for pod in check::<Pod>(kind) {
            let (spec, status) = (pod.spec.unwrap(), pod.status.unwrap());
            let managers = pod.metadata.managed_fields.unwrap().len();
            assert_eq!(managers, if kind == Kind::Mixed { 3 } else { 2 });
            let names: Vec<String> = spec.containers.into_iter().map(|it| it.name).collect();
            let statuses = status.container_statuses.unwrap();
            assert_eq!(statuses[0].restart_count, 3);
            let of_statuses: Vec<String> = statuses.into_iter().map(|it| it.name).collect();
            assert_eq!(of_statuses, names);
        }
    }
}

/// Templates must not change without need, because results are compared over time.
#[test]
fn objects_do_not_change_with_the_versions_of_dependencies() {
    let text = &texts(Kind::Uniform, 8)[7];
    assert!(
        text.starts_with(r#"{"metadata":{"name":"inventory-"#),
        "{}",
        &text[..90]
    );
    assert!((7_700..8_000).contains(&text.len()), "{}", text.len());
}

/// Lists with merge keys are sets by key, and other lists have one owner.
#[test]
fn managed_fields_are_those_of_the_manager() {
    let pod: serde_json::Value = serde_json::from_str(&texts(Kind::Uniform, 1)[0]).unwrap();
    let fields = &pod["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:containers"];
    let main = &fields[r#"k:{"name":"main"}"#];
    let expected = serde_json::json!({
        ".": {},
        r#"k:{"name":"LOG_LEVEL"}"#: {".": {}, "f:name": {}, "f:value": {}},
        r#"k:{"name":"POD_IP"}"#:
            {".": {}, "f:name": {}, "f:valueFrom": {".": {}, "f:fieldRef": {}}},
    });
    assert_eq!(main["f:env"], expected);
    assert_eq!(main["f:args"], serde_json::json!({}));
    let spec = &pod["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"];
    assert!(spec.get("f:nodeName").is_none(), "the scheduler's");
}

/// docs/performance.md has the sizes and the ratios of both lists.
#[test]
fn pods_are_as_large_and_as_compressible_as_those_of_public_manifests() {
    let texts = texts(Kind::Mixed, 6000);
    let mut sizes: Vec<usize> = texts.iter().map(String::len).collect();
    sizes.sort_unstable();
    let mean = sizes.iter().sum::<usize>() / sizes.len();
    let [p10, median, p90, p99] =
        [10, 50, 90, 99].map(|percent| sizes[sizes.len() * percent / 100]);
    // Every twentieth Pod trains the dictionary, and others are compressed.
    let part = |at: usize| texts.iter().skip(at).step_by(20).map(String::as_bytes);
    let train: Vec<&[u8]> = part(0).collect();
    let dictionary = zstd::dict::from_samples(&train, 112 << 10).unwrap();
    let raw: usize = part(1).map(<[u8]>::len).sum();
    let ratio = |mut compressor: zstd::bulk::Compressor<'_>| {
        let compressed = part(1).map(|text| compressor.compress(text).unwrap().len());
        10 * raw / compressed.sum::<usize>()
    };
    let alone = ratio(zstd::bulk::Compressor::new(3).unwrap());
    let trained = ratio(zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap());
    let found = format!("{mean} ({p10}, {median}, {p90}, {p99}), ratios * 10 {alone} {trained}");
    println!("{found}");
    assert!((10_500..12_700).contains(&mean), "{found}");
    assert!((9_000..11_000).contains(&median), "{found}");
    assert!((15_000..20_500).contains(&p90), "{found}");
    assert!((31..37).contains(&alone), "{found}");
    assert!((78..95).contains(&trained), "{found}");
}
