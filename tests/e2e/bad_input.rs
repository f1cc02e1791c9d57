//! External faults: server, permissions, CRDs, objects, handlers, index functions. Each fault
//! yields a clear error, and everything else continues without loss.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use informer::lister::GetError;
use informer::source::Encoding;
use informer::status::InformerState;
use informer::{GroupVersionResource, ReflectorError, SharedInformerFactory, SyncError};
use informer_apiserver::{ApiServer, Fault, Matcher};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::CustomResourceExt as _;
use serde_json::json;

use crate::generated::Foo;
use crate::support::{
    Cluster, ENCODINGS, Failures, MODES, Recorder, cause_of, chain, config_map, key, path, quick,
    sync, until_cached, within,
};

// === the server ===

/// F-06, F-09, E-14, R-09.
#[tokio::test]
async fn f06_an_unreachable_server_is_named_as_the_cause_and_followed_once_it_is_there() {
    let address = free_address();
    let client = informer::connect(kube::Config::new(
        format!("http://{address}/").parse().unwrap(),
    ))
    .unwrap();
    let failures = Failures::default();
    let factory = SharedInformerFactory::builder(client)
        .config(quick().error_handler(failures.handler()))
        .sync_timeout(Duration::from_millis(250))
        .build()
        .unwrap();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    // Ensures on a busy machine that the cause is known when the wait begins.
    failures.until_count(1).await;

    let error = within("an answer", factory.wait_for_cache_sync())
        .await
        .unwrap_err();
    let text = error.to_string();
    let expected = "failed to sync all caches; configmaps.v1: not synced within 0.25 s: \
                    watch could not be opened: connection refused: ";
    assert!(text.starts_with(expected), "{text}");
    let Some(Err(cause)) = error.result().get("configmaps.v1") else {
        panic!("{error:?}")
    };
    assert!(
        matches!(cause, SyncError::Timeout { cause: Some(_), .. }),
        "{cause:?}"
    );
    let root = cause_of::<io::Error>(cause).unwrap();
    assert_eq!(root.kind(), io::ErrorKind::ConnectionRefused);
    let state = maps.status().state;
    assert!(matches!(state, InformerState::Degraded { .. }), "{state}");

    let server = ApiServer::builder()
        .bind(address)
        .object(&config_map("a", "1"))
        .start()
        .await
        .unwrap();
    until_cached(&maps, "a=1").await;
    within("sync", factory.wait_for_cache_sync()).await.unwrap();
    factory.shutdown().await;
    server.shutdown().await;
}

/// Returns an address without a listener.
fn free_address() -> SocketAddr {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap()
}

/// F-06, F-07, E-13, E-16.
#[tokio::test]
async fn f07_a_forbidden_type_is_named_and_hides_no_other() {
    let cluster = Cluster::start().await;
    cluster.create("a", "1");
    cluster.control.set_forbidden("secrets", true);
    let factory = cluster.factory();
    let secrets = factory.informer::<Secret>();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();

    let error = within("an answer", factory.wait_for_cache_sync())
        .await
        .unwrap_err();
    let text = error.to_string();
    let expected =
        "failed to sync all caches; secrets.v1: forbidden: grant `list` and `watch` on it: ";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("secrets is forbidden"), "{text}");
    assert!(text.ends_with("(HTTP 403, Forbidden)"), "{text}");
    assert!(!text.contains("configmaps"), "{text}");
    let outcomes: Vec<_> = error
        .result()
        .iter()
        .map(|(name, outcome)| (name.to_owned(), outcome.is_ok()))
        .collect();
    assert_eq!(
        outcomes,
        [
            ("configmaps.v1".to_owned(), true),
            ("secrets.v1".to_owned(), false)
        ]
    );
    assert!(matches!(
        secrets.wait_for_sync().await,
        Err(SyncError::Forbidden(cause)) if cause.status().is_some_and(|status| status.code == 403)
    ));
    assert_eq!(cached_names(&maps), ["a"]);

    // The informer keeps retrying, so no restart is needed.
    cluster.control.set_forbidden("secrets", false);
    let synced = secrets.indexer().wait_until(|cached| cached.is_synced());
    within("the secrets", synced).await;
    within("sync", factory.wait_for_cache_sync()).await.unwrap();
    factory.shutdown().await;
}

fn cached_names(informer: &informer::SharedInformer<ConfigMap>) -> Vec<String> {
    let keys = informer.indexer().list_keys();
    keys.iter().map(|key| key.name().to_owned()).collect()
}

/// F-18, F-06, E-13.
#[tokio::test]
async fn f18_a_definition_that_is_installed_later_is_followed_without_a_restart() {
    let cluster = Cluster::start().await;
    let factory = cluster.factory();
    let foos = factory.informer::<Foo>();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();

    let error = within("an answer", factory.wait_for_cache_sync())
        .await
        .unwrap_err();
    let text = error.to_string();
    let expected = "failed to sync all caches; foos.v1alpha1.samplecontroller.k8s.io: \
                    not served: is its CustomResourceDefinition installed?: ";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("(HTTP 404)"), "{text}");
    assert!(matches!(
        foos.wait_for_sync().await,
        Err(SyncError::NotServed(_))
    ));
    assert!(maps.has_synced() && !foos.has_synced());

    let definition = serde_json::to_value(Foo::crd()).unwrap();
    cluster.control.create_direct(definition).unwrap();
    cluster
        .control
        .create_direct(json!({
            "apiVersion": "samplecontroller.k8s.io/v1alpha1",
            "kind": "Foo",
            "metadata": { "name": "example", "namespace": "default" },
            "spec": { "deploymentName": "web" },
        }))
        .unwrap();
    let synced = foos.indexer().wait_until(|snapshot| snapshot.len() == 1);
    within("the Foo", synced).await;
    within("sync", factory.wait_for_cache_sync()).await.unwrap();
    let foo = foos.lister().namespace("default").get("example").unwrap();
    assert_eq!(foo.spec.deployment_name, "web");
    factory.shutdown().await;
}

/// Predicate of the expected error.
type IsExpected = fn(&SyncError) -> bool;

/// F-06, W-19, E-14.
#[tokio::test]
async fn f06_other_answers_have_their_own_causes() {
    for encoding in ENCODINGS {
        let unauthorized = Fault::Status {
            code: 401,
            reason: "Unauthorized".to_owned(),
            message: "who are you".to_owned(),
            retry_after: None,
        };
        let page = |code| Fault::Raw {
            code,
            content_type: "text/html".to_owned(),
            body: Bytes::from_static(b"<html>a proxy's page</html>"),
        };
        let cases: [(Fault, &str, IsExpected); 3] = [
            (
                unauthorized,
                "unauthorized: check the client's credentials: ",
                |error| matches!(error, SyncError::Unauthorized(_)),
            ),
            (page(200), "malformed answer: ", |error| {
                matches!(error, SyncError::Malformed(_))
            }),
            // Transient responses are retried, and named.
            (page(502), "not synced within 0.2 s: ", |error| {
                matches!(error, SyncError::Timeout { cause: Some(cause), .. }
                if cause.status().is_some_and(|status| status.code == 502))
            }),
        ];
        for (fault, expected, is_expected) in cases {
            for mode in MODES {
                let cluster = Cluster::start_in(encoding).await;
                let failures = Failures::default();
                let config = quick().watch_list(mode);
                let factory = cluster
                    .builder()
                    .config(config.error_handler(failures.handler()))
                    .sync_timeout(Duration::from_millis(200))
                    .build()
                    .unwrap();
                let maps = factory.informer::<ConfigMap>();
                let any = Matcher::any().resource("configmaps");
                cluster.control.fail_next(usize::MAX, any, fault.clone());
                factory.start().unwrap();
                failures.until_count(1).await;
                let error = within("an answer", factory.wait_for_cache_sync())
                    .await
                    .unwrap_err();
                let text = error.to_string();
                let expected = format!("failed to sync all caches; configmaps.v1: {expected}");
                assert!(text.starts_with(&expected), "{text}");
                let (_, cause) = error.result().failures().next().unwrap();
                assert!(is_expected(cause), "{cause:?}");
                let failure = cause_of::<ReflectorError>(cause);
                assert!(failure.is_some(), "{}", chain(cause));

                cluster.control.clear_faults();
                let synced = maps.indexer().wait_until(|cached| cached.is_synced());
                within("the sync after the fault", synced).await;
                factory.shutdown().await;
            }
        }
    }
}

// === objects ===

/// W-12, W-13, W-14, W-20, C-11, F-19.
#[tokio::test]
async fn w12_an_undecodable_object_costs_one_error_and_nothing_else() {
    // The embedded API server cannot encode such an object in protobuf, and truncates it.
    for (encoding, place) in ENCODINGS.into_iter().zip(["data.v", "malformed protobuf"]) {
        for mode in MODES {
            let cluster = Cluster::start_in(encoding).await;
            for name in ["a", "b", "c"] {
                cluster.create(name, "1");
            }
            let never_good = cluster.create("never", "1");
            let version = cluster.spoil(never_good);
            let failures = Failures::default();
            let config = quick().watch_list(mode).error_handler(failures.handler());
            let factory = cluster.builder().config(config).build().unwrap();
            let maps = factory.informer::<ConfigMap>();
            let recorder = Recorder::new();
            maps.add_event_handler(recorder.handler()).unwrap();
            sync(&factory).await;

            // In a list: the other objects are cached.
            until_cached(&maps, "a=1 b=1 c=1").await;
            let lister = maps.lister().namespace("default").into_owned();
            assert!(lister.get("never").is_none());
            let error = lister.try_get("never").unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "configmaps \"default/never\" does not decode at resourceVersion \"{version}\""
                )
            );
            assert!(chain(&error).contains(place), "{}", chain(&error));

            // In an event: the last good version stays, and is not presented as the current one.
            let spoilt = cluster.control.objects("configmaps");
            let spoilt = spoilt
                .iter()
                .find(|object| object["metadata"]["name"] == "b");
            let version = cluster.spoil(spoilt.unwrap().clone());
            let version_text = format!("resourceVersion \"{version}\"");
            failures
                .until("the error of b", |failure| {
                    chain(failure).contains(&version_text)
                })
                .await;
            cluster.update("c", "2");
            until_cached(&maps, "a=1 b=1 c=2").await;
            let named = maps.snapshot();
            let named = named.undecodable(&key("b")).unwrap();
            assert_eq!(named.resource_version.to_string(), version.to_string());
            assert!(matches!(
                lister.try_get("b"),
                Err(GetError::Undecodable { .. })
            ));

            // Each error is reported once, with key, version and path, and without content.
            let texts = failures.texts();
            assert_eq!(texts.len(), 2, "{texts:#?}");
            for (text, name) in texts.iter().zip(["never", "b"]) {
                let named = format!("object rejected: default/{name} at resourceVersion ");
                assert!(text.starts_with(&named), "{text}");
                assert!(text.contains(place), "{text}");
                assert!(!text.contains("hunter2"), "{text}");
            }
            assert_eq!(maps.metrics().undecodable_objects, 2);
            assert_eq!(maps.metrics().failures, 0);
            // The error does not cause a relist.
            assert_eq!(maps.metrics().lists, 1);

            // The header suffices for a delete. A good version ends the error state.
            cluster.delete("b");
            cluster.update("never", "3");
            until_cached(&maps, "a=1 c=2 never=3").await;
            assert_eq!(maps.snapshot().undecodable_all().count(), 0);
            recorder.until_events(6).await;
            assert_eq!(
                recorder.events()[3..],
                [
                    "update default/c live",
                    "delete default/b live",
                    "add default/never live"
                ]
            );
            recorder.read(|notes| assert_eq!(notes.illegal, [""; 0]));
            factory.shutdown().await;
        }
    }
}

/// W-11, M-05: by informers with and without a Rust type.
#[tokio::test]
async fn w11_objects_of_another_kind_are_refused_alone() {
    for mode in MODES {
        // Items of a protobuf list have no kind.
        let cluster = Cluster::start_in(Encoding::Json).await;
        cluster.create("a", "1");
        let put = |name: &str, api_version: &str, kind: &str| {
            let metadata = json!({ "name": name, "namespace": "default", "uid": "7" });
            let stranger = json!({ "apiVersion": api_version, "kind": kind, "metadata": metadata });
            cluster.control.put_raw(&path(name), stranger).unwrap();
        };
        put("listed", "v1", "Secret");
        let failures = Failures::default();
        let config = quick().watch_list(mode).error_handler(failures.handler());
        let factory = cluster.builder().config(config).build().unwrap();
        let maps = factory.informer::<ConfigMap>();
        let resource = GroupVersionResource::new("", "v1", "configmaps");
        let dynamic = factory.dynamic(factory.discover(&resource).await.unwrap());
        factory.start().unwrap();
        until_cached(&maps, "a=1").await;
        put("watched", "other.io/v1", "ConfigMap");
        cluster.create("b", "1");
        until_cached(&maps, "a=1 b=1").await;
        let has_b = dynamic
            .indexer()
            .wait_until(|all| all.get(&key("b")).is_some());
        within("b", has_b).await;
        assert_eq!(dynamic.indexer().list_keys(), [key("a"), key("b")]);
        let texts = failures.texts();
        assert_eq!(maps.metrics().rejected_objects, 2, "{texts:?}");
        assert_eq!(dynamic.metrics().rejected_objects, 2, "{texts:?}");
        let is_rejection =
            |failure: &ReflectorError| matches!(failure, ReflectorError::Rejected(_));
        assert!(failures.all().iter().all(is_rejection), "{texts:?}");
        let named = texts.iter().filter(|text| text.contains("other.io/v1"));
        assert_eq!(named.count(), 2, "{texts:?}");
        factory.shutdown().await;
    }
}
