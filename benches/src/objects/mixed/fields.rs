//! Derives `managedFields` from the fields that a manager set.

use serde_json::{Map, Value, json};

/// Fields that admission, the scheduler or the API server set. No manager owns them.
const ADMITTED: [&str; 5] = [
    "nodeName",
    "preemptionPolicy",
    "priority",
    "qosClass",
    "tolerations",
];

/// Returns the `FieldsV1` set of the members of `value`.
pub(super) fn set_of(value: &Value) -> Map<String, Value> {
    let members = value.as_object().into_iter().flatten();
    members
        .filter(|(name, _)| !ADMITTED.contains(&name.as_str()))
        .map(|(name, value)| (format!("f:{name}"), set_of_member(name, value)))
        .collect()
}

fn set_of_member(name: &str, value: &Value) -> Value {
    let mut set = match (value, merge_keys(name)) {
        (Value::Object(_), _) if !is_atomic(name) => set_of(value),
        (Value::Array(items), [_, ..]) => items
            .iter()
            .filter(|item| !is_injected(item))
            .map(|item| (key_of(item, merge_keys(name)), set_of_item(name, item)))
            .collect(),
        _ => Map::new(),
    };
    let is_root = matches!(name, "metadata" | "spec" | "status");
    if !set.is_empty() && !is_root {
        set.insert(".".to_owned(), json!({}));
    }
    Value::Object(set)
}

fn set_of_item(list: &str, item: &Value) -> Value {
    if list == "ownerReferences" {
        return json!({});
    }
    let mut set = set_of(item);
    set.insert(".".to_owned(), json!({}));
    Value::Object(set)
}

/// Reports whether an object has one owner for all its fields.
fn is_atomic(name: &str) -> bool {
    matches!(
        name,
        "fieldRef" | "secretKeyRef" | "nodeSelector" | "labelSelector"
    )
}

/// Reports whether admission or the scheduler added the item to a list.
fn is_injected(item: &Value) -> bool {
    let text = |name| item.get(name).and_then(Value::as_str).unwrap_or_default();
    let name = text("name");
    name.starts_with("kube-api-access")
        || name.starts_with("istio")
        || text("type") == "PodScheduled"
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

fn key_of(item: &Value, names: &[&str]) -> String {
    let key: Map<String, Value> = names
        .iter()
        .filter_map(|&name| Some((name.to_owned(), item.get(name)?.clone())))
        .collect();
    format!("k:{}", Value::Object(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_with_merge_keys_are_sets_by_key_and_other_lists_are_atomic() {
        let pod = json!({"spec": {
            "containers": [{"name": "main", "args": ["-v"],
                "env": [{"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}], "ports": [{"containerPort": 80, "protocol": "TCP"}]}],
            "nodeName": "a",
            "hostname": "b",
            "volumes": [{"name": "kube-api-access-x"}],
        }});
        let expected = json!({"f:spec": {
            "f:containers": {
                ".": {},
                r#"k:{"name":"main"}"#: {
                    ".": {},
                    "f:args": {},
                    "f:env": {
                        ".": {},
                        r#"k:{"name":"IP"}"#:
                            {".": {}, "f:name": {}, "f:valueFrom": {".": {}, "f:fieldRef": {}}},
                    },
                    "f:name": {},
                    "f:ports": {
                        ".": {},
                        r#"k:{"containerPort":80,"protocol":"TCP"}"#:
                            {".": {}, "f:containerPort": {}, "f:protocol": {}},
                    },
                },
            },
            "f:hostname": {},
            "f:volumes": {},
        }});
        assert_eq!(Value::Object(set_of(&pod)), expected);
    }
}
