//! Tests of kube's machinery over informers with a scripted source.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt as _};
use informer_runtime::{Added, Deleted, Event, HandlerOptions, ObjectKey, Origin, Typed};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::controller::{Action, Config, trigger_self};
use kube::runtime::reflector::ObjectRef;
use kube::runtime::{applier, watcher};
use kube::{Resource as _, ResourceExt as _};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::machine::Machine;
use super::{FromCache, KubeRuntimeExt as _, SharedObject};
use crate::tests::running::{Running, config_map};

type Shared = SharedObject<ConfigMap>;

fn value(map: &ConfigMap) -> &str {
    &map.data.as_ref().unwrap()["value"]
}

/// Returns the next events as text: `init | init a=1 | done | apply a=2 | delete a=2`.
async fn take(
    events: &mut (impl Stream<Item = watcher::Result<watcher::Event<Shared>>> + Unpin),
    count: usize,
) -> String {
    let mut texts = Vec::new();
    for _ in 0..count {
        let next = timeout(Duration::from_secs(600), events.next()).await;
        let event = next
            .expect("an event arrives in time")
            .expect("the stream has not ended");
        let object = |map: &Shared| format!("{}={}", map.name_any(), value(map));
        texts.push(match event.unwrap() {
            watcher::Event::Init => "init".to_owned(),
            watcher::Event::InitApply(map) => format!("init {}", object(&map)),
            watcher::Event::InitDone => "done".to_owned(),
            watcher::Event::Apply(map) => format!("apply {}", object(&map)),
            watcher::Event::Delete(map) => format!("delete {}", object(&map)),
        });
    }
    texts.join(" | ")
}

/// H-06, H-01: the initial state, then changes in order, for early and late streams.
#[tokio::test(start_paused = true)]
async fn h06_an_informer_tells_what_a_watcher_would() {
    let mut running = Running::<Typed>::new(&["a", "b"]);
    let informer = running.informer.clone();
    let mut early = informer
        .watcher_events::<Shared>(HandlerOptions::new())
        .unwrap();
    assert_eq!(take(&mut early, 1).await, "init");
    running.start();
    assert_eq!(take(&mut early, 3).await, "init a=1 | init b=1 | done");
    assert!(early.registration().has_synced());

    running.source.modify(&config_map("a", "2")).unwrap();
    running.source.delete(&config_map("b", "1")).unwrap();
    running.source.add(&config_map("b", "3")).unwrap();
    let changes = "apply a=2 | delete b=1 | apply b=3";
    assert_eq!(take(&mut early, 3).await, changes);
    // A late stream starts from the current state.
    let mut late = informer
        .watcher_events::<Shared>(HandlerOptions::new())
        .unwrap();
    assert_eq!(
        take(&mut late, 4).await,
        "init | init a=2 | init b=3 | done"
    );
    running.stop().await;
    assert!(early.next().await.is_none());
    assert!(late.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn h07_an_empty_initial_state_is_told_too_and_wakes_whoever_waits_for_it() {
    let mut running = Running::<Typed>::new(&[]);
    let mut events = running
        .informer
        .watcher_events::<Shared>(HandlerOptions::new())
        .unwrap();
    assert_eq!(take(&mut events, 1).await, "init");
    let mut waiting = JoinSet::new();
    waiting.spawn(async move { take(&mut events, 1).await });
    tokio::task::yield_now().await;
    running.start();
    assert_eq!(waiting.join_next().await.unwrap().unwrap(), "done");
    running.stop().await;
}

/// Y-04: after exactly the stream's period, in an informer without a default period.
#[tokio::test(start_paused = true)]
async fn y04_a_resync_applies_every_object_again() {
    let running = Running::<Typed>::synced(&["a"]).await;
    let options = HandlerOptions::new().resync_period(Duration::from_secs(30));
    let mut events = running.informer.watcher_events::<Shared>(options).unwrap();
    let added = Instant::now();
    assert_eq!(
        take(&mut events, 4).await,
        "init | init a=1 | done | apply a=1"
    );
    assert_eq!(added.elapsed().as_secs(), 30);
    running.stop().await;
}

/// kube's store buffers the initial state, a `Delete` has no effect on the buffer, and
/// `wait_until_ready` waits for `InitDone`.
#[test]
fn a_deletion_within_the_initial_state_follows_its_end() {
    let key = |name: &str| ObjectKey::namespaced("a", &name[..1]);
    let added = |name: &'static str| {
        Event::Added(Added {
            key: key(name),
            object: Arc::new(name),
            origin: Origin::Initial,
        })
    };
    let deleted = |name: &'static str| {
        Event::Deleted(Deleted {
            key: key(name),
            object: Arc::new(name),
            final_state_unknown: false,
            origin: Origin::Live,
        })
    };
    let mut machine = Machine::new();
    for event in [
        added("a"),
        deleted("a"),
        added("b"),
        added("c1"),
        deleted("c1"),
        added("c2"),
    ] {
        machine.on_event(&event, false);
    }
    machine.on_synced();
    machine.on_event(&deleted("c2"), true);
    let mut texts = Vec::new();
    while let Some(event) = machine.next() {
        texts.push(format!("{event:?}"));
    }
    assert_eq!(
        texts.join(" "),
        r#"Init InitApply("a") InitApply("b") InitApply("c1") InitApply("c2") InitDone Delete("a") Delete("c2")"#
    );
}

/// I-13: objects are not copied for `kube::runtime`.
#[tokio::test(start_paused = true)]
async fn i13_a_store_holds_the_cached_objects_themselves_before_the_trigger_tells_of_them() {
    let running = Running::<Typed>::synced(&["a", "b"]).await;
    let informer = running.informer.clone();
    let options = HandlerOptions::new();
    let (trigger, reader) = informer
        .controller_source::<Shared>(options.clone())
        .unwrap();
    let (copies, of_copies) = informer.controller_source::<ConfigMap>(options).unwrap();
    let (mut trigger, mut copies) = (Box::pin(trigger), Box::pin(copies));

    running.source.modify(&config_map("a", "2")).unwrap();
    let name = ObjectRef::<Shared>::new("a").within("a");
    let seen = async {
        loop {
            let object = trigger.next().await.unwrap().unwrap();
            // The store receives the initial state when it is complete.
            let stored = reader.get(&name).map(|map| value(&map).to_owned());
            if value(&object) == "2" {
                assert_eq!(stored.as_deref(), Some("2"));
                return;
            }
        }
    };
    timeout(Duration::from_secs(600), seen).await.unwrap();
    reader.wait_until_ready().await.unwrap();
    let cached = informer.lister().namespace("a").get("a").unwrap();
    assert!(Arc::ptr_eq(reader.get(&name).unwrap().as_arc(), &cached));
    let second = async { while value(&copies.next().await.unwrap().unwrap()) != "2" {} };
    timeout(Duration::from_secs(600), second).await.unwrap();
    let name = ObjectRef::<ConfigMap>::new("a").within("a");
    assert_eq!(*of_copies.get(&name).unwrap(), *cached);

    // A deletion triggers nothing, but removes the object from the store.
    running.source.delete(&config_map("a", "2")).unwrap();
    running.source.modify(&config_map("b", "9")).unwrap();
    let object = trigger.next().await.unwrap().unwrap();
    assert_eq!(value(&object), "9");
    assert_eq!(reader.len(), 1);
    running.stop().await;
    assert!(trigger.next().await.is_none());
}

/// C-02: a reconciler's reads never lag behind its trigger.
#[tokio::test(start_paused = true)]
async fn c02_two_appliers_reconcile_over_one_list_and_watch() {
    let running = Running::<Typed>::synced(&["a", "b"]).await;
    let requests = running.source.requests().len();
    let mut appliers = JoinSet::new();
    for _ in 0..2 {
        let informer = running.informer.clone();
        let (trigger, reader) = informer.controller_source(HandlerOptions::new()).unwrap();
        let (lister, source) = (informer.lister(), running.source.clone());
        appliers.spawn(async move {
            let reconcile = |map: Arc<Shared>, _: Arc<()>| {
                // The informer's own lister never lags behind the trigger.
                let fresh = lister.namespace("a").get(&map.name_any()).unwrap();
                assert!(value(&fresh) >= value(&map));
                Box::pin(async { Ok::<_, Infallible>(Action::await_change()) })
            };
            let reconciled = applier(
                reconcile,
                |_, error, _| match *error {},
                Arc::new(()),
                reader,
                trigger_self(trigger, ()),
                Config::default(),
            );
            let mut reconciled = Box::pin(reconciled);
            let mut names = Vec::new();
            for _ in 0..2 {
                let (object, _) = reconciled.next().await.unwrap().unwrap();
                names.push(object.name);
            }
            names.sort();
            assert_eq!(names, ["a", "b"]);
            // The first applier modifies the object; the other one receives the change from the
            // watch.
            let _known = source.modify(&config_map("a", "2"));
            let (object, _) = reconciled.next().await.unwrap().unwrap();
            assert_eq!(object.name, "a");
        });
    }
    while let Some(ended) = appliers.join_next().await {
        ended.unwrap();
    }
    assert_eq!(running.source.requests().len(), requests);
    running.stop().await;
}

#[test]
fn changing_a_shared_object_leaves_the_cached_one_alone() {
    let cached: Arc<ConfigMap> = Arc::new(serde_json::from_value(config_map("a", "1")).unwrap());
    let mut shared = SharedObject::from_cache(Arc::clone(&cached));
    assert!(Arc::ptr_eq(shared.as_arc(), &cached));
    shared.meta_mut().name = Some("b".to_owned());
    assert_eq!(shared.name_any(), "b");
    assert_eq!(cached.name_any(), "a");
    assert_eq!(
        Shared::url_path(&(), Some("x")),
        ConfigMap::url_path(&(), Some("x"))
    );
    let text = serde_json::to_value(&shared).unwrap();
    assert_eq!(serde_json::from_value::<Shared>(text).unwrap(), shared);
}
