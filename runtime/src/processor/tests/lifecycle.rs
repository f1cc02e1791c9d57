//! Drop of handlers, and traits of handles.

use super::support::{Log, Running, Version, current, events};
use crate::event::Event;
use crate::processor::{
    EventHandler, EventHandlerFuncs, EventStream, HandlerOptions, HandlerRegistration, Processor,
};

/// Handler that panics when it is dropped.
struct Grenade;

impl EventHandler<Version> for Grenade {
    async fn on_event(&mut self, _: Event<Version>) {}
}

impl Drop for Grenade {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[tokio::test(start_paused = true)]
async fn e15_a_handler_that_panics_when_dropped_harms_nobody() {
    let mut running = Running::started();
    let seen = Log::default();
    let options = HandlerOptions::new;
    let processor = running.processor.clone();
    let grenade = processor.add(Grenade, options(), || None).unwrap();
    let other = processor
        .add(seen.clone(), options(), || current(0, "", true))
        .unwrap();
    other.wait_for_sync().await.unwrap();
    grenade.remove().await;
    processor.distribute(1, events("+a@1")).await;
    seen.until("+a@1").await;
    running.stop().await;
}

/// Users keep these types in their own tasks and structs.
#[test]
fn handles_can_be_sent_and_shared() {
    fn is_send<T: Send + 'static>() {}
    fn is_shared<T: Clone + Send + Sync + Unpin + 'static>() {}
    is_shared::<Processor>();
    is_shared::<HandlerRegistration>();
    is_send::<EventStream<Version>>();
    is_send::<EventHandlerFuncs<Version>>();
}
