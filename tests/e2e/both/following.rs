//! Following one resource.

use std::sync::Arc;

use informer::{
    InformerOptions, ObjectKey, SharedInformer, SharedInformerFactory, SyncError, WatchListMode,
};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;

use super::{World, scenarios};
use crate::support::{ENCODINGS, MODES, Recorder, chain, quick, sync, until_cached, within};

/// Returns the configurations of all initial list modes, and of pages.
fn ways() -> Vec<informer::InformerConfig> {
    let mut ways: Vec<_> = MODES.map(|mode| quick().watch_list(mode)).into();
    ways.push(quick().watch_list(WatchListMode::Never).page_size(2));
    ways
}

/// Waits until the cache equals the server.
async fn until_equal(world: &World, maps: &SharedInformer<ConfigMap>) {
    until_cached(maps, &world.stored().await).await;
}

scenarios! {
    #[tokio::test]
    async fn h01_every_way_to_the_first_state_is_followed_by_the_same_changes(world: World) {
        for name in ["a", "b", "c", "d", "e"] {
            world.create(name, "1").await;
        }
        for (round, way) in ways().into_iter().enumerate() {
            let factory = world.builder(way).build().unwrap();
            let maps = factory.informer::<ConfigMap>();
            let seen = Recorder::new();
            maps.add_event_handler(seen.handler()).unwrap();
            sync(&factory).await;
            until_equal(&world, &maps).await;
            assert_eq!(maps.lister().len(), 5);

            world.update("b", &format!("{round}")).await;
            world.delete("c").await;
            world.create("c", "again").await;
            until_equal(&world, &maps).await;
            seen.until_events(8).await;
            seen.read(|notes| {
                assert!(notes.illegal.is_empty(), "{:?}", notes.illegal);
                let live = notes.events[5..].iter().map(|text| text.split(' ').next().unwrap());
                assert_eq!(live.collect::<Vec<_>>(), ["update", "delete", "add"]);
            });
            assert!(!maps.last_sync_resource_version().is_unset());
            factory.shutdown().await;
        }
    }

    #[tokio::test]
    async fn n08_an_object_enters_and_leaves_a_selection(world: World) {
        world.create("a", "in").await;
        world.create("b", "out").await;
        let factory = world.factory();
        let options = InformerOptions::new().label_selector("value=in".parse().unwrap());
        let maps = factory.informer_with::<ConfigMap>(options);
        let one = InformerOptions::new().field_selector("metadata.name=b".parse().unwrap());
        let one = factory.informer_with::<ConfigMap>(one);
        sync(&factory).await;
        until_cached(&maps, "a=in").await;
        until_cached(&one, "b=out").await;
        world.update("b", "in").await;
        until_cached(&maps, "a=in b=in").await;
        until_cached(&one, "b=in").await;
        world.update("a", "out").await;
        until_cached(&maps, "b=in").await;
        factory.shutdown().await;
    }

    #[tokio::test]
    async fn e14_a_refusal_names_who_is_refused_what_and_ends_with_a_role(world: World) {
        let factory = SharedInformerFactory::builder(world.nobody.clone())
            .encoding(world.encoding)
            .namespace(&world.namespace)
            .config(quick())
            .build()
            .unwrap();
        let maps = factory.informer::<ConfigMap>();
        factory.start().unwrap();
        let error = within("an answer", maps.wait_for_sync()).await.unwrap_err();
        assert!(matches!(error, SyncError::Forbidden(_)), "{error}");
        let text = chain(&error);
        let expected = r#"User "nobody" cannot list resource "configmaps" in API group """#;
        assert!(text.contains(expected), "{text}");

        world.grant_nobody(&["list", "watch"]).await;
        world.create("a", "1").await;
        until_cached(&maps, "a=1").await;
        factory.shutdown().await;
    }

    #[tokio::test]
    async fn h06_a_late_handler_gets_the_state_and_then_the_changes(world: World) {
        world.create("a", "1").await;
        let factory = world.factory();
        let maps = factory.informer::<ConfigMap>();
        sync(&factory).await;
        until_equal(&world, &maps).await;
        let late = Recorder::new();
        maps.add_event_handler(late.handler()).unwrap();
        world.update("a", "2").await;
        late.until("the update", |notes| {
            let map = notes.objects.values().next();
            map.is_some_and(|map: &Arc<ConfigMap>| crate::support::value(map) == "2")
        }).await;
        assert!(late.read(|notes| notes.illegal.is_empty()));
        factory.shutdown().await;
    }

    #[tokio::test]
    async fn n08_a_finalizer_holds_an_object_until_it_is_taken_away(world: World) {
        world.create("a", "1").await;
        let maps = world.maps();
        let params = PatchParams::default();
        let hold = Patch::Merge(json!({ "metadata": { "finalizers": ["example.com/hold"] } }));
        maps.patch("a", &params, &hold).await.unwrap();
        let factory = world.factory();
        let informer = factory.informer::<ConfigMap>();
        let seen = Recorder::new();
        informer.add_event_handler(seen.handler()).unwrap();
        factory.start().unwrap();
        seen.until_events(1).await;
        maps.delete("a", &DeleteParams::default()).await.unwrap();
        seen.until_events(2).await;
        let key = ObjectKey::namespaced(&world.namespace, "a");
        let object = informer.lister().get_by_key(&key).unwrap();
        assert!(object.metadata.deletion_timestamp.is_some());
        let release = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
        maps.patch("a", &params, &release).await.unwrap();
        seen.until_events(3).await;
        let last = seen.events().pop().unwrap();
        assert_eq!(last, format!("delete {key} live"));
        factory.shutdown().await;
    }

    #[tokio::test]
    async fn n08_random_changes_leave_cache_and_server_equal(world: World) {
        let mut random = fastrand::Rng::with_seed(7);
        let mut started = Vec::new();
        for way in ways() {
            let factory = world.builder(way).build().unwrap();
            let maps = factory.informer::<ConfigMap>();
            let seen = Recorder::new();
            maps.add_event_handler(seen.handler()).unwrap();
            factory.start().unwrap();
            started.push((factory, maps, seen));
        }
        for turn in 0..200 {
            let name = format!("m{}", random.u8(..8));
            let exists = world.maps().get_opt(&name).await.unwrap().is_some();
            match (exists, random.bool()) {
                (false, _) => drop(world.create(&name, &turn.to_string()).await),
                (true, true) => drop(world.update(&name, &turn.to_string()).await),
                (true, false) => world.delete(&name).await,
            }
        }
        for (factory, maps, seen) in started {
            until_equal(&world, &maps).await;
            let held = maps.lister().len();
            seen.until("the cache", |notes| notes.objects.len() == held).await;
            assert!(seen.read(|notes| notes.illegal.is_empty()));
            factory.shutdown().await;
        }
    }

    #[tokio::test]
    async fn w07_a_list_of_many_pages_is_one_state(world: World) {
        for number in 0..53 {
            world.create(&format!("m{number:02}"), "1").await;
        }
        let config = quick().watch_list(WatchListMode::Never).page_size(10);
        let factory = world.builder(config).build().unwrap();
        let maps = factory.informer::<ConfigMap>();
        sync(&factory).await;
        // A first list may have an older state, because the server's watch cache lags behind its
        // writes.
        let all = maps.indexer().wait_until(|maps| maps.len() == 53);
        within("all config maps", all).await;
        factory.shutdown().await;
    }
}
