//! Defaults of built-in kinds.

use http::Method;
use serde_json::{Value, json};

use crate::call::Call;
use crate::session::Session;

pub(super) async fn run(session: &mut Session) {
    for (collection, document) in documents() {
        session.post(collection, &document).await;
    }
    // The same defaults after an update, a patch and an apply.
    let deployments = "/apis/apps/v1/namespaces/diff/deployments";
    let path = format!("{deployments}/filled");
    session.put(&path, &deployment("filled")).await;
    for (kind, patch) in [
        (
            "merge",
            json!({ "spec": { "strategy": null, "replicas": null } }),
        ),
        (
            "strategic-merge",
            json!({ "spec": { "template": { "spec": { "dnsPolicy": null } } } }),
        ),
        (
            "json",
            json!([{ "op": "remove", "path": "/spec/revisionHistoryLimit" }]),
        ),
    ] {
        session.patch(&path, kind, &patch).await;
    }
    let applied = format!("{deployments}/filled-applied?fieldManager=a");
    for _ in 0..2 {
        let call = Call::patch(&applied, "apply", &deployment("filled-applied"));
        session.check(call).await;
    }
    // Protobuf encodes zero values that JSON omits.
    let call = Call::new(Method::POST, "/api/v1/namespaces/diff/services");
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": { "name": "filled-protobuf" },
        "spec": { "type": "ExternalName", "externalName": "example.com", "ports": [{ "port": 80 }] },
    });
    session.check(call.protobuf(&service)).await;
}

fn template(containers: &Value) -> Value {
    json!({
        "metadata": { "labels": { "app": "filled" } },
        "spec": {
            "containers": containers, "restartPolicy": "Always",
            "volumes": [
                { "name": "none" }, { "name": "map", "configMap": { "name": "a" } },
                { "name": "token", "projected": { "sources": [
                    { "serviceAccountToken": { "path": "a" } },
                ] } },
            ],
        },
    })
}

fn containers() -> Value {
    json!([
        { "name": "a", "image": "a", "ports": [{ "containerPort": 80 }],
          "resources": { "limits": { "cpu": "1" } },
          "livenessProbe": { "httpGet": { "port": 80 } } },
        { "name": "b", "image": "b:1", "env": [
            { "name": "X", "valueFrom": { "fieldRef": { "fieldPath": "metadata.name" } } },
        ] },
    ])
}

fn deployment(name: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": name },
        "spec": {
            "selector": { "matchLabels": { "app": "filled" } }, "template": template(&containers()),
        },
    })
}

/// Returns one object of each kind with relevant defaults, and its collection.
fn documents() -> Vec<(&'static str, Value)> {
    let workload = |kind: &str, spec: Value| {
        let mut whole = json!({
            "selector": { "matchLabels": { "app": "filled" } }, "template": template(&containers()),
        });
        for (name, value) in spec.as_object().into_iter().flatten() {
            whole[name] = value.clone();
        }
        json!({
            "apiVersion": "apps/v1", "kind": kind,
            "metadata": { "name": "filled" }, "spec": whole,
        })
    };
    let claim = json!({
        "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
    });
    let job = json!({
        "template": { "spec": {
            "restartPolicy": "Never", "containers": [{ "name": "a", "image": "a:1" }],
        } },
    });
    vec![
        (
            "/apis/apps/v1/namespaces/diff/deployments",
            deployment("filled"),
        ),
        ("/apis/apps/v1/namespaces/diff/deployments", {
            let mut recreate = deployment("filled-recreate");
            recreate["spec"]["strategy"] = json!({ "type": "Recreate" });
            recreate
        }),
        (
            "/apis/apps/v1/namespaces/diff/replicasets",
            workload("ReplicaSet", json!({})),
        ),
        (
            "/apis/apps/v1/namespaces/diff/daemonsets",
            workload("DaemonSet", json!({})),
        ),
        (
            "/apis/apps/v1/namespaces/diff/statefulsets",
            workload(
                "StatefulSet",
                json!({
                    "serviceName": "a",
                    "volumeClaimTemplates": [{ "metadata": { "name": "data" }, "spec": claim }],
                }),
            ),
        ),
        (
            "/api/v1/namespaces/diff/replicationcontrollers",
            json!({
                "apiVersion": "v1", "kind": "ReplicationController",
                "metadata": { "name": "filled" }, "spec": { "template": template(&containers()) },
            }),
        ),
        (
            "/api/v1/namespaces/diff/podtemplates",
            json!({
                "apiVersion": "v1", "kind": "PodTemplate",
                "metadata": { "name": "filled" }, "template": template(&containers()),
            }),
        ),
        (
            "/api/v1/namespaces/diff/pods",
            json!({
                "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "filled" },
                "spec": { "hostNetwork": true, "containers": containers() },
            }),
        ),
        (
            "/apis/batch/v1/namespaces/diff/cronjobs",
            json!({
                "apiVersion": "batch/v1", "kind": "CronJob", "metadata": { "name": "filled" },
                "spec": { "schedule": "* * * * *", "jobTemplate": { "spec": job } },
            }),
        ),
        (
            "/apis/batch/v1/namespaces/diff/jobs",
            json!({
                "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "filled" },
                "spec": job,
            }),
        ),
        (
            "/api/v1/namespaces/diff/services",
            json!({
                "apiVersion": "v1", "kind": "Service", "metadata": { "name": "filled" },
                "spec": { "type": "ExternalName", "externalName": "example.com", "ports": [{ "port": 80 }] },
            }),
        ),
        (
            "/api/v1/namespaces/diff/persistentvolumeclaims",
            json!({
                "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": { "name": "filled" }, "spec": claim,
            }),
        ),
        (
            "/apis/autoscaling/v2/namespaces/diff/horizontalpodautoscalers",
            json!({
                "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
                "metadata": { "name": "filled" },
                "spec": {
                    "maxReplicas": 3, "behavior": { "scaleUp": { "selectPolicy": "Min" } },
                    "scaleTargetRef": { "kind": "Deployment", "name": "a", "apiVersion": "apps/v1" },
                },
            }),
        ),
        (
            "/apis/networking.k8s.io/v1/namespaces/diff/networkpolicies",
            json!({
                "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy",
                "metadata": { "name": "filled" },
                "spec": { "podSelector": {}, "egress": [{ "ports": [{ "port": 80 }] }] },
            }),
        ),
        (
            "/api/v1/namespaces/diff/limitranges",
            json!({
                "apiVersion": "v1", "kind": "LimitRange", "metadata": { "name": "filled" },
                "spec": { "limits": [{ "type": "Container", "max": { "cpu": "1" } }] },
            }),
        ),
        (
            "/apis/storage.k8s.io/v1/storageclasses",
            json!({
                "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
                "metadata": { "name": "filled" }, "provisioner": "example.com/a",
            }),
        ),
        (
            "/apis/rbac.authorization.k8s.io/v1/namespaces/diff/rolebindings",
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                "metadata": { "name": "filled" }, "roleRef": { "kind": "Role", "name": "a" },
                "subjects": [{ "kind": "User", "name": "a" }],
            }),
        ),
        (
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            json!({
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "ValidatingWebhookConfiguration", "metadata": { "name": "filled" },
                "webhooks": [{
                    "name": "a.example.com", "sideEffects": "None",
                    "admissionReviewVersions": ["v1"],
                    "clientConfig": { "service": { "name": "a", "namespace": "diff" } },
                    "rules": [{
                        "apiGroups": ["example.com"], "apiVersions": ["v9"],
                        "operations": ["CREATE"], "resources": ["nothings"],
                    }],
                }],
            }),
        ),
    ]
}
