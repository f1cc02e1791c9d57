//! Measurements of an informer, on a paused clock.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::object::ResourceVersion;
use crate::processor::{HandlerOptions, WhenFull};
use crate::reflector::tests::support::{play, raw};
use crate::reflector::tests::world::{Log, Running, Whole, builder, listing, pass, until};
use crate::source::ScriptedListerWatcher;
use crate::status::version_number;

const THREE_SECONDS: Duration = Duration::from_secs(3);

/// O-01: while a handler holds up the informer for three seconds, and afterwards.
#[tokio::test(start_paused = true)]
async fn o01_queue_latency_and_mailboxes_are_measured() {
    let source = ScriptedListerWatcher::new();
    let informer = builder(source.clone())
        .name("things")
        .config(listing())
        .build()
        .unwrap();
    let gate = Arc::new(Semaphore::new(0));
    let options = HandlerOptions::new()
        .name("stuck")
        .capacity(NonZeroUsize::MIN)
        .when_full(WhenFull::Block);
    let handler = Log::default().gated(&gate);
    informer.add_event_handler_with(handler, options).unwrap();
    play(&source, "list 5 a@1 | watch ~a@6 ~a@7 ~a@8");
    let running = Running::start(&informer);
    // a@1 is in a call, a@6 in the mailbox, a@7 on the way into the mailbox, a@8 in the queue.
    pass(3).await;
    let metrics = informer.metrics();
    let size = |text: &str| raw(text).bytes().len();
    assert_eq!(
        (metrics.queued_deltas, metrics.queued_bytes),
        (1, size("a@8"))
    );
    assert_eq!((metrics.objects, metrics.is_synced), (1, true));
    assert_eq!(metrics.store_resource_version, Some(7));
    let [stuck] = metrics.handlers.as_slice() else {
        panic!("one handler: {metrics:?}");
    };
    assert_eq!((stuck.name.as_str(), stuck.id), ("stuck", 0));
    assert_eq!((stuck.stats.pending, stuck.stats.delivered), (1, 0));
    assert_eq!(stuck.stats.pending_bytes, size("a@5"), "the old object");

    gate.add_permits(100);
    until("the last one", || {
        informer.metrics().handlers[0].stats.delivered == 4
    })
    .await;
    let metrics = informer.metrics();
    assert_eq!((metrics.queued_deltas, metrics.batches), (0, 4));
    assert_eq!(
        (
            metrics.queued_bytes,
            metrics.handlers[0].stats.pending_bytes
        ),
        (0, 0)
    );
    assert_eq!(metrics.store_resource_version, Some(8));
    let (processing, publish, delivery) = (
        metrics.processing_latency,
        metrics.publish_latency,
        metrics.delivery_latency,
    );
    let sums = |histogram: crate::status::Histogram| (histogram.count(), histogram.sum());
    assert_eq!(sums(processing), (4, THREE_SECONDS), "of a@7");
    assert_eq!(sums(publish), (4, THREE_SECONDS), "of a@8");
    assert_eq!(sums(delivery), (4, 2 * THREE_SECONDS), "of both");
    let below: Vec<u64> = publish.buckets().map(|(_, count)| count).collect();
    assert_eq!(below, [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4]);
    let calls = metrics.handlers[0].stats.calls;
    assert_eq!(
        (calls.count(), calls.sum(), calls.max()),
        (4, THREE_SECONDS, THREE_SECONDS)
    );
    assert_eq!(metrics.handlers[0].stats.busy, THREE_SECONDS);
    running.stop().await;
}

/// O-01: rejected objects, undecodable objects, and received bytes.
#[tokio::test(start_paused = true)]
async fn o01_objects_are_counted_by_what_became_of_them() {
    let whole = Whole::start(
        listing(),
        "list 5 a@1 b@2! rejected | watch +c@6 rejected ~a@7! -c@8 b@9",
    );
    whole.at("9").await;
    let metrics = whole.informer.metrics();
    assert_eq!((metrics.objects, metrics.undecodable), (1, 2));
    assert_eq!(
        (metrics.rejected_objects, metrics.undecodable_objects),
        (2, 2)
    );
    assert_eq!((metrics.events, metrics.bookmarks), (3, 1));
    let received = ["a@1", "b@2!", "c@6", "a@7!", "c@8"];
    let bytes: usize = received.iter().map(|text| raw(text).bytes().len()).sum();
    assert_eq!(metrics.object_bytes, bytes as u64);
    whole.stop().await;
}

/// O-01: the same rule as in client-go, so that graphs of both can be compared.
#[test]
fn o01_of_a_long_version_the_last_15_digits_count() {
    let number = |text: &str| version_number(&ResourceVersion::new(text));
    assert_eq!(number("42"), Some(42));
    assert_eq!(number("1234567890123456789"), Some(567_890_123_456_789));
    let long = "9".repeat(40);
    assert_eq!(number(&long), Some(999_999_999_999_999));
    assert_eq!(number(""), None);
    assert_eq!(number("v7"), None);
    assert_eq!(number("é00000000000000"), None);
}
