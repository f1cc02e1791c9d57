//! Objects larger than a source's limit.

use informer::source::{KubeListerWatcher, SplitOptions};
use informer::{ResourceInfo, SharedInformer};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio_util::sync::CancellationToken;

use crate::support::{Cluster, ENCODINGS, Recorder, key, quick, until_cached, within};

/// W-13, B-09: a watch or a list marks an object that grows too large, and does not delete it. The
/// last good version stays readable, and the next good version ends the mark.
#[tokio::test]
async fn w13_an_object_that_grows_too_large_keeps_its_last_good_version() {
    for encoding in ENCODINGS {
        let cluster = Cluster::start().await;
        cluster.create("a", "small");
        let resource = ResourceInfo::of::<ConfigMap>(&()).unwrap();
        let source = KubeListerWatcher::new(cluster.client.clone(), resource)
            .encoding(encoding)
            .split_options(SplitOptions::default().max_object_bytes(1000));
        let maps = SharedInformer::<ConfigMap>::builder(source)
            .config(quick())
            .build()
            .unwrap();
        let recorder = Recorder::new();
        maps.add_event_handler(recorder.handler()).unwrap();
        let stop = CancellationToken::new();
        let test = async {
            until_cached(&maps, "a=small").await;
            cluster.update("a", &"x".repeat(2000));
            marked(&maps).await;
            cluster.control.expire_watches_of("configmaps");
            cluster.create("b", "listed");
            until_cached(&maps, "a=small b=listed").await;
            marked(&maps).await;
            cluster.update("a", "smaller");
            until_cached(&maps, "a=smaller b=listed").await;
            assert_eq!(maps.status().undecodable.len(), 0);
            recorder.until_events(3).await;
            stop.cancel();
        };
        let (run, ()) = within(
            "the test",
            futures::future::join(maps.run(stop.clone()), test),
        )
        .await;
        run.unwrap();
        let events = recorder.events();
        assert!(
            events.iter().all(|event| !event.starts_with("delete")),
            "{events:?}"
        );
        cluster.server.shutdown().await;
    }
}

/// Waits until the status reports `a`, and only `a`, as too large.
async fn marked(maps: &SharedInformer<ConfigMap>) {
    let is_marked = {
        let maps = maps.clone();
        move || maps.snapshot().undecodable(&key("a")).is_some()
    };
    let wait = maps.indexer().wait_until(move |_| is_marked());
    let _version = within("a mark", wait).await;
    let undecodable = maps.status().undecodable;
    let texts: Vec<String> = undecodable
        .iter()
        .map(|one| one.error.to_string())
        .collect();
    let text = texts.join(" ");
    assert_eq!(texts.len(), 1, "{text}");
    assert!(text.starts_with("default/a at resourceVersion"), "{text}");
    assert!(
        text.ends_with("the object is larger than 1000 bytes"),
        "{text}"
    );
}
