//! One suite for both storages: objects held decoded, and objects held packed.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::core::DynamicObject;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::support::{Running, broken, config, source_with, value};
use crate::event::Event;
use crate::lister::GetError;
use crate::object::{ObjectKey, Selector};
use crate::private::Definition;
use crate::shared_informer::{ConfigError, SharedInformer};
use crate::source::FakeControllerSource;
use crate::storage::{Packed, PackedObject, PathStorage, Storage, Tiered, Transform, Typed};
use crate::wire::DropFields;

fn print<S: Storage<ConfigMap>>(object: &Arc<S::Object>) -> String {
    let object = S::decode(object).unwrap();
    format!("{}={}", ObjectKey::of(&*object), value(&object))
}

/// Returns the observable behaviour of a storage as text: lists, namespaces, selectors, indices and
/// handlers.
async fn life<S: PathStorage<ConfigMap> + Default>() -> Vec<String> {
    let join = |objects: Vec<Arc<S::Object>>| {
        let printed: Vec<String> = objects.iter().map(print::<S>).collect();
        printed.join(" ")
    };
    let source = source_with(&["b", "a"]);
    let informer = SharedInformer::<ConfigMap, S>::builder(source.clone())
        .build()
        .unwrap();
    let index = informer
        .add_index("value", |object: &ConfigMap| [value(object)])
        .unwrap();
    let paths = ["data.value", "metadata.labels['value']"].map(|path| {
        let path = path.parse().unwrap();
        informer.add_path_index(path).unwrap()
    });
    let (sender, mut events) = tokio::sync::mpsc::channel(64);
    let handler = move |event: Event<S::Object>| {
        let old = match &event {
            Event::Updated(updated) => print::<S>(&updated.old),
            Event::Added(_) | Event::Deleted(_) => String::new(),
        };
        let text = format!("{} {old}>{}", event.origin(), print::<S>(event.object()));
        sender.try_send(text).unwrap();
    };
    let registration = informer.add_event_handler(handler).unwrap();
    let running = Running::synced(&informer).await;
    registration.wait_for_sync().await.unwrap();
    source.modify(&config("a", "2")).unwrap();
    source.add(&config("c", "2")).unwrap();
    source.delete(&config("b", "1")).unwrap();
    let mut seen = Vec::new();
    for _ in 0..5 {
        seen.push(events.recv().await.unwrap());
    }
    let lister = informer.lister();
    let select = |text: &str| lister.list(&text.parse::<Selector>().unwrap());
    seen.extend([
        join(lister.list(&Selector::everything())),
        join(lister.list(&Selector::nothing())),
        join(select("value=2")),
        join(select("value notin (2),other")),
        join(select("!other,value")),
        join(
            lister
                .namespace("ns")
                .list(&"value in (2,3)".parse().unwrap()),
        ),
        join(lister.namespace("other").list(&Selector::everything())),
        join(index.get("2")),
        join(lister.by_index("value", "1").unwrap()),
        join(lister.namespace("ns").get("a").into_iter().collect()),
    ]);
    for path in &paths {
        seen.push(format!("{}: {}", path.name(), join(path.get("2"))));
        seen.push(path.values().join(" "));
    }
    running.stop().await;
    seen
}

/// I-14, I-15, S-09: all storages behave the same.
#[tokio::test(start_paused = true)]
async fn i14_packed_and_tiered_show_what_typed_shows() {
    let typed = life::<Typed>().await;
    assert_eq!(typed, life::<Packed>().await);
    assert_eq!(typed, life::<Tiered>().await);
    assert_eq!(
        typed[5..],
        [
            "ns/a=2 ns/c=2",
            "",
            "ns/a=2 ns/c=2",
            "",
            "ns/a=2 ns/c=2",
            "ns/a=2 ns/c=2",
            "",
            "ns/a=2 ns/c=2",
            "",
            "ns/a=2",
            "data.value: ns/a=2 ns/c=2",
            "2",
            "metadata.labels['value']: ns/a=2 ns/c=2",
            "2",
        ]
    );
}

/// Creates a source of Pods for path indices.
fn pods() -> FakeControllerSource {
    let source = FakeControllerSource::new();
    let container =
        |name: &str, port: u16| json!({"name": name, "ports": [{"containerPort": port}]});
    for (name, node, containers) in [
        (
            "a",
            json!("n1"),
            json!([container("web", 80), container("log", 9000)]),
        ),
        ("b", json!(null), json!([container("web", 80)])),
        ("c", json!("n1"), json!([])),
    ] {
        let spec = json!({"nodeName": node, "containers": containers, "hostNetwork": true});
        let metadata = json!({"namespace": "ns", "name": name});
        source
            .add(&json!({"metadata": metadata, "spec": spec}))
            .unwrap();
    }
    source
}

/// Returns indices over paths as text: their name, their values, and the names that one value has.
async fn indices<S: PathStorage<Pod> + Default>() -> Vec<String> {
    let informer = SharedInformer::<Pod, S>::builder(pods()).build().unwrap();
    let running = Running::synced(&informer).await;
    let paths = [
        ("spec.nodeName", "n1"),
        ("spec.containers[*].name", "web"),
        ("spec.containers[*].ports[*].containerPort", "80"),
        ("spec.hostNetwork", "true"),
        ("spec.missing.field", ""),
        ("metadata.name", "b"),
    ];
    let mut found = Vec::new();
    for (path, value) in paths {
        let index = informer.add_path_index(path.parse().unwrap()).unwrap();
        let again = informer.add_path_index(path.parse().unwrap());
        assert!(again.is_err(), "the name is taken");
        let (name, values, keys) = (index.name(), index.values().join(" "), index.keys(value));
        let keys: Vec<&str> = keys.iter().map(ObjectKey::name).collect();
        found.push(format!("{name}: {values} | {}", keys.join(" ")));
    }
    let object = informer.add_path_index("spec".parse().unwrap()).unwrap();
    assert!(object.values().is_empty());
    let failures = informer.snapshot();
    let failures = failures.index_failures("spec").unwrap();
    assert_eq!(failures.len(), 3);
    assert_eq!(
        failures.latest()[0].cause.to_string(),
        "`spec`: the path ends at an object, not at a scalar"
    );
    running.stop().await;
    found
}

/// I-14, I-15: paths yield the same values, through arrays and for all types of scalars.
#[tokio::test(start_paused = true)]
async fn i14_indices_over_paths_are_equal() {
    let typed = indices::<Typed>().await;
    assert_eq!(typed, indices::<Packed>().await);
    assert_eq!(
        typed,
        [
            "spec.nodeName: n1 | a c",
            "spec.containers.name: log web | a b",
            "spec.containers.ports.containerPort: 80 9000 | a b",
            "spec.hostNetwork: true | a b c",
            "spec.missing.field:  | ",
            "metadata.name: a b c | b",
        ]
    );
}

/// Fields of a Pod that an index reads.
#[derive(Deserialize)]
struct Few {
    metadata: FewMetadata,
    spec: FewSpec,
}

#[derive(Deserialize)]
struct FewMetadata {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FewSpec {
    node_name: String,
}

/// I-15, I-06: an index by a function of few fields does not decode the whole object. The function
/// that fails for an object leaves it out of this index only.
#[tokio::test(start_paused = true)]
async fn i15_an_index_decodes_few_fields() {
    let informer = SharedInformer::<Pod, Packed>::builder(pods())
        .build()
        .unwrap();
    let index = informer
        .add_index_as("place", |pod: &Few| {
            [format!("{} on {}", pod.metadata.name, pod.spec.node_name)]
        })
        .unwrap();
    let running = Running::synced(&informer).await;
    assert_eq!(index.values(), ["a on n1", "c on n1"]);
    assert_eq!(index.keys("a on n1"), [ObjectKey::namespaced("ns", "a")]);
    let snapshot = informer.snapshot();
    let failures = snapshot.index_failures("place").unwrap();
    let failed = failures.latest()[0].cause.to_string();
    assert!(failed.starts_with("ns/b"), "{failed}");
    assert!(failed.contains("spec.nodeName"), "{failed}");
    let again = informer.add_index_as("place", |_: &Few| [""; 0].map(str::to_owned));
    assert!(again.is_err());
    let decoded = informer.metrics().decoded_objects;
    assert_eq!(decoded, 3, "the few fields of each object");
    running.stop().await;
}

/// I-15, S-09: neither arrival, nor lists with selectors, nor indices over paths or owners decode.
#[tokio::test(start_paused = true)]
async fn i15_nothing_is_decoded_unless_somebody_asks() {
    let source = pods();
    let owner = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "u",
        "controller": true}]);
    let metadata = json!({"namespace": "ns", "name": "d", "ownerReferences": owner,
        "labels": {"app": "web"}});
    source.add(&json!({"metadata": metadata})).unwrap();
    let informer = SharedInformer::<Pod, Packed>::builder(source.clone())
        .build()
        .unwrap();
    let by_node = informer
        .add_path_index("spec.nodeName".parse().unwrap())
        .unwrap();
    let by_owner = informer
        .indexer()
        .add_index("owner", |object: &PackedObject<Pod>| {
            let owner = object.controller();
            Ok(owner.map(|owner| owner.name.clone()).into_iter().collect())
        })
        .unwrap();
    let running = Running::synced(&informer).await;
    assert_eq!(by_node.get("n1").len(), 2);
    assert_eq!(by_owner.get("rs").len(), 1);
    let web = informer.lister().list(&"app=web".parse().unwrap());
    assert_eq!(web.len(), 1);
    assert_eq!(web[0].key(), &ObjectKey::namespaced("ns", "d"));
    assert_eq!(informer.metrics().decoded_objects, 0);
    web[0].decode().unwrap();
    assert_eq!(informer.metrics().decoded_objects, 1);
    running.stop().await;
}

/// A [`ConfigMap`] that counts its decodings on this thread.
#[derive(Debug)]
struct Counted(ConfigMap);

thread_local! {
    static DECODED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DECODED.set(DECODED.get() + 1);
        ConfigMap::deserialize(deserializer).map(Self)
    }
}

crate::tests::resource_of_newtype!(Counted(ConfigMap));

/// I-15: the first of several function indices decodes a version for all of them. Without such an
/// index, nothing is decoded, nor for a generated index over a path. The metrics agree.
#[tokio::test(start_paused = true)]
async fn i15_function_indices_decode_a_version_once_for_all() {
    for (indices, first, then) in [(0, 0, 0), (1, 2, 3), (3, 2, 3)] {
        DECODED.set(0);
        let source = source_with(&["a", "b"]);
        let informer = SharedInformer::<Counted, Packed>::builder(source.clone())
            .build()
            .unwrap();
        let added: Vec<_> = (0..indices)
            .map(|number| {
                // One index fails; the next one still reuses the decoded object.
                let values = move |object: &Counted| {
                    if number == 1 {
                        return Err("never".into());
                    }
                    Ok(vec![value(&object.0)])
                };
                informer.try_add_index(number.to_string(), values).unwrap()
            })
            .collect();
        let values = |object: &Counted| vec![value(&object.0)];
        let by_path = Definition::json("data.value", values);
        let by_path = by_path.add::<Packed>(informer.indexer());
        let running = Running::synced(&informer).await;
        let counts = || (DECODED.get(), informer.metrics().decoded_objects);
        assert_eq!(counts(), (first, first), "{indices} indices");
        source.modify(&config("a", "2")).unwrap();
        informer
            .indexer()
            .wait_for_in("", &"3".into())
            .await
            .unwrap();
        assert_eq!((by_path.get("1").len(), by_path.get("2").len()), (1, 1));
        assert_eq!(counts(), (then, then), "{indices} indices");
        if let [one, failing, other] = &added[..] {
            assert_eq!((one.get("2").len(), other.get("2").len()), (1, 1));
            assert_eq!(failing.get("2").len(), 0);
        }
        // No index holds the decoded objects any more, so a reader decodes again, once per handle.
        let held = informer.lister().namespace("ns").get("a").unwrap();
        let (object, same) = (held.decode().unwrap(), held.decode().unwrap());
        assert!(std::sync::Arc::ptr_eq(&object, &same));
        assert_eq!(counts(), (then + 1, then + 1), "{indices} indices");
        running.stop().await;
    }
}

/// O-01: a transform needs a decoding, which is counted; memory is measured.
#[tokio::test(start_paused = true)]
async fn o01_packed_storage_measures_decodings_and_memory() {
    let source = source_with(&["a", "b"]);
    let transform = Transform::new("keep", |_: &mut ConfigMap| Ok(())).serializable();
    let informer = SharedInformer::<ConfigMap, Packed>::builder(source.clone())
        .transform(transform)
        .build()
        .unwrap();
    let running = Running::synced(&informer).await;
    let metrics = informer.metrics();
    assert_eq!(metrics.decoded_objects, 2);
    let memory = metrics.packed.unwrap();
    assert_eq!((memory, memory.objects), (informer.storage().memory(), 2));
    running.stop().await;

    let typed = SharedInformer::<ConfigMap>::builder(source)
        .build()
        .unwrap();
    assert_eq!(typed.metrics().packed, None);
}

/// I-14: a packed object that cannot be decoded fails on decoding, and is missing from indices.
#[tokio::test(start_paused = true)]
async fn i14_what_does_not_decode_shows_when_it_is_decoded() {
    let source = source_with(&["a"]);
    source.add(&broken("b")).unwrap();
    let informer = SharedInformer::<ConfigMap, Packed>::builder(source)
        .build()
        .unwrap();
    let index = informer
        .add_index("value", |object: &ConfigMap| [value(object)])
        .unwrap();
    let running = Running::synced(&informer).await;
    assert_eq!(index.values(), ["1"]);
    assert_eq!(
        informer.snapshot().index_failures("value").unwrap().len(),
        1
    );
    let packed = informer.lister().namespace("ns").try_get("b").unwrap();
    let error = packed.decode().unwrap_err().to_string();
    assert!(
        error.starts_with("ns/b at resourceVersion \"2\" does not decode: data: "),
        "{error}"
    );
    running.stop().await;
}

/// I-15: objects that leave the cache leave the memory metrics.
#[tokio::test(start_paused = true)]
async fn i15_an_informer_says_how_many_bytes_it_holds() {
    let source = source_with(&["a", "b", "c"]);
    let informer = SharedInformer::<ConfigMap, Packed>::builder(source.clone())
        .build()
        .unwrap();
    let running = Running::synced(&informer).await;
    let three = informer.storage().memory();
    assert_eq!(three.objects, 3);
    source.delete(&config("a", "1")).unwrap();
    source.modify(&config("b", "2")).unwrap();
    let reached = source.resource_version();
    informer.indexer().wait_for_in("", &reached).await.unwrap();
    // The previous snapshot's objects are dropped after the new snapshot is published.
    for _ in 0..10_000 {
        if informer.storage().memory().objects == 2 {
            break;
        }
        tokio::task::yield_now().await;
    }
    let two = informer.storage().memory();
    assert_eq!(two.objects, 2);
    assert!(two.packed_bytes < three.packed_bytes);
    assert!(two.header_bytes < three.header_bytes);
    running.stop().await;
}

/// Returns the cached objects and the errors of undecodable ones.
async fn list_transformed<S: Storage<ConfigMap> + Default>(
    transform: Transform<ConfigMap>,
) -> Vec<String> {
    let source = source_with(&["a"]);
    source.add(&config("bad", "fails")).unwrap();
    let builder = SharedInformer::<ConfigMap, S>::builder(source);
    let informer = builder.transform(transform).build().unwrap();
    let running = Running::synced(&informer).await;
    let objects = informer.lister().list(&Selector::everything());
    let mut seen: Vec<String> = objects.iter().map(print::<S>).collect();
    let undecodable = informer.status().undecodable;
    seen.extend(undecodable.iter().map(|object| object.error.to_string()));
    running.stop().await;
    seen
}

/// packed storage needs a serializable transform, and `build` fails otherwise.
#[tokio::test(start_paused = true)]
async fn x01_transforms_are_the_same_in_both_storages() {
    let shout = || {
        Transform::new("shout", |object: &mut ConfigMap| {
            if value(object) == "fails" {
                return Err("function failed".into());
            }
            for text in object.data.iter_mut().flatten() {
                text.1.push('!');
            }
            Ok(())
        })
    };
    let builder = || SharedInformer::<ConfigMap, Packed>::builder(source_with(&[]));
    let error = builder().transform(shout()).build().unwrap_err();
    assert_eq!(error, ConfigError::TransformNotAccepted("shout".into()));

    let typed = list_transformed::<Typed>(shout()).await;
    assert_eq!(
        typed,
        list_transformed::<Packed>(shout().serializable()).await
    );
    assert_eq!(
        typed,
        [
            "ns/a=1!",
            "ns/bad at resourceVersion \"2\": transform `shout` failed"
        ]
    );
}

/// Returns the Pods without these fields, after a transform.
async fn list_without<S: Storage<DynamicObject> + Default>(
    drop: &[&str],
    transform: Option<Transform<DynamicObject>>,
) -> Vec<Value> {
    let resource = crate::object::ResourceInfo::of::<Pod>(&()).unwrap();
    let mut builder = SharedInformer::<DynamicObject, S>::builder(pods())
        .resource(resource)
        .drop_fields(DropFields::new(drop).unwrap());
    if let Some(transform) = transform {
        builder = builder.transform(transform);
    }
    let informer = builder.build().unwrap();
    let running = Running::synced(&informer).await;
    let objects = informer.lister().list(&Selector::everything());
    let values = objects.iter().map(|object| {
        let object = S::decode(object).unwrap();
        serde_json::to_value(&*object).unwrap()
    });
    let values = values.collect();
    running.stop().await;
    values
}

/// in both storages, dropping a field equals removing it by a transform.
#[tokio::test(start_paused = true)]
async fn x06_dropped_fields_are_as_if_removed_by_a_transform() {
    let remove = Transform::new("remove", |object: &mut DynamicObject| {
        let spec = object.data["spec"].as_object_mut().unwrap();
        spec.remove("hostNetwork");
        for container in spec["containers"].as_array_mut().unwrap() {
            container.as_object_mut().unwrap().remove("ports");
        }
        Ok(())
    });
    let paths = ["spec.containers[*].ports", "spec.hostNetwork"];
    let removed = list_without::<Typed>(&[], Some(remove)).await;
    assert_eq!(list_without::<Typed>(&paths, None).await, removed);
    assert_eq!(list_without::<Packed>(&paths, None).await, removed);
    assert_eq!(removed[0]["spec"]["containers"][1], json!({"name": "log"}));
}

/// fields are cut before the transform and before decoding.
#[tokio::test(start_paused = true)]
async fn x06_dropped_fields_are_never_decoded() {
    let source = source_with(&["a"]);
    source.add(&broken("b")).unwrap();
    let drop = DropFields::new(["data"]).unwrap();
    let mark = Transform::new("mark", |object: &mut ConfigMap| {
        assert_eq!(object.data, None);
        Ok(())
    });
    let informer = SharedInformer::<ConfigMap>::builder(source)
        .drop_fields(drop)
        .transform(mark)
        .build()
        .unwrap();
    let running = Running::synced(&informer).await;
    assert!(informer.status().undecodable.is_empty());
    assert_eq!(informer.lister().len(), 2);
    running.stop().await;
}

/// Type whose decoding panics for one value.
#[derive(Debug)]
struct Fragile(ConfigMap);

impl<'de> Deserialize<'de> for Fragile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = ConfigMap::deserialize(deserializer)?;
        assert_ne!(value(&object), "panics", "decoding panics on purpose");
        Ok(Self(object))
    }
}

crate::tests::resource_of_newtype!(Fragile(ConfigMap));

/// E-15, W-12: such an object does not fail the list, and is not retried. A list of 300 objects is
/// decoded by several tasks.
#[tokio::test(start_paused = true)]
async fn e15_a_panic_while_decoding_costs_its_object_only() {
    for others in [0, 300] {
        let source = source_with(&["a"]);
        let bad = source.add(&config("bad", "panics")).unwrap();
        for number in 0..others {
            source.add(&config(&format!("o{number}"), "1")).unwrap();
        }
        let informer = SharedInformer::<Fragile>::builder(source.clone())
            .build()
            .unwrap();
        let running = Running::synced(&informer).await;
        let lister = informer.lister().namespace("ns").into_owned();
        assert!(lister.try_get("a").is_ok());
        let error = lister.try_get("bad").unwrap_err();
        let GetError::Undecodable { error, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(
            error.to_string(),
            format!("ns/bad at resourceVersion \"{bad}\": decoding panicked")
        );
        source.modify(&config("a", "panics")).unwrap();
        source.add(&config("c", "1")).unwrap();
        let last = source.resource_version();
        informer.indexer().wait_for_in("", &last).await.unwrap();
        assert_eq!(informer.status().undecodable.len(), 2);
        assert_eq!(informer.lister().len(), others + 2);
        assert_eq!(informer.metrics().failures, 0);
        running.stop().await;
    }
}
