//! Paths through all wrappers, and the other kinds of index.

use std::collections::{BTreeMap, BTreeSet};

use informer_derive::Informer;
use stub::{CustomResource, ObjectMeta, SharedInformerFactory};

#[derive(CustomResource, Informer, Debug, Default)]
#[kube(kind = "Walk", namespaced, status = "Status", derive = "Debug")]
#[informer(
    crate = stub,
    index = "spec.hosts",
    index = "spec.phase",
    index = "spec.nested",
    index = "spec.selector['disk type']",
    index = spec.deep.list.map["k"].name,
    index(path = spec.deep.list.port, value = "u16"),
    index(path = "spec.alias", value = String),
    index(path = "metadata.generation"),
    index = "metadata.finalizers",
    index = "metadata.ownerReferences.uid",
    index(name = "by_sum", with = sums, value = "u32"),
    index(name = "by_host_suffix", with = "Walk::suffixes"),
    index(name = "by_condition", path = status.conditions.kind)
)]
struct WalkSpec {
    hosts: Option<BTreeSet<String>>,
    phase: Phase,
    #[serde(rename = "selector")]
    node_selector: BTreeMap<String, String>,
    deep: Option<Box<Deep>>,
    alias: Names,
    nested: Option<Vec<Option<Vec<Option<String>>>>>,
}

type Names = Vec<String>;

#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    #[default]
    Pending,
    Running,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
        })
    }
}

impl stub::indexer::IndexValue for Phase {
    fn parse(text: &str) -> Option<Self> {
        let all = [Self::Pending, Self::Running];
        all.into_iter().find(|phase| phase.to_string() == text)
    }
}

#[derive(Debug, Default)]
struct Deep {
    list: Vec<Option<Item>>,
}

#[derive(Debug, Default)]
struct Item {
    map: Option<BTreeMap<String, Named>>,
    port: Option<u16>,
}

#[derive(Debug, Default)]
struct Named {
    name: String,
}

#[derive(Debug, Default)]
struct Status {
    conditions: Option<Vec<Condition>>,
}

#[derive(Debug, Default)]
struct Condition {
    kind: String,
}

fn sums(walk: &Walk) -> Vec<u32> {
    let ports = walk
        .spec
        .deep
        .iter()
        .flat_map(|deep| deep.list.iter().flatten());
    vec![ports.filter_map(|item| item.port).map(u32::from).sum()]
}

impl Walk {
    fn suffixes(&self) -> Vec<String> {
        let hosts = self.spec.hosts.iter().flatten();
        hosts
            .filter_map(|host| host.split_once('.'))
            .map(|(_, suffix)| suffix.to_owned())
            .collect()
    }
}

fn full() -> Walk {
    let named = Named {
        name: "n".to_owned(),
    };
    let item = Item {
        map: Some([("k".to_owned(), named)].into()),
        port: Some(80),
    };
    let other = Item {
        map: None,
        port: Some(443),
    };
    let deep = Deep {
        list: vec![Some(item), None, Some(other)],
    };
    let uid = |uid: &str| stub::OwnerReference {
        uid: uid.to_owned(),
        ..stub::OwnerReference::default()
    };
    Walk {
        metadata: ObjectMeta {
            generation: Some(3),
            finalizers: Some(vec!["f".to_owned()]),
            owner_references: Some(vec![uid("u1"), uid("u2")]),
            ..ObjectMeta::default()
        },
        spec: WalkSpec {
            hosts: Some(["a.x".to_owned(), "b.y".to_owned()].into()),
            phase: Phase::Running,
            node_selector: [("disk type".to_owned(), "ssd".to_owned())].into(),
            deep: Some(Box::new(deep)),
            alias: vec!["p".to_owned(), "q".to_owned()],
            nested: Some(vec![None, Some(vec![None, Some("deep".to_owned())])]),
        },
        status: Some(Status {
            conditions: Some(vec![Condition {
                kind: "Ready".to_owned(),
            }]),
        }),
    }
}

#[test]
fn s08_a_path_goes_through_options_lists_boxes_sets_and_maps() {
    let lister = SharedInformerFactory::default()
        .with(full())
        .walks()
        .lister();
    assert_eq!(lister.by_hosts("b.y").len(), 1);
    assert_eq!(lister.by_phase(&Phase::Running).len(), 1);
    assert_eq!(lister.by_disk_type("ssd").len(), 1);
    assert_eq!(lister.by_name("n").len(), 1);
    assert_eq!(lister.by_port(443).len(), 1);
    assert_eq!(lister.by_alias("q").len(), 1);
    assert_eq!(lister.by_nested("deep").len(), 1);
    assert_eq!(lister.by_generation(3).len(), 1);
    assert_eq!(lister.by_finalizers("f").len(), 1);
    assert_eq!(lister.by_uid("u2").len(), 1);
    assert_eq!(lister.by_condition("Ready").len(), 1);
}

#[test]
fn an_index_may_be_computed() {
    let lister = SharedInformerFactory::default()
        .with(full())
        .walks()
        .lister();
    assert_eq!(lister.by_sum(523).len(), 1);
    assert_eq!(lister.by_host_suffix("y").len(), 1);
}

#[test]
fn missing_values_are_not_indexed() {
    let empty = Walk {
        metadata: ObjectMeta::default(),
        spec: WalkSpec::default(),
        status: None,
    };
    let lister = SharedInformerFactory::default()
        .with(empty)
        .walks()
        .lister();
    assert!(lister.by_hosts("").is_empty());
    assert!(lister.by_name("").is_empty());
    assert!(lister.by_port(0).is_empty());
    assert!(lister.by_generation(0).is_empty());
    assert!(lister.by_condition("").is_empty());
    assert_eq!(lister.by_phase(&Phase::Pending).len(), 1);
}
