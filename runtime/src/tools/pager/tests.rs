//! Tests of the pager, Z-04 of docs/CONFORMANCE.md.

mod streamed;

use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt as _, TryStreamExt as _};
use serde_json::json;

use super::*;
use crate::source::{
    ListAnswer, ListStream, Request, ResourceVersionMatch, ScriptedListerWatcher, WatchOptions,
    WatchStream,
};
use crate::wire::{ApiStatus, ListMeta};
use crate::wire::{RawObject, Rejected};

fn raw(name: usize) -> RawObject {
    RawObject::from_value(&json!({"metadata": {"name": name.to_string()}})).unwrap()
}

/// Returns the page with this number, which has two items, its own version and its own token.
fn page(number: usize, is_last: bool) -> ListAnswer {
    let version = format!("{}", 100 + number);
    let meta = if is_last {
        ListMeta::at(version.as_str())
    } else {
        ListMeta::page(version.as_str(), format!("token {number}"))
    };
    ListAnswer::items([raw(2 * number), raw(2 * number + 1)], meta)
}

fn source(pages: usize) -> ScriptedListerWatcher {
    let source = ScriptedListerWatcher::new();
    for number in 0..pages {
        source.on_list(page(number, number + 1 == pages));
    }
    source
}

fn pager(source: &ScriptedListerWatcher) -> ListPager {
    ListPager::new(Arc::new(source.clone()))
}

fn name(item: &Item) -> usize {
    item.as_ref().unwrap().key().name().parse().unwrap()
}

async fn names(items: &mut ListItems) -> Result<Vec<usize>, SourceError> {
    let mut names = Vec::new();
    while let Some(item) = items.try_next().await? {
        names.push(name(&item));
    }
    Ok(names)
}

/// Lets the pages arrive.
async fn settle() {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
}

/// Z-04.
#[tokio::test(start_paused = true)]
async fn z04_every_item_comes_in_order_and_the_version_is_that_of_the_first_page() {
    let source = source(3);
    let mut items = pager(&source).items(ListOptions::default());
    assert_eq!(items.resource_version(), None);
    assert_eq!(names(&mut items).await.unwrap(), [0, 1, 2, 3, 4, 5]);
    assert_eq!(items.resource_version(), Some(&ResourceVersion::new("100")));
    assert!(items.next().await.is_none());
    assert_eq!(source.requests().len(), 3);
}

/// Z-04. (client-go sends the version with each page.)
#[tokio::test(start_paused = true)]
async fn z04_continue_requests_carry_no_version() {
    let source = source(2);
    let options = ListOptions {
        resource_version: ResourceVersion::new("7"),
        resource_version_match: Some(ResourceVersionMatch::Exact),
        ..ListOptions::default()
    };
    let pager = pager(&source).page_size(NonZeroU32::new(2).unwrap());
    names(&mut pager.items(options.clone())).await.unwrap();
    let first = ListOptions {
        limit: Some(2),
        ..options
    };
    let second = ListOptions {
        limit: Some(2),
        continue_token: Some("token 0".to_owned()),
        ..ListOptions::default()
    };
    let expected = [Request::List(first), Request::List(second)];
    assert_eq!(source.requests(), expected);
}

/// Z-04: a server that repeats a continue token makes no progress.
#[tokio::test(start_paused = true)]
async fn z04_a_list_that_does_not_go_on_ends_in_an_error() {
    let source = ScriptedListerWatcher::new();
    for number in 0..3 {
        let meta = ListMeta::page("5", "same");
        source.on_list(ListAnswer::items([raw(number)], meta));
    }
    let mut items = pager(&source).items(ListOptions::default());
    assert_eq!(name(&items.try_next().await.unwrap().unwrap()), 0);
    let error = items.try_next().await.unwrap_err();
    assert!(matches!(error, SourceError::Malformed(_)), "{error}");
    assert!(items.next().await.is_none());
    assert_eq!(source.requests().len(), 2);
}

/// Z-04: the limit in the options overrides the page size, which is 500 by default.
#[tokio::test(start_paused = true)]
async fn z04_pages_have_500_items_unless_the_options_say_otherwise() {
    for (limit, expected) in [(None, 500), (Some(3), 3)] {
        let source = source(1);
        let options = ListOptions {
            limit,
            ..ListOptions::default()
        };
        names(&mut pager(&source).items(options)).await.unwrap();
        let Request::List(options) = &source.requests()[0] else {
            panic!("a watch")
        };
        assert_eq!(options.limit, Some(expected));
    }
}

/// Z-04: with the first page in use, ten more are fetched, and one more for each page that is done.
#[tokio::test(start_paused = true)]
async fn z04_it_fetches_ten_pages_ahead_and_no_more() {
    let source = source(30);
    let mut items = pager(&source).items(ListOptions::default());
    settle().await;
    assert_eq!(
        source.requests().len(),
        0,
        "no request before the first poll"
    );
    for (taken, expected) in [(1, 11), (2, 11), (3, 12), (4, 12), (5, 13)] {
        items.next().await.unwrap().unwrap().unwrap();
        settle().await;
        assert_eq!(source.requests().len(), expected, "{taken} items taken");
    }
    assert_eq!(names(&mut items).await.unwrap().len(), 55);
}

/// Z-04: on a later page too, because a pager cannot start over.
#[tokio::test(start_paused = true)]
async fn z04_an_expired_list_is_returned_after_what_came_before_it() {
    let source = ScriptedListerWatcher::new();
    let expired = ApiStatus::new(410, "Expired", "too old");
    source
        .on_list(page(0, false))
        .on_list(page(1, false))
        .on_list(ListAnswer::error(expired));
    let mut items = pager(&source).items(ListOptions::default());
    assert_eq!(name(&items.next().await.unwrap().unwrap()), 0);
    // Long after the error has arrived.
    settle().await;
    for expected in 1..4 {
        assert_eq!(name(&items.next().await.unwrap().unwrap()), expected);
    }
    assert!(items.next().await.unwrap().unwrap_err().is_expired());
    assert!(items.next().await.is_none());
    settle().await;
    assert_eq!(source.requests().len(), 3, "no list without pages after it");
}

/// Z-04: dropping the stream ends its task and its request.
#[tokio::test(start_paused = true)]
async fn z04_dropping_it_stops_it_and_drops_the_request() {
    let source = ScriptedListerWatcher::new();
    let (control, never_ends) = ListAnswer::controlled();
    source.on_list(page(0, false)).on_list(never_ends);
    let mut items = pager(&source).items(ListOptions::default());
    items.next().await.unwrap().unwrap().unwrap();
    source.wait_for_requests(2).await;
    assert!(!control.is_dropped());
    drop(items);
    let dropped = tokio::time::timeout(Duration::from_secs(1), control.dropped());
    assert!(dropped.await.is_ok());
}

/// Z-04.
#[tokio::test(start_paused = true)]
async fn z04_dropping_it_while_it_is_ahead_stops_it() {
    let source = source(30);
    let mut items = pager(&source)
        .pages_ahead(NonZeroUsize::MIN)
        .items(ListOptions::default());
    items.next().await.unwrap().unwrap().unwrap();
    settle().await;
    drop(items);
    settle().await;
    assert_eq!(source.requests().len(), 2);
    let most = pager(&source).pages_ahead(NonZeroUsize::MAX);
    assert!(most.items(ListOptions::default()).next().await.is_some());
}

/// Z-04: rejected items are values, and a truncated list is an error.
#[tokio::test(start_paused = true)]
async fn z04_rejected_items_come_as_such_and_a_list_without_its_end_fails() {
    let source = ScriptedListerWatcher::new();
    let rejected = Rejected {
        key: None,
        reason: "odd".to_owned(),
    };
    let page = [Ok(raw(0)), Err(rejected.clone())];
    source
        .on_list(ListAnswer::results(page, ListMeta::page("1", "more")))
        .on_list(ListAnswer::parts([]));
    let mut items = pager(&source).items(ListOptions::default());
    assert_eq!(name(&items.next().await.unwrap().unwrap()), 0);
    assert_eq!(items.next().await.unwrap().unwrap().unwrap_err(), rejected);
    let error = items.next().await.unwrap().unwrap_err();
    assert!(matches!(error, SourceError::Malformed(_)), "{error}");
}

/// Source that panics.
struct Panics;

impl ListerWatcher for Panics {
    fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        async { panic!("in the source") }.boxed()
    }

    fn watch(&self, _: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        async { panic!("in the source") }.boxed()
    }
}

/// Z-04.
#[tokio::test(start_paused = true)]
async fn z04_a_source_that_panics_is_an_error() {
    let mut items = ListPager::new(Arc::new(Panics)).items(ListOptions::default());
    let error = items.next().await.unwrap().unwrap_err();
    assert!(matches!(error, SourceError::Panicked(_)), "{error}");
    assert!(items.next().await.is_none());
}
