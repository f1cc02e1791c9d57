//! Hooks that receive no object but may know one, and types that are decoded.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use informer::source::{
    Backoff, ErrorHandler, ListOptions, ListStream, ListerWatcher, SourceError, WatchOptions,
    WatchStream,
};
use informer::testing::FakeControllerSource;
use informer::{InformerConfig, Packed, ResourceInfo, SharedInformer};
use k8s_openapi::api::core::v1::Secret;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::evidence::{Evidence, MARKER, secret};
use crate::support::{Failures, key, quick, within};

#[derive(Debug)]
struct Hasty;

impl Backoff for Hasty {
    fn next_delay(&mut self) -> Duration {
        panic!("{MARKER}")
    }

    fn reset(&mut self) {
        panic!("{MARKER}")
    }
}

/// Source that panics at a given place.
struct Faulty {
    source: FakeControllerSource,
    place: &'static str,
    panicked: AtomicBool,
}

impl Faulty {
    fn panic_in(&self, place: &str) {
        let panics = self.place == place && !self.panicked.swap(true, Ordering::SeqCst);
        assert!(!panics, "{MARKER} in {place}");
    }
}

impl ListerWatcher for Faulty {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        self.panic_in("list");
        self.source.list(options)
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        Box::pin(async move {
            self.panic_in("watch");
            self.source.watch(options).await
        })
    }

    fn supports_watch_list(&self) -> bool {
        self.panic_in("supports_watch_list");
        false
    }
}

/// W-20, E-15, R-20: hooks that receive no object may still quote one.
#[tokio::test]
async fn w20_a_panic_of_a_source_a_backoff_or_an_error_handler_shows_no_content() {
    let mut evidence = Evidence::new();
    for place in ["list", "watch", "supports_watch_list", "nowhere"] {
        let source = FakeControllerSource::new();
        source.add(&secret("a")).unwrap();
        let failures = Failures::default();
        let faulty = Faulty {
            source: source.clone(),
            place,
            panicked: AtomicBool::new(false),
        };
        // Backoff and error handler panic if the source does not.
        let config = match place {
            "nowhere" => {
                source.list_error(SourceError::Malformed("no list".to_owned()));
                let handler = failures.clone();
                InformerConfig::new()
                    .backoff(|| Hasty)
                    .error_handler(ErrorHandler::new(move |failure| {
                        handler.note(failure);
                        panic!("{MARKER}")
                    }))
            }
            _ => quick().error_handler(failures.handler()),
        };
        let secrets = SharedInformer::<Secret>::builder(faulty)
            .config(config)
            .build()
            .unwrap();
        let cancel = CancellationToken::new();
        let running = secrets.run(cancel.clone());
        let ending = async {
            if place != "supports_watch_list" {
                failures.until("a failure", |_| true).await;
            }
            evidence.informer(&secrets);
            source.list_error(None);
            let synced = secrets.indexer().wait_until(|cached| cached.is_synced());
            within("the sync", synced).await;
            evidence.informer(&secrets);
            cancel.cancel();
        };
        let (ended, ()) = tokio::join!(running, ending);
        ended.unwrap();
        for failure in failures.all() {
            evidence.error(place, &failure);
        }
    }
    evidence.check(&[
        "list failed: the ListerWatcher panicked",
        "watch failed: the ListerWatcher panicked",
        "backoff panicked",
        "error handler panicked",
    ]);
}

/// Part of an object that panics instead of decoding.
#[derive(Debug, Clone)]
struct Sealed;

impl<'de> Deserialize<'de> for Sealed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        panic!("cannot read {}", Value::deserialize(deserializer)?)
    }
}

/// W-20, E-15, I-15: the code of a type, during intake and during a read.
#[tokio::test]
async fn w20_a_panic_of_a_type_shows_no_content() {
    type Vault = kube::core::Object<Sealed, kube::core::object::NotUsed>;
    let mut evidence = Evidence::new();
    let source = FakeControllerSource::new();
    let mut vault = secret("vault");
    vault["spec"] = json!(MARKER);
    source.add(&vault).unwrap();
    let resource = ResourceInfo::of::<Secret>(&()).unwrap();
    let typed = SharedInformer::<Vault>::builder(source.clone()).resource(resource.clone());
    let typed = typed.build().unwrap();
    let packed = SharedInformer::<Vault, _>::builder_with(source, Packed::default());
    let packed = packed.resource(resource).build().unwrap();
    let cancel = CancellationToken::new();
    let running = async { tokio::join!(typed.run(cancel.clone()), packed.run(cancel.clone())) };
    let reading = async {
        let synced = typed.indexer().wait_until(|cached| cached.is_synced());
        within("the sync", synced).await;
        let synced = packed.indexer().wait_until(|cached| cached.is_synced());
        within("the other sync", synced).await;
        evidence.informer(&typed);
        evidence.informer(&packed);
        let held = packed.lister().get_by_key(&key("vault")).unwrap();
        evidence.debug("packed", &held);
        evidence.error("packed", &held.decode().unwrap_err());
        cancel.cancel();
    };
    let ((first, second), ()) = tokio::join!(running, reading);
    assert!(first.is_ok() && second.is_ok());
    evidence.check(&["default/vault at resourceVersion \"1\": decoding panicked"]);
}
