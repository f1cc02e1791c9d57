//! Number of requests per sync, and of decodings per object.

use informer_runtime::InformerConfig;
use informer_runtime::source::{ListAnswer, Request, WatchAnswer};
use informer_runtime::wire::{ListMeta, RawEvent};

use crate::support::{World, listing, object, updates};

const OBJECTS: usize = 1_200;

fn kinds(world: &World) -> String {
    let requests = world.source.requests();
    let kind = |request: &Request| match request {
        Request::List(_) => "list",
        Request::Watch(options) if options.send_initial_events => "stream",
        Request::Watch(_) => "watch",
    };
    requests.iter().map(kind).collect::<Vec<_>>().join(" ")
}

/// W-06, X-01: one request per page and one watch, one decoding per object, and one publication.
#[test]
fn w06_a_paged_sync_costs_a_request_per_page_and_a_decode_per_object() {
    let world = World::new(listing());
    let objects = |from: usize, to: usize| (from..to).map(|number| object(number, number + 1));
    let source = &world.source;
    source.on_list(ListAnswer::items(
        objects(0, 500),
        ListMeta::page("5000", "a"),
    ));
    source.on_list(ListAnswer::items(
        objects(500, 1_000),
        ListMeta::page("5000", "b"),
    ));
    source.on_list(ListAnswer::items(
        objects(1_000, OBJECTS),
        ListMeta::at("5000"),
    ));
    world.until_seen(OBJECTS);
    assert_eq!(kinds(&world), "list list list watch");
    assert_eq!((world.decoded(), world.generation()), (OBJECTS, 1));

    world
        .source
        .on_watch(WatchAnswer::stays_open(updates(OBJECTS, 60_000)));
    world.until_seen(2 * OBJECTS);
    assert_eq!(kinds(&world), "list list list watch");
    // A batch of 1,000, the other full bursts of 32, and the rest.
    assert_eq!((world.decoded(), world.generation()), (2 * OBJECTS, 4));
    world.stop();
}

/// L-04, X-01: one request for the state and the changes after it.
#[test]
fn l04_a_streaming_sync_costs_one_request_and_a_decode_per_object() {
    let world = World::new(InformerConfig::new());
    let initial = (0..OBJECTS).map(|number| RawEvent::Added(object(number, number + 1)));
    let events = initial
        .chain([RawEvent::initial_events_end("5000")])
        .chain(updates(OBJECTS, 60_000));
    world.source.on_watch(WatchAnswer::stays_open(events));
    world.until_seen(2 * OBJECTS);
    assert_eq!(kinds(&world), "stream");
    // A batch of 1,000, the other full bursts of 32, and the rest.
    assert_eq!((world.decoded(), world.generation()), (2 * OBJECTS, 4));
    world.stop();
}
