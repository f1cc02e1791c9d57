//! Containers of the templates.

use serde_json::{Map, Value, json};

use super::super::random::Random;
use super::words::{word, words};

/// Image of a container.
#[derive(Debug, Clone)]
pub(super) struct Image {
    /// Name of the container.
    pub(super) container: String,
    pub(super) name: String,
    /// Name without a tag, with the digest.
    pub(super) id: String,
}

const REGISTRIES: [&str; 6] = [
    "registry.example.com/platform",
    "ghcr.io/example-org",
    "quay.io/example",
    "docker.io/library",
    "123456789012.dkr.ecr.eu-central-1.amazonaws.com",
    "registry.k8s.io",
];

/// Creates a container. `size` scales the number of its parts.
pub(super) fn create(
    random: &mut Random,
    name: String,
    size: usize,
    volumes: &[Value],
) -> (Image, Value) {
    let repository = format!("{}/{}", random.pick(&REGISTRIES), words(random, 2, "-"));
    let tag = [1, 20, 10].map(|limit| random.below(limit + 1).to_string());
    let image = Image {
        container: name,
        name: format!("{repository}:v{}", tag.join(".")),
        id: format!("{repository}@sha256:{}", random.hex(64)),
    };
    let mut value = json!({
        "name": image.container,
        "image": image.name,
        "imagePullPolicy": random.pick(&["IfNotPresent", "IfNotPresent", "Always"]),
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "resources": resources(random),
        "volumeMounts": mounts(random, volumes),
    });
    if let Some(container) = value.as_object_mut() {
        container.extend(command(random, size));
        container.extend(network(random));
    }
    (image, value)
}

/// Returns the container's command, arguments and environment.
fn command(random: &mut Random, size: usize) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut set = |name: &str, value: Vec<Value>| {
        if !value.is_empty() {
            fields.insert(name.to_owned(), value.into());
        }
    };
    if random.chance(30) {
        let program = format!("/usr/local/bin/{}", words(random, 2, "-"));
        set("command", vec![program.into()]);
    }
    let argument = |random: &mut Random| {
        let name = words(random, 2, "-");
        let value = match random.below(4) {
            0 => "true".to_owned(),
            1 => random.between(1, 9999).to_string(),
            2 => format!(
                "{}.$namespace$.svc:{}",
                word(random),
                random.between(80, 9999)
            ),
            _ => words(random, 2, "/"),
        };
        format!("--{name}={value}").into()
    };
    let count = random.below(3 + 2 * size);
    set("args", (0..count).map(|_| argument(random)).collect());
    let count = random.below(6 + 7 * size);
    set("env", (0..count).map(|at| variable(random, at)).collect());
    if random.chance(15) {
        set(
            "envFrom",
            vec![json!({"configMapRef": {"name": words(random, 2, "-")}})],
        );
    }
    fields
}

fn variable(random: &mut Random, at: usize) -> Value {
    let name = format!("{}_{at}", words(random, 2, "_").to_uppercase());
    let value = match random.below(10) {
        0 => {
            let path = random.pick(&["metadata.name", "metadata.namespace", "status.podIP"]);
            let source = json!({"fieldRef": {"apiVersion": "v1", "fieldPath": path}});
            return json!({"name": name, "valueFrom": source});
        }
        1 | 2 => {
            let source =
                json!({"secretKeyRef": {"name": words(random, 2, "-"), "key": word(random)}});
            return json!({"name": name, "valueFrom": source});
        }
        3 => format!("http://{}.$namespace$.svc.cluster.local:8080", word(random)),
        4 => random.between(1, 100_000).to_string(),
        5 => random
            .pick(&["true", "false", "info", "production"])
            .to_owned(),
        6 => random.hex(40),
        _ => words(random, 2, "-"),
    };
    json!({"name": name, "value": value})
}

/// Returns the container's ports, probes and security context.
fn network(random: &mut Random) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut set = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    if random.chance(70) {
        let port = random.between(80, 9999);
        set(
            "ports",
            json!([{"name": "http", "containerPort": port, "protocol": "TCP"}]),
        );
        for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
            if random.chance(30) {
                set(name, probe(random));
            }
        }
    }
    if random.chance(50) {
        set(
            "securityContext",
            json!({"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": random.chance(50),
                "capabilities": {"drop": ["ALL"]}}),
        );
    }
    if random.chance(12) {
        let script = format!("sleep {} && kill -TERM 1", random.between(5, 30));
        set(
            "lifecycle",
            json!({"preStop": {"exec": {"command": ["/bin/sh", "-c", script]}}}),
        );
    }
    fields
}

fn probe(random: &mut Random) -> Value {
    let path = random.pick(&[
        "/healthz", "/readyz", "/livez", "/health", "/-/ready", "/ping",
    ]);
    json!({
        "httpGet": {"path": path, "port": "http", "scheme": "HTTP"},
        "initialDelaySeconds": random.pick(&[5, 10, 15, 30]),
        "timeoutSeconds": random.pick(&[1, 1, 3, 5]),
        "periodSeconds": random.pick(&[10, 10, 15, 30]),
        "successThreshold": 1,
        "failureThreshold": random.pick(&[3, 3, 5, 10]),
    })
}

fn resources(random: &mut Random) -> Value {
    let (cpu, memory) = (random.between(1, 40) * 25, random.between(1, 32) * 64);
    let requests = json!({"cpu": format!("{cpu}m"), "memory": format!("{memory}Mi")});
    match random.below(4) {
        0 => json!({}),
        1 => json!({"requests": requests}),
        _ => json!({"limits": {"memory": format!("{}Mi", 2 * memory)}, "requests": requests}),
    }
}

fn mounts(random: &mut Random, volumes: &[Value]) -> Vec<Value> {
    let mut mounts = Vec::new();
    for volume in volumes {
        if random.chance(70) {
            let path = format!(
                "/{}/{}",
                random.pick(&["etc", "var/lib", "opt"]),
                words(random, 1, "")
            );
            let name = volume.get("name");
            mounts.push(json!({"name": name, "mountPath": format!("{path}-{}", mounts.len())}));
        }
    }
    mounts.push(api_mount());
    mounts
}

fn api_mount() -> Value {
    json!({"name": "kube-api-access-$suffix$", "readOnly": true,
        "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"})
}

/// Returns the sidecar that a service mesh injects.
pub(super) fn mesh_proxy() -> (Image, Value) {
    let image = mesh_image("istio-proxy");
    let variable = |name: &str, path: &str| json!({"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}});
    let value = json!({
        "name": image.container,
        "image": image.name,
        "imagePullPolicy": "IfNotPresent",
        "args": ["proxy", "sidecar", "--domain", "$namespace$.svc.cluster.local",
            "--proxyLogLevel=warning", "--proxyComponentLogLevel=misc:error", "--log_output_level=default:info"],
        "env": [
            {"name": "PILOT_CERT_PROVIDER", "value": "istiod"},
            {"name": "CA_ADDR", "value": "istiod.istio-system.svc:15012"},
            variable("POD_NAME", "metadata.name"),
            variable("POD_NAMESPACE", "metadata.namespace"),
            variable("INSTANCE_IP", "status.podIP"),
            variable("SERVICE_ACCOUNT", "spec.serviceAccountName"),
            {"name": "ISTIO_META_WORKLOAD_NAME", "value": "$app$"},
            {"name": "ISTIO_META_OWNER",
                "value": "kubernetes://apis/apps/v1/namespaces/$namespace$/deployments/$app$"},
            {"name": "ISTIO_META_CLUSTER_ID", "value": "Kubernetes"},
            {"name": "TRUST_DOMAIN", "value": "cluster.local"},
        ],
        "ports": [{"name": "http-envoy-prom", "containerPort": 15090, "protocol": "TCP"}],
        "readinessProbe": {"httpGet": {"path": "/healthz/ready", "port": 15021, "scheme": "HTTP"},
            "timeoutSeconds": 3, "periodSeconds": 15, "successThreshold": 1, "failureThreshold": 4},
        "resources": {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "10m", "memory": "40Mi"}},
        "securityContext": {"allowPrivilegeEscalation": false, "privileged": false, "runAsUser": 1337,
            "runAsGroup": 1337, "runAsNonRoot": true, "capabilities": {"drop": ["ALL"]}},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [
            {"name": "istiod-ca-cert", "mountPath": "/var/run/secrets/istio"},
            {"name": "istio-envoy", "mountPath": "/etc/istio/proxy"},
            api_mount(),
        ],
    });
    (image, value)
}

/// Returns the init container that a service mesh injects.
pub(super) fn mesh_init() -> (Image, Value) {
    let image = mesh_image("istio-init");
    let value = json!({
        "name": image.container,
        "image": image.name,
        "imagePullPolicy": "IfNotPresent",
        "args": ["istio-iptables", "-p", "15001", "-z", "15006", "-u", "1337", "-m", "REDIRECT",
            "-i", "*", "-x", "", "-b", "*", "-d", "15090,15021,15020"],
        "resources": {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "10m", "memory": "40Mi"}},
        "securityContext": {"runAsUser": 0, "runAsNonRoot": false,
            "capabilities": {"add": ["NET_ADMIN", "NET_RAW"], "drop": ["ALL"]}},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [api_mount()],
    });
    (image, value)
}

fn mesh_image(container: &str) -> Image {
    let digest = Random::new(1).hex(64);
    Image {
        container: container.to_owned(),
        name: "docker.io/istio/proxyv2:1.26.2".to_owned(),
        id: format!("docker.io/istio/proxyv2@sha256:{digest}"),
    }
}
