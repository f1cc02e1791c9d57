//! Tests of a pager that streams (KEP-3157), with the conversion of L-14.

use super::*;
use crate::reflector::WatchListMode;
use crate::source::WatchAnswer;
use crate::wire::RawEvent;

const HOUR: Duration = Duration::from_secs(60 * 60);

fn added(number: usize) -> RawEvent {
    RawEvent::Added(raw(number))
}

fn bookmark(version: &str, initial_events_end: bool) -> RawEvent {
    RawEvent::Bookmark {
        resource_version: version.into(),
        initial_events_end,
    }
}

/// Creates a pager with pages of two items that may stream.
fn streaming(source: &ScriptedListerWatcher) -> ListPager {
    pager(source)
        .page_size(NonZeroU32::new(2).unwrap())
        .watch_list(WatchListMode::Auto)
}

fn is_watch(request: &Request) -> bool {
    matches!(request, Request::Watch(_))
}

/// L-14, Z-04: one request, with the version of the closing bookmark, after which the watch is
/// dropped.
#[tokio::test(start_paused = true)]
async fn l14_a_pager_streams_what_converts() {
    let source = ScriptedListerWatcher::new();
    let (control, answer) = WatchAnswer::controlled();
    source.on_watch(answer);
    let mut items = streaming(&source).items(ListOptions::default());
    for number in 0..5 {
        control.send(added(number)).await.unwrap();
    }
    control.send(bookmark("6", false)).await.unwrap();
    control.send(bookmark("7", true)).await.unwrap();
    assert_eq!(name(&items.next().await.unwrap().unwrap()), 0);
    assert_eq!(items.resource_version(), None);
    assert_eq!(names(&mut items).await.unwrap(), [1, 2, 3, 4]);
    assert_eq!(items.resource_version(), Some(&"7".into()));
    control.dropped().await;
    let options = ListOptions::default().watch_list_options(HOUR).unwrap();
    assert_eq!(source.requests(), [Request::Watch(options)]);
}

/// L-14: options that select one page or one exact version are listed, as is everything without
/// streaming enabled.
#[tokio::test(start_paused = true)]
async fn l14_a_pager_lists_what_does_not_convert() {
    let limited = ListOptions {
        limit: Some(3),
        ..ListOptions::default()
    };
    let exact = ListOptions {
        resource_version: "7".into(),
        resource_version_match: Some(ResourceVersionMatch::Exact),
        ..ListOptions::default()
    };
    let cases = [
        (limited, WatchListMode::Auto),
        (exact, WatchListMode::Auto),
        (ListOptions::default(), WatchListMode::Never),
    ];
    for (options, mode) in cases {
        let source = source(1);
        let pager = pager(&source).watch_list(mode);
        assert_eq!(names(&mut pager.items(options)).await.unwrap(), [0, 1]);
        assert!(!source.requests().iter().any(is_watch));
    }
}

/// Z-04, L-06, L-09: after a failure before the first item was passed on, the pager falls back to
/// pages.
#[tokio::test(start_paused = true)]
async fn z04_a_stream_that_fails_early_is_listed_in_pages() {
    let refused = ApiStatus::new(422, "Invalid", "sendInitialEvents is forbidden");
    for (case, answer) in [
        ("refused", WatchAnswer::error(refused)),
        ("never answered", WatchAnswer::never()),
        ("no bookmark", WatchAnswer::stays_open([added(0)])),
        ("closed", WatchAnswer::events([added(0)])),
        (
            "changed",
            WatchAnswer::stays_open([added(0), RawEvent::Modified(raw(0)), bookmark("7", true)]),
        ),
        (
            "deleted",
            WatchAnswer::stays_open([added(0), RawEvent::Deleted(raw(0)), bookmark("7", true)]),
        ),
    ] {
        let source = source(2);
        source.on_watch(answer);
        let mut items = streaming(&source).items(ListOptions::default());
        assert_eq!(names(&mut items).await.unwrap(), [0, 1, 2, 3], "{case}");
        assert_eq!(items.resource_version(), Some(&"100".into()), "{case}");
        let requests = source.requests();
        assert!(is_watch(&requests[0]), "{case}");
        let Request::List(list) = &requests[1] else {
            panic!("{case}: another watch");
        };
        assert_eq!(list.limit, Some(2), "{case}");
    }
}

/// Z-04: items that were passed on cannot be revoked, so a later error ends the list.
#[tokio::test(start_paused = true)]
async fn z04_a_stream_that_fails_later_is_an_error_behind_its_items() {
    let expired = ApiStatus::new(410, "Expired", "too old");
    let first = || (0..3).map(added);
    for (case, answer) in [
        (
            "error",
            WatchAnswer::stays_open(first().chain([RawEvent::Error(expired)])),
        ),
        ("closed", WatchAnswer::events(first())),
        ("silent", WatchAnswer::stays_open(first())),
    ] {
        let source = ScriptedListerWatcher::new();
        source.on_watch(answer);
        let mut items = streaming(&source).items(ListOptions::default());
        for number in 0..2 {
            let item = items.next().await.unwrap().unwrap();
            assert_eq!(name(&item), number, "{case}");
        }
        let error = items.next().await.unwrap().unwrap_err();
        match case {
            "error" => assert!(error.is_expired()),
            "closed" => assert!(matches!(error, SourceError::Malformed(_)), "{error}"),
            _ => assert!(matches!(error, SourceError::Timeout { .. }), "{error}"),
        }
        assert!(items.next().await.is_none(), "{case}");
        assert_eq!(source.requests().len(), 1, "{case}");
    }
}

/// Z-04: a stream is bounded by the same number of pages ahead.
#[tokio::test(start_paused = true)]
async fn z04_a_stream_is_not_read_further_than_pages_ahead() {
    let source = ScriptedListerWatcher::new();
    let (control, answer) = WatchAnswer::controlled();
    source.on_watch(answer);
    let pager = streaming(&source).pages_ahead(NonZeroUsize::new(2).unwrap());
    let mut items = pager.items(ListOptions::default());
    let sender = async {
        let mut sent = 0;
        while tokio::time::timeout(Duration::from_secs(1), control.send(added(sent)))
            .await
            .is_ok()
        {
            sent += 1;
        }
        sent
    };
    let (first, sent) = tokio::join!(items.next(), sender);
    assert_eq!(name(&first.unwrap().unwrap()), 0);
    // One page in use, two pages ahead, and the capacity of the script's channel.
    assert_eq!(sent, 2 + 4 + 64);
}
