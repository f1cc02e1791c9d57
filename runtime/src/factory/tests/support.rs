//! In-memory server behind a `kube::Client`, without a socket.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{self, BoxStream, StreamExt};
use http::{Request, Response, Uri};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::factory::{SharedInformerFactory, SharedInformerFactoryBuilder};
use crate::reflector::WatchListMode;
use crate::shared_informer::InformerConfig;
use crate::storage::{ObjectError, Storage, Transform};
use crate::wire::RawObject;

pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// Response of a path.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// A list of objects with these names, in the namespace `ns`; a watch without events.
    List(&'static [&'static str]),
    Status(u16),
    /// 429 with this many seconds as `Retry-After`.
    TooMany(u32),
    Text(String),
    /// A list after this time.
    After(Duration),
    /// A list; a watch whose first event, after one second, is an internal error.
    InternalErrors,
    /// An empty list, streamed or not.
    Streams,
    /// No response.
    Silence,
}

/// In-memory server. Responds with `List(&["x"])` unless another answer is set. All clones are the
/// same server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Server {
    requests: Arc<Mutex<Vec<String>>>,
    uris: Arc<Mutex<Vec<Uri>>>,
    times: Arc<Mutex<Vec<Instant>>>,
    answers: Arc<Mutex<HashMap<String, Answer>>>,
    /// Response of all paths, if it is set.
    answer_of_all: Arc<Mutex<Option<Answer>>>,
    lists: Arc<Mutex<InFlight>>,
    /// Version of lists, "1" if it is 0.
    version: Arc<Mutex<u64>>,
    watches: Arc<Notify>,
}

/// Storage without content. Its settings are words, and its first object panics when it is dropped.
#[derive(Debug)]
pub(super) struct Brittle(pub(super) [&'static str; 3]);

pub(super) struct Glass;

static IS_WHOLE: AtomicBool = AtomicBool::new(true);

/// Lists that are not answered yet.
#[derive(Debug, Clone, Copy, Default)]
struct InFlight {
    now: usize,
    most: usize,
}

type Answered = Response<StreamBody<BoxStream<'static, io::Result<Frame<Bytes>>>>>;

// === impl Brittle ===

impl Drop for Glass {
    fn drop(&mut self) {
        assert!(!IS_WHOLE.swap(false, Ordering::SeqCst), "s3cret");
    }
}

impl Storage<Pod> for Brittle {
    type Settings = [&'static str; 3];

    fn settings(&self) -> Self::Settings {
        self.0
    }

    type Object = Glass;

    fn make(&self, _: &RawObject, _: Option<&Transform<Pod>>) -> Result<Glass, ObjectError> {
        Ok(Glass)
    }

    fn decode(_: &Arc<Glass>) -> Result<Arc<Pod>, ObjectError> {
        Ok(Arc::default())
    }

    fn label<'o>(_: &'o Glass, _: &str) -> Option<&'o str> {
        None
    }

    fn labels(_: &Glass) -> impl Iterator<Item = (&str, &str)> {
        std::iter::empty()
    }

    fn controller(_: &Glass) -> Option<&OwnerReference> {
        None
    }
}

// === impl Server ===

impl Server {
    pub(crate) fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move { Ok::<_, Infallible>(server.answer_to(request.uri().clone()).await) }
        });
        Client::new(service, "default")
    }

    /// Creates a factory without streaming lists, so that requests are easy to count.
    pub(crate) fn factory(&self) -> SharedInformerFactoryBuilder {
        let config = InformerConfig::new().watch_list(WatchListMode::Never);
        SharedInformerFactory::builder(self.client()).config(config)
    }

    pub(crate) fn on(&self, path: &str, answer: Answer) {
        self.answers.lock().insert(path.to_owned(), answer);
    }

    /// Sets or removes the response of all paths.
    pub(crate) fn on_all(&self, answer: impl Into<Option<Answer>>) {
        *self.answer_of_all.lock() = answer.into();
    }

    /// Returns the times of the requests since `start`, measured from there.
    pub(crate) fn times_since(&self, start: Instant) -> Vec<Duration> {
        let times = self.times.lock();
        let times = times.iter().filter(|time| **time >= start);
        times.map(|time| *time - start).collect()
    }

    /// Resets the connections of all watches. From now on, the server is at this version.
    pub(crate) fn restart_at(&self, version: u64) {
        *self.version.lock() = version;
        self.watches.notify_waiters();
    }

    /// Returns the requests so far, as `LIST path?..` and `WATCH path?..`, sorted, without limits
    /// and versions.
    pub(crate) fn requests(&self) -> Vec<String> {
        let mut requests = self.requests.lock().clone();
        requests.sort();
        requests
    }

    /// Returns the numbers of lists, watches and probes.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        let uris = self.uris.lock();
        let count = |part: &str| {
            let of_part = |uri: &&Uri| {
                uri.query()
                    .unwrap_or_default()
                    .split('&')
                    .any(|p| p == part)
            };
            uris.iter().filter(of_part).count()
        };
        let (watches, probes) = (count("watch=true"), count("limit=1"));
        (uris.len() - watches - probes, watches, probes)
    }

    /// Returns the largest number of lists that were unanswered at the same time.
    pub(crate) fn most_lists(&self) -> usize {
        self.lists.lock().most
    }

    /// Returns the queries of the requests to this path, in order.
    pub(crate) fn queries(&self, path: &str) -> Vec<String> {
        let uris = self.uris.lock();
        let of_path = uris.iter().filter(|uri| uri.path() == path);
        let query = |uri: &Uri| uri.query().unwrap_or_default().to_owned();
        of_path.map(query).collect()
    }

    /// Returns a watch without events, until the server restarts.
    fn quiet_watch(&self) -> BoxStream<'static, io::Result<Frame<Bytes>>> {
        let watches = Arc::clone(&self.watches);
        let lost = async move {
            watches.notified().await;
            Err(ErrorKind::ConnectionReset.into())
        };
        stream::once(lost).boxed()
    }

    fn list(&self, names: &[&str]) -> String {
        let item = |name: &&str| json!({"metadata": {"namespace": "ns", "name": name, "uid": name, "resourceVersion": "1"}});
        let items: Vec<_> = names.iter().map(item).collect();
        let version = (*self.version.lock()).max(1).to_string();
        json!({"metadata": {"resourceVersion": version}, "items": items}).to_string()
    }

    async fn answer_to(&self, uri: Uri) -> Answered {
        if uri.query().unwrap_or_default().contains("watch=true") {
            return self.answer(uri).await;
        }
        {
            let mut lists = self.lists.lock();
            lists.now += 1;
            lists.most = lists.most.max(lists.now);
        }
        let answered = self.answer(uri).await;
        self.lists.lock().now -= 1;
        answered
    }

    async fn answer(&self, uri: Uri) -> Answered {
        self.uris.lock().push(uri.clone());
        self.times.lock().push(Instant::now());
        let query = uri.query().unwrap_or_default();
        let is_watch = query.contains("watch=true");
        let kept = |part: &&str| part.contains("Selector=");
        let kept: Vec<&str> = query.split('&').filter(kept).collect();
        let mark = if kept.is_empty() { "" } else { "?" };
        let verb = if is_watch { "WATCH" } else { "LIST" };
        let line = format!("{verb} {}{mark}{}", uri.path(), kept.join("&"));
        self.requests.lock().push(line);
        let answer = self.answer_of_all.lock().clone();
        let answer = answer.or_else(|| self.answers.lock().get(uri.path()).cloned());
        let (code, text) = match answer.unwrap_or(Answer::List(&["x"])) {
            Answer::InternalErrors if is_watch => {
                let event = json!({"type": "ERROR", "object": {
                    "kind": "Status", "status": "Failure", "reason": "InternalError", "code": 500,
                }});
                let event = stream::once(async move {
                    tokio::time::sleep(SECOND).await;
                    Ok(Frame::data(Bytes::from(format!("{event}\n"))))
                });
                return answered(200, event.boxed());
            }
            Answer::List(_) | Answer::After(_) if is_watch => {
                return answered(200, self.quiet_watch());
            }
            Answer::Streams if query.contains("sendInitialEvents") => {
                let event = json!({"type": "BOOKMARK", "object": {"metadata": {
                    "resourceVersion": "1", "annotations": {"k8s.io/initial-events-end": "true"},
                }}});
                let end = Frame::data(Bytes::from(format!("{event}\n")));
                let events = stream::once(async { Ok(end) }).chain(stream::pending());
                return answered(200, events.boxed());
            }
            Answer::Streams if is_watch => return answered(200, stream::pending().boxed()),
            Answer::Streams => (200, self.list(&[])),
            Answer::List(names) => (200, self.list(names)),
            Answer::InternalErrors => (200, self.list(&["x"])),
            Answer::After(time) => {
                tokio::time::sleep(time).await;
                (200, self.list(&["x"]))
            }
            Answer::Status(code) => (code, status(code)),
            Answer::TooMany(seconds) => {
                let details = json!({"retryAfterSeconds": seconds});
                (
                    429,
                    json!({"kind": "Status", "code": 429, "details": details}).to_string(),
                )
            }
            Answer::Text(text) => (200, text),
            Answer::Silence => std::future::pending().await,
        };
        let frame = Ok(Frame::data(Bytes::from(text)));
        answered(code, stream::iter([frame]).boxed())
    }
}

fn answered(code: u16, body: BoxStream<'static, io::Result<Frame<Bytes>>>) -> Answered {
    let response = Response::builder().status(code);
    response.body(StreamBody::new(body)).unwrap()
}

fn status(code: u16) -> String {
    let message = format!("the server says {code}");
    json!({"kind": "Status", "status": "Failure", "reason": "Said", "message": message, "code": code})
        .to_string()
}
