//! Filters of an informer.

use k8s_openapi::api::core::v1::ConfigMap;

use super::support::{Running, SECOND, config, recorder, source_with, value};
use crate::shared_informer::SharedInformer;
use crate::source::FakeControllerSource;

fn is_kept(object: &ConfigMap) -> bool {
    value(object) != "hidden"
}

fn informer(source: &FakeControllerSource) -> SharedInformer<ConfigMap> {
    let builder = SharedInformer::builder(source.clone());
    builder.filter("shown", is_kept).build().unwrap()
}

/// with both kinds of list, and in events.
#[tokio::test(start_paused = true)]
async fn x07_what_leaves_the_filter_is_a_deletion_of_its_own_origin() {
    for supports_watch_list in [true, false] {
        let source = source_with(&["a", "b"]);
        source.add(&config("c", "hidden")).unwrap();
        source.set_supports_watch_list(supports_watch_list);
        let informer = informer(&source);
        let (handler, mut seen) = recorder();
        informer.add_event_handler(handler).unwrap();
        let running = Running::synced(&informer).await;
        assert_eq!(
            seen.take(2).await,
            ["add ns/a=1 initial", "add ns/b=1 initial"]
        );

        source.modify(&config("a", "hidden")).unwrap();
        source.modify(&config("a", "hidden")).unwrap();
        source.modify(&config("c", "2")).unwrap();
        source.modify(&config("a", "3")).unwrap();
        assert_eq!(
            seen.take(3).await,
            [
                "delete ns/a=hidden filter",
                "add ns/c=2 live",
                "add ns/a=3 live"
            ]
        );

        // A list finds that one has left, one is gone, and one has come.
        for lost in [config("a", "hidden"), config("c", "hidden")] {
            source.lose_next_event();
            source.modify(&lost).unwrap();
        }
        source.lose_next_event();
        source.delete(&config("b", "1")).unwrap();
        source.lose_next_event();
        source.modify(&config("c", "4")).unwrap();
        source.add(&config("d", "1")).unwrap();
        source.reset_watch();
        let mut rest = seen.within(200 * SECOND).await;
        rest.sort();
        assert_eq!(
            rest,
            [
                "add ns/d=1 relist",
                "delete ns/a=hidden filter",
                "delete ns/b=1? relist",
                "update ns/c=2>4 relist"
            ]
        );
        let metrics = informer.metrics();
        let failed = metrics.undecodable_objects + metrics.rejected_objects;
        assert_eq!((metrics.objects, failed), (2, 0));
        running.stop().await;
    }
}
