//! `#[derive(IndexValue)]` next to the real serde.

use std::sync::Arc;

use informer::{IndexValue, Informer, ObjectKey};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::fed::{Result, factory, feed};

#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Site", namespaced)]
#[informer(
    index = "spec.phase",
    index(name = "by_parent", with = parents, value = "ObjectKey")
)]
pub(crate) struct SiteSpec {
    phase: Option<Phase>,
}

fn parents(site: &Site) -> Vec<ObjectKey> {
    let name = site.metadata.name.as_deref().unwrap_or_default();
    vec![ObjectKey::namespaced(
        "default",
        &format!("parent-of-{name}"),
    )]
}

#[derive(
    IndexValue,
    Serialize,
    Deserialize,
    JsonSchema,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
)]
#[serde(rename_all = "kebab-case")]
enum Phase {
    #[serde(alias = "waiting", alias = "queued")]
    NotReady,
    #[serde(rename = "OK")]
    Ready,
    #[serde(rename(serialize = "out", deserialize = "in"))]
    Renamed,
    Gone,
}

/// All names that serde reads, with their variants.
const NAMES: [(&str, Phase); 6] = [
    ("not-ready", Phase::NotReady),
    ("waiting", Phase::NotReady),
    ("queued", Phase::NotReady),
    ("OK", Phase::Ready),
    ("in", Phase::Renamed),
    ("gone", Phase::Gone),
];

fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_value(json!(text)).ok()
}

/// S-08: an index parses a string to the same value as serde.
#[test]
fn s08_an_enum_parses_as_serde_reads_it() {
    for (text, phase) in NAMES {
        assert_eq!(read::<Phase>(text), Some(phase));
        assert_eq!(
            <Phase as informer::index::IndexValue>::parse(text),
            Some(phase)
        );
    }
    for text in ["Ready", "NotReady", "out", "Gone", "", " OK"] {
        assert_eq!(read::<Phase>(text), None);
        assert_eq!(<Phase as informer::index::IndexValue>::parse(text), None);
    }
}

#[test]
fn an_enum_prints_a_name_that_serde_reads() {
    for (_, phase) in NAMES {
        let text = phase.to_string();
        assert_eq!(read::<Phase>(&text), Some(phase));
    }
    assert_eq!(format!("{:>4}", Phase::Ready), "  OK");
}

/// S-08: typed accessors of enums and keys equal `by_index`.
#[tokio::test]
async fn s08_an_index_over_an_enum_is_read_by_value_and_by_text() -> Result {
    let sites = factory()?.sites();
    for (name, spec) in [("a", json!({ "phase": "OK" })), ("b", json!({}))] {
        let metadata = json!({ "namespace": "default", "name": name });
        feed(&sites, json!({ "metadata": metadata, "spec": spec }))?;
    }
    let lister = sites.lister();
    let names = |sites: Vec<Arc<Site>>| -> Vec<String> {
        let names = sites.iter().map(|site| site.metadata.name.clone());
        names.flatten().collect()
    };
    assert_eq!(names(lister.by_phase(&Phase::Ready)), ["a"]);
    assert_eq!(names(lister.by_index("spec.phase", "OK")?), ["a"]);
    assert!(lister.by_index("spec.phase", "Ready")?.is_empty());
    let parent = ObjectKey::namespaced("default", "parent-of-b");
    assert_eq!(names(lister.by_parent(&parent)), ["b"]);
    Ok(())
}
