//! Protobuf on the wire: the same caches as from JSON, and JSON if a server supports nothing else.

use std::collections::{BTreeMap, BTreeSet};

use futures::TryStreamExt as _;
use informer::source::{Encoding, KubeListerWatcher, ListOptions, ListPart, ListerWatcher as _};
use informer::{
    GenericInformer, GroupVersionResource, ObjectKey, Packed, SharedInformerFactory, WatchListMode,
};
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Service};
use kube::Api;
use kube::api::{ApiResource, DynamicObject, PostParams};
use kube::core::{GroupVersionKind, TypeMeta};
use kube::discovery::{Discovery, Scope};
use serde_json::Value;

use super::resources::informers_of;
use super::{World, scenarios};
use crate::support::{difference, quick, sync, until_any_changed, within};

/// Each scenario selects its encodings itself.
const ENCODINGS: [Encoding; 1] = [Encoding::Protobuf];

/// Objects of nearly every kind, one per line, as a user would write them.
const OBJECTS: &str = include_str!("objects.jsonl");

/// Returns a factory of all namespaces, with an encoding.
fn factory(world: &World, encoding: Encoding) -> SharedInformerFactory {
    SharedInformerFactory::builder(world.client.clone())
        .config(quick())
        .encoding(encoding)
        .build()
        .unwrap()
}

/// Returns the keys and versions of each informer's objects, by the informers' names.
fn contents(informers: &[GenericInformer]) -> BTreeMap<String, Vec<String>> {
    let content = |informer: &GenericInformer| {
        let mut keys: Vec<String> = informer.keys().iter().map(ToString::to_string).collect();
        keys.sort_unstable();
        (informer.name().to_string(), keys)
    };
    informers.iter().map(content).collect()
}

scenarios! {
    /// W-23: every kind of the server is decoded from protobuf into its Rust type.
    #[tokio::test]
    async fn w23_every_built_in_kind_is_read_from_protobuf(world: World) {
        let [json, protobuf] = [Encoding::Json, Encoding::Protobuf].map(|encoding| factory(&world, encoding));
        let in_json = informers_of(&json).await;
        let in_protobuf = informers_of(&protobuf).await;
        create_every(&world).await;
        for factory in [&json, &protobuf] {
            sync(factory).await;
        }
        let mut encodings = Vec::new();
        for informer in &in_protobuf {
            let status = informer.status();
            assert!(status.undecodable.is_empty(), "{}: {status:?}", informer.name());
            assert_eq!(informer.metrics().rejected_objects, 0, "{}", informer.name());
            encodings.push(status.encoding.expect("an answer"));
        }
        for informer in &in_json {
            assert_eq!(informer.status().encoding, Some(Encoding::Json));
        }
        // A server supports protobuf for all of its own kinds or for none. The exceptions are the
        // kinds of extensions.
        let count = encodings.iter().filter(|encoding| **encoding == Encoding::Protobuf).count();
        assert!(count > 40, "{count} of {}", encodings.len());
        // Leases and events change concurrently. In the end both caches are equal.
        let all = in_json.iter().chain(&in_protobuf);
        until_any_changed("equal caches", all, || contents(&in_json) == contents(&in_protobuf)).await;
        for factory in [json, protobuf] {
            factory.shutdown().await;
        }
    }

    /// W-23: objects from users, and all objects that the server creates itself, as a source reads
    /// them.
    #[tokio::test]
    async fn w23_every_served_object_is_equal_in_both_encodings(world: World) {
        let informers = informers_of(&factory(&world, Encoding::Json)).await;
        let created = create_every(&world).await;
        let mut compared = BTreeSet::new();
        for informer in informers {
            let source = || KubeListerWatcher::new(world.client.clone(), informer.resource().clone());
            let in_json = listed(source().encoding(Encoding::Json)).await;
            let mut in_protobuf = listed(source().encoding(Encoding::Protobuf)).await;
            for (name, json) in in_json {
                // The embedded API server keeps objects as they were created, and does not convert
                // versions.
                if name.ends_with("every") && !created.contains(informer.name()) {
                    continue;
                }
                // Leases and events may have changed meanwhile.
                let Some(protobuf) = in_protobuf.remove(&name) else { continue };
                if json["metadata"]["resourceVersion"] != protobuf["metadata"]["resourceVersion"] {
                    continue;
                }
                let found = difference(&json, &protobuf);
                assert_eq!(found, None, "{} {name}", informer.name());
                compared.insert(informer.name().to_owned());
            }
        }
        let missed: Vec<_> = created.difference(&compared).collect();
        assert!(missed.is_empty(), "{missed:?}");
    }

    /// W-23: objects with much content, as a list and as events, in both initial list modes.
    #[tokio::test]
    async fn w23_objects_from_protobuf_equal_those_from_json(world: World) {
        create_laden(&world, "early").await;
        world.create("early", "1").await;
        for mode in [WatchListMode::Auto, WatchListMode::Never] {
            let name = format!("late-{mode:?}").to_lowercase();
            let factories = [Encoding::Json, Encoding::Protobuf].map(|encoding| {
                let builder = world.builder(quick().watch_list(mode));
                builder.encoding(encoding).build().unwrap()
            });
            let pods = factories.each_ref().map(SharedInformerFactory::informer::<Pod>);
            let services = factories.each_ref().map(SharedInformerFactory::informer::<Service>);
            let maps = factories.each_ref().map(SharedInformerFactory::informer::<ConfigMap>);
            for factory in &factories {
                sync(factory).await;
            }
            create_laden(&world, &name).await;
            world.create(&name, "1").await;
            world.update(&name, "2").await;
            let key = ObjectKey::namespaced(&world.namespace, &name);
            // Waits for the latest version of each object, in both caches.
            let latest = world.maps().get(&name).await.unwrap().metadata.resource_version;
            for number in 0..factories.len() {
                let (expected_key, latest) = (key.clone(), latest.clone());
                let changed = maps[number].indexer().wait_until(move |maps| {
                    let map = maps.get(&expected_key);
                    map.is_some_and(|map| map.metadata.resource_version == latest)
                });
                within("the maps' changes", changed).await;
                let expected_key = key.clone();
                let created = pods[number].indexer().wait_until(move |pods| pods.get(&expected_key).is_some());
                within("the pod", created).await;
                let expected_key = key.clone();
                let services = services[number].indexer();
                let created = services.wait_until(move |services| services.get(&expected_key).is_some());
                within("the service", created).await;
            }
            for key in [key, ObjectKey::namespaced(&world.namespace, "early")] {
                let found = pods.each_ref().map(|pods| pods.lister().get_by_key(&key).unwrap());
                assert_eq!(found[0], found[1]);
                // Protobuf always has a status. On the embedded API server, an object has a status
                // only if a client wrote one.
                let found = services.each_ref().map(|informer| informer.lister().get_by_key(&key).unwrap());
                assert_eq!(found[0].metadata, found[1].metadata);
                assert_eq!(found[0].spec, found[1].spec);
                let found = maps.each_ref().map(|maps| maps.lister().get_by_key(&key).unwrap());
                assert_eq!(found[0], found[1]);
            }
            world.delete(&name).await;
            let key = ObjectKey::namespaced(&world.namespace, &name);
            for maps in &maps {
                let expected_key = key.clone();
                let deleted = maps.indexer().wait_until(move |maps| maps.get(&expected_key).is_none());
                within("the deletion", deleted).await;
            }
            for factory in factories {
                factory.shutdown().await;
            }
        }
    }

    /// W-23, S-09.
    #[tokio::test]
    async fn w23_packed_and_metadata_informers_equal_the_typed_one(world: World) {
        create_laden(&world, "a").await;
        let factory = world.factory();
        let typed = factory.informer::<Pod>();
        let packed = factory.stored_as::<Packed>().informer::<Pod>();
        let by_image = packed.add_path_index("spec.containers[*].image".parse().unwrap()).unwrap();
        let resource = factory.discover(&GroupVersionResource::new("", "v1", "pods")).await.unwrap();
        let metadata = factory.metadata(resource.clone());
        let dynamic = factory.stored_as::<Packed>().dynamic(resource);
        sync(&factory).await;
        create_laden(&world, "b").await;
        within("both", typed.indexer().wait_until(|all| all.len() == 2)).await;
        within("both", packed.indexer().wait_until(|all| all.len() == 2)).await;
        within("both", metadata.indexer().wait_until(|all| all.len() == 2)).await;
        within("both", dynamic.indexer().wait_until(|all| all.len() == 2)).await;
        // The informers choose the encoding themselves.
        for encoding in [typed.status(), packed.status(), metadata.status()].map(|status| status.encoding) {
            assert_eq!(encoding, Some(Encoding::Protobuf));
        }
        assert_eq!(packed.status().encoding, dynamic.status().encoding);
        assert_eq!(by_image.get("registry.example.com/web:1").len(), 2);
        for name in ["a", "b"] {
            let key = ObjectKey::namespaced(&world.namespace, name);
            let expected = typed.lister().get_by_key(&key).unwrap();
            let one = packed.lister().get_by_key(&key).unwrap();
            assert_eq!(one.decode().unwrap(), expected);
            assert_eq!(one.label("app"), Some(name));
            assert_eq!(Some(one.to_raw().unwrap().encoding()), packed.status().encoding);
            let slim = metadata.lister().get_by_key(&key).unwrap();
            assert_eq!(slim.metadata, expected.metadata);
            let whole = dynamic.lister().get_by_key(&key).unwrap().decode().unwrap();
            let meta = whole.types.as_ref().unwrap();
            assert_eq!((&*meta.api_version, &*meta.kind), ("v1", "Pod"));
            let spec: k8s_openapi::api::core::v1::PodSpec =
                serde_json::from_value(whole.data["spec"].clone()).unwrap();
            assert_eq!(Some(spec), expected.spec);
        }
        factory.shutdown().await;
    }
}

/// Creates an object of nearly every kind, and returns the names of their informers.
async fn create_every(world: &World) -> BTreeSet<String> {
    let served = Discovery::new(world.client.clone()).run().await.unwrap();
    let mut created = BTreeSet::new();
    for line in OBJECTS.lines() {
        let line = line.replace("$namespace$", &world.namespace);
        let object: DynamicObject = serde_json::from_str(&line).unwrap();
        let of: &TypeMeta = object.types.as_ref().unwrap();
        let kind = GroupVersionKind::try_from(of).unwrap();
        let (resource, capabilities) = served.resolve_gvk(&kind).expect(&of.kind);
        let client = world.client.clone();
        let objects: Api<DynamicObject> = match capabilities.scope {
            Scope::Namespaced => Api::namespaced_with(client, &world.namespace, &resource),
            Scope::Cluster => Api::all_with(client, &resource),
        };
        match objects.create(&PostParams::default(), &object).await {
            // Another scenario has created the object.
            Err(kube::Error::Api(status)) if status.is_already_exists() => {}
            other => drop(other.expect(&of.kind)),
        }
        let name = GroupVersionResource::new(kind.group, kind.version, resource.plural);
        created.insert(name.to_string());
    }
    created
}

/// Returns all objects of a resource by key, without their type, because items in JSON have none.
async fn listed(source: KubeListerWatcher) -> BTreeMap<String, Value> {
    let parts = source.list(ListOptions::default()).await.unwrap();
    let parts: Vec<ListPart> = within("a list", parts.try_collect()).await.unwrap();
    let items = parts.into_iter().flat_map(|part| match part {
        ListPart::Items(items) => items,
        ListPart::End(_) => Vec::new(),
    });
    let objects = items.map(|item| {
        let item = item.unwrap();
        let mut object: serde_json::Map<String, Value> = item.decode().unwrap();
        object.retain(|name, _| name != "apiVersion" && name != "kind");
        (item.key().to_string(), Value::Object(object))
    });
    objects.collect()
}

/// Creates the objects of `laden.json`, which have much content, with a name.
async fn create_laden(world: &World, name: &str) {
    let objects = include_str!("laden.json").replace("$name$", name);
    let objects: Vec<DynamicObject> = serde_json::from_str(&objects).unwrap();
    for object in objects {
        let kind = GroupVersionKind::try_from(object.types.as_ref().unwrap()).unwrap();
        let resource = ApiResource::from_gvk(&kind);
        let client = world.client.clone();
        let objects = Api::<DynamicObject>::namespaced_with(client, &world.namespace, &resource);
        let created = objects.create(&PostParams::default(), &object).await;
        created.unwrap();
    }
}
