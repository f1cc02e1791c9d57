//! Undecodable objects, and the number of decodings per object.

use std::sync::Arc;

use super::world::{Whole, listing, pass};
use crate::object::ObjectKey;
use crate::shared_informer::InformerConfig;

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

/// C-05, C-08: a relist of unchanged objects decodes none, notifies nobody, and keeps handles.
#[tokio::test(start_paused = true)]
async fn c05_a_relist_of_unchanged_objects_costs_nothing() {
    for (config, script) in [
        (
            listing(),
            "list 5 a@1 b@2 | watch error:410 | list 9 a@1 b@2 | watch",
        ),
        (
            InformerConfig::new(),
            "watch +a@1 +b@2 end@5 error:410 | watch +a@1 +b@2 end@9",
        ),
    ] {
        let whole = Whole::start(config, script);
        whole.at("5").await;
        let before = whole.informer.snapshot();
        whole.at("9").await;
        assert_eq!(whole.seen.text(), "i+a@1 i+b@2");
        let after = whole.informer.snapshot();
        let mut pairs = before.entries().zip(after.entries());
        assert!(pairs.all(|(old, new)| Arc::ptr_eq(&old.object, &new.object)));
        let metrics = whole.informer.metrics();
        assert_eq!((metrics.decoded_objects, metrics.unchanged_objects), (2, 2));
        whole.stop().await;
    }
}
