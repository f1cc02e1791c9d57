//! The generated types keep every object unchanged, and informers read them like a user's types.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use informer::{SharedInformerFactory, is_condition_true};
use informer_apiserver::ApiServer;
use kube::Resource;
use kube::core::object::HasSpec;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::informers::SharedInformerFactoryExt as _;
use crate::informers::certs::v1::certificate::{CertificatePrivateKeyEncoding, CertificateUsages};
use crate::objects::Objects;

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

/// Group, version and kind of each version, with its schema.
static VERSIONS: LazyLock<Vec<(String, String, Value)>> = LazyLock::new(|| {
    let mut versions = Vec::new();
    for definition in definitions() {
        let spec = &definition["spec"];
        for version in spec["versions"].as_array().unwrap() {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let group_version = format!("{}/{}", text(&spec["group"]), text(&version["name"]));
            let schema = version["schema"]["openAPIV3Schema"].clone();
            versions.push((group_version, text(&spec["names"]["kind"]), schema));
        }
    }
    versions
});

/// Returns the form in which equivalent objects are equal: no explicit nulls, no empty `spec`, and
/// one form of each number.
fn canonical(mut object: Value) -> Value {
    without_nulls(&mut object);
    let members = object.as_object_mut().unwrap();
    if members.get("spec") == Some(&json!({})) {
        members.remove("spec");
    }
    object
}

fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(without_nulls);
        }
        Value::Array(elements) => elements.iter_mut().for_each(without_nulls),
        Value::Number(number) => {
            let text = number.to_string();
            let whole = text.strip_suffix(".0");
            if let Some(whole) = whole.and_then(|whole| whole.parse::<i64>().ok()) {
                *value = json!(whole);
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

proptest! {
    /// A type holds every object that the schema allows, without loss. The exception is an object
    /// without a `spec` that cannot be empty, which kube's derive rejects.
    #[test]
    fn objects_survive_a_round_trip(seed in any::<u64>()) {
        let mut objects = Objects::new(seed);
        for (name, round_trip) in KINDS {
            let (group_version, kind) = name.rsplit_once('/').unwrap();
            let found = VERSIONS.iter().find(|(version, known, _)| version == group_version && known == kind);
            let (_, _, schema) = found.unwrap();
            let object = objects.object(group_version, kind, schema);
            let back = round_trip(&object);
            let back = back.map_err(|error| TestCaseError::fail(format!("{name}: {error} in {object:#}")))?;
            prop_assert_eq!(canonical(back), canonical(object), "{}", name);
        }
    }
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
    let untyped: BTreeSet<String> = VERSIONS
        .iter()
        .map(|(group_version, kind, _)| format!("{group_version}/{kind}"))
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
