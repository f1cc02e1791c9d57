//! Derives `managedFields` from the fields that a manager set.

use super::template::{Map, Node};

/// Objects with one owner for all their fields.
const ATOMIC: [&str; 4] = ["fieldRef", "secretKeyRef", "nodeSelector", "labelSelector"];

/// Returns the `FieldsV1` set of the members of `map`.
pub(super) fn set_of(map: &Map) -> Map {
    let member =
        |(name, value): (&String, &Node)| (format!("f:{name}"), set_of_member(name, value));
    let mut set: Map = map.iter().map(member).collect();
    set.sort_keys();
    set
}

fn set_of_member(name: &str, value: &Node) -> Node {
    let set = match value {
        Node::Map(map) if !ATOMIC.contains(&name) => set_of(map),
        Node::List(items) if !merge_keys(name).is_empty() => items
            .iter()
            .filter_map(|item| set_of_item(name, item))
            .collect(),
        Node::Map(_) | Node::List(_) | Node::Other(_) => Map::new(),
    };
    let is_root = matches!(name, "metadata" | "spec" | "status");
    Node::Map(if set.is_empty() || is_root {
        set
    } else {
        owned(set)
    })
}

fn set_of_item(list: &str, item: &Node) -> Option<(String, Node)> {
    let Node::Map(item) = item else {
        return None;
    };
    let member = |name: &&str| Some(((*name).to_owned(), item.get(*name)?.clone()));
    let key: Map = merge_keys(list).iter().filter_map(member).collect();
    let key = serde_json::to_string(&key).ok()?;
    let set = match list {
        "ownerReferences" => Map::new(),
        _ => owned(set_of(item)),
    };
    Some((format!("k:{key}"), Node::Map(set)))
}

/// Adds the member that stands for the object itself.
fn owned(set: Map) -> Map {
    let itself = (".".to_owned(), Node::Map(Map::new()));
    std::iter::once(itself).chain(set).collect()
}

/// Returns the members that identify an item of the list `name`. An atomic list has none.
fn merge_keys(name: &str) -> &'static [&'static str] {
    match name {
        "containers" | "initContainers" | "env" | "volumes" => &["name"],
        "ports" => &["containerPort", "protocol"],
        "volumeMounts" => &["mountPath"],
        "conditions" => &["type"],
        "ownerReferences" => &["uid"],
        "podIPs" => &["ip"],
        _ => &[],
    }
}
