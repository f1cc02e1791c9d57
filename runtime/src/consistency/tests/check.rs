use tokio::time::Instant;

use super::super::{Checked, ConsistencyCheck, Identity, Skipped};
use super::*;
use crate::indexer::{Indexer, Snapshot};
use crate::object::Scope;
use crate::source::{
    ListAnswer, ListOptions, Request, ResourceVersionMatch, ScriptedListerWatcher,
};
use crate::status::SourceError;
use crate::wire::{ApiStatus, ListMeta, RawObject};

fn snapshot(version: &str, objects: &[&str]) -> Snapshot<Handle> {
    let store = Indexer::new(Scope::Namespaced);
    let entries = objects.iter().map(|text| entry(text)).collect();
    store.replace(entries, ResourceVersion::new(version));
    store.snapshot()
}

fn page(objects: &[&str], meta: ListMeta) -> ListAnswer {
    let raw = |text: &&str| RawObject::from_value(&*config(text)).unwrap();
    ListAnswer::items(objects.iter().map(raw), meta)
}

fn failure(code: u16, reason: &str) -> ListAnswer {
    ListAnswer::error(SourceError::from(ApiStatus::new(code, reason, "no")))
}

/// Returns the expected request at version 7.
fn exactly(limit: u32) -> Request {
    Request::List(ListOptions {
        limit: Some(limit),
        continue_token: None,
        resource_version: ResourceVersion::new("7"),
        resource_version_match: Some(ResourceVersionMatch::Exact),
    })
}

/// N-09.
#[tokio::test(start_paused = true)]
async fn n09_the_check_lists_at_the_exact_version_page_by_page() {
    let source = ScriptedListerWatcher::new();
    source
        .on_list(page(&["a@1"], ListMeta::page("7", "more")))
        .on_list(page(&["b@2"], ListMeta::at("7")));
    let check = ConsistencyCheck::new().list_options(ListOptions {
        limit: Some(1),
        resource_version: ResourceVersion::ANY,
        ..ListOptions::default()
    });
    let checked = check.run(&source, &snapshot("7", &["a@1", "b@2"])).await;
    assert_eq!(checked.unwrap(), Checked::Consistent { objects: 2 });
    let next = Request::List(ListOptions {
        limit: Some(1),
        continue_token: Some("more".to_owned()),
        ..ListOptions::default()
    });
    assert_eq!(source.requests(), [exactly(1), next]);
}

/// N-09.
#[tokio::test(start_paused = true)]
async fn n09_differences_are_reported_as_values() {
    let source = ScriptedListerWatcher::new();
    let server = ["changed@3", "missing@2", "recreated@2/new", "same@1"];
    source.on_list(page(&server, ListMeta::at("7")));
    let cache = ["changed@2", "extra@1", "recreated@2/old", "same@1"];
    let checked = ConsistencyCheck::new()
        .run(&source, &snapshot("7", &cache))
        .await
        .unwrap();
    let Checked::Different {
        resource_version,
        differences,
    } = checked
    else {
        panic!("{checked:?}")
    };
    assert_eq!(resource_version, ResourceVersion::new("7"));
    let printed: Vec<String> = differences.iter().map(ToString::to_string).collect();
    let version = |version: &str, uid: &str| format!("resourceVersion \"{version}\" of uid {uid}");
    let expected = [
        format!(
            "ns/changed: the cache has {}, the server {}",
            version("2", "changed"),
            version("3", "changed")
        ),
        format!(
            "ns/extra: the cache has {}, the server nothing",
            version("1", "extra")
        ),
        format!(
            "ns/missing: the cache has nothing, the server {}",
            version("2", "missing")
        ),
        format!(
            "ns/recreated: the cache has {}, the server {}",
            version("2", "old"),
            version("2", "new")
        ),
    ];
    assert_eq!(printed, expected);
    let extra = Identity {
        uid: Some("extra".into()),
        resource_version: ResourceVersion::new("1"),
    };
    assert_eq!(
        (&differences[1].cached, &differences[1].listed),
        (&Some(extra), &None)
    );
}

/// N-09.
#[tokio::test(start_paused = true)]
async fn n09_a_version_that_names_no_state_and_a_continued_list_are_skipped() {
    let source = ScriptedListerWatcher::new();
    let check = ConsistencyCheck::new();
    for version in ["", "0"] {
        let checked = check.run(&source, &snapshot(version, &["a@1"])).await;
        assert_eq!(checked.unwrap(), Checked::Skipped(Skipped::ResourceVersion));
    }
    let check = check.list_options(ListOptions {
        continue_token: Some("more".to_owned()),
        ..ListOptions::default()
    });
    let checked = check.run(&source, &snapshot("7", &["a@1"])).await;
    assert_eq!(checked.unwrap(), Checked::Skipped(Skipped::Continue));
    assert!(source.requests().is_empty());
}

/// N-09: a list that fails halfway is repeated from the start.
#[tokio::test(start_paused = true)]
async fn n09_list_errors_are_retried() {
    let source = ScriptedListerWatcher::new();
    let mut slow_down = ApiStatus::new(429, "TooManyRequests", "busy");
    slow_down.retry_after = Some(secs(5));
    source
        .on_list(failure(500, "InternalError"))
        .on_list(ListAnswer::error(SourceError::from(slow_down)))
        .on_list(page(&["a@1"], ListMeta::page("7", "more")))
        .on_list(failure(500, "InternalError"))
        .on_list(page(&["a@1"], ListMeta::at("7")));
    let started = Instant::now();
    let checked = ConsistencyCheck::new()
        .run(&source, &snapshot("7", &["a@1"]))
        .await;
    assert_eq!(checked.unwrap(), Checked::Consistent { objects: 1 });
    assert_eq!(started.elapsed().as_secs(), 1 + 5 + 1);
    let requests = source.requests();
    assert_eq!(requests[0], exactly(500));
    assert_eq!(requests[4], exactly(500), "from the start");
}

/// N-09.
#[tokio::test(start_paused = true)]
async fn n09_retries_are_bounded_and_an_expired_version_is_not_tried_again() {
    let source = ScriptedListerWatcher::new();
    for _ in 0..3 {
        source.on_list(failure(500, "InternalError"));
    }
    let check = ConsistencyCheck::new().attempts(3);
    let error = check.run(&source, &snapshot("7", &[])).await.unwrap_err();
    assert_eq!((error.attempts, source.requests().len()), (3, 3));

    source.on_list(failure(410, "Expired"));
    let error = check.run(&source, &snapshot("7", &[])).await.unwrap_err();
    assert!(error.source.is_expired());
    assert_eq!(error.attempts, 1);
}

/// N-09: an object that the cache reports as undecodable is no difference, unless a newer version
/// exists.
#[tokio::test(start_paused = true)]
async fn n09_an_undecodable_object_counts_with_the_version_that_does_not_decode() {
    let store = Indexer::new(Scope::Namespaced);
    store.replace(vec![entry("a@1")], ResourceVersion::new("7"));
    let error = RawObject::json(r#"{"metadata":{"namespace":"ns","name":"a"},"data":7}"#)
        .unwrap()
        .decode::<ConfigMap>()
        .unwrap_err();
    store.transaction(|transaction| {
        transaction.mark_undecodable(crate::storage::Undecodable {
            key: key("a"),
            resource_version: ResourceVersion::new("5"),
            error: Arc::new(error.into()),
        });
    });
    for (listed, is_consistent) in [("a@5", true), ("a@6", false)] {
        let source = ScriptedListerWatcher::new();
        source.on_list(page(&[listed], ListMeta::at("7")));
        let checked = ConsistencyCheck::new()
            .run(&source, &store.snapshot())
            .await;
        let checked = checked.unwrap();
        assert_eq!(matches!(checked, Checked::Consistent { .. }), is_consistent);
    }
}
