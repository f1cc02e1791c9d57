//! All fields of every built-in kind decode as `serde_json` decodes them.

use k8s_openapi::Resource;
use proptest::test_runner::Config;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use informer_runtime::wire::{DecodeError, RawObject};

use super::objects::{Fill, Generator};

/// Number of damaged variants per object, each a random case.
const DAMAGED: u32 = 16;

/// Checks an object with all fields, one with the fewest, and random ones.
fn check<K: Resource + Serialize + DeserializeOwned>(generator: &Generator) {
    for seed in 0..Config::default().cases.div_ceil(DAMAGED).into() {
        let mut rng = fastrand::Rng::with_seed(seed);
        let fill = match seed {
            0 => Fill::All,
            1 => Fill::Least,
            _ => Fill::Some,
        };
        let object = generator.object(K::API_VERSION, K::KIND, fill, &mut rng);
        let object: K = serde_json::from_value(Value::Object(object)).unwrap();
        let mut value = serde_json::to_value(&object).unwrap();
        value["metadata"]["name"] = json!("name");
        let text = serde_json::to_vec(&value).unwrap();
        let ours = decode::<K>(&text, &value).unwrap().unwrap();
        let theirs = serde_json::from_slice::<K>(&text).unwrap();
        let theirs = serde_json::to_vec(&theirs).unwrap();
        assert!(serde_json::to_vec(&ours).unwrap() == theirs, "{seed}");
        for _ in 0..DAMAGED {
            let mut text = text.clone();
            let at = rng.usize(..text.len());
            text[at] = rng.choice(*b"\"\\{}[],:0e-nt \x00\xff").unwrap();
            let theirs = serde_json::from_slice::<K>(&text);
            let Some(ours) = decode::<K>(&text, &value) else {
                continue;
            };
            match (ours, theirs) {
                (Ok(ours), Ok(theirs)) => {
                    let theirs = serde_json::to_vec(&theirs).unwrap();
                    assert!(serde_json::to_vec(&ours).unwrap() == theirs, "{seed}: {at}");
                }
                (Err(_), Err(_)) => {}
                (Ok(_), Err(error)) => panic!("{seed}: {at}: {error}"),
                (Err(error), Ok(_)) => assert!(!is_json(&text), "{seed}: {at}: {error}"),
            }
        }
        for _ in 0..DAMAGED {
            let mut odd = value.clone();
            *any_part(&mut odd, &mut rng) = rng.choice(odd_values()).unwrap();
            check_error::<K>(&serde_json::to_vec(&odd).unwrap(), &value);
        }
    }
}

/// Decodes a text; `None` if its header is rejected before. JSON is rejected only if the header is
/// not that of `intact`.
fn decode<K: DeserializeOwned>(text: &[u8], intact: &Value) -> Option<Result<K, DecodeError>> {
    match RawObject::json(text.to_vec()) {
        Ok(raw) => Some(raw.decode()),
        Err(rejected) => {
            let value = serde_json::from_slice::<Value>(text).ok();
            let is_intact = value.is_some_and(|value| {
                let mut header = ["apiVersion", "kind", "metadata"].iter();
                header.all(|&field| value[field] == intact[field])
            });
            assert!(!is_intact, "{rejected}");
            None
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
        json!({ "a": [-1] }),
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
fn check_error<K: DeserializeOwned>(text: &[u8], intact: &Value) {
    let Some(ours) = decode::<K>(text, intact) else {
        return;
    };
    let mut json = serde_json::Deserializer::from_slice(text);
    let theirs = serde_path_to_error::deserialize::<_, K>(&mut json).err();
    let theirs = theirs.map(|error| {
        let message = error.inner().to_string();
        let message = message.rsplit_once(" at line ").unwrap().0;
        // A log line has no control characters.
        let path = error
            .path()
            .to_string()
            .replace(char::is_control, "\u{fffd}");
        (path, without_odd_values(message))
    });
    let ours = ours.err().map(|error| (error.path, error.message));
    assert_eq!(ours, theirs, "{}", String::from_utf8_lossy(text));
}

/// Returns a message as a log may contain it.
fn without_odd_values(message: &str) -> String {
    if !["invalid type: ", "invalid value: ", "missing field "]
        .iter()
        .any(|start| message.starts_with(start))
    {
        return "the type rejects the value".to_owned();
    }
    let odd = [" `true`", " `-1`", " `0.5`", " \"s3cret\""];
    odd.iter().fold(message.to_owned(), |message, odd| {
        message.replacen(odd, "", 1)
    })
}

fn named<K: Resource + Serialize + DeserializeOwned>() -> (String, fn(&Generator)) {
    (format!("{} {}", K::API_VERSION, K::KIND), check::<K>)
}

/// W-12: all kinds that can be listed.
#[test]
fn w12_every_built_in_kind_decodes_as_serde_json_decodes_it() {
    let generator = Generator::new();
    for (kind, check) in of_each_kind!(named) {
        println!("{kind}");
        check(&generator);
    }
}
