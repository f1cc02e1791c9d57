//! All fields of every built-in kind.

use k8s_openapi::Resource;
use k8s_openapi::api::*;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions;
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::super::from_slice;
use super::generated::generate;
use crate::wire::decode::redact;

/// Number of random objects per kind, and of damaged variants per object.
const OBJECTS: u64 = 4;
const DAMAGED: u64 = 16;

fn check<K: Resource + Serialize + DeserializeOwned>() {
    for seed in 0..OBJECTS {
        let object = generate::<K>(seed, (K::API_VERSION, K::KIND)).unwrap();
        let text = serde_json::to_vec(&object).unwrap();
        let ours = from_slice::<K>(&text).unwrap();
        let theirs = serde_json::from_slice::<K>(&text).unwrap();
        let theirs = serde_json::to_vec(&theirs).unwrap();
        assert!(serde_json::to_vec(&ours).unwrap() == theirs, "{seed}");
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..DAMAGED {
            let mut text = text.clone();
            let at = rng.usize(..text.len());
            text[at] = rng.choice(*b"\"\\{}[],:0e-nt \x00\xff").unwrap();
            let theirs = serde_json::from_slice::<K>(&text);
            match (from_slice::<K>(&text), theirs) {
                (Ok(ours), Ok(theirs)) => {
                    let theirs = serde_json::to_vec(&theirs).unwrap();
                    assert!(serde_json::to_vec(&ours).unwrap() == theirs, "{seed}: {at}");
                }
                (Err(_), Err(_)) => {}
                (Ok(_), Err(error)) => panic!("{seed}: {at}: {error}"),
                (Err(error), Ok(_)) => assert!(!is_json(&text), "{seed}: {at}: {error}"),
            }
        }
        let value = serde_json::from_slice::<Value>(&text).unwrap();
        for _ in 0..DAMAGED {
            let mut value = value.clone();
            *any_part(&mut value, &mut rng) = rng.choice(odd_values()).unwrap();
            check_error::<K>(&serde_json::to_vec(&value).unwrap());
        }
    }
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<Value>(text).is_ok()
}

fn odd_values() -> [Value; 7] {
    [
        json!(null),
        json!(true),
        json!(-1),
        json!(0.5),
        json!("s3cret"),
        json!([{}]),
        json!({ "a": [1] }),
    ]
}

/// Returns a random part of a value, at any depth.
fn any_part<'v>(value: &'v mut Value, rng: &mut fastrand::Rng) -> &'v mut Value {
    let parts = match value {
        Value::Array(elements) => elements.len(),
        Value::Object(members) => members.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    };
    if parts == 0 || rng.u8(..4) == 0 {
        return value;
    }
    let index = rng.usize(..parts);
    let part = match value {
        Value::Array(elements) => elements.get_mut(index),
        Value::Object(members) => members.values_mut().nth(index),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    };
    any_part(part.unwrap(), rng)
}

/// Compares error, message and path for a text with wrong types with those of
/// `serde_path_to_error`.
fn check_error<K: DeserializeOwned>(text: &[u8]) {
    let mut json = serde_json::Deserializer::from_slice(text);
    let theirs = serde_path_to_error::deserialize::<_, K>(&mut json).err();
    let ours = from_slice::<K>(text).err();
    let theirs = theirs.map(|error| {
        let message = error.inner().to_string();
        let message = message.rsplit_once(" at line ").unwrap().0;
        (error.path().to_string(), redact::message(message))
    });
    let ours = ours.map(|error| (error.path(text), redact::message(error.message().unwrap())));
    assert_eq!(ours, theirs, "{}", String::from_utf8_lossy(text));
}

include!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/support/built_in_kinds.rs"
));

macro_rules! kinds {
    ($($kind:ty),+ $(,)?) => {
        [$((stringify!($kind), check::<$kind> as fn())),+]
    };
}

/// W-12: all kinds that are served in a stable version.
#[test]
fn w12_every_built_in_kind_decodes_as_serde_json_decodes_it() {
    let kinds = built_in_kinds!(kinds);
    for (kind, check) in kinds {
        println!("{kind}");
        check();
    }
}
