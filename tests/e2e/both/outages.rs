//! Recovery of an informer: lost connections, server restarts, late permissions.

use std::time::Duration;

use informer::metrics::Reason;
use informer::source::Encoding;
use informer::{
    InformerConfig, ReflectorError, SharedInformer, SharedInformerFactory, WatchListMode,
};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::Instant;

use super::{World, scenarios};
use crate::proxy::{Link, Proxy};
use crate::support::{Failures, MODES, quick, sync, until_cached, within};

/// Lost connections do not depend on the encoding, so one is enough.
const ENCODINGS: [Encoding; 1] = [Encoding::Json];

/// Returns a factory whose connections go through a proxy.
async fn behind_proxy(
    world: &World,
    config: InformerConfig,
) -> (Proxy, SharedInformerFactory, SharedInformer<ConfigMap>) {
    let (proxy, through) = Proxy::start(&world.config).await;
    let client = informer::connect(through).unwrap();
    let factory = SharedInformerFactory::builder(client)
        .namespace(&world.namespace)
        .encoding(world.encoding)
        .config(config)
        .build()
        .unwrap();
    let maps = factory.informer::<ConfigMap>();
    (proxy, factory, maps)
}

scenarios! {
    /// R-12, E-04: both kinds of outage are followed by a watch, not by a list.
    #[tokio::test]
    async fn r12_an_outage_is_followed_by_a_watch(world: World) {
        for mode in MODES {
            let failures = Failures::default();
            let config = quick().watch_list(mode).error_handler(failures.handler());
            let (proxy, factory, maps) = behind_proxy(&world, config).await;
            sync(&factory).await;
            let lists = maps.metrics().lists;
            for (round, link) in [Link::Reset, Link::Refused, Link::Reset].into_iter().enumerate() {
                proxy.set(link).await;
                failures.until_count(failures.all().len() + 5).await;
                let name = format!("{mode:?}-{round}").to_lowercase();
                world.create(&name, "1").await;
                proxy.set(Link::Up).await;
                until_cached(&maps, &world.stored().await).await;
            }
            assert_eq!(maps.metrics().lists, lists, "no list but the first");
            factory.shutdown().await;
        }
    }

    /// L-09: an outage longer than the deadline of streaming lists does not count as a refusal of
    /// streaming.
    #[tokio::test]
    async fn l09_an_outage_before_the_first_list_leaves_streaming_on(world: World) {
        world.create("a", "1").await;
        for link in [Link::Reset, Link::Refused] {
            let deadline = Duration::from_millis(300);
            let failures = Failures::default();
            let config = quick()
                .initial_events_deadline(deadline)
                .error_handler(failures.handler());
            let (proxy, factory, maps) = behind_proxy(&world, config).await;
            proxy.set(link).await;
            factory.start().unwrap();
            let began = Instant::now();
            let is_over = |_: &ReflectorError| began.elapsed() > 2 * deadline;
            failures.until("an outage of two deadlines", is_over).await;
            proxy.set(Link::Up).await;
            within("sync", factory.wait_for_cache_sync()).await.unwrap();
            let metrics = maps.metrics();
            assert_eq!(metrics.streaming_list_attempts.ended(Reason::Completed), 1);
            assert_eq!(metrics.list_requests, 0);
            let is_loss = |failure: &ReflectorError| matches!(failure, ReflectorError::Connect(_));
            assert!(failures.all().iter().all(is_loss));
            factory.shutdown().await;
        }
    }

    /// B-01, B-02: after a restart without the watch cache, an informer with pages catches up.
    #[tokio::test]
    async fn b01_an_informer_with_pages_survives_the_loss_of_the_watch_cache(world: World) {
        for name in ["a", "b", "c", "d", "e"] {
            world.create(name, "1").await;
        }
        let config = quick().watch_list(WatchListMode::Never).page_size(2);
        let factory = world.builder(config).build().unwrap();
        let maps = factory.informer::<ConfigMap>();
        sync(&factory).await;
        until_cached(&maps, "a=1 b=1 c=1 d=1 e=1").await;
        world.update("b", "2").await;
        until_cached(&maps, "a=1 b=2 c=1 d=1 e=1").await;
        // Another resource advances the versions, so that the informer's version is older than the
        // cache.
        world.touch().await;
        world.restart().await;
        world.update("c", "3").await;
        until_cached(&maps, "a=1 b=2 c=3 d=1 e=1").await;
        factory.shutdown().await;
    }

    /// L-06: a refusal for missing permissions does not count as a refusal of streaming: the next
    /// list is streamed.
    #[tokio::test]
    async fn l06_a_refusal_for_want_of_rights_leaves_streaming_on(world: World) {
        world.create("a", "1").await;
        let failures = Failures::default();
        let factory = SharedInformerFactory::builder(world.nobody.clone())
            .encoding(world.encoding)
            .namespace(&world.namespace)
            .config(quick().error_handler(failures.handler()))
            .build()
            .unwrap();
        let maps = factory.informer::<ConfigMap>();
        factory.start().unwrap();
        failures.until_count(4).await;
        world.grant_nobody(&["list", "watch"]).await;
        until_cached(&maps, "a=1").await;
        let streamed = || maps.metrics().streaming_list_attempts.ended(Reason::Completed);
        let before = streamed();
        // A bookmark just before a restart makes the next list unnecessary. A server that has not
        // loaded its roles yet refuses the list again.
        for name in ["b", "c", "d", "e", "f", "g"] {
            world.touch().await;
            world.restart().await;
            world.create(name, "1").await;
            until_cached(&maps, &world.stored().await).await;
            if streamed() > before {
                break;
            }
        }
        assert!(streamed() > before, "{:#?}", maps.metrics());
        factory.shutdown().await;
    }
}
