//! Specs of the templates.

use serde_json::{Map, Value, json};

use super::super::random::Random;
use super::container::{self, Image};
use super::words::{word, words};

/// Spec of a template, with the images of its containers in their order.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) value: Value,
    pub(super) init: Vec<Image>,
    pub(super) main: Vec<Image>,
}

const SIDECARS: [&str; 8] = [
    "log-shipper",
    "config-reloader",
    "metrics-exporter",
    "auth-proxy",
    "cloud-sql-proxy",
    "vault-agent",
    "git-sync",
    "nginx",
];

/// Creates the spec of a template. `size` scales the number of its parts; `in_mesh` adds the
/// containers that a service mesh injects.
pub(super) fn create(random: &mut Random, size: usize, in_mesh: bool) -> Spec {
    let mut volumes = volumes(random, size);
    let (mut init, mut main) = (Vec::new(), Vec::new());
    let name = words(random, 1, "-");
    main.push(container::create(random, name, size, &volumes));
    for at in 1..=random.below(100 + 15 * size) / 80 {
        let name = format!("{}-{at}", random.pick(&SIDECARS));
        main.push(container::create(random, name, size / 3, &volumes));
    }
    if random.chance(15) {
        let name = words(random, 2, "-");
        init.push(container::create(random, name, size / 3, &volumes));
    }
    if in_mesh {
        init.push(container::mesh_init());
        main.push(container::mesh_proxy());
        volumes.push(json!({"name": "istio-envoy", "emptyDir": {"medium": "Memory"}}));
        volumes.push(json!({"name": "istiod-ca-cert",
            "configMap": {"name": "istio-ca-root-cert", "defaultMode": 420}}));
    }
    volumes.push(api_access());
    let (init, init_values): (Vec<Image>, Vec<Value>) = init.into_iter().unzip();
    let (main, main_values): (Vec<Image>, Vec<Value>) = main.into_iter().unzip();
    let mut value = json!({
        "volumes": volumes,
        "containers": main_values,
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": random.pick(&[30, 30, 30, 60, 120]),
        "dnsPolicy": "ClusterFirst",
        "serviceAccountName": "$app$",
        "serviceAccount": "$app$",
        "nodeName": "$node$",
        "securityContext": {},
        "schedulerName": "default-scheduler",
        "tolerations": tolerations(),
        "priority": random.pick(&[0, 0, 0, 1000]),
        "enableServiceLinks": true,
        "preemptionPolicy": "PreemptLowerPriority",
    });
    if let Some(spec) = value.as_object_mut() {
        if !init_values.is_empty() {
            spec.insert("initContainers".to_owned(), init_values.into());
        }
        spec.extend(options(random));
    }
    Spec { value, init, main }
}

/// Returns fields that some templates set.
fn options(random: &mut Random) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut set = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    if random.chance(35) {
        set("affinity", affinity());
    }
    if random.chance(25) {
        let pool = word(random);
        set(
            "nodeSelector",
            json!({"kubernetes.io/os": "linux", "node.example.com/pool": pool}),
        );
    }
    if random.chance(15) {
        set("topologySpreadConstraints", spread());
    }
    if random.chance(40) {
        let user = random.between(100, 2000);
        set(
            "securityContext",
            json!({"runAsUser": user, "runAsNonRoot": true, "fsGroup": user,
                "seccompProfile": {"type": "RuntimeDefault"}}),
        );
    }
    if random.chance(20) {
        set("imagePullSecrets", json!([{"name": words(random, 2, "-")}]));
    }
    fields
}

fn volumes(random: &mut Random, size: usize) -> Vec<Value> {
    let count = random.below(3 + size);
    let volume = |at| {
        let name = format!("{}-{at}", word(random));
        let source = words(random, 2, "-");
        match random.below(5) {
            0 => json!({"name": name, "emptyDir": {}}),
            1 => json!({"name": name, "secret": {"secretName": source, "defaultMode": 420}}),
            2 => json!({"name": name, "persistentVolumeClaim": {"claimName": source}}),
            3 => json!({"name": name, "configMap": {"name": source, "defaultMode": 420,
                "items": [{"key": format!("{source}.yaml"), "path": format!("{source}.yaml")}]}}),
            _ => json!({"name": name, "configMap": {"name": source, "defaultMode": 420}}),
        }
    };
    (0..count).map(volume).collect()
}

/// Returns the volume that the service account controller adds to every Pod.
fn api_access() -> Value {
    json!({"name": "kube-api-access-$suffix$", "projected": {"defaultMode": 420, "sources": [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace",
            "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]}},
    ]}})
}

/// Returns the tolerations that admission adds to every Pod.
fn tolerations() -> Value {
    let toleration = |key: &str| {
        json!({"key": format!("node.kubernetes.io/{key}"), "operator": "Exists",
            "effect": "NoExecute", "tolerationSeconds": 300})
    };
    ["not-ready", "unreachable"].map(toleration).into()
}

fn affinity() -> Value {
    json!({"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{
        "weight": 100,
        "podAffinityTerm": {
            "labelSelector": {"matchLabels": {"app.kubernetes.io/instance": "$app$"}},
            "topologyKey": "kubernetes.io/hostname",
        },
    }]}})
}

fn spread() -> Value {
    json!([{
        "maxSkew": 1,
        "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": {"app.kubernetes.io/instance": "$app$"}},
    }])
}
