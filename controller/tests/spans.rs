//! Spans of the calls of a controller.

#![expect(clippy::unwrap_used, reason = "a failure fails the test")]

use std::fmt::{Debug, Write as _};
use std::sync::Arc;

use informer_controller::Controller;
use informer_runtime::SharedInformer;
use informer_runtime::source::FakeControllerSource;
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use serde_json::json;
use tokio::time::{Duration, sleep};
use tokio_util::sync::CancellationToken;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Fields of the spans `reconcile`, one line each.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<String>>>);

impl Subscriber for Spans {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        if span.metadata().name() == "reconcile" {
            let mut line = Line::default();
            span.record(&mut line);
            self.0.lock().push(line.0);
        }
        Id::from_u64(1)
    }

    fn event(&self, _: &Event<'_>) {}
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, "{}={value:?} ", field.name()).unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn k24_the_span_of_a_call_names_the_reason() {
    let spans = Spans::default();
    let _guard = tracing::subscriber::set_default(spans.clone());
    let config_map = json!({ "metadata": { "namespace": "a", "name": "x" } });
    let source = FakeControllerSource::new();
    source.add(&config_map).unwrap();
    let informer: SharedInformer<ConfigMap> =
        SharedInformer::builder(source.clone()).build().unwrap();
    let changes = async move {
        sleep(Duration::from_secs(60)).await;
        source.modify(&config_map).unwrap();
        sleep(Duration::from_secs(60)).await;
    };
    let reconcile = async |_: Arc<ConfigMap>, failed: Arc<Mutex<bool>>| {
        if std::mem::replace(&mut *failed.lock(), true) {
            Ok(())
        } else {
            Err("not yet")
        }
    };
    let stop = CancellationToken::new();
    let controller = Controller::new("maps", &informer).shutdown_on(changes);
    let run = async {
        controller.run(Arc::default(), reconcile).await.unwrap();
        stop.cancel();
    };
    let (ran, ()) = tokio::join!(informer.run(stop.clone()), run);
    ran.unwrap();
    let expected = [
        r#"queue="maps" key=a/x k8s.namespace.name="a" attempt=1 object.reason=listed "#,
        r#"queue="maps" key=a/x k8s.namespace.name="a" attempt=2 object.reason=retry after error "#,
        r#"queue="maps" key=a/x k8s.namespace.name="a" attempt=1 object.reason=updated "#,
    ];
    assert_eq!(*spans.0.lock(), expected);
}
