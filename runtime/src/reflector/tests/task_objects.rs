//! Undecodable objects, transforms, and the number of decodings per object.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use k8s_openapi::api::core::v1::ConfigMap;
use serde::Deserialize;

use super::support::{name, play, raws};
use super::world::{Log, Whole, listing, pass};
use crate::object::ObjectKey;
use crate::shared_informer::InformerConfig;
use crate::source::{ListAnswer, ScriptedListerWatcher, WatchAnswer};
use crate::storage::Transform;
use crate::wire::{ListMeta, RawEvent};

fn undecodable(whole: &Whole) -> String {
    let snapshot = whole.informer.snapshot();
    let text = |object: &crate::storage::Undecodable| {
        format!("{}@{}", object.key, object.resource_version)
    };
    let texts: Vec<String> = snapshot.undecodable_all().map(text).collect();
    texts.join(" ")
}

/// W-12, B-09, C-11: in a list, among initial events, and in a watch.
#[tokio::test(start_paused = true)]
async fn w12_an_object_that_does_not_decode_costs_one_error() {
    for (config, script) in [
        (listing(), "list 5 a@1! b@2 | watch +c@6! +d@7 b@8"),
        (
            InformerConfig::new(),
            "watch +a@1! +b@2 end@5 +c@6! +d@7 b@8",
        ),
    ] {
        let whole = Whole::start(config, script);
        whole.at("8").await;
        assert!(whole.informer.has_synced());
        assert_eq!(whole.cached(), "b@2 d@7");
        assert_eq!(whole.seen.text(), "i+b@2 +d@7");
        assert_eq!(undecodable(&whole), "a@1 c@6");
        assert_eq!(whole.errors.text(), "Object Object");
        assert_eq!(whole.informer.metrics().undecodable_objects, 2);
        let snapshot = whole.informer.snapshot();
        let error = &snapshot
            .undecodable(&ObjectKey::cluster("a"))
            .unwrap()
            .error;
        let error = error.to_string();
        assert!(
            error.contains("data.version") && error.contains('1'),
            "{error}"
        );
        whole.stop().await;
    }
}

/// W-13: the last decodable object stays, marked, until a decodable version or a deletion arrives.
#[tokio::test(start_paused = true)]
async fn w13_the_last_good_object_stays_readable_and_marked() {
    let whole = Whole::start(listing(), "list 5 a@1 b@2 c@3 | watch ~a@6! ~b@7! ~c@8!");
    whole.at("8").await;
    assert_eq!(whole.cached(), "a@1 b@2 c@3");
    assert_eq!(undecodable(&whole), "a@6 b@7 c@8");
    whole.stop().await;

    let whole = Whole::start(
        listing(),
        "list 5 a@1 b@2 c@3 | watch ~a@6! ~b@7! ~c@8! ~a@9 -b@10 error:410 | list 11 a@9 | watch",
    );
    whole.at("11").await;
    assert_eq!(whole.cached(), "a@9");
    assert_eq!(undecodable(&whole), "");
    assert_eq!(whole.seen.text(), "i+a@1 i+b@2 i+c@3 ~a@1>9 -b@10 r?c@3");
    whole.stop().await;
}

/// W-14: the header suffices for a deletion.
#[tokio::test(start_paused = true)]
async fn w14_a_deletion_that_does_not_decode_deletes() {
    let whole = Whole::start(listing(), "list 5 a@1 | watch -a@6! b@7");
    whole.at("7").await;
    assert_eq!(whole.cached(), "");
    assert_eq!(whole.seen.text(), "i+a@1 ?a@1");
    assert_eq!(undecodable(&whole), "");
    whole.stop().await;
}

/// W-13, N-03: deleting an undecodable object deletes the older object that is held in its place.
#[tokio::test(start_paused = true)]
async fn w13_an_object_held_in_place_of_an_undecodable_successor_goes_with_it() {
    let whole = Whole::start(
        listing(),
        "list 5 a@1#one | watch error:410 | list 7 a@6#two! | watch -a@8#two b@9",
    );
    whole.at("9").await;
    assert_eq!(whole.cached(), "");
    assert_eq!(undecodable(&whole), "");
    assert_eq!(whole.seen.text(), "i+a@1 ?a@1");
    whole.stop().await;
}

/// N-03: late events do not undo newer ones, in a watch and in a restarted streaming list. The
/// server's newest statement about the same object counts, whatever its version.
#[tokio::test(start_paused = true)]
async fn n03_what_is_older_does_not_come_back() {
    for (config, script, cached) in [
        // Deletion of an object whose name is already used by another object.
        (
            listing(),
            "list 5 a@1#one | watch +a@7#two -a@6#one b@9",
            "a@7",
        ),
        // The first attempt of a streaming list does not contribute to the second.
        (
            InformerConfig::new(),
            "watch +a@8 +b@2 then cut | watch +a@3 end@9",
            "a@3",
        ),
        // One object is missing in the list, and one is listed in an older version.
        (
            listing(),
            "list 5 a@1 b@2 | watch ~a@6 ~b@7 error:410 | list 9 a@4",
            "a@4",
        ),
    ] {
        let whole = Whole::start(config, &format!("{script} | watch"));
        whole.at("9").await;
        assert_eq!(whole.cached(), cached, "{script}");
        whole.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn w22_a_key_twice_in_a_list_is_one_notification_of_the_last() {
    for (config, script) in [
        (listing(), "list 5 a@1 b@2 a@3 | watch"),
        (InformerConfig::new(), "watch +a@1 +b@2 +a@3 end@5"),
        (listing(), "list 5 a@1 b@2 more=t | list 5 a@3 | watch"),
    ] {
        let whole = Whole::start(config, script);
        whole.at("5").await;
        assert_eq!(whole.seen.text(), "i+a@3 i+b@2");
        whole.stop().await;
    }
}

/// W-11, W-15: rejected items and events are counted, and do not affect others.
#[tokio::test(start_paused = true)]
async fn w15_refused_items_and_events_cost_one_error_each() {
    let whole = Whole::start(
        listing(),
        "list 5 a@1 rejected b@2 | watch rejected +c@6 unknown@7 b@8",
    );
    whole.at("8").await;
    assert_eq!(whole.cached(), "a@1 b@2 c@6");
    assert_eq!(whole.errors.text(), "Rejected Rejected");
    assert_eq!(whole.informer.metrics().rejected_objects, 2);
    whole.stop().await;
}

/// B-08, B-09: unknown types and undecodable objects advance the version; rejected ones do not.
#[tokio::test(start_paused = true)]
async fn b09_an_undecodable_event_is_not_asked_for_again() {
    for (events, resumed) in [
        ("~a@6!", "watch 6"),
        ("unknown@7", "watch 7"),
        ("~a@6 rejected", "watch 6"),
    ] {
        let whole = Whole::start(
            listing(),
            &format!("list 5 a@1 | watch {events} then closes | watch"),
        );
        pass(5).await;
        assert!(whole.requests().ends_with(resumed), "{}", whole.requests());
        whole.stop().await;
    }
}

/// Returns a transform that records its calls, and fails for some versions.
fn transform(calls: &Log) -> Transform<ConfigMap> {
    let calls = calls.clone();
    Transform::new("test", move |object: &mut ConfigMap| {
        calls.add(name(object));
        let data = object.data.get_or_insert_default();
        match data["version"].as_str() {
            "13" => return Err("unlucky".into()),
            "666" => panic!("unluckier"),
            "404" => object.metadata.name = Some("elsewhere".to_owned()),
            _ => {}
        }
        data.insert("seen".to_owned(), "yes".to_owned());
        Ok(())
    })
}

/// each version is transformed once; unchanged objects, tombstones and resyncs are not.
#[tokio::test(start_paused = true)]
async fn x01_each_version_of_an_object_is_transformed_once() {
    for (config, script) in [
        (
            listing(),
            "list 5 a@1 b@2 | watch ~a@6 +c@7 -c@8 error:410 | list 9 a@6 | watch",
        ),
        (
            InformerConfig::new(),
            "watch +a@1 +b@2 end@5 ~a@6 +c@7 -c@8 error:410 | watch +a@6 end@9",
        ),
    ] {
        let calls = Log::default();
        let whole = Whole::build(config, script, |builder| {
            builder.transform(transform(&calls))
        });
        whole.at("9").await;
        assert_eq!(calls.text(), "a@1 b@2 a@6 c@7 c@8");
        assert_eq!(whole.seen.text(), "i+a@1 i+b@2 ~a@1>6 +c@7 -c@8 r?b@2");
        assert_eq!(whole.informer.metrics().decoded_objects, 5);
        assert_eq!(whole.informer.metrics().unchanged_objects, 1);
        let cached = whole.informer.snapshot();
        assert!(
            cached
                .iter()
                .all(|object| object.data.as_ref().unwrap().contains_key("seen"))
        );
        whole.stop().await;
    }
}

/// a failing transform affects its object, but neither the list nor later events.
#[tokio::test(start_paused = true)]
async fn x03_a_failing_transform_costs_one_object() {
    for version in ["13", "666", "404"] {
        let calls = Log::default();
        let script = format!("list 5 a@{version} b@2 | watch ~b@{version} +c@7 b@8");
        let whole = Whole::build(listing(), &script, |builder| {
            builder.transform(transform(&calls))
        });
        whole.at("8").await;
        assert_eq!(whole.cached(), "b@2 c@7");
        assert_eq!(undecodable(&whole), format!("a@{version} b@{version}"));
        assert_eq!(whole.requests(), "list 0 limit=500, watch 5");
        assert_eq!(whole.errors.text(), "Object Object");
        whole.stop().await;
    }
}

/// E-15, W-12: the deserializer of a type is user code, too.
#[tokio::test(start_paused = true)]
async fn e15_a_type_that_panics_when_it_is_decoded_costs_one_object() {
    #[derive(Debug, Clone)]
    struct Touchy(ConfigMap);
    impl<'de> Deserialize<'de> for Touchy {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let object = ConfigMap::deserialize(deserializer)?;
            assert_ne!(object.metadata.resource_version.as_deref(), Some("13"));
            Ok(Self(object))
        }
    }
    impl kube::Resource for Touchy {
        type DynamicType = ();
        type Scope = k8s_openapi::ClusterResourceScope;
        fn kind((): &()) -> std::borrow::Cow<'_, str> {
            "Touchy".into()
        }
        fn group((): &()) -> std::borrow::Cow<'_, str> {
            "test".into()
        }
        fn version((): &()) -> std::borrow::Cow<'_, str> {
            "v1".into()
        }
        fn plural((): &()) -> std::borrow::Cow<'_, str> {
            "touchies".into()
        }
        fn meta(&self) -> &kube::core::ObjectMeta {
            &self.0.metadata
        }
        fn meta_mut(&mut self) -> &mut kube::core::ObjectMeta {
            &mut self.0.metadata
        }
    }
    for count in [1, 300] {
        let source = ScriptedListerWatcher::new();
        let mut objects = raws(count);
        objects.push(super::support::raw("z@13"));
        source.on_list(ListAnswer::items(objects, ListMeta::at("500")));
        play(&source, "watch +y@13 +c@600");
        let informer = crate::shared_informer::SharedInformer::<Touchy>::builder(source.clone())
            .config(listing())
            .build()
            .unwrap();
        let cancel = tokio_util::sync::CancellationToken::new();
        let run = super::world::spawn({
            let (informer, cancel) = (informer.clone(), cancel.clone());
            async move { informer.run(cancel).await }
        });
        super::world::until("c", || {
            informer.last_sync_resource_version().to_string() == "600"
        })
        .await;
        // From 13 objects on, one of the generated objects has version 13 as well.
        let bad = if count >= 13 { 3 } else { 2 };
        assert_eq!(informer.metrics().undecodable_objects, bad);
        assert_eq!(informer.metrics().list_requests, 1);
        cancel.cancel();
        run.await.unwrap().unwrap();
    }
}

/// C-05, C-08, X-01: a relist of unchanged objects decodes none, notifies nobody, and keeps
/// handles.
#[tokio::test(start_paused = true)]
async fn c05_a_relist_of_unchanged_objects_costs_nothing() {
    for streams in [false, true] {
        let calls = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&calls);
        let config = if streams {
            InformerConfig::new()
        } else {
            listing()
        };
        let whole = Whole::empty(config, move |builder| {
            builder.transform(Transform::new("count", move |_| {
                counter.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }))
        });
        let initial = |version| {
            let end = RawEvent::initial_events_end(version);
            raws(1000).into_iter().map(RawEvent::Added).chain([end])
        };
        let expired = super::support::failure("410");
        if streams {
            whole
                .source
                .on_watch(WatchAnswer::breaks_off(initial("2000"), expired));
        } else {
            whole
                .source
                .on_list(ListAnswer::items(raws(1000), ListMeta::at("2000")));
            whole.source.on_watch(WatchAnswer::error(expired));
        }
        until_version(&whole, "2000").await;
        let before = whole.informer.snapshot();
        assert_eq!((before.len(), whole.seen.len()), (1000, 1000));

        if streams {
            whole
                .source
                .on_watch(WatchAnswer::stays_open(initial("3000")));
        } else {
            whole
                .source
                .on_list(ListAnswer::items(raws(1000), ListMeta::at("3000")));
        }
        until_version(&whole, "3000").await;
        let after = whole.informer.snapshot();
        assert_eq!((after.len(), whole.seen.len()), (1000, 1000));
        let mut pairs = before.entries().zip(after.entries());
        assert!(pairs.all(|(old, new)| Arc::ptr_eq(&old.object, &new.object)));
        assert_eq!(calls.load(Ordering::Relaxed), 1000);
        let metrics = whole.informer.metrics();
        assert_eq!(
            (metrics.decoded_objects, metrics.unchanged_objects),
            (1000, 1000)
        );
        whole.stop().await;
    }
}

async fn until_version(whole: &Whole, version: &str) {
    super::world::until(version, || {
        whole.informer.last_sync_resource_version().to_string() == version
    })
    .await;
    pass(1).await;
}
