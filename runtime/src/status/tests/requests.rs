//! Reasons and outcomes of lists and watches.

use crate::reflector::tests::world::{Whole, listing};
use crate::shared_informer::InformerConfig;
use crate::status::{Reason, Requests};

/// Formats requests as `initial=1 expired=2 > completed=2 failed=1`: reasons, then outcomes.
fn text(requests: &Requests) -> String {
    let side = |of: fn(&Requests, Reason) -> u64| {
        let counts = Reason::ALL
            .iter()
            .map(|reason| (reason, of(requests, *reason)));
        let occurred = counts.filter(|(_, count)| *count > 0);
        let texts: Vec<String> = occurred
            .map(|(reason, count)| format!("{reason}={count}"))
            .collect();
        texts.join(" ")
    };
    format!("{} > {}", side(Requests::began), side(Requests::ended))
}

/// O-01: the outcome of each request is the reason of the next one.
#[tokio::test(start_paused = true)]
async fn o01_lists_and_watches_are_counted_by_reason_and_by_end() {
    let whole = Whole::start(
        listing(),
        "list fails 500 | list 5 a@1 | watch ~a@6 then closes | watch ~a@7 then lost \
         | list 7 | watch ~a@8 error:410 | list fails 410 | list 9 a@8 | watch ~a@10 then silent \
         | list 10 | watch fails 429 | watch then closes | list 11 a@10 | watch fails large \
         | list 12 a@12 | watch",
    );
    whole.at("12").await;
    let metrics = whole.informer.metrics();
    assert_eq!(
        text(&metrics.list_attempts),
        "initial=1 expired=2 too_large_resource_version=1 very_short_watch=1 failed=1 \
         > completed=4 expired=1 failed=1"
    );
    assert_eq!(
        text(&metrics.watch_attempts),
        "completed=4 closed=1 too_many_requests=1 connection_lost=1 silent=1 \
         > closed=1 expired=1 too_large_resource_version=1 too_many_requests=1 \
         connection_lost=1 silent=1 very_short_watch=1"
    );
    assert_eq!(metrics.streaming_list_attempts.count(), 0);
    // The probes after lost connections are requests, but no lists.
    assert_eq!(metrics.list_attempts.count() + 2, metrics.list_requests);
    assert_eq!(metrics.watch_attempts.count(), metrics.watch_requests);
    assert_eq!(metrics.list_duration.count(), 4);
    whole.stop().await;
}

/// O-01: further pages are not further lists, but a list after an expired page is one. A complete
/// streaming list continues as a watch. A rejected one, and one without its closing bookmark, which
/// counts as silent, are replaced by a plain list.
#[tokio::test(start_paused = true)]
async fn o01_pages_and_streaming_lists_are_counted_apart() {
    let streams = InformerConfig::new;
    for (config, script, at, lists, streamed, watches) in [
        (
            listing(),
            "list 5 a@1 more=x | list fails 410 | list 6 a@1 b@6 | watch",
            "6",
            "initial=1 expired=1 > completed=1 expired=1",
            " > ",
            "completed=1 > ",
        ),
        (
            streams(),
            "watch +a@1 end@5 ~a@6 error:410 | watch +a@6 end@7",
            "7",
            " > ",
            "initial=1 expired=1 > completed=2",
            "completed=2 > expired=1",
        ),
        (
            streams(),
            "watch fails 422 | list 5 a@1 | watch",
            "5",
            "watch_list_refused=1 > completed=1",
            "initial=1 > watch_list_refused=1",
            "completed=1 > ",
        ),
        (
            streams(),
            "watch +a@1 | list 5 a@1 | watch",
            "5",
            "silent=1 > completed=1",
            "initial=1 > silent=1",
            "completed=1 > ",
        ),
    ] {
        let whole = Whole::start(config, script);
        whole.at(at).await;
        let metrics = whole.informer.metrics();
        assert_eq!(text(&metrics.list_attempts), lists, "{script}");
        assert_eq!(text(&metrics.streaming_list_attempts), streamed, "{script}");
        assert_eq!(text(&metrics.watch_attempts), watches, "{script}");
        whole.stop().await;
    }
}
