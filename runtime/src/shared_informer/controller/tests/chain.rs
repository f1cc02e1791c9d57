//! A complete informer: the state that a handler reads, and the origin of its events.

use k8s_openapi::api::core::v1::ConfigMap;

use crate::delta_fifo::Order;
use crate::event::Event;
use crate::reflector::tests::support::{name, play};
use crate::reflector::tests::world::{Log, Whole, event_text, listing};
use crate::shared_informer::{InformerConfig, SharedInformer};

fn objects(informer: &SharedInformer<ConfigMap>) -> String {
    let snapshot = informer.snapshot();
    let names: Vec<String> = snapshot.iter().map(name).collect();
    format!("{} at {}", names.join(" "), snapshot.resource_version())
}

/// C-02, C-03, C-07: a handler reads the complete state of its event, or a newer state.
#[tokio::test(start_paused = true)]
async fn c03_before_the_first_call_of_a_relist_the_whole_new_state_can_be_read() {
    let whole = Whole::empty(listing(), |builder| builder);
    let log = Log::default();
    let (reader, seen) = (whole.informer.clone(), log.clone());
    let handler = move |event: Event<ConfigMap>| {
        seen.add(format!("{} of {};", event_text(&event), objects(&reader)));
    };
    whole.informer.add_event_handler(handler).unwrap();
    play(&whole.source, "list 5 a@1 b@2");
    whole.at("5").await;
    play(
        &whole.source,
        "watch ~a@6 error:410 | list 9 c@8 b@7 | watch",
    );
    whole.at("9").await;
    assert_eq!(
        log.text(),
        "i+a@1 of a@1 b@2 at 5; i+b@2 of a@1 b@2 at 5; ~a@1>6 of a@6 b@2 at 6; \
         r?a@6 of b@7 c@8 at 9; r+c@8 of b@7 c@8 at 9; r~b@2>7 of b@7 c@8 at 9;"
    );
    whole.stop().await;
}

/// Q-08, C-09: in both orders of the queue.
#[tokio::test(start_paused = true)]
async fn c09_only_the_first_list_is_initial_in_both_orders() {
    for (order, relist) in [
        (Order::Global, "r?b@2 r?c@6 r+d@8"),
        (Order::PerKey, "r+d@8 r?b@2 r?c@6"),
    ] {
        let whole = Whole::build(
            listing(),
            "list 5 a@1 b@2 | watch +c@6 error:410 | list 9 a@1 d@8 | watch",
            |builder| builder.config(InformerConfig::new().order(order)),
        );
        whole.at("9").await;
        assert_eq!(
            whole.seen.text(),
            format!("i+a@1 i+b@2 +c@6 {relist}"),
            "{order:?}"
        );
        whole.stop().await;
    }
}
