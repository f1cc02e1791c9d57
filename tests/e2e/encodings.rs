//! Every built-in kind through informers: the same objects in every encoding and storage.
//!
//! The typed informers are those of `informer::k8s`, which are compiled once in that module. The
//! test compares the bytes of `Packed` without a type, and decodes them to the type: a hundred more
//! informers would take minutes to compile, and hold the same bytes.

#[macro_use]
#[path = "../support/kinds.rs"]
mod list;

mod kinds;
#[path = "../support/objects.rs"]
mod objects;

use std::collections::BTreeSet;

use fastrand::Rng;
use informer::source::{Encoding, RawObject};
use informer::{
    GenericInformer, GroupVersionResource, ObjectKey, Packed, Scope, SharedInformer,
    SharedInformerFactory, WatchListMode,
};
use kube::core::DynamicObject;
use serde_json::{Map, Value, json};

use self::kinds::Kind;
use self::objects::{Fill, Generator};
use crate::both::informers_of;
use crate::support::{Cluster, ENCODINGS, MODES, quick, sync, until_any_changed, within};

/// Number of random objects of each kind, in the list and again in events.
const RANDOM: usize = 4;
/// Name of the last object. A cache with this object has all objects.
const LAST: &str = "last";

/// One kind, on a separate server.
struct Case<'a> {
    kind: &'a Kind,
    cluster: Cluster,
    generator: &'a Generator,
    random: Rng,
}

/// Informers of a kind that request one encoding.
struct Informers {
    factory: SharedInformerFactory,
    encoding: Encoding,
    /// `None` for kinds that `informer::k8s` has with other features only.
    typed: Option<GenericInformer>,
    packed: SharedInformer<DynamicObject, Packed>,
}

/// W-23, S-09: generated objects, minimal, complete and random, in a list, in a streaming list, and
/// as events.
#[tokio::test]
async fn w23_every_object_of_every_kind_is_equal_in_all_encodings_and_storages() {
    let generator = Generator::new();
    let mut typed = BTreeSet::new();
    for mode in MODES {
        for (number, kind) in kinds::all().iter().enumerate() {
            let case = Case {
                kind,
                cluster: Cluster::start().await,
                generator: &generator,
                random: Rng::with_seed(number as u64),
            };
            typed.extend(case.play(mode).await);
        }
    }
    // The table of kinds is complete.
    let cluster = Cluster::start().await;
    let factory = cluster.factory();
    let all = informers_of(&factory).await;
    let all: BTreeSet<String> = all.iter().map(|one| one.name().to_owned()).collect();
    assert!(all.len() > 60, "{all:?}");
    assert_eq!(typed, all);
}

// === impl Case ===

impl Case<'_> {
    /// Runs the case. Returns the name of the typed informer, if one exists.
    async fn play(mut self, mode: WatchListMode) -> Option<String> {
        // The owners of the generated objects do not exist.
        self.cluster.control.hold_garbage_collection(true);
        let mut stored = vec![self.put("least", Fill::Least), self.put("all", Fill::All)];
        stored.extend((0..RANDOM).map(|at| self.put(&format!("some-{at}"), Fill::Some)));
        let all = ENCODINGS.map(|encoding| Informers::new(&self, mode, encoding));
        for one in &all {
            sync(&one.factory).await;
        }
        self.compare(&all, &stored);

        stored = vec![self.put("least", Fill::All), self.put("all", Fill::Least)];
        for at in 0..RANDOM {
            stored.push(self.put(&format!("some-{at}"), Fill::Some));
            stored.push(self.put(&format!("more-{at}"), Fill::Some));
        }
        stored.push(self.put(LAST, Fill::Some));
        let last = self.key(LAST);
        for one in &all {
            one.until_have(&last).await;
        }
        self.compare(&all, &stored);
        let typed = all[0]
            .typed
            .as_ref()
            .map(|informer| informer.name().to_owned());
        for one in all {
            one.factory.shutdown().await;
        }
        typed
    }

    /// Stores a generated object unchanged, and returns the served object.
    fn put(&mut self, name: &str, fill: Fill) -> Value {
        let resource = &self.kind.resource.api_resource;
        let mut object = self.generator.object(
            &resource.api_version,
            &resource.kind,
            fill,
            &mut self.random,
        );
        let metadata = object.entry("metadata").or_insert_with(|| json!({}));
        metadata["name"] = name.into();
        metadata["uid"] = format!("{name}-uid").into();
        let members: &mut Map<String, Value> = metadata.as_object_mut().unwrap();
        match self.kind.resource.scope {
            Scope::Namespaced => members.insert("namespace".into(), "default".into()),
            Scope::Cluster => members.remove("namespace"),
        };
        let mut object = Value::Object(object);
        let version = self
            .cluster
            .control
            .put_raw(&self.path(name), object.clone())
            .unwrap();
        object["metadata"]["resourceVersion"] = version.to_string().into();
        object
    }

    /// Checks that every cache has exactly the stored objects, and that they are equal.
    fn compare(&self, all: &[Informers], stored: &[Value]) {
        let kind = &self.kind.resource.api_resource.kind;
        // A server creates namespaces and other objects itself.
        let count = all[0].packed.lister().len();
        assert!(count >= stored.len(), "{kind}");
        for one in all {
            assert_eq!(one.packed.status().encoding, Some(one.encoding), "{kind}");
            assert_eq!(one.packed.lister().len(), count, "{kind}");
        }
        let typed: Vec<_> = all.iter().filter_map(|one| one.typed.clone()).collect();
        for one in &typed {
            assert_eq!(one.len(), count, "{kind}");
            assert!(
                one.status().undecodable.is_empty(),
                "{kind}: {:?}",
                one.status()
            );
        }
        for object in stored {
            let key = self.key(object["metadata"]["name"].as_str().unwrap());
            let packed = all.iter().map(|one| {
                let object = one.packed.lister().get_by_key(&key).expect("an object");
                let raw = object.to_raw().unwrap();
                assert_eq!(raw.encoding(), one.encoding);
                raw
            });
            let mut raw: Vec<RawObject> = packed.collect();
            // Expects the stored object without the fields that informers cut.
            let mut object = object.clone();
            object["metadata"]
                .as_object_mut()
                .unwrap()
                .remove("managedFields");
            raw.push(RawObject::json(object.to_string()).unwrap());
            if let Err(difference) = (self.kind.compare)(&key, &typed, &raw) {
                panic!("{kind} {key}: {difference}\nof {object}");
            }
        }
    }

    fn key(&self, name: &str) -> ObjectKey {
        match self.kind.resource.scope {
            Scope::Namespaced => ObjectKey::namespaced("default", name),
            Scope::Cluster => ObjectKey::cluster(name),
        }
    }

    fn path(&self, name: &str) -> String {
        let resource = &self.kind.resource.api_resource;
        let root = if resource.group.is_empty() {
            "/api"
        } else {
            "/apis"
        };
        let (version, plural) = (&resource.api_version, &resource.plural);
        match self.kind.resource.scope {
            Scope::Namespaced => format!("{root}/{version}/namespaces/default/{plural}/{name}"),
            Scope::Cluster => format!("{root}/{version}/{plural}/{name}"),
        }
    }
}

// === impl Informers ===

impl Informers {
    fn new(case: &Case<'_>, mode: WatchListMode, encoding: Encoding) -> Self {
        let builder = case.cluster.builder().config(quick().watch_list(mode));
        let factory = builder.encoding(encoding).build().unwrap();
        let resource = &case.kind.resource;
        let of = &resource.api_resource;
        let name = GroupVersionResource::new(&*of.group, &*of.version, &*of.plural);
        Self {
            typed: informer::k8s::for_resource(&factory, &name),
            packed: factory.stored_as::<Packed>().dynamic(resource.clone()),
            factory,
            encoding,
        }
    }

    async fn until_have(&self, key: &ObjectKey) {
        let expected_key = key.clone();
        let packed = self.packed.indexer();
        let packed = packed.wait_until(move |all| all.get(&expected_key).is_some());
        within("the last event", packed).await;
        if let Some(typed) = &self.typed {
            until_any_changed("the last event", [typed], || typed.keys().contains(key)).await;
        }
    }
}
