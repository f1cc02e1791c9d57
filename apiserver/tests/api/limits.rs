//! Requests that ask for too much: they are refused, or get less, and the server goes on.

use std::time::Duration;

use informer_apiserver::ApiServer;

use crate::support::{Lines, put, server};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[tokio::test]
async fn a_watch_may_ask_for_any_number_of_seconds() {
    let server = server().await;
    put(&server, "a");
    for seconds in [i64::MAX, i64::MAX / 1000, 1 << 40] {
        for bookmarks in [false, true] {
            let path =
                format!("{MAPS}?watch=1&timeoutSeconds={seconds}&allowWatchBookmarks={bookmarks}");
            let mut lines = Lines::open(&server, &path).await;
            assert_eq!(lines.short().await, "ADDED a", "{path}");
        }
    }
}

#[tokio::test]
async fn watches_and_bookmarks_may_be_set_to_take_for_ever() {
    let server = ApiServer::builder()
        .watch_timeout(Duration::MAX)
        .bookmark_interval(Duration::MAX)
        .start()
        .await
        .unwrap();
    put(&server, "a");
    let path = format!("{MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion=0");
    let mut lines = Lines::open(&server, &path).await;
    assert_eq!(lines.shorts(2).await, ["ADDED a", "BOOKMARK"]);
}
