//! Packing: round trips, sharing, and accounting.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::core::DynamicObject;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::{Packed, PackedObject};
use crate::object::Object;
use crate::storage::{Storage, Transform, Typed};
use crate::wire::RawObject;

fn pack<K: Object>(storage: &Packed, object: &Value) -> Arc<PackedObject<K>> {
    let raw = RawObject::from_value(object).unwrap();
    Arc::new(storage.make(&raw, None).unwrap())
}

/// Returns a Pod that is similar to the others.
fn pod(number: usize) -> Value {
    let owner = format!("web-{}", number / 5);
    json!({
        "metadata": {
            "namespace": "ns",
            "name": format!("{owner}-{number:05}"),
            "uid": format!("{number:08x}-0000-4000-8000-000000000000"),
            "resourceVersion": number.to_string(),
            "labels": {"app": "web", "pod-template-hash": owner},
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": "1"},
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner,
                 "controller": true},
            ],
        },
        "spec": {
            "nodeName": format!("node-{}", number % 7),
            "containers": [{"name": "main", "image": "registry.example.com/shop/web:1.4.2",
                            "terminationMessagePath": "/dev/termination-log"}],
        },
        "status": {"phase": "Running", "podIP": format!("10.1.2.{}", number % 250)},
    })
}

/// S-09: header, labels and owner equal those of the decoded object.
#[test]
fn s09_headers_labels_and_owner_are_read_without_decoding() {
    let storage = Packed::new();
    let mut object = pod(7);
    object["spec"]["containers"] = "no list: this Pod does not decode".into();
    let packed: Arc<PackedObject<Pod>> = pack(&storage, &object);
    assert_eq!(packed.key().to_string(), "ns/web-1-00007");
    assert_eq!(packed.resource_version().to_string(), "7");
    assert!(packed.uid().is_some());
    let labels: Vec<_> = packed.labels().collect();
    assert_eq!(labels, [("app", "web"), ("pod-template-hash", "web-1")]);
    assert_eq!(
        (packed.label("app"), packed.label("ap")),
        (Some("web"), None)
    );
    let owner = packed.controller().unwrap();
    assert_eq!((&*owner.kind, &*owner.name), ("ReplicaSet", "web-1"));
    assert_eq!(storage.shared.decoded.len(), 0);
    let debug = format!("{packed:?}");
    assert!(
        debug.contains("web-1-00007") && !debug.contains("no list"),
        "{debug}"
    );
}

/// S-09: one storage holds both encodings, each with its own dictionary.
#[test]
fn s09_objects_in_protobuf_stay_in_it_and_are_read_like_those_in_json() {
    let storage = Packed::new();
    let mut held = Vec::new();
    for number in 0..200 {
        let mut object = pod(number);
        object["kind"] = "Pod".into();
        object["apiVersion"] = "v1".into();
        let bytes = informer_protobuf::encode(&object).unwrap();
        let object: Value = informer_protobuf::from_slice(&bytes).unwrap();
        let raws = [
            RawObject::from_value(&object).unwrap(),
            RawObject::protobuf(bytes).unwrap(),
        ];
        let packed = raws.each_ref().map(|raw| {
            let packed = Arc::new(Storage::<Pod>::make(&storage, raw, None).unwrap());
            let back = packed.to_raw().unwrap();
            assert_eq!(
                (back.encoding(), back.bytes()),
                (raw.encoding(), raw.bytes())
            );
            packed
        });
        let [json, protobuf] = &packed;
        assert_eq!(json.key(), protobuf.key());
        assert!(json.labels().eq(protobuf.labels()));
        assert_eq!(json.controller(), protobuf.controller());
        assert_eq!(json.decode().unwrap(), protobuf.decode().unwrap());
        let path = "spec.nodeName".parse().unwrap();
        assert_eq!(
            json.values_at(&path).unwrap(),
            protobuf.values_at(&path).unwrap()
        );
        held.push(packed);
    }
    assert_eq!(storage.memory().dictionaries, 2);
    let last = held.last().unwrap();
    let [json, protobuf] = last.each_ref().map(|packed| packed.packed_bytes());
    assert!(json.max(protobuf) < 150, "{protobuf} and {json}");
}

/// I-15: a decoding error names the object, its version and the path, and is not cached.
#[test]
fn i15_a_failed_decode_is_an_error_of_that_call() {
    let storage = Packed::new();
    let mut object = pod(7);
    object["spec"]["containers"][0]["ports"] = json!([{"containerPort": "http"}]);
    let packed: Arc<PackedObject<Pod>> = pack(&storage, &object);
    for _ in 0..2 {
        let error = packed.decode().unwrap_err().to_string();
        assert!(
            error.starts_with(
                "ns/web-1-00007 at resourceVersion \"7\" does not decode: \
                 spec.containers[0].ports[0].containerPort: "
            ),
            "{error}"
        );
    }
    assert!(packed.to_raw().unwrap().decode::<DynamicObject>().is_ok());
}

/// Two fields of a Pod.
#[derive(Debug, Deserialize, PartialEq)]
struct Summary {
    spec: SummarySpec,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
struct SummarySpec {
    node_name: String,
    containers: Vec<Image>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Image {
    image: String,
}

/// I-15, S-09: an object in either encoding decodes into a type with fewer fields. This neither
/// shares nor replaces the value that readers of the whole object share.
#[test]
fn i15_an_object_decodes_into_a_smaller_type() {
    let storage = Packed::new();
    let mut object = pod(8);
    object["kind"] = "Pod".into();
    object["apiVersion"] = "v1".into();
    let bytes = informer_protobuf::encode(&object).unwrap();
    let raws = [
        RawObject::from_value(&object).unwrap(),
        RawObject::protobuf(bytes).unwrap(),
    ];
    for raw in raws {
        let packed = Arc::new(Storage::<Pod>::make(&storage, &raw, None).unwrap());
        let whole = packed.decode().unwrap();
        let summary: Summary = packed.decode_as().unwrap();
        assert_eq!(summary.spec.node_name, "node-1");
        let images: Vec<_> = summary.spec.containers.iter().map(|c| &c.image).collect();
        assert_eq!(images, ["registry.example.com/shop/web:1.4.2"]);
        assert!(Arc::ptr_eq(&whole, &packed.decode().unwrap()));
        let map: kube::core::PartialObjectMeta<Pod> = packed.decode_as().unwrap();
        assert_eq!(map.metadata.name, whole.metadata.name);
    }
    let metrics = Storage::<Pod>::metrics(&storage);
    assert_eq!(metrics.decoded_objects, Some(2 * 3));
}

/// I-15, E-15: the errors of another type name the object, its version and the path.
#[test]
fn i15_a_failed_decode_into_a_smaller_type_is_an_error() {
    let storage = Packed::new();
    let mut object = pod(7);
    object["spec"]["containers"][0] = json!({"name": "main"});
    let packed: Arc<PackedObject<Pod>> = pack(&storage, &object);
    let error = packed.decode_as::<Summary>().unwrap_err().to_string();
    assert_eq!(
        error,
        "ns/web-1-00007 at resourceVersion \"7\" does not decode: spec.containers[0]: \
         missing field `image`"
    );
    let object = json!({"metadata": {"name": "panics", "resourceVersion": "3"}});
    let packed: Arc<PackedObject<ConfigMap>> = pack(&storage, &object);
    assert!(packed.decode().is_ok());
    assert_eq!(
        packed.decode_as::<Counted>().unwrap_err().to_string(),
        "panics at resourceVersion \"3\": decoding panicked"
    );
}

/// A `ConfigMap` that counts its decodings, and panics if its name is "panics".
#[derive(Debug)]
struct Counted(ConfigMap);

static DECODED: AtomicUsize = AtomicUsize::new(0);

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = ConfigMap::deserialize(deserializer)?;
        let name = object.metadata.name.as_deref();
        if name == Some("counted") {
            DECODED.fetch_add(1, Ordering::SeqCst);
            // Gives the other threads time to request the value too.
            thread::yield_now();
        }
        assert_ne!(name, Some("panics"));
        Ok(Self(object))
    }
}

crate::tests::resource_of_newtype!(Counted(ConfigMap));

/// I-15: sequential and concurrent callers share one decoded value.
#[test]
fn i15_a_decoded_value_is_shared_while_anyone_holds_it() {
    let storage = Packed::new();
    let object = json!({"metadata": {"namespace": "ns", "name": "counted"}});
    let packed: Arc<PackedObject<Counted>> = pack(&storage, &object);
    let first = packed.decode().unwrap();
    assert!(Arc::ptr_eq(&first, &packed.clone().decode().unwrap()));
    assert_eq!(DECODED.load(Ordering::SeqCst), 1);
    drop(first);
    for round in 2..200 {
        let together = thread::scope(|scope| {
            let decode = || scope.spawn(|| packed.decode().unwrap());
            let threads: Vec<_> = std::iter::repeat_with(decode).take(4).collect();
            let values = threads.into_iter().map(|thread| thread.join().unwrap());
            values.collect::<Vec<_>>()
        });
        assert!(
            together
                .iter()
                .all(|value| Arc::ptr_eq(value, &together[0]))
        );
        assert_eq!(DECODED.load(Ordering::SeqCst), round, "one decode a round");
    }
}

/// I-15, E-15: a panic in the type's `Deserialize` is an error for the reader.
#[test]
fn i15_a_panic_while_decoding_is_an_error_of_that_call() {
    let storage = Packed::new();
    let object = json!({"metadata": {"name": "panics", "resourceVersion": "3"}});
    let packed: Arc<PackedObject<Counted>> = pack(&storage, &object);
    for _ in 0..2 {
        assert_eq!(
            packed.decode().unwrap_err().to_string(),
            "panics at resourceVersion \"3\": decoding panicked"
        );
    }
}

/// I-15: a decoded value is freed with its last reader, including its allocation.
#[test]
fn i15_decoded_values_are_freed() {
    let storage = Packed::new();
    let packed: Vec<Arc<PackedObject<Pod>>> = (0..500).map(|n| pack(&storage, &pod(n))).collect();
    let held: Vec<_> = packed
        .iter()
        .take(50)
        .map(|object| object.decode().unwrap())
        .collect();
    for object in &packed {
        drop(object.decode().unwrap());
    }
    let listed = || storage.shared.decoded.len();
    assert!(listed() <= 2 * held.len(), "{} are listed", listed());
    assert!(Arc::ptr_eq(&held[49], &packed[49].decode().unwrap()));
    drop(held);
    // New arrivals sweep too, so freeing does not depend on further decodings.
    for number in 0..60 {
        let _arrived: Arc<PackedObject<Pod>> = pack(&storage, &pod(number));
    }
    assert_eq!(listed(), 0);
}

/// I-14: a dictionary shrinks objects, preserves their bytes, and owners are shared.
#[test]
fn i14_a_dictionary_makes_objects_small_and_keeps_them_as_they_were() {
    let storage = Packed::new();
    let packed: Vec<Arc<PackedObject<Pod>>> = (0..1000).map(|n| pack(&storage, &pod(n))).collect();
    let memory = storage.memory();
    assert_eq!((memory.objects, memory.dictionaries), (1000, 1));
    assert_eq!(memory.sample_bytes, 0);
    let (first, last) = (packed[0].packed_bytes(), packed[999].packed_bytes());
    assert!(
        last * 3 < first,
        "{last} bytes with the dictionary, {first} without"
    );
    for (number, packed) in packed.iter().enumerate() {
        let bytes = packed.to_raw().unwrap().bytes().clone();
        assert_eq!(bytes, serde_json::to_vec(&pod(number)).unwrap());
    }
    let owner = |number: usize| std::ptr::from_ref(packed[number].controller().unwrap());
    assert_eq!(owner(500), owner(504), "same ReplicaSet");
    assert_ne!(owner(500), owner(505));
}

/// I-14: similar objects cost one dictionary of verbatim objects.
#[test]
fn i14_similar_objects_need_one_dictionary_and_no_training() {
    let storage = Packed::new();
    let packed: Vec<Arc<PackedObject<Pod>>> = (0..5000).map(|n| pack(&storage, &pod(n))).collect();
    let memory = storage.memory();
    assert_eq!((memory.dictionaries, memory.sample_bytes), (1, 0));
    // The dictionary contains the first objects, so packing one of them again is little more than a
    // reference.
    let again: Arc<PackedObject<Pod>> = pack(&storage, &pod(15));
    let (bytes, other) = (again.packed_bytes(), packed[4999].packed_bytes());
    assert!(
        bytes < 64 && bytes < other,
        "{bytes}, another object {other}"
    );
}

/// Returns an object of random numbers, similar neither to Pods nor to other such objects.
fn noise(number: usize) -> Value {
    let mut random = fastrand::Rng::with_seed(number as u64);
    let lines = (0..20).map(|line| (format!("line-{line}"), random.u64(..).to_string()));
    let data: serde_json::Map<_, _> = lines.map(|(key, value)| (key, value.into())).collect();
    json!({"metadata": {"namespace": "ns", "name": format!("noise-{number}")}, "data": data})
}

/// I-14: a dictionary that no longer fits is replaced; objects packed with it keep it alive.
#[test]
fn i14_objects_outlive_the_dictionary_that_the_others_use() {
    let storage = Packed::new();
    let pods: Vec<Arc<PackedObject<DynamicObject>>> =
        (0..2400).map(|n| pack(&storage, &pod(n))).collect();
    assert_eq!(storage.memory().dictionaries, 1, "made of the first Pods");
    let mut noises: Vec<Arc<PackedObject<DynamicObject>>> =
        (0..3500).map(|n| pack(&storage, &noise(n))).collect();
    assert_eq!(storage.memory().dictionaries, 2, "both are in use");
    for (number, packed) in pods.iter().enumerate().step_by(97) {
        let bytes = packed.to_raw().unwrap().bytes().clone();
        assert_eq!(bytes, serde_json::to_vec(&pod(number)).unwrap());
    }
    drop(pods);
    // The first of these objects were packed with the first dictionary.
    noises.drain(..2500);
    assert_eq!(
        storage.memory().dictionaries,
        1,
        "no object needs the first dictionary"
    );
    let last = noises[999].to_raw().unwrap().bytes().clone();
    assert_eq!(last, serde_json::to_vec(&noise(3499)).unwrap());
}

/// Returns one of many objects of each owner. They are similar to each other, and to nothing else.
fn owned(owner: usize, number: usize) -> Value {
    let mut object = noise(owner);
    let uid = format!("{owner:08x}-0000-4000-8000-000000000000");
    object["metadata"]["name"] = format!("owned-{owner}-{number}").into();
    object["metadata"]["ownerReferences"] = json!([
        {"apiVersion": "example.com/v1", "kind": "Noise", "name": "noise", "uid": uid,
         "controller": true},
    ]);
    object
}

/// I-14: objects of an owner that no dictionary fits are stored as differences to one of them.
#[test]
fn i14_objects_of_an_owner_are_stored_as_differences() {
    const OWNERS: usize = 400;
    let storage = Packed::new();
    let pack_all = |number: usize| -> Vec<Arc<PackedObject<DynamicObject>>> {
        (0..OWNERS)
            .map(|owner| pack(&storage, &owned(owner, number)))
            .collect()
    };
    let (first, second) = (pack_all(0), pack_all(1));
    let bytes = |objects: &[Arc<PackedObject<DynamicObject>>]| -> usize {
        objects.iter().map(|packed| packed.packed_bytes()).sum()
    };
    let (alone, differences) = (bytes(&first), bytes(&second));
    assert!(
        differences * 4 < alone,
        "{differences} bytes, alone {alone}"
    );
    assert_eq!(storage.memory().packed_bytes, alone + differences);

    // A difference keeps what it refers to.
    drop(first);
    for (owner, packed) in second.iter().enumerate() {
        let bytes = packed.to_raw().unwrap().bytes().clone();
        assert_eq!(bytes, serde_json::to_vec(&owned(owner, 1)).unwrap());
    }
    assert!(storage.memory().packed_bytes > differences);
    drop(second);
    assert_eq!(storage.memory().packed_bytes, 0);
}

/// I-14: when the objects of an owner change completely, the next ones are stored as differences to
/// one of the new ones.
#[test]
fn i14_a_template_that_no_longer_fits_is_replaced() {
    let storage = Packed::new();
    // The first objects become the dictionary.
    let _others: Vec<Arc<PackedObject<Pod>>> = (0..20).map(|n| pack(&storage, &pod(n))).collect();
    let rollout = |content: usize| -> Vec<usize> {
        let mut object = owned(7, content);
        object["data"] = noise(content)["data"].clone();
        let mut sizes = Vec::new();
        for number in 0..20 {
            object["metadata"]["resourceVersion"] = number.to_string().into();
            let packed: Arc<PackedObject<DynamicObject>> = pack(&storage, &object);
            let bytes = packed.to_raw().unwrap().bytes().clone();
            assert_eq!(bytes, serde_json::to_vec(&object).unwrap());
            sizes.push(packed.packed_bytes());
        }
        sizes
    };
    let _kept: Arc<PackedObject<DynamicObject>> = pack(&storage, &owned(7, 0));
    for content in [1, 2] {
        let sizes = rollout(content);
        assert!(sizes[19] * 4 < sizes[0], "{content}: {sizes:?}");
    }
}

/// I-14: the object that becomes a template is not unpacked for the next one.
#[test]
fn i14_a_new_template_is_kept_unpacked() {
    let storage = Packed::new();
    // The first objects become the dictionary.
    let _others: Vec<Arc<PackedObject<Pod>>> = (0..20).map(|n| pack(&storage, &pod(n))).collect();
    assert_eq!(storage.shared.json.sample_bytes(), 0);
    let template: Arc<PackedObject<DynamicObject>> = pack(&storage, &owned(7, 0));
    let unpacked = template.to_raw().unwrap().bytes().len();
    assert_eq!(storage.shared.json.sample_bytes(), unpacked);
}

/// I-15: bytes are counted while an object is held, and subtracted exactly.
#[test]
fn i15_memory_is_accounted_for() {
    let storage = Packed::new();
    let empty = storage.memory();
    assert_eq!(empty.total(), 0);
    let packed: Vec<Arc<PackedObject<Pod>>> = (0..300).map(|n| pack(&storage, &pod(n))).collect();
    let memory = storage.memory();
    let sum = packed.iter().map(|packed| packed.packed_bytes()).sum();
    assert_eq!((memory.objects, memory.packed_bytes), (300, sum));
    let unpacked: usize = (0..300).map(|n| pod(n).to_string().len()).sum();
    assert_eq!(memory.unpacked_bytes, unpacked);
    assert_eq!(memory.header_bytes, 300 * 168);
    assert!(memory.interned_bytes > 0 && memory.interned_bytes < 60 * 1000);
    assert!(memory.dictionary_bytes > 0);
    let clone = packed[0].clone();
    drop(packed);
    let memory = storage.memory();
    assert_eq!(
        (memory.objects, memory.packed_bytes),
        (1, clone.packed_bytes())
    );
    drop(clone);
    let memory = storage.memory();
    assert_eq!(
        (
            memory.objects,
            memory.packed_bytes,
            memory.unpacked_bytes,
            memory.header_bytes
        ),
        (0, 0, 0, 0)
    );
    assert_eq!(memory.interned_bytes, 0);
}

/// I-15: labels that change all the time leave no entries behind.
#[test]
fn i15_dead_names_take_no_memory() {
    let storage = Packed::new();
    for number in 0..20_000 {
        let labels = json!({"app": "web", "run": number.to_string()});
        let object = json!({"metadata": {"name": "a", "labels": labels}});
        let _replaced: Arc<PackedObject<ConfigMap>> = pack(&storage, &object);
    }
    assert_eq!(storage.memory().interned_bytes, 0);
    let names = &storage.shared.names;
    assert!(names.entries() < 1000, "{} entries", names.entries());
}

/// X-01, I-14: a transform gets the decoded type; its result is packed.
#[test]
fn x01_a_transformed_object_is_packed_as_it_became() {
    let shrink = Transform::new("shrink", |pod: &mut Pod| {
        pod.status = None;
        Ok(())
    });
    let raw = RawObject::from_value(&pod(3)).unwrap();
    let storage = Packed::new();
    assert!(!Storage::<Pod>::accepts(&storage, &shrink));
    let refused = storage.make(&raw, Some(&shrink)).unwrap_err();
    assert!(refused.to_string().ends_with("transform `shrink` failed"));
    let shrink = shrink.serializable();
    assert!(Storage::<Pod>::accepts(&storage, &shrink));
    let packed = Arc::new(Storage::<Pod>::make(&storage, &raw, Some(&shrink)).unwrap());
    let typed = Typed.make(&raw, Some(&shrink)).unwrap();
    assert_eq!(*packed.decode().unwrap(), typed);
    assert_eq!(packed.decode().unwrap().status, None);
    assert_eq!(packed.label("app"), Some("web"));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a-c]{200,400}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map("[a-e]{1,3}", inner, 0..5).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

proptest! {
    /// I-14: generated objects are equal in both storages, with and without a dictionary.
    #[test]
    fn i14_generated_objects_are_equal_in_both_storages(
        specs in vec(value(), 1..4),
        labels in btree_map("[a-z./]{1,9}", "[a-zA-Z\u{e9}\"]{0,9}", 0..5),
        repeat in 1..100_usize,
    ) {
        let storage = Packed::new();
        let metadata = json!({"name": "n", "labels": labels});
        let objects = specs.iter().map(|spec| {
            json!({"apiVersion": "v1", "kind": "Foo", "metadata": metadata, "spec": spec})
        });
        let objects: Vec<Value> = objects.collect();
        for object in objects.iter().cycle().take(objects.len() * repeat) {
            let raw = RawObject::from_value(object).unwrap();
            let packed = Arc::new(Storage::<DynamicObject>::make(&storage, &raw, None).unwrap());
            let typed: DynamicObject = Typed.make(&raw, None).unwrap();
            prop_assert_eq!(&*packed.decode().unwrap(), &typed);
            for key in labels.keys() {
                let label = <Typed as Storage<DynamicObject>>::label(&typed, key);
                prop_assert_eq!(packed.label(key), label);
            }
            prop_assert_eq!(packed.labels().len(), labels.len());
        }
    }
}
