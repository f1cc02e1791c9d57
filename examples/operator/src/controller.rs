//! Custom resource, and the reconciliation of its objects.

use std::sync::Arc;
use std::time::Duration;

use informer::finalizer::{FinalizerError, FinalizerStep};
use informer::session::SessionApi;
use informer::{Action, Controller, Informer, Manager, Session, SharedInformerFactory, finalizer};
use kube::api::{Patch, PatchParams};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::{CustomResource, Resource as _, ResourceExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::metrics::Metrics;

/// Name of the finalizer.
pub const FINALIZER: &str = "documents.example.com/cleanup";

/// Document, which may be hidden.
#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Document", namespaced)]
#[kube(status = "DocumentStatus", shortname = "doc")]
pub struct DocumentSpec {
    /// Title of the document.
    pub title: String,
    /// `true` if the document is to be hidden.
    #[serde(default)]
    pub hide: bool,
    /// Content of the document.
    pub content: String,
}

/// Observed state of a document.
#[derive(Serialize, Deserialize, Clone, Debug, Default, JsonSchema)]
pub struct DocumentStatus {
    /// `true` if the document is hidden.
    pub hidden: bool,
}

/// Error of a reconciliation.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A request to the API server failed.
    #[error("a request failed")]
    Kube(#[from] kube::Error),
    /// Applying or cleaning up failed, or the finalizer could not be changed.
    #[error(transparent)]
    Finalizer(#[from] FinalizerError),
    /// The title is not allowed.
    #[error("illegal document")]
    IllegalDocument,
}

/// State that all calls of `reconcile` share.
#[derive(Clone)]
pub struct Context {
    /// Writes, which the cache shows before the next call of `reconcile` for their document.
    pub session: Session,
    /// Recorder of events.
    pub recorder: Recorder,
    /// Metrics of the operator.
    pub metrics: Metrics,
}

impl Context {
    /// Creates a context for the informers of this factory, which has not been started.
    #[must_use]
    pub fn new(factory: &SharedInformerFactory) -> Self {
        let reporter = Reporter::from("document-controller");
        Self {
            session: Session::new(factory),
            recorder: Recorder::new(factory.client().clone(), reporter),
            metrics: Metrics::default(),
        }
    }

    async fn publish(&self, document: &Document, reason: &str, note: String) -> kube::Result<()> {
        let event = Event {
            type_: EventType::Normal,
            reason: reason.to_owned(),
            note: Some(note),
            action: "Reconciling".to_owned(),
            secondary: None,
        };
        self.recorder
            .publish(&event, &document.object_ref(&()))
            .await
    }
}

/// Creates a manager with the controller of the documents, whose queue appears among the metrics of
/// the context.
pub fn manager(factory: &SharedInformerFactory, context: Context) -> Manager {
    let metrics = context.metrics.clone();
    let controller = Controller::new("documents", &factory.documents())
        .session(&context.session)
        .workers(4)
        .on_error(move |_, error, _| error_policy(&metrics, error));
    let queue = controller.handle().queue().clone();
    context.metrics.collector.add_queue(queue.name(), &queue);
    Manager::new(factory).controller(controller, Arc::new(context), reconcile)
}

/// Reconciles a document with its specification.
///
/// # Errors
///
/// Returns an error if a request fails, or if the document is illegal.
pub async fn reconcile(document: Arc<Document>, context: Arc<Context>) -> Result<Action, Error> {
    let _timer = context.metrics.attempt();
    let namespace = document.namespace().unwrap_or_default();
    let documents = context.session.api::<Document>(&namespace);
    let api = documents.kube();
    let action = finalizer(api, FINALIZER, document, async |step| match step {
        FinalizerStep::Apply(document) => apply(&documents, &document, &context).await,
        FinalizerStep::Cleanup(document) => cleanup(&document, &context).await,
    });
    Ok(action.await?)
}

async fn apply(
    documents: &SessionApi<Document>,
    document: &Document,
    context: &Context,
) -> Result<Action, Error> {
    let name = document.name_any();
    let was_hidden = document.status.as_ref().is_some_and(|status| status.hidden);
    if document.spec.hide && !was_hidden {
        context
            .publish(document, "HideRequested", format!("Hiding `{name}`"))
            .await?;
    }
    if document.spec.title == "illegal" {
        return Err(Error::IllegalDocument);
    }
    let status = json!({
        "apiVersion": Document::api_version(&()),
        "kind": Document::kind(&()),
        "status": DocumentStatus { hidden: document.spec.hide },
    });
    let params = PatchParams::apply("document-controller").force();
    documents
        .patch_status(&name, &params, &Patch::Apply(status))
        .await?;
    // The watch reports every change in the cluster. The requeue covers changes outside of the
    // cluster.
    Ok(Action::RequeueAfter(Duration::from_secs(5 * 60)))
}

async fn cleanup(document: &Document, context: &Context) -> Result<Action, Error> {
    let note = format!("Delete `{}`", document.name_any());
    context.publish(document, "DeleteRequested", note).await?;
    Ok(Action::Done)
}

/// Counts a failure, which the controller has logged already, and retries with growing delays.
#[must_use]
pub fn error_policy(metrics: &Metrics, error: &Error) -> Action {
    metrics.failed(error);
    Action::Requeue
}
