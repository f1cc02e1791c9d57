//! Metadata of Pods: labels, annotations, owners and managed fields.

use serde_json::{Map, Value, json};

use super::super::random::Random;
use super::fields;
use super::words::{word, words};

/// Owner of the Pods of a template.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Owner {
    api_version: &'static str,
    kind: &'static str,
    /// Name of the owner. Names of Pods begin with it.
    name: &'static str,
}

const OWNERS: [Owner; 6] = [
    owner("apps/v1", "ReplicaSet", "$app$-$hash$"),
    owner("apps/v1", "ReplicaSet", "$app$-$hash$"),
    owner("apps/v1", "ReplicaSet", "$app$-$hash$"),
    owner("apps/v1", "DaemonSet", "$app$"),
    owner("apps/v1", "StatefulSet", "$app$"),
    owner("batch/v1", "Job", "$app$-$hash$"),
];

/// Network plugins with the annotations that they write.
const NETWORKS: [(&str, &[(&str, &str)]); 2] = [
    (
        "calico",
        &[
            ("cni.projectcalico.org/containerID", "$id:30$"),
            ("cni.projectcalico.org/podIP", "$ip$/32"),
            ("cni.projectcalico.org/podIPs", "$ip$/32"),
        ],
    ),
    (
        "multus-daemon",
        &[(
            "k8s.v1.cni.cncf.io/network-status",
            "[{\n    \"name\": \"cilium\",\n    \"interface\": \"eth0\",\n    \"ips\": [\n        \"$ip$\"\n    ],\n    \"mac\": \"0a:58:$mac$\",\n    \"default\": true,\n    \"dns\": {}\n}]",
        )],
    ),
];

const fn owner(api_version: &'static str, kind: &'static str, name: &'static str) -> Owner {
    Owner {
        api_version,
        kind,
        name,
    }
}

/// Labels and annotations of a template.
#[derive(Debug)]
pub(super) struct Metadata {
    owner: Owner,
    labels: Map<String, Value>,
    /// Annotations of the template, and those that a network plugin adds.
    annotations: Map<String, Value>,
    network: usize,
}

// === impl Metadata ===

impl Metadata {
    pub(super) fn create(random: &mut Random, size: usize, in_mesh: bool) -> Self {
        let owner = random.pick(&OWNERS);
        let mut labels = Map::new();
        let mut label = |name: &str, value: &str| labels.insert(name.to_owned(), value.into());
        label("app.kubernetes.io/name", word(random));
        label("app.kubernetes.io/instance", "$app$");
        label(
            "app.kubernetes.io/managed-by",
            random.pick(&["Helm", "argocd", "kustomize"]),
        );
        label("team", "$team$");
        match owner.kind {
            "ReplicaSet" => label("pod-template-hash", "$hash$"),
            "Job" => label("batch.kubernetes.io/job-name", "$app$-$hash$"),
            _ => label("controller-revision-hash", "$app$-$hash$"),
        };
        if in_mesh {
            label("security.istio.io/tlsMode", "istio");
            label("service.istio.io/canonical-name", "$app$");
        }
        for _ in 0..random.below(4) {
            label(
                &format!("{}.example.com/{}", word(random), word(random)),
                word(random),
            );
        }
        Self {
            owner,
            labels,
            annotations: annotations(random, size, in_mesh),
            network: random.below(NETWORKS.len()),
        }
    }

    /// Returns the JSON of the metadata's members, without braces, with placeholders. The members
    /// have the API server's order.
    pub(super) fn to_json(&self, spec: &Value, status: &Value) -> String {
        let Owner {
            api_version,
            kind,
            name,
        } = self.owner;
        let (plugin, added) = NETWORKS.get(self.network).copied().unwrap_or(("none", &[]));
        let owners = json!([{"apiVersion": api_version, "kind": kind, "name": name,
            "uid": "$owner$", "controller": true, "blockOwnerDeletion": true}]);
        let added: Map<String, Value> = added
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.into()))
            .collect();
        let template = json!({
            "metadata": {"annotations": self.annotations, "generateName": "", "labels": self.labels,
                "ownerReferences": owners},
            "spec": spec,
        });
        let managed = json!([
            entry("kube-controller-manager", "$time:0$", &template, None),
            entry(
                plugin,
                "$time:1$",
                &json!({"metadata": {"annotations": added}}),
                Some("status")
            ),
            entry(
                "kubelet",
                "$time:4$",
                &json!({"status": status}),
                Some("status")
            ),
        ]);
        let mut annotations = self.annotations.clone();
        annotations.extend(added);
        format!(
            r#""name":"{name}-$suffix$","generateName":"{name}-","namespace":"$namespace$","uid":"$uid$","resourceVersion":"$version$","generation":1,"creationTimestamp":"$time:0$","labels":{},"annotations":{},"ownerReferences":{owners},"managedFields":{managed}"#,
            Value::Object(self.labels.clone()),
            Value::Object(annotations),
        )
    }
}

/// Returns an entry of `managedFields` for the fields in `set`.
fn entry(manager: &str, time: &str, set: &Value, subresource: Option<&str>) -> Value {
    let mut entry = json!({"manager": manager, "operation": "Update", "apiVersion": "v1",
        "time": time, "fieldsType": "FieldsV1", "fieldsV1": fields::set_of(set)});
    if let (Some(subresource), Some(entry)) = (subresource, entry.as_object_mut()) {
        entry.insert("subresource".to_owned(), subresource.into());
    }
    entry
}

fn annotations(random: &mut Random, size: usize, in_mesh: bool) -> Map<String, Value> {
    let mut annotations = Map::new();
    let mut set = |name: &str, value: String| annotations.insert(name.to_owned(), value.into());
    if random.chance(40) {
        set("checksum/config", "$checksum$".to_owned());
    }
    if random.chance(40) {
        set("prometheus.io/scrape", "true".to_owned());
        set("prometheus.io/port", random.between(1024, 9999).to_string());
    }
    if in_mesh {
        set(
            "sidecar.istio.io/status",
            r#"{"initContainers":["istio-init"],"containers":["istio-proxy"],"volumes":["istio-envoy","istiod-ca-cert"],"imagePullSecrets":null,"revision":"default"}"#.to_owned(),
        );
    }
    if random.chance(25 + 3 * size) {
        set("ad.datadoghq.com/main.checks", checks(random, size));
    }
    if random.chance(12 + 3 * size) {
        set(
            "vault.hashicorp.com/agent-inject-template-env",
            exports(random, size),
        );
    }
    annotations
}

/// Returns a JSON document, indented as people write it.
fn checks(random: &mut Random, size: usize) -> String {
    let lines = (0..random.between(4, 14 + 4 * size)).map(|_| {
        let (name, value) = (words(random, 3, "_"), words(random, 2, "_"));
        format!("      \"{name}\": \"{value}\"")
    });
    let lines = lines.collect::<Vec<_>>().join(",\n");
    format!("{{\n  \"http_check\": {{\n    \"instances\": [{{\n{lines}\n    }}]\n  }}\n}}")
}

/// Returns a script with lines of variables.
fn exports(random: &mut Random, size: usize) -> String {
    let lines = (0..random.between(4, 14 + 4 * size)).map(|_| {
        let name = words(random, 2, "_").to_uppercase();
        format!("export {name}=\"{{{{ .Data.data.{} }}}}\"", word(random))
    });
    let lines = lines.collect::<Vec<_>>().join("\n");
    format!("{{{{- with secret \"secret/data/$team$/$app$\" -}}}}\n{lines}\n{{{{- end -}}}}\n")
}
