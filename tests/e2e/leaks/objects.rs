//! Hooks of an informer that receive its objects.

use std::cmp;
use std::fmt;
use std::sync::Arc;

use informer::advanced::{StoreBatch, StoreError, WriteThroughStore};
use informer::index::IndexValue;
use informer::{
    Event, EventHandler, HandlerOptions, InformerOptions, SharedInformer, Transform, filtered,
};
use k8s_openapi::api::core::v1::Secret;

use super::evidence::{Evidence, name, quote, secret, value};
use crate::support::{Cluster, Failures, quick, within};

/// Value whose comparison panics.
#[derive(Clone, PartialEq, Eq)]
struct Touchy(String);

impl Ord for Touchy {
    fn cmp(&self, other: &Self) -> cmp::Ordering {
        assert_eq!(self.0, other.0, "not comparable");
        cmp::Ordering::Equal
    }
}

impl PartialOrd for Touchy {
    fn partial_cmp(&self, other: &Self) -> Option<cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Touchy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("touchy")
    }
}

impl IndexValue for Touchy {
    fn parse(_: &str) -> Option<Self> {
        None
    }
}

/// Store that panics at the first batch.
struct Stubborn(bool);

impl WriteThroughStore<Secret> for Stubborn {
    async fn apply(&mut self, batch: &StoreBatch<Secret>) -> Result<(), StoreError> {
        if !std::mem::replace(&mut self.0, true)
            && let Some(secret) = batch.snapshot().iter().next()
        {
            quote(secret);
        }
        Ok(())
    }
}

/// Handler that keeps the last secret, and panics when it is dropped.
struct Keeper(Option<Arc<Secret>>);

impl EventHandler<Secret> for Keeper {
    async fn on_event(&mut self, event: Event<Secret>) {
        self.0 = Some(Arc::clone(event.object()));
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(secret) = &self.0 {
            quote(secret);
        }
    }
}

/// Returns options with a transform and a store that panic.
fn options(failures: &Failures) -> InformerOptions<Secret> {
    let transform = Transform::new("picky", |secret: &mut Secret| match name(secret) {
        "transform" => quote(secret),
        _ => Ok(()),
    });
    InformerOptions::new()
        .transform(transform)
        .store(|| Stubborn(false))
        .config(quick().error_handler(failures.handler()))
}

fn add_indices(secrets: &SharedInformer<Secret>) {
    secrets
        .try_add_index("picky", |secret: &Secret| match name(secret) {
            "index" => quote(secret),
            name => Ok(vec![name.to_owned()]),
        })
        .unwrap();
    secrets
        .add_index("touchy", |secret: &Secret| {
            let is_touchy = name(secret) == "order";
            let values = [value(secret), format!("{} too", value(secret))];
            values
                .into_iter()
                .map(Touchy)
                .take(if is_touchy { 2 } else { 0 })
        })
        .unwrap();
}

/// W-20, E-15, X-03, I-06, H-09: every hook of an informer that receives objects.
#[tokio::test]
async fn w20_a_panic_of_user_code_shows_no_content() {
    let mut evidence = Evidence::new();
    let cluster = Cluster::start().await;
    for name in ["good", "transform", "index", "order", "handler"] {
        cluster.control.create_direct(secret(name)).unwrap();
    }
    let failures = Failures::default();
    let factory = cluster.factory();
    let secrets = factory.informer_with(options(&failures));
    add_indices(&secrets);
    let panics = |event: Event<Secret>| {
        if event.key().name() == "handler" {
            quote(event.object());
        }
    };
    let filter = |secret: &Secret| match name(secret) {
        "handler" => quote(secret),
        _ => true,
    };
    let named = |name: &str| HandlerOptions::new().name(name);
    let handlers = [
        secrets
            .add_event_handler_with(panics, named("picky"))
            .unwrap(),
        secrets
            .add_event_handler_with(filtered(filter, panics), named("filter"))
            .unwrap(),
    ];
    secrets
        .add_event_handler_with(Keeper(None), named("keeper"))
        .unwrap();
    factory.start().unwrap();
    for handler in &handlers {
        within("its sync", handler.wait_for_sync()).await.unwrap();
        assert_eq!(handler.stats().panics, 1, "{}", handler.name());
    }

    for failure in failures.all() {
        evidence.error("error handler", &failure);
    }
    let snapshot = secrets.snapshot();
    for index in ["picky", "touchy"] {
        let failures = snapshot.index_failures(index).unwrap();
        assert_eq!(failures.len(), 1, "{index}");
        for failure in failures.latest() {
            evidence.error("index failure", &**failure);
        }
    }
    let lookup = secrets.lister().namespace("default").try_get("transform");
    evidence.error("lister", &lookup.unwrap_err());
    for handler in &handlers {
        evidence.debug("handler", &(handler, handler.stats()));
    }
    evidence.informer(&secrets);
    evidence.debug("factory", &factory);
    factory.shutdown().await;
    evidence.informer(&secrets);
    evidence.check(&[
        "transform `picky` failed: ",
        "index `picky` has no values for object `default/index`: ",
        "index `touchy` has no values for object `default/order`: ",
    ]);
}
