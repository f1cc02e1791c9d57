//! Derives `managedFields` from the fields that a manager set.

use indexmap::IndexMap;

use super::template::{Map, Node};

/// Objects with one owner for all their fields, and lists of such.
const ATOMIC: [&str; 5] = [
    "fieldRef",
    "secretKeyRef",
    "nodeSelector",
    "labelSelector",
    "ownerReferences",
];

/// Fields that no set contains itself.
const ROOTS: [&str; 4] = ["", "metadata", "spec", "status"];

/// Returns the `FieldsV1` set of the field `name`, or of an item of the list `name`.
pub(super) fn set_of(name: &str, value: &Node) -> Node {
    let mut set: Map = match value {
        Node::Map(map) if !ATOMIC.contains(&name) => {
            let member = |(name, value): (&String, _)| (format!("f:{name}"), set_of(name, value));
            map.iter().map(member).collect()
        }
        Node::List(items) => {
            let item = |item| Some((key_of(name, item)?, set_of(name, item)));
            items.iter().filter_map(item).collect()
        }
        Node::Map(_) | Node::Other(_) => Map::new(),
    };
    if matches!(value, Node::Map(_)) {
        set.sort_keys();
    }
    if !set.is_empty() && !ROOTS.contains(&name) {
        set.shift_insert(0, ".".to_owned(), Node::Map(Map::new()));
    }
    Node::Map(set)
}

/// Returns the key of an item in the set of the list `name`. An atomic list has none.
fn key_of(name: &str, item: &Node) -> Option<String> {
    let members: &[&str] = match name {
        "containers" | "initContainers" | "env" | "volumes" => &["name"],
        "ports" => &["containerPort", "protocol"],
        "volumeMounts" => &["mountPath"],
        "conditions" => &["type"],
        "ownerReferences" => &["uid"],
        "podIPs" => &["ip"],
        _ => return None,
    };
    let Node::Map(item) = item else { return None };
    let key = members.iter().filter_map(|name| item.get_key_value(*name));
    let key = serde_json::to_string(&key.collect::<IndexMap<_, _>>());
    Some(format!("k:{}", key.ok()?))
}
