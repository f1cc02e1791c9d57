use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _, poll};
use serde_json::{Value, json};

use super::*;
use crate::object::ResourceVersion;
use crate::source::{ListOptions, ListPart, ListerWatcher, WatchOptions, WatchStream};
use crate::status::SourceError;
use crate::wire::{ApiStatus, ListMeta, RawEvent, RawObject};

fn object(name: &str) -> Value {
    json!({"metadata": {"namespace": "ns", "name": name}})
}

fn raw(name: &str, version: &str) -> RawObject {
    let metadata = json!({"namespace": "ns", "name": name, "resourceVersion": version});
    RawObject::from_value(&json!({"metadata": metadata})).unwrap()
}

fn watch_from(version: &str) -> WatchOptions {
    WatchOptions {
        resource_version: ResourceVersion::new(version),
        send_initial_events: false,
        allow_bookmarks: true,
        timeout: Duration::from_secs(300),
        shard_selector: None,
    }
}

fn print(event: &RawEvent) -> String {
    let with =
        |sign: char, o: &RawObject| format!("{sign}{}@{}", o.key().name(), o.resource_version());
    match event {
        RawEvent::Added(o) => with('+', o),
        RawEvent::Modified(o) => with('~', o),
        RawEvent::Deleted(o) => with('-', o),
        RawEvent::Bookmark {
            resource_version,
            initial_events_end,
        } => format!(
            "b@{resource_version}{}",
            if *initial_events_end { "!" } else { "" }
        ),
        RawEvent::Error(status) => format!("error {}", status.code),
        other @ (RawEvent::Unknown { .. } | RawEvent::Rejected(_)) => format!("{other:?}"),
    }
}

/// Returns the events that the watch yields without waiting; `closed` if it ends.
fn now(watch: &mut WatchStream) -> String {
    let mut seen = Vec::new();
    loop {
        match watch.next().now_or_never() {
            None => break,
            Some(None) => {
                seen.push("closed".to_owned());
                break;
            }
            Some(Some(Ok(event))) => seen.push(print(&event)),
            Some(Some(Err(error))) => seen.push(error.to_string()),
        }
    }
    seen.join(" ")
}

/// Returns the items of a page as text, such as `a@1 b@2`, and the metadata of the list.
async fn page(source: &impl ListerWatcher, options: ListOptions) -> (String, ListMeta) {
    let mut parts = source.list(options).await.unwrap();
    let mut names = Vec::new();
    loop {
        match parts.next().await.unwrap().unwrap() {
            ListPart::Items(items) => names.extend(items.into_iter().map(|item| {
                let item = item.unwrap();
                format!("{}@{}", item.key().name(), item.resource_version())
            })),
            ListPart::End(meta) => return (names.join(" "), meta),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn z05_each_change_takes_the_next_version_and_is_watched_from_any_earlier_one() {
    let source = FakeControllerSource::new();
    source.add(&object("a")).unwrap();
    source.modify(&object("a")).unwrap();
    source.add(&object("b")).unwrap();
    source.delete(&object("a")).unwrap();
    assert_eq!(source.resource_version(), ResourceVersion::new("4"));

    for (from, seen) in [
        ("1", "~a@2 +b@3 -a@4"),
        ("3", "-a@4"),
        ("4", ""),
        ("", "+b@3"),
        ("0", "+b@3"),
    ] {
        let mut watch = source.watch(watch_from(from)).await.unwrap();
        assert_eq!(now(&mut watch), seen, "from {from}");
    }
    let (items, meta) = page(&source, ListOptions::default()).await;
    assert_eq!((items.as_str(), meta), ("b@3", ListMeta::at("4")));
}

#[tokio::test(start_paused = true)]
async fn z05_a_change_without_an_event_is_found_by_a_list_only() {
    let source = FakeControllerSource::new();
    source.add(&object("a")).unwrap();
    let mut watch = source.watch(watch_from("1")).await.unwrap();
    source.lose_next_event();
    source.modify(&object("a")).unwrap();
    source.lose_next_event();
    source.add(&object("b")).unwrap();
    source.lose_next_event();
    source.delete(&object("b")).unwrap();
    source.add(&object("c")).unwrap();
    source.bookmark();
    assert_eq!(now(&mut watch), "+c@5 b@5");
    let (items, _) = page(&source, ListOptions::default()).await;
    assert_eq!(items, "a@2 c@5");
}

#[tokio::test(start_paused = true)]
async fn z05_a_reset_closes_watches_and_expires_versions_and_tokens() {
    let source = FakeControllerSource::new();
    for name in ["a", "b", "c"] {
        source.add(&object(name)).unwrap();
    }
    let first_two = ListOptions {
        limit: Some(2),
        ..ListOptions::default()
    };
    let (items, meta) = page(&source, first_two).await;
    assert_eq!(
        (items.as_str(), meta.remaining_item_count),
        ("a@1 b@2", Some(1))
    );
    let next = ListOptions {
        continue_token: meta.continue_token,
        ..ListOptions::default()
    };
    let mut watch = source.watch(watch_from("1")).await.unwrap();
    source.reset_watch();
    assert_eq!(now(&mut watch), "closed");
    assert!(source.list(next).await.err().unwrap().is_expired());

    source.add(&object("d")).unwrap();
    let mut old = source.watch(watch_from("2")).await.unwrap();
    assert_eq!(now(&mut old), "error 410 closed");
    let mut current = source.watch(watch_from("3")).await.unwrap();
    assert_eq!(now(&mut current), "+d@4");
}

#[tokio::test(start_paused = true)]
async fn z05_errors_are_set_and_cleared() {
    let source = FakeControllerSource::new();
    source.list_error(SourceError::from(ApiStatus::new(403, "Forbidden", "no")));
    let error = source.list(ListOptions::default()).await.err().unwrap();
    assert!(error.status().unwrap().is_forbidden());
    source.list_error(None);
    assert!(source.list(ListOptions::default()).await.is_ok());
    source.watch_error(SourceError::Truncated { bytes: 1 });
    assert!(source.watch(watch_from("")).await.is_err());
    let ahead = ListOptions {
        resource_version: ResourceVersion::new("9"),
        ..ListOptions::default()
    };
    let error = source.list(ahead).await.err().unwrap();
    assert!(error.is_too_large_resource_version());
    assert_eq!(source.requests().len(), 4);
}

/// L-02, L-13.
#[tokio::test(start_paused = true)]
async fn l02_a_streaming_list_ends_with_its_bookmark() {
    let source = FakeControllerSource::new();
    source.add(&object("b")).unwrap();
    source.add(&object("a")).unwrap();
    let options = WatchOptions {
        send_initial_events: true,
        ..watch_from("")
    };
    let mut watch = source.watch(options.clone()).await.unwrap();
    assert_eq!(now(&mut watch), "+a@2 +b@1 b@2!");
    source.add(&object("c")).unwrap();
    assert_eq!(now(&mut watch), "+c@3");

    source.set_supports_watch_list(false);
    assert!(!source.supports_watch_list());
    assert!(source.watch(options).await.err().unwrap().is_invalid());
}

#[tokio::test(start_paused = true)]
async fn r05_a_watch_is_closed_at_its_timeout_and_a_waiting_one_is_woken() {
    let source = FakeControllerSource::new();
    let started = tokio::time::Instant::now();
    let mut watch = source.watch(watch_from("")).await.unwrap();
    {
        let mut next = watch.next();
        assert!(poll!(&mut next).is_pending());
        source.add(&object("a")).unwrap();
        assert_eq!(print(&next.await.unwrap().unwrap()), "+a@1");
    }
    assert!(watch.next().await.is_none());
    assert_eq!(started.elapsed(), Duration::from_secs(300));
}

#[tokio::test(start_paused = true)]
async fn r19_a_script_answers_in_order_and_records_the_requests() {
    let source = ScriptedListerWatcher::new();
    source
        .on_list(ListAnswer::error(ApiStatus::new(410, "Expired", "old")))
        .on_list(ListAnswer::items([raw("a", "1")], ListMeta::at("5")))
        .on_watch(WatchAnswer::events([RawEvent::Added(raw("b", "6"))]))
        .on_watch(WatchAnswer::breaks_off(
            [RawEvent::bookmark("7")],
            SourceError::Truncated { bytes: 3 },
        ))
        .on_watch(WatchAnswer::stays_open([RawEvent::initial_events_end("8")]));
    assert_eq!(source.unused_answers(), (2, 3));

    let options = ListOptions::default();
    assert!(
        source
            .list(options.clone())
            .await
            .err()
            .unwrap()
            .is_expired()
    );
    let (items, meta) = page(&source, options.clone()).await;
    assert_eq!((items.as_str(), meta), ("a@1", ListMeta::at("5")));
    for seen in [
        "+b@6 closed",
        "b@7 the connection ended inside an object, after 3 bytes closed",
        "b@8!",
    ] {
        let mut watch = source.watch(watch_from("5")).await.unwrap();
        assert_eq!(now(&mut watch), seen);
    }
    assert_eq!(source.unused_answers(), (0, 0));
    let list = Request::List(options);
    let watch = Request::Watch(watch_from("5"));
    let expected = [list.clone(), list, watch.clone(), watch.clone(), watch];
    assert_eq!(source.requests(), expected);
}

#[tokio::test(start_paused = true)]
async fn r19_a_request_waits_for_a_later_answer() {
    let source = ScriptedListerWatcher::new();
    let mut lists = [
        source.list(ListOptions::default()),
        source.list(ListOptions::default()),
    ];
    for list in &mut lists {
        assert!(poll!(list).is_pending());
    }
    assert_eq!(source.wait_for_requests(2).await.len(), 2);
    source
        .on_list(ListAnswer::items([], ListMeta::at("1")))
        .on_list(ListAnswer::items([], ListMeta::at("2")));
    let answered = futures::future::join_all(lists).await;
    assert!(answered.iter().all(Result::is_ok));

    source.on_watch(WatchAnswer::never());
    assert!(source.watch(watch_from("")).now_or_never().is_none());
    assert_eq!(source.unused_answers(), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn r02_the_test_sends_fails_closes_and_sees_the_drop() {
    let source = ScriptedListerWatcher::new();
    let (first, answer) = WatchAnswer::controlled();
    source.on_watch(answer);
    first.send(RawEvent::bookmark("1")).await.unwrap();
    let mut watch = source.watch(watch_from("")).await.unwrap();
    assert_eq!(now(&mut watch), "b@1");
    first.send(RawEvent::bookmark("2")).await.unwrap();
    first
        .fail(SourceError::Malformed("odd".into()))
        .await
        .unwrap();
    assert_eq!(now(&mut watch), "b@2 malformed answer: odd closed");

    let (second, answer) = WatchAnswer::controlled();
    source.on_watch(answer);
    let mut watch = source.watch(watch_from("")).await.unwrap();
    assert_eq!(now(&mut watch), "");
    assert!(second.dropped().now_or_never().is_none());
    drop(watch);
    second.dropped().await;
    assert_eq!(
        second.send(RawEvent::bookmark("3")).await,
        Err(AnswerDropped)
    );

    let (third, answer) = WatchAnswer::controlled();
    source.on_watch(answer);
    third.close();
    let mut watch = source.watch(watch_from("")).await.unwrap();
    assert_eq!(now(&mut watch), "closed");
}

#[test]
fn l13_a_script_reports_whether_it_supports_streaming_lists() {
    let source = ScriptedListerWatcher::default();
    assert!(source.supports_watch_list());
    source.set_supports_watch_list(false);
    assert!(!source.clone().supports_watch_list());
}

#[tokio::test(start_paused = true)]
async fn w09_a_list_is_sent_part_by_part_and_its_drop_is_seen() {
    let source = ScriptedListerWatcher::new();
    let (slow, answer) = ListAnswer::controlled();
    source.on_list(answer);
    let mut parts = source.list(ListOptions::default()).await.unwrap();
    slow.send(ListPart::Items(vec![Ok(raw("a", "1"))]))
        .await
        .unwrap();
    assert!(matches!(parts.next().await, Some(Ok(ListPart::Items(items))) if items.len() == 1));
    assert!(parts.next().now_or_never().is_none() && slow.dropped().now_or_never().is_none());
    drop(parts);
    slow.dropped().await;
    let end = ListPart::End(ListMeta::at("1"));
    assert_eq!(slow.send(end).await, Err(AnswerDropped));
}
