//! [`Service`]: the page as a `tower::Service`.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response};
use informer_controller::ControllerHandle;
use informer_controller::relations::ReferencedCache;
use informer_controller::shards::Shards;
use informer_controller::workqueue::RecordedCall;
use informer_runtime::engine::Chain;
use informer_runtime::{
    Entry, FieldPath, Object, ObjectKey, SharedInformer, SharedInformerFactory, Storage,
};
use parking_lot::Mutex;
use prometheus_client::registry::Registry;
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::access::Access;
use crate::body::Body;
use crate::history::History;
use crate::sample;
use crate::shared::{PageSettings, ServiceShared, Watched};

/// Live page, probes and metrics of a factory and its controllers, as a `tower::Service`.
///
/// [`serve`](Self::serve) lets it listen by itself; a server of the program can mount it instead.
/// All clones are handles to the same page. Dropping the last one ends the recording of reasons. The
/// service does not keep the factory alive; its task ends with
/// [`shutdown`](SharedInformerFactory::shutdown) of the factory.
///
/// # Routes
///
/// | route | answer |
/// |---|---|
/// | `/` | informers, handlers, controllers, slices, memory and relations, live |
/// | `/informers/<plural>/<namespace>/<name>` | an object as it is cached: versions, indices, last change |
/// | `/why/<controller>/<namespace>/<name>` | the last reasons for which a key was queued |
/// | `/metrics` | metrics in the `OpenMetrics` text format |
/// | `/livez` | 200, or 503 if a task of an informer has panicked |
/// | `/readyz` | 200, or 503 with a line for each informer that is not ready |
///
/// `/events` feeds the live page. Of an object without a namespace, the path has only the name. The
/// service answers `GET` and `HEAD`, and nothing on it changes state.
///
/// # Who sees the page
///
/// On a loopback address everybody on this machine. The header `Host` must be an address,
/// `localhost` or a [permitted name](Self::host), so that no web page can read the answers by a name
/// that points here. On any other address, and in a server of the program, requests need the
/// [token](Self::token); without one only the probes and the metrics are answered. The probes never
/// need it. [`trusted`](Self::trusted) leaves all of this to a layer of the program.
///
/// # Content of objects
///
/// An object is shown only of informers that the program [permits](Self::show), without the data of
/// Secrets, without the values of annotations, and without [redacted](Self::redact) fields.
///
/// # Cost
///
/// Each service has one task. It reads counters every five seconds, and while the page is open it
/// renders once a second, for all viewers together. A controller that was
/// [added](Self::controller) keeps the reasons of its keys.
///
/// # Examples
///
/// ```
/// # mod informer { pub use informer_controller::*; pub use informer_runtime::*; }
/// # use informer_debug::Service;
/// # use informer::{Controller, SharedInformer, SharedInformerFactory};
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # async fn doc(factory: SharedInformerFactory, maps: SharedInformer<ConfigMap>) -> Result<(), Box<dyn std::error::Error>> {
/// let controller: Controller<_, kube::Error> = Controller::new("maps", &maps);
/// let debug = Service::new(&factory).controller(&controller.handle()).show(&maps);
/// debug.serve("127.0.0.1:8080").await?; // for people: kubectl port-forward
/// debug.serve("0.0.0.0:8081").await?; // for the kubelet and Prometheus: /livez, /readyz, /metrics
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Service {
    pub(crate) shared: Arc<ServiceShared>,
    pub(crate) access: Access,
    /// Ends the task, and the streams of all viewers.
    pub(crate) stop: CancellationToken,
}

// === impl Service ===

impl Service {
    /// Creates the service of a factory, and starts its task.
    #[must_use]
    pub fn new(factory: &SharedInformerFactory) -> Self {
        let shared = Arc::new(ServiceShared::new(factory));
        let task = Arc::downgrade(&shared);
        Self {
            shared,
            access: Access::default(),
            stop: factory.spawn(|stop| sample::run(task, stop)),
        }
    }

    /// Adds a controller, and records the reasons of its calls from now on: of the last 2048 to 4096
    /// calls, each with at most nine different reasons. Of a key that is called again and again, only
    /// the eight last calls stay, so that it does not displace the others.
    #[must_use]
    pub fn controller(self, handle: &ControllerHandle) -> Self {
        let history = Arc::new(Mutex::new(History::default()));
        let record = Arc::clone(&history);
        let recorder = move |key: &ObjectKey, run: &RecordedCall<'_>| {
            record.lock().push(key, run);
        };
        handle.queue().record(Some(Arc::new(recorder)));
        self.set(|settings| {
            settings.collector.add_queue(handle.name(), handle.queue());
            settings.controllers.push(Watched {
                handle: handle.clone(),
                history,
            });
        })
    }

    /// Adds the slices of this replica and of the others, to the page and to the metrics.
    #[must_use]
    pub fn shards(self, shards: &Shards) -> Self {
        self.set(|settings| {
            settings.collector.add_shards(shards);
            let upgrade = shards.weak();
            let status = move || upgrade().map(|shards| shards.status());
            settings.shards.push(Arc::new(status));
        })
    }

    /// Adds the names and watches of a cache of referenced objects. Its informers are on the page in
    /// any case.
    #[must_use]
    pub fn referenced<T: Object>(self, cache: &ReferencedCache<T>) -> Self {
        self.set(|settings| settings.referenced.push(Arc::new(cache.weak_status())))
    }

    /// Permits the content of this informer's objects to be shown, as JSON, with what is
    /// [redacted](Self::redact). Default: headers and names of indices only.
    #[must_use]
    pub fn show<K, S>(self, informer: &SharedInformer<K, S>) -> Self
    where
        K: Object + Serialize,
        S: Storage<K>,
    {
        let name = informer.name().to_owned();
        self.set(|settings| {
            settings.shown.insert(name, Arc::new(json_of::<K, S>));
        })
    }

    /// Hides the field at this path in all objects, such as `"spec.tls[*].key".parse()?`, and index
    /// values that contain its value. The page of an object names the paths that it does not have:
    /// one that no object has is misspelt. The data of Secrets and the values of annotations are
    /// always hidden.
    #[must_use]
    pub fn redact(self, path: FieldPath) -> Self {
        self.set(|settings| settings.redacted.push(path))
    }

    /// Sets the bearer token that requests need, except for the probes. Default: none.
    #[must_use]
    pub fn token(self, token: impl Into<String>) -> Self {
        self.set(|settings| settings.rules.token = Some(token.into()))
    }

    /// Permits a name in the header `Host`, beside addresses and `localhost`.
    #[must_use]
    pub fn host(self, name: impl Into<String>) -> Self {
        self.set(|settings| settings.rules.hosts.push(name.into()))
    }

    /// Answers all requests to this handle: a layer of the program in front of it decides who may
    /// see the page. Has no effect on [`serve`](Self::serve).
    #[must_use]
    pub fn trusted(mut self) -> Self {
        self.access = Access::Trusted;
        self
    }

    /// Serves this registry at `/metrics`, for a program with metrics of its own. Default: the
    /// informers of the factory and the queues of the controllers.
    #[must_use]
    pub fn registry(self, registry: Arc<Registry>) -> Self {
        self.set(|settings| settings.registry = Some(registry))
    }

    /// Sets the time for which `/readyz` accepts a cache that has synced, but does not follow the
    /// server now. Its content stays readable. Default: 10 minutes.
    #[must_use]
    pub fn stale_after(self, time: Duration) -> Self {
        self.set(|settings| settings.stale_after = time)
    }

    pub(crate) fn answer<B>(&self, request: &Request<B>) -> Response<Body> {
        self.shared.answer(request, self.access, &self.stop)
    }

    fn set(self, change: impl FnOnce(&mut PageSettings)) -> Self {
        change(&mut self.shared.settings.lock());
        self
    }
}

/// Decodes an object of a store. The error is a text for the page.
fn json_of<K, S>(entry: &Entry) -> Result<Value, String>
where
    K: Object + Serialize,
    S: Storage<K>,
{
    let Some(stored) = entry.object::<S::Object>() else {
        return Err("The object has another type.".to_owned());
    };
    let object = S::decode(&stored).map_err(|error| Chain(&error).to_string())?;
    serde_json::to_value(&*object).map_err(|error| error.to_string())
}

impl<B> tower::Service<Request<B>> for Service {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        ready(Ok(self.answer(&request)))
    }
}
