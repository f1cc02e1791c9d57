#[path = "../../../../tests/support/require.rs"]
mod require;

use std::process::Command;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Line, TABLE, fill};

/// Returns a document with its defaults.
fn filled(api_version: &str, kind: &str, mut document: Value) -> Value {
    fill(api_version, kind, document.as_object_mut().unwrap());
    document
}

#[test]
fn every_line_of_the_table_is_a_rule_of_a_kind() {
    let mut kinds = 0;
    for line in include_str!("../defaults.jsonl").lines() {
        let line: Line = serde_json::from_str(line).unwrap();
        kinds += usize::from(matches!(line, Line::Kind { .. }));
        if let Line::Rule(rule) = line {
            assert!(!rule.set.0.is_empty() || rule.used.is_some(), "{rule:?}");
            let sets = usize::from(rule.to.is_some())
                + usize::from(!rule.copy.0.is_empty())
                + usize::from(rule.used.is_some());
            assert_eq!(sets, 1, "{rule:?}");
        }
    }
    assert!(kinds > 0);
    assert_eq!(TABLE.len(), kinds);
}

#[test]
fn each_element_of_a_list_is_defaulted() {
    let ports = json!([{ "port": 80 }, { "port": 53, "protocol": "UDP", "targetPort": "dns" }]);
    let service = filled("v1", "Service", json!({ "spec": { "ports": ports } }));
    assert_eq!(
        service["spec"]["ports"],
        json!([
            { "port": 80, "protocol": "TCP", "targetPort": 80 },
            { "port": 53, "protocol": "UDP", "targetPort": "dns" },
        ])
    );
    assert_eq!(service["spec"]["type"], "ClusterIP");
}

#[test]
fn zero_values_are_absent_unless_go_has_a_pointer() {
    let spec = json!({ "replicas": 0, "template": { "spec": { "dnsPolicy": "" } } });
    let set = filled("apps/v1", "ReplicaSet", json!({ "spec": spec }));
    assert_eq!(set["spec"]["replicas"], 0);
    assert_eq!(set["spec"]["template"]["spec"]["dnsPolicy"], "ClusterFirst");
}

#[test]
fn the_latest_images_are_always_pulled() {
    let images = [
        "a",
        "a:latest",
        "host:80/a",
        "a:1",
        "a@sha256:0",
        "host:80/a:1",
    ];
    let containers: Vec<Value> = images
        .iter()
        .map(|image| json!({ "image": image }))
        .collect();
    let pod = filled("v1", "Pod", json!({ "spec": { "containers": containers } }));
    let policies: Vec<&Value> = pod["spec"]["containers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|container| &container["imagePullPolicy"])
        .collect();
    let expected = [
        "Always",
        "Always",
        "Always",
        "IfNotPresent",
        "IfNotPresent",
        "IfNotPresent",
    ];
    assert_eq!(policies, expected);
}

#[test]
fn missing_requests_default_to_the_limits() {
    let resources =
        json!({ "limits": { "cpu": "2", "memory": "1Gi" }, "requests": { "cpu": "1" } });
    let containers = json!([{ "image": "a", "resources": resources }]);
    let pod = filled("v1", "Pod", json!({ "spec": { "containers": containers } }));
    assert_eq!(
        pod["spec"]["containers"][0]["resources"]["requests"],
        json!({ "cpu": "1", "memory": "1Gi" })
    );
}

#[test]
fn the_address_of_a_pod_becomes_its_only_address() {
    for spec in [json!({}), json!({ "restartPolicy": "Always" })] {
        let pod = json!({ "spec": spec, "status": { "podIP": "10.1.1.1" } });
        let pod = filled("v1", "Pod", pod);
        assert_eq!(pod["status"]["podIPs"], json!([{ "ip": "10.1.1.1" }]));
    }
}

#[derive(Deserialize)]
struct Pair {
    kind: String,
    before: Value,
    after: Value,
}

/// Compares random objects with the results of the Kubernetes functions that the table was learned
/// from.
#[test]
fn rules_match_the_functions_of_kubernetes() {
    let found = Command::new("go").arg("version").output();
    let found = found.map_err(|error| format!("cannot run go: {error}"));
    if require::need("go", found).is_none() {
        return;
    }
    let output = Command::new("go")
        .args(["run", ".", "objects", "1", "200"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/defaults"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut pairs = 0;
    for line in std::str::from_utf8(&output.stdout).unwrap().lines() {
        let pair: Pair = serde_json::from_str(line).unwrap();
        let (api_version, kind) = pair.kind.split_once(' ').unwrap();
        // The addition time of a taint is the current time, which a table cannot contain.
        let is_timed = |document: &Value| document.to_string().contains("timeAdded");
        if is_timed(&pair.after) && !is_timed(&pair.before) {
            continue;
        }
        pairs += 1;
        let before = pair.before.to_string();
        assert_eq!(
            filled(api_version, kind, pair.before),
            pair.after,
            "{} of {before}",
            pair.kind
        );
    }
    assert!(pairs > 10_000, "{pairs}");
}
