//! A factory: requests, starts and shutdowns in any order. Its server never answers.

use std::convert::Infallible;
use std::future::pending;

use http::{Request, Response};
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use kube::Client;
use kube::client::Body;
use tokio_util::sync::CancellationToken;
use tower::service_fn;

use crate::event::Event;
use crate::factory::{SharedInformerFactory, StartError};
use crate::shared_informer::{SharedInformer, SyncError};
use informer_test_harness::schedules::{check, spawn};

fn factory() -> SharedInformerFactory {
    let service = service_fn(|_: Request<Body>| pending::<Result<Response<Body>, Infallible>>());
    let client = Client::new(service, "default");
    SharedInformerFactory::builder(client).build().unwrap()
}

/// Asserts that the informer has stopped and cannot be started.
async fn assert_over<K: crate::object::Object>(informer: &SharedInformer<K>) {
    assert!(informer.is_stopped(), "{} still runs", informer.name());
    assert!(informer.add_event_handler(|_| {}).is_err());
    let synced = informer.wait_for_sync().await;
    assert!(
        matches!(synced, Err(SyncError::Stopped | SyncError::Refused(_))),
        "{synced:?}"
    );
    // The informer may have been stopped before it ran; its run then ends at once.
    let _over = informer.run(CancellationToken::new()).await;
    assert!(informer.run(CancellationToken::new()).await.is_err());
    assert!(informer.is_stopped());
}

/// F-12, F-04, F-05: when informers are requested or the factory is started during a shutdown, no
/// informer keeps running, none starts afterwards, and all are joined.
#[test]
fn f12_no_informer_outlives_the_shutdown() {
    check(|| async {
        let factory = factory();
        let first = factory.informer::<ConfigMap>();
        let registration = first.add_event_handler(|_: Event<_>| {}).unwrap();
        let starts = [0, 1].map(|_| {
            let factory = factory.clone();
            spawn(async move { matches!(factory.start(), Ok(()) | Err(StartError::ShutDown)) })
        });
        let request = {
            let factory = factory.clone();
            spawn(async move { factory.informer::<Pod>() })
        };
        let waiter = {
            let factory = factory.clone();
            spawn(async move { factory.wait_for_cache_sync().await.is_err() })
        };
        let shutdowns = [0, 1].map(|_| {
            let (factory, first) = (factory.clone(), first.clone());
            spawn(async move {
                factory.shutdown().await;
                // The shutdown joins the run before it returns.
                assert!(first.is_stopped());
                assert!(factory.start().is_err());
                // The request either came too late or preceded the shutdown.
                assert!(factory.informer::<Pod>().is_stopped());
            })
        });
        for start in starts {
            assert!(start.await.unwrap());
        }
        for shutdown in shutdowns {
            shutdown.await.unwrap();
        }
        assert!(waiter.await.unwrap());
        let pods = request.await.unwrap();
        let nodes = factory.informer::<Node>();
        registration.remove().await;
        assert_over(&first).await;
        assert_over(&pods).await;
        assert_over(&nodes).await;
    });
}

/// F-03, F-04: two concurrent requests during the start return one running informer.
#[test]
fn f03_requests_and_the_start_meet_in_one_running_informer() {
    check(|| async {
        let factory = factory();
        let requests = [0, 1].map(|_| {
            let factory = factory.clone();
            spawn(async move { factory.informer::<Pod>() })
        });
        let start = {
            let factory = factory.clone();
            spawn(async move { factory.start().unwrap() })
        };
        let [one, other] = requests;
        let (one, other) = (one.await.unwrap(), other.await.unwrap());
        start.await.unwrap();
        assert!(one.is_same(&other));
        assert!(one.has_started());
        assert_eq!(factory.metrics().informers.len(), 1);
        factory.shutdown().await;
        assert!(one.is_stopped());
    });
}

/// F-13: dropping the last clone of a factory ends its informers, even right after a start.
#[test]
fn f13_a_factory_that_is_dropped_ends_its_informers() {
    check(|| async {
        let factory = factory();
        let pods = factory.informer::<Pod>();
        let start = {
            let factory = factory.clone();
            spawn(async move { factory.start().unwrap() })
        };
        let request = {
            let factory = factory.clone();
            spawn(async move { factory.informer::<Node>() })
        };
        drop(factory);
        start.await.unwrap();
        let nodes = request.await.unwrap();
        pods.wait_until_stopped().await;
        nodes.wait_until_stopped().await;
    });
}
