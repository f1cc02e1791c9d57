//! Generates Pods in the form of a real API server, deterministically, about 7.8 KB each.
//!
//! `pod.json` is the Pod of a Deployment with a main container and a sidecar, after the Deployment
//! controller, a network plugin and the kubelet have written to it. Two fifths of it are
//! `managedFields`.

use std::fmt::Write as _;

/// Pod with `$name$` at the variable places.
const TEMPLATE: &str = include_str!("pod.json");

const APPS: [&str; 5] = ["checkout", "inventory", "ledger", "recommendations", "web"];
const PODS_PER_SET: usize = 5;
const PODS_PER_NAMESPACE: usize = 100;
const PODS_PER_NODE: usize = 40;
/// Letters of generated names. Kubernetes omits vowels and some digits, so that names form no
/// words.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Writes Pods.
#[derive(Debug)]
pub(crate) struct Template {
    /// Constant texts and placeholder names alternately, beginning with a constant text.
    parts: Vec<String>,
}

/// Variable state of a Pod.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Revision {
    pub(crate) version: u64,
    pub(crate) restarts: u64,
}

// === impl Template ===

impl Template {
    pub(crate) fn new() -> Self {
        let parts = minify(TEMPLATE).split('$').map(str::to_owned).collect();
        Self { parts }
    }

    /// Writes Pod `number`. `typed` adds kind and apiVersion, which objects in watch events have
    /// and items of lists lack.
    pub(crate) fn write(&self, number: usize, revision: Revision, typed: bool, out: &mut Vec<u8>) {
        const TYPE: &str = r#"{"kind":"Pod","apiVersion":"v1","#;
        let fields = Fields::new(number, revision);
        for (at, part) in self.parts.iter().enumerate() {
            let text = match at {
                0 if !typed => {
                    out.push(b'{');
                    part.strip_prefix(TYPE).unwrap_or(part)
                }
                _ if at % 2 == 0 => part,
                _ => fields.get(part),
            };
            out.extend_from_slice(text.as_bytes());
        }
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
pub(crate) fn node_of(number: usize) -> String {
    let node = number / PODS_PER_NODE;
    format!("node-{node:04}.eu-central.example.com")
}

/// `SplitMix64`, whose numbers do not depend on the versions of dependencies.
#[derive(Debug)]
pub(crate) struct Random(u64);

// === impl Random ===

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `limit`, or 0 if `limit` is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let number = self.next() % (limit.max(1) as u64);
        usize::try_from(number).unwrap_or_default()
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn letters(&mut self, count: usize) -> String {
        let mut letter = || {
            let index = usize::try_from(self.next() % LETTERS.len() as u64).unwrap_or_default();
            LETTERS.get(index).copied().map_or('x', char::from)
        };
        (0..count).map(|_| letter()).collect()
    }

    fn hex(&mut self, digits: usize) -> String {
        let mut text = String::with_capacity(digits + 16);
        while text.len() < digits {
            // Writing to a String cannot fail.
            let _ = write!(text, "{:016x}", self.next());
        }
        text.truncate(digits);
        text
    }

    fn uid(&mut self) -> String {
        let groups = [8, 4, 4, 4, 12].map(|digits| self.hex(digits));
        groups.join("-")
    }
}

/// Removes white space outside of strings.
fn minify(json: &str) -> String {
    let mut in_string = false;
    let mut escaped = false;
    json.chars()
        .filter(|&letter| {
            in_string ^= letter == '"' && !escaped;
            escaped = letter == '\\' && !escaped;
            in_string || !letter.is_whitespace()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use k8s_openapi::api::core::v1::Pod;

    use super::*;

    fn text(number: usize, version: u64, typed: bool) -> String {
        let mut out = Vec::new();
        let revision = Revision {
            version,
            restarts: 3,
        };
        Template::new().write(number, revision, typed, &mut out);
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
