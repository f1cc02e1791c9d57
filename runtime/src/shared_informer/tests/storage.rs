//! Another storage: bytes that are decoded when somebody asks. Everything else is the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;
use serde::{Deserialize, Deserializer};

use super::support::{Running, broken, config, source_with, value};
use crate::lister::GetError;
use crate::storage::{ObjectError, Storage, Transform, Typed};
use crate::wire::RawObject;
use crate::{Event, Object, ObjectKey, Selector, SharedInformer};

/// Keeps what came over the wire, and the labels beside it.
#[derive(Debug, Default)]
struct Bytes;

#[derive(Debug, Clone)]
struct Packed(Arc<Held>);

#[derive(Debug)]
struct Held {
    raw: RawObject,
    labels: Box<[(Box<str>, Box<str>)]>,
    decoded: AtomicUsize,
}

/// All that is read when an object comes in.
#[derive(Deserialize)]
struct OnlyLabels {
    metadata: Labels,
}

#[derive(Deserialize)]
struct Labels {
    #[serde(default)]
    labels: std::collections::BTreeMap<Box<str>, Box<str>>,
}

impl<K: Object> Storage<K> for Bytes {
    type Handle = Packed;

    fn admit(&self, raw: &RawObject, _: Option<&Transform<K>>) -> Result<Packed, ObjectError> {
        let OnlyLabels { metadata } = raw.decode()?;
        Ok(Packed(Arc::new(Held {
            raw: raw.clone(),
            labels: metadata.labels.into_iter().collect(),
            decoded: AtomicUsize::new(0),
        })))
    }

    fn object(handle: &Packed) -> Result<Arc<K>, ObjectError> {
        handle.0.decoded.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(handle.0.raw.decode()?))
    }

    fn label<'h>(handle: &'h Packed, key: &str) -> Option<&'h str> {
        let labels = handle.0.labels.iter();
        let mut found = labels.filter(|(name, _)| &**name == key);
        found.next().map(|(_, value)| &**value)
    }
}

/// What every storage must show: lists, namespaces, selectors, indices, handlers, as one text.
async fn life<S: Storage<ConfigMap> + Default>() -> Vec<String> {
    let print = |handle: &S::Handle| {
        let object = S::object(handle).unwrap();
        format!("{}={}", ObjectKey::of(&*object), value(&object))
    };
    let all = |handles: Vec<S::Handle>| {
        let printed: Vec<String> = handles.iter().map(print).collect();
        printed.join(" ")
    };
    let source = source_with(&["b", "a"]);
    let informer = SharedInformer::<ConfigMap, S>::builder(source.clone())
        .build()
        .unwrap();
    let index = informer
        .add_index("value", |object: &ConfigMap| [value(object)])
        .unwrap();
    let (sender, mut events) = tokio::sync::mpsc::channel(64);
    let handler = move |event: Event<S::Handle>| {
        let text = format!("{} {}", event.origin(), print(event.object()));
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
        all(lister.list(&Selector::everything())),
        all(lister.list(&Selector::nothing())),
        all(select("value=2")),
        all(select("value notin (2),other")),
        all(select("!other,value")),
        all(lister
            .namespace("ns")
            .list(&"value in (2,3)".parse().unwrap())),
        all(lister.namespace("other").list(&Selector::everything())),
        all(index.get("2")),
        all(lister.by_index("value", "1").unwrap()),
        all(lister.namespace("ns").get("a").into_iter().collect()),
    ]);
    running.stop().await;
    seen
}

/// I-14, I-15, S-09: what one storage shows, the other shows too.
#[tokio::test(start_paused = true)]
async fn i14_a_storage_of_bytes_passes_for_the_typed_one() {
    let typed = life::<Typed>().await;
    assert_eq!(typed, life::<Bytes>().await);
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
            "ns/a=2"
        ]
    );
}

/// I-15: neither lists with selectors nor index look-ups decode.
#[tokio::test(start_paused = true)]
async fn i15_reads_decode_nothing() {
    let source = source_with(&["a", "b"]);
    let informer = SharedInformer::<ConfigMap, Bytes>::builder(source)
        .build()
        .unwrap();
    let index = informer
        .add_index("value", |object: &ConfigMap| [value(object)])
        .unwrap();
    let running = Running::synced(&informer).await;
    let decodes = || {
        let handles = informer.indexer().list();
        handles
            .iter()
            .map(|handle| handle.0.decoded.load(Ordering::Relaxed))
            .sum::<usize>()
    };
    assert_eq!(decodes(), 2, "once for each object, when it was indexed");
    assert_eq!(informer.lister().list(&"value=1".parse().unwrap()).len(), 2);
    assert_eq!(index.get("1").len(), 2);
    assert_eq!(informer.lister().by_index("value", "1").unwrap().len(), 2);
    assert_eq!(decodes(), 2);
    running.stop().await;
}

/// I-14: an undecodable object shows later: when it is decoded, as a value, and in no index.
#[tokio::test(start_paused = true)]
async fn i14_what_does_not_decode_shows_when_it_is_decoded() {
    let source = source_with(&["a"]);
    source.add(&broken("b")).unwrap();
    let informer = SharedInformer::<ConfigMap, Bytes>::builder(source)
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
    let handle = informer.lister().namespace("ns").try_get("b").unwrap();
    let object: Result<Arc<ConfigMap>, _> = Bytes::object(&handle);
    assert!(
        object
            .unwrap_err()
            .to_string()
            .starts_with("ns/b at resourceVersion")
    );
    running.stop().await;
}

/// A type whose decoding panics.
#[derive(Debug)]
struct Fragile(ConfigMap);

impl<'de> Deserialize<'de> for Fragile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = ConfigMap::deserialize(deserializer)?;
        assert_ne!(value(&object), "panics", "as if written by hand");
        Ok(Self(object))
    }
}

impl Resource for Fragile {
    type DynamicType = ();
    type Scope = k8s_openapi::NamespaceResourceScope;

    fn kind(dynamic_type: &()) -> std::borrow::Cow<'_, str> {
        ConfigMap::kind(dynamic_type)
    }

    fn group(dynamic_type: &()) -> std::borrow::Cow<'_, str> {
        ConfigMap::group(dynamic_type)
    }

    fn version(dynamic_type: &()) -> std::borrow::Cow<'_, str> {
        ConfigMap::version(dynamic_type)
    }

    fn plural(dynamic_type: &()) -> std::borrow::Cow<'_, str> {
        ConfigMap::plural(dynamic_type)
    }

    fn meta(&self) -> &kube::core::ObjectMeta {
        &self.0.metadata
    }

    fn meta_mut(&mut self) -> &mut kube::core::ObjectMeta {
        &mut self.0.metadata
    }
}

/// E-15, W-12: the list is not failed by it, and not tried for ever.
#[tokio::test(start_paused = true)]
async fn e15_a_panic_while_decoding_costs_its_object_only() {
    let source = source_with(&["a"]);
    source.add(&config("bad", "panics")).unwrap();
    let informer = SharedInformer::<Fragile>::builder(source.clone())
        .build()
        .unwrap();
    let running = Running::synced(&informer).await;
    let lister = informer.lister().namespace("ns");
    assert!(lister.try_get("a").is_ok());
    let error = lister.try_get("bad").unwrap_err();
    let GetError::Undecodable { error, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(
        error.to_string(),
        "ns/bad at resourceVersion \"2\": decoding panicked"
    );
    source.modify(&config("a", "panics")).unwrap();
    source.add(&config("c", "1")).unwrap();
    informer
        .indexer()
        .wait_for(&source.resource_version())
        .await
        .unwrap();
    assert_eq!(informer.status().undecodable.len(), 2);
    assert_eq!(informer.lister().len(), 2);
    assert_eq!(informer.metrics().failures, 0);
    running.stop().await;
}
