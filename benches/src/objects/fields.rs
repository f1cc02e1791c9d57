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
    let mut set = Map::new();
    match value {
        Node::Map(members) if !ATOMIC.contains(&name) => {
            for (member, value) in members {
                set.insert(format!("f:{member}"), set_of(member, value));
            }
            set.sort_keys();
        }
        Node::List(items) => {
            for item in items {
                if let Some(key) = key_of(name, item) {
                    set.insert(key, set_of(name, item));
                }
            }
        }
        Node::Map(_) | Node::Other(_) => {}
    }
    if !set.is_empty() && !ROOTS.contains(&name) {
        set.shift_insert(0, ".".to_owned(), Node::Map(Map::new()));
    }
    Node::Map(set)
}

/// Returns the key of an item in the set of the list `name`. An atomic list has none.
fn key_of(name: &str, item: &Node) -> Option<String> {
    let Node::Map(members) = item else {
        return None;
    };
    let names: &[&str] = match name {
        "containers" | "initContainers" | "env" | "volumes" => &["name"],
        "ports" => &["containerPort", "protocol"],
        "volumeMounts" => &["mountPath"],
        "conditions" => &["type"],
        "ownerReferences" => &["uid"],
        "podIPs" => &["ip"],
        _ => return None,
    };
    let key: IndexMap<_, _> = names
        .iter()
        .filter_map(|name| members.get_key_value(*name))
        .collect();
    let json = serde_json::to_string(&key).ok()?;
    Some(format!("k:{json}"))
}
