//! The generated types keep every object unchanged, and informers read them like a user's types.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use informer::{SharedInformerFactory, is_condition_true};
use informer_apiserver::ApiServer;
use kube::Resource;
use kube::core::object::HasSpec;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::go::go;
use crate::informers::SharedInformerFactoryExt as _;
use crate::informers::certs::v1::certificate::{CertificatePrivateKeyEncoding, CertificateUsages};
use crate::objects::Objects;
use crate::schemas;

/// Converts JSON to a type and back.
type RoundTrip = fn(&Value) -> Result<Value, serde_json::Error>;

/// Kinds by group, version and kind.
const KINDS: &[(&str, RoundTrip)] = include!(concat!(env!("OUT_DIR"), "/kinds.rs"));

fn round_trip<K: Serialize + DeserializeOwned>(object: &Value) -> Result<Value, serde_json::Error> {
    // Parses text, as the API server sends it.
    let text = object.to_string();
    serde_json::to_value(serde_json::from_str::<K>(&text)?)
}

/// Returns the definitions in all manifests.
fn definitions() -> Vec<Value> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("crds");
    let files = fs::read_dir(directory).unwrap();
    let texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    texts
        .flat_map(|text| informer_manifest::parse::<Value>(&text).unwrap())
        .collect()
}

/// Kind in one version.
struct Entry {
    api_version: String,
    kind: String,
    schema: Value,
}

impl Entry {
    fn all(definitions: Vec<Value>) -> Vec<Self> {
        let mut entries = Vec::new();
        for definition in definitions {
            let spec = &definition["spec"];
            for version in spec["versions"].as_array().unwrap() {
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                entries.push(Self {
                    api_version: format!("{}/{}", text(&spec["group"]), text(&version["name"])),
                    kind: text(&spec["names"]["kind"]),
                    schema: version["schema"]["openAPIV3Schema"].clone(),
                });
            }
        }
        entries
    }

    fn name(&self) -> String {
        format!("{}/{}", self.api_version, self.kind)
    }

    fn round_trip(&self) -> Option<RoundTrip> {
        let name = self.name();
        let row = KINDS.iter().find(|(known, _)| *known == name);
        row.map(|(_, round_trip)| *round_trip)
    }

    fn object(&self, objects: &mut Objects) -> Value {
        objects.object(&self.api_version, &self.kind, &self.schema)
    }

    /// Returns the difference after a round trip, but for what docs/generator.md names.
    fn difference(&self, object: &Value) -> Option<String> {
        let name = self.name();
        match self.round_trip()?(object) {
            Err(error) => Some(format!("{name}: {error} in {object:#}")),
            Ok(back) => {
                let found = canonical(back, &self.schema);
                let expected = canonical(object.clone(), &self.schema);
                let text = || format!("{name}: {found:#}\ninstead of {expected:#}");
                (found != expected).then(text)
            }
        }
    }
}

/// Vendors' kinds.
static VENDORS: LazyLock<Vec<Entry>> = LazyLock::new(|| Entry::all(definitions()));

/// Kinds with random schemas, and the deepest ones.
static RANDOM: LazyLock<Vec<Entry>> = LazyLock::new(|| Entry::all(schemas::definitions()));

/// Returns all versions with a type.
fn typed() -> impl Iterator<Item = &'static Entry> {
    let all = VENDORS.iter().chain(RANDOM.iter());
    all.filter(|version| version.round_trip().is_some())
}

/// Time that the conditions of k8s-openapi hold in another form.
const TIME: [&str; 2] = ["2024-05-06T07:08:09.123+01:00", "2024-05-06T06:08:09Z"];

/// Returns the form in which equivalent objects are equal, by docs/generator.md: a `null` is like a
/// missing member if the API server sets no default, an empty `spec` like none, a number with
/// `type: number` is a float, and a time of a condition has no fraction.
fn canonical(mut object: Value, schema: &Value) -> Value {
    simplify(&mut object, schema);
    let members = object.as_object_mut().unwrap();
    if members.get("spec") == Some(&json!({})) {
        members.remove("spec");
    }
    object
}

fn simplify(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(members) => {
            let properties = &schema["properties"];
            let is_settable =
                |schema: &Value| schema["nullable"] == true && schema.get("default").is_some();
            members.retain(|name, member| {
                let schema = properties.get(name);
                !member.is_null() || schema.is_none_or(is_settable)
            });
            for (name, member) in members {
                let values = &schema["additionalProperties"];
                simplify(member, properties.get(name).unwrap_or(values));
            }
        }
        Value::Array(elements) => {
            let schema = &schema["items"];
            for element in elements {
                if element["lastTransitionTime"] == TIME[0] {
                    element["lastTransitionTime"] = json!(TIME[1]);
                }
                simplify(element, schema);
            }
        }
        Value::Number(number) if schema["type"] == "number" => *value = json!(number.as_f64()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Reports whether the API server accepts an object that no type of its kind can hold, by
/// docs/generator.md: without a `spec` that cannot be empty, or with a value that its validator
/// overlooks, which is a list in place of a string that has a format, or a large number with a
/// fraction in place of an integer or a string.
fn is_exempt(object: &Value, schema: &Value) -> bool {
    let is_overlooked = |value: &Value, schema: &Value| {
        let is_list = value.is_array() && schema["type"] == "string";
        let is_fraction = value.is_f64() && schema["x-kubernetes-int-or-string"] == true;
        (is_list && schema["format"].is_string()) || is_fraction
    };
    let is_full = schema["properties"]["spec"]["required"].is_array();
    (is_full && object.get("spec").is_none()) || any_value(object, schema, &is_overlooked)
}

/// Reports whether a value, or one inside of it, fits a condition together with its schema.
fn any_value(value: &Value, schema: &Value, fits: &dyn Fn(&Value, &Value) -> bool) -> bool {
    let below = match value {
        Value::Object(members) => members.iter().any(|(name, member)| {
            let values = &schema["additionalProperties"];
            let schema = schema["properties"].get(name).unwrap_or(values);
            any_value(member, schema, fits)
        }),
        Value::Array(elements) => elements
            .iter()
            .any(|element| any_value(element, &schema["items"], fits)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    };
    below || fits(value, schema)
}

proptest! {
    /// J-07. A type holds every object that the schema allows, without loss. The exception is an
    /// object without a `spec` that cannot be empty, which kube's derive rejects.
    #[test]
    fn objects_survive_a_round_trip(seed in any::<u64>()) {
        let mut objects = Objects::new(seed);
        for version in typed() {
            let object = version.object(&mut objects);
            let difference = version.difference(&object);
            prop_assert!(difference.is_none(), "{}", difference.unwrap());
        }
    }
}

/// J-07. The validator of the API server accepts the schemas and the objects, and whatever it accepts
/// of changed objects survives a round trip, too.
#[test]
fn what_the_api_server_accepts_survives_a_round_trip() {
    const OBJECTS: usize = 20;
    const CHANGED: usize = 100;
    let mut objects = Objects::new(58);
    let versions: Vec<&Entry> = typed().collect();
    let kinds = versions.iter().map(|version| {
        let given = (0..OBJECTS).map(|_| version.object(&mut objects));
        let mut all: Vec<Value> = given.collect();
        for _ in 0..CHANGED {
            let mut object = version.object(&mut objects);
            objects.change(&mut object);
            all.push(object);
        }
        json!({"schema": version.schema, "objects": all})
    });
    let Some(results) = validated(&kinds.collect()) else {
        return;
    };
    assert_eq!(results.len(), versions.len());
    let mut accepted = 0;
    let mut faults = Vec::new();
    for (version, result) in versions.iter().zip(&results) {
        let is_random = version.api_version.starts_with(schemas::GROUP);
        for fault in result["faults"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|_| is_random)
        {
            faults.push(format!("{}: {fault}", version.name()));
        }
        for (number, outcome) in result["objects"].as_array().unwrap().iter().enumerate() {
            match outcome.get("stored") {
                Some(stored) if is_exempt(stored, &version.schema) => {}
                Some(stored) => {
                    accepted += usize::from(number >= OBJECTS);
                    faults.extend(version.difference(stored));
                }
                // Vendors' schemas have patterns and rules.
                None if number < OBJECTS && is_random => {
                    faults.push(format!("{}: {}", version.name(), outcome["error"]));
                }
                None => {}
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
    let changed = CHANGED * versions.len();
    assert!(
        accepted * 10 > changed,
        "{accepted} of {changed} changed objects are accepted"
    );
}

/// Returns the results of the validator for kinds with their objects.
fn validated(kinds: &Value) -> Option<Vec<Value>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../validator");
    let output = go(&folder, &["run", "."], kinds.to_string().into())?;
    let results = output.lines().map(serde_json::from_str);
    Some(results.collect::<Result<_, _>>().unwrap())
}

/// The crate has all the vendors' kinds, and all of them are typed, except where no type is
/// possible.
#[test]
fn all_versions_have_types_but_those_without_a_schema() {
    let definitions = definitions();
    let groups: BTreeSet<&str> = definitions
        .iter()
        .map(|definition| definition["spec"]["group"].as_str().unwrap())
        .collect();
    assert!(definitions.len() >= 60, "{} kinds", definitions.len());
    assert!(groups.len() >= 12, "{} groups", groups.len());
    let typed: BTreeSet<&str> = KINDS.iter().map(|(name, _)| *name).collect();
    let untyped: BTreeSet<String> = VENDORS
        .iter()
        .map(Entry::name)
        .filter(|name| !typed.contains(name.as_str()))
        .collect();
    assert_eq!(
        untyped.iter().map(String::as_str).collect::<Vec<_>>(),
        [
            "fleet.x-example.io/v1alpha4/Cluster", // not served
            "net.example.io/v1alpha1/BGPPeer",     // not served
            "odd.example.com/v1alpha1/type",       // no schema
        ]
    );
}

/// J-08. rustc proves for types of any depth that tasks can share the objects.
#[test]
fn objects_of_any_depth_are_shared_between_tasks() {
    use crate::structural::random::v1;

    fn assert_send(_: impl Future + Send + 'static) {}

    async fn hold<K: Default>() {
        let shared = Arc::new(K::default());
        std::future::pending::<()>().await;
        drop(shared);
    }
    assert_send(hold::<v1::deep_objects::DeepObjects>());
    assert_send(hold::<v1::deep_lists::DeepLists>());
    assert_send(hold::<v1::deep_maps::DeepMaps>());
    assert_send(hold::<v1::deep_mixed::DeepMixed>());
}

/// Types, informers, listers and indices come from manifests only, and work over HTTP.
#[tokio::test]
async fn an_informer_reads_what_a_vendor_ships() -> Result<(), Box<dyn std::error::Error>> {
    let mut server = ApiServer::builder();
    for definition in definitions() {
        server = server.object(&definition);
    }
    let certificate = json!({
        "apiVersion": "certs.example.io/v1", "kind": "Certificate",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "issuerRef": {"name": "letsencrypt", "kind": "ClusterIssuer"}, "secretName": "web-tls",
            "dnsNames": ["a.example.com", "b.example.com"], "isCA": false,
            "usages": ["digital signature", "s/mime"],
            "privateKey": {"algorithm": "ECDSA", "encoding": "PKCS8", "size": 256},
            "secretTemplate": {"labels": {"team": "shop"}}
        },
        "status": {"conditions": [{
            "type": "Ready", "status": "True", "reason": "Issued", "message": "",
            "lastTransitionTime": "2024-05-06T07:08:09Z"
        }]}
    });
    // The object is valid without a `spec`, but kube's derive would reject it.
    let advertisement = json!({
        "apiVersion": "net.example.io/v1", "kind": "L2Advertisement",
        "metadata": {"name": "all", "namespace": "default"}
    });
    let class = json!({
        "apiVersion": "queue.x-example.io/v1beta1", "kind": "WorkloadPriorityClass",
        "metadata": {"name": "high"}, "value": 1000, "description": "Goes first"
    });
    let server = server
        .object(&certificate)
        .object(&advertisement)
        .object(&class)
        .start()
        .await?;
    let factory =
        SharedInformerFactory::builder(informer::connect(server.kube_config())?).build()?;
    let certificates = factory.certs().v1().certificates();
    let advertisements = factory.net().v1().l2_advertisements();
    let classes = factory.queue().v1beta1().workload_priority_classes();
    factory.start()?;
    factory.wait_for_cache_sync().await?;

    let lister = certificates.lister();
    let [found] = &lister.by_name("letsencrypt")[..] else {
        return Err("expected exactly one certificate".into());
    };
    assert_eq!(found.spec.secret_name, "web-tls");
    assert_eq!(found.spec.is_ca, Some(false));
    assert!(is_condition_true(&found.status, "Ready"));
    let key = found.spec.private_key.as_ref().ok_or("no key")?;
    assert_eq!(key.encoding, Some(CertificatePrivateKeyEncoding::Pkcs8));
    for (what, found) in [
        ("a member of a list", lister.by_dns_names("b.example.com")),
        ("a number", lister.by_key_size(256)),
        ("the value of a key", lister.by_team("shop")),
        ("a member of a condition", lister.by_condition("Ready")),
        ("an enum", lister.by_usages(&CertificateUsages::SMime)),
        (
            "an enum by its text",
            lister.by_index("spec.usages", "s/mime")?,
        ),
    ] {
        assert_eq!(found.len(), 1, "{what}");
    }
    assert!(lister.by_usages(&CertificateUsages::Any).is_empty());

    let advertisements = advertisements.lister();
    let advertisement = advertisements
        .namespace("default")
        .get("all")
        .ok_or("no advertisement")?;
    assert_eq!(advertisement.spec().interfaces, None);

    let class = classes.lister().by_value(1000).pop().ok_or("no class")?;
    assert_eq!(class.meta().name.as_deref(), Some("high"));
    assert_eq!(class.description.as_deref(), Some("Goes first"));
    factory.shutdown().await;
    server.shutdown().await;
    Ok(())
}
