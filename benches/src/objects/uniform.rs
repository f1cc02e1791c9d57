//! The uniform world: Pods of one template in the form of a real API server, about 7.8 KB each.
//!
//! `pod.json` is the Pod of a Deployment with a main container and a sidecar, after the Deployment
//! controller, a network plugin and the kubelet have written to it. Two fifths of it are
//! `managedFields`.

use kube::core::ApiResource;

use super::random::Random;
use super::template::{Template, minify};
use super::{Objects, Revision, pods};

/// Pod with `$name$` at the variable places.
const TEMPLATE: &str = include_str!("pod.json");

const APPS: [&str; 5] = ["checkout", "inventory", "ledger", "recommendations", "web"];
const PODS_PER_SET: usize = 5;
const PODS_PER_NAMESPACE: usize = 100;
const PODS_PER_NODE: usize = 40;

/// Pods of one template.
#[derive(Debug)]
pub(super) struct Uniform {
    template: Template,
}

// === impl Uniform ===

impl Uniform {
    pub(super) fn new() -> Self {
        let json = minify(TEMPLATE);
        Self {
            template: Template::new(json.strip_prefix('{').unwrap_or(&json)),
        }
    }
}

impl Objects for Uniform {
    fn resources(&self) -> Vec<ApiResource> {
        pods()
    }

    fn write_members(&self, number: usize, revision: Revision, out: &mut Vec<u8>) {
        let fields = Fields::new(number, revision);
        self.template.write(out, |name, out| {
            out.extend_from_slice(fields.get(name).as_bytes());
        });
    }
}

/// Placeholder values of one Pod.
struct Fields {
    app: &'static str,
    namespace: String,
    set: String,
    suffix: String,
    uid: String,
    owner: String,
    node: String,
    zone: &'static str,
    ip: String,
    hostip: String,
    container: String,
    proxy: String,
    version: String,
    restarts: String,
}

// === impl Fields ===

impl Fields {
    fn new(number: usize, revision: Revision) -> Self {
        let set = number / PODS_PER_SET;
        let node = number / PODS_PER_NODE;
        let mut of_set = Random::new(1 << 32 | set as u64);
        let mut of_pod = Random::new(number as u64);
        let [low, high] = [number % 250, number / 250 % 250];
        Self {
            app: APPS.get(set % APPS.len()).copied().unwrap_or_default(),
            namespace: format!("team-{:03}", number / PODS_PER_NAMESPACE),
            set: of_set.letters(10),
            suffix: of_pod.letters(5),
            uid: of_pod.uid(),
            owner: of_set.uid(),
            node: node_of(number),
            zone: ["eu-central-1a", "eu-central-1b"]
                .get(node % 2)
                .copied()
                .unwrap_or_default(),
            ip: format!("10.{}.{high}.{low}", 64 + number / 62_500),
            hostip: format!("10.0.{}.{}", node / 250, node % 250),
            container: of_pod.hex(64),
            proxy: of_pod.hex(64),
            version: revision.version.to_string(),
            restarts: revision.restarts.to_string(),
        }
    }

    fn get(&self, name: &str) -> &str {
        match name {
            "app" => self.app,
            "namespace" => &self.namespace,
            "set" => &self.set,
            "suffix" => &self.suffix,
            "uid" => &self.uid,
            "owner" => &self.owner,
            "node" => &self.node,
            "zone" => self.zone,
            "ip" => &self.ip,
            "hostip" => &self.hostip,
            "container" => &self.container,
            "proxy" => &self.proxy,
            "version" => &self.version,
            "restarts" => &self.restarts,
            // The test that decodes a Pod detects this value.
            _ => "\u{0}",
        }
    }
}

/// Returns the node of Pod `number`.
pub(super) fn node_of(number: usize) -> String {
    let node = number / PODS_PER_NODE;
    format!("node-{node:04}.eu-central.example.com")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use k8s_openapi::api::core::v1::Pod;

    use super::super::write;
    use super::*;

    fn text(number: usize, version: u64, typed: bool) -> String {
        let revision = Revision {
            version,
            restarts: 3,
        };
        let mut out = Vec::new();
        let members = if typed {
            r#""kind":"Pod","apiVersion":"v1","#
        } else {
            ""
        };
        write(&Uniform::new(), number, revision, members, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn pods_are_the_same_in_every_run() {
        assert_eq!(text(7, 1, false), text(7, 1, false));
        // The generator must not change, because results are compared over time.
        assert!(
            text(7, 1, false).starts_with(r#"{"metadata":{"name":"inventory-zm9dw6dlkv-47m7v"#),
            "{}",
            &text(7, 1, false)[..80]
        );
    }

    #[test]
    fn pods_are_as_large_as_real_ones() {
        for number in [0, 1, 999, 19_999] {
            let size = text(number, 1000, false).len();
            assert!((7_000..9_000).contains(&size), "{size}");
        }
    }

    #[test]
    fn a_pod_decodes_with_all_its_fields() {
        for typed in [false, true] {
            let text = text(4711, 99, typed);
            assert!(!text.contains('\u{0}'), "a placeholder is unknown");
            assert_eq!(text.contains(r#""kind":"Pod""#), typed);
            let pod: Pod = serde_json::from_str(&text).unwrap();
            let meta = &pod.metadata;
            assert_eq!(meta.resource_version.as_deref(), Some("99"));
            assert_eq!(meta.managed_fields.as_ref().unwrap().len(), 2);
            assert_eq!(meta.owner_references.as_ref().unwrap().len(), 1);
            assert_eq!(pod.spec.unwrap().containers.len(), 2);
            let status = pod.status.unwrap();
            assert_eq!(status.conditions.unwrap().len(), 5);
            assert_eq!(status.container_statuses.unwrap()[0].restart_count, 3);
        }
    }

    #[test]
    fn all_pods_have_different_names() {
        let name = |number| {
            let pod: Pod = serde_json::from_str(&text(number, 1, false)).unwrap();
            (pod.metadata.namespace, pod.metadata.name, pod.metadata.uid)
        };
        let names: HashSet<_> = (0..2000).map(name).collect();
        assert_eq!(names.len(), 2000);
    }
}
