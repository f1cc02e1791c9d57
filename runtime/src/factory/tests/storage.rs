//! Informers of one factory with different storages, and with dropped fields.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};

use super::support::{Answer, Brittle, SECOND, Server};
use crate::object::{ObjectKey, ResourceInfo};
use crate::shared_informer::InformerOptions;
use crate::storage::{Packed, Transform};
use crate::wire::DropFields;

/// F-02, S-09: each informer has its own name, watch and cache. Requests with the same storage
/// share one informer.
#[tokio::test(start_paused = true)]
async fn f02_typed_and_packed_informers_of_one_type_live_side_by_side() {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let pods = || ResourceInfo::of::<Pod>(&()).unwrap();
    let packed = factory.stored_as::<Packed>();
    let typed = factory.informer::<Pod>();
    let informer = packed.informer::<Pod>();
    let (dynamic, metadata) = (packed.dynamic(pods()), packed.metadata(pods()));
    let again = packed.informer::<Pod>();
    assert!(informer.is_same(&again));
    assert!(packed.dynamic(pods()).is_same(&dynamic));
    assert_eq!(
        [
            typed.name(),
            informer.name(),
            dynamic.name(),
            metadata.name()
        ],
        [
            "pods.v1",
            "pods.v1 (storage `Packed`)",
            "pods.v1 (dynamic, storage `Packed`)",
            "pods.v1 (metadata, storage `Packed`)",
        ]
    );
    factory.start().unwrap();
    let result = factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(result.iter().count(), 4);
    tokio::time::sleep(SECOND).await;
    assert_eq!(server.requests().len(), 8, "a LIST and a WATCH each");

    let key = ObjectKey::namespaced("ns", "x");
    let held = typed.lister().get_by_key(&key).unwrap();
    let object = informer.lister().namespace("ns").get("x").unwrap();
    assert_eq!(object.decode().unwrap(), held);
    let object = dynamic.lister().get_by_key(&key).unwrap().decode().unwrap();
    assert_eq!(object.types.as_ref().unwrap().kind, "Pod");
    let object = metadata.lister().get_by_key(&key).unwrap();
    assert_eq!(object.decode().unwrap().metadata, held.metadata);
    factory.shutdown().await;
}

/// X-06, F-02, F-17: dropped fields are part of the identity, by type or by request.
#[tokio::test(start_paused = true)]
async fn x06_dropped_fields_are_part_of_the_identity() {
    let server = Server::default();
    let list = r#"{"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"namespace":"ns",
        "name":"x","resourceVersion":"1"},"data":{"a":"1"},"binaryData":{"b":"Yg=="}}]}"#;
    server.on("/api/v1/configmaps", Answer::Text(list.to_owned()));
    let drop = |paths: &[&str]| {
        let fields = DropFields::new(paths).unwrap();
        InformerOptions::<ConfigMap>::new().drop_fields(fields)
    };
    let of_type = server.factory().with_type(drop(&["data['a']"]));
    let factory = of_type.build().unwrap();
    let informers = [
        factory.informer::<ConfigMap>(),
        factory.informer_with(drop(&["data", "binaryData"])),
        factory.informer_with(drop(&[])),
    ];
    let same = factory.informer_with(drop(&["binaryData", "data", "data.a"]));
    assert!(same.is_same(&informers[1]));
    let packed = factory.stored_as::<Packed>().informer::<ConfigMap>();
    let names = informers.each_ref().map(|informer| informer.name());
    assert_eq!(
        names,
        [
            "configmaps.v1 (without `data['a']`)",
            "configmaps.v1 (without `binaryData`, `data`)",
            "configmaps.v1"
        ]
    );
    factory.start().unwrap();
    // The watch request gets the list's response here, which ends it. The listed objects stay.
    for informer in &informers {
        informer.wait_for_sync().await.unwrap();
    }
    packed.wait_for_sync().await.unwrap();
    let [of_type, less, all] = informers.map(|informer| {
        let object = informer.lister().namespace("ns").get("x").unwrap();
        let has_data = object.data.as_ref().is_some_and(|data| !data.is_empty());
        (has_data, object.binary_data.is_some())
    });
    assert_eq!(
        [of_type, less, all],
        [(false, true), (false, false), (true, true)]
    );
    let object = packed.lister().namespace("ns").get("x").unwrap();
    let object = object.decode().unwrap();
    assert!(object.data.as_ref().is_none_or(BTreeMap::is_empty));
    factory.shutdown().await;
}

/// X-01, F-20: an informer whose storage does not accept the transform does not run, and reports
/// the reason.
#[tokio::test(start_paused = true)]
async fn f20_a_transform_that_cannot_be_packed_is_refused() {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let packed = factory.stored_as::<Packed>();
    let keep = || Transform::new("keep", |_: &mut Pod| Ok(()));
    let refused = packed.informer_with(InformerOptions::new().transform(keep()));
    factory.start().unwrap();
    let error = refused.wait_for_sync().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot run: the storage cannot keep the output of transform `keep`: add `.serializable()` to the transform"
    );
    let configs = packed.informer::<ConfigMap>();
    configs.wait_for_sync().await.unwrap();
    assert!(server.requests().iter().all(|line| !line.contains("pods")));
    factory.shutdown().await;
}

/// F-02, F-01: a storage's settings are part of the identity. Equal settings are equal regardless
/// of how they were made. Each informer has its own storage.
#[tokio::test(start_paused = true)]
async fn f02_settings_of_a_storage_are_part_of_the_identity() {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let hard = factory.stored_as_with(|| Packed::new().level(9).dictionary_bytes(2048));
    let plain = factory.stored_as::<Packed>().informer::<Pod>();
    let pods = hard.informer::<Pod>();
    let again = factory.stored_as_with(|| Packed::new().dictionary_bytes(2048).level(9));
    assert!(again.informer::<Pod>().is_same(&pods));
    let default = factory.stored_as_with(|| Packed::new().level(9).level(-3));
    assert!(default.informer::<Pod>().is_same(&plain));
    assert!(!plain.is_same(&pods));
    let configs = hard.informer::<ConfigMap>();
    assert_eq!(
        [plain.name(), pods.name(), configs.name()],
        [
            "pods.v1 (storage `Packed`)",
            "pods.v1 (storage `Packed { level: 9, dictionary_bytes: 2048 }`)",
            "configmaps.v1 (storage `Packed { level: 9, dictionary_bytes: 2048 }`)",
        ]
    );
    server.on("/api/v1/configmaps", Answer::List(&["a", "b", "c"]));
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    let held = [plain, pods].map(|informer| informer.storage().memory().objects);
    assert_eq!((held, configs.storage().memory().objects), ([1, 1], 3));
    factory.shutdown().await;
}

/// F-02: names stay short; the identity contains all settings.
#[tokio::test(start_paused = true)]
async fn f02_a_storage_of_many_words_is_called_by_its_type() {
    let factory = Server::default().factory().build().unwrap();
    let wordy = |last: &'static str| {
        let words = [
            "a setting of thirty characters",
            "and another one of thirty char",
            last,
        ];
        let make = move || Brittle(words);
        factory.stored_as_with(make).informer::<Pod>()
    };
    let (one, other) = (wordy("one"), wordy("other"));
    assert_eq!(one.name(), "pods.v1 (storage `Brittle`)");
    assert_eq!(other.name(), "pods.v1 (storage `Brittle`) #2");
    assert!(wordy("one").is_same(&one));
}
