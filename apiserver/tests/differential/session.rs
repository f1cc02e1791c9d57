//! A session: every call goes to the embedded server, whose responses are recorded, and to the real
//! server, if there is one, whose responses are compared.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join;
use futures::{AsyncBufReadExt, StreamExt, TryStreamExt, stream};
use http::{Request, header};
use informer_apiserver::ApiServer;
use informer_apiserver::envtest::Environment;
use kube::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::call::{Call, Sender};
use crate::compare::{Finding, differences};
use crate::normalise::Normaliser;
use crate::recording::Recording;
use informer_protobuf::{Message, encode_members, wrap};

/// Timeout of a call; on a busy machine a response takes seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// Time after which connections are replaced. Both the real server and the client close a
/// connection after 90 idle seconds, and a request at that moment is lost.
const CONNECTED: Duration = Duration::from_secs(45);

/// Number of concurrent calls whose order does not matter.
const AT_ONCE: usize = 200;

/// The compared parts of a response.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) content_type: String,
    pub(crate) retry_after: bool,
    /// `Warning` headers.
    pub(crate) warnings: Vec<String>,
    /// JSON, an array of the events of a watch, or text.
    pub(crate) body: Value,
}

/// One of the two servers.
pub(crate) struct Side {
    /// Configurations of the administrator, of a user without permissions, and without a user.
    configs: [kube::Config; 2],
    admin: Client,
    nobody: Client,
    /// Creation time of the clients.
    since: Instant,
    /// Values of earlier responses, by `name.field`.
    kept: BTreeMap<String, String>,
    normaliser: Normaliser,
}

pub(crate) struct Session {
    /// `None` without the programs of the real server.
    real: Option<Side>,
    embedded: Side,
    pub(crate) findings: Vec<Finding>,
    pub(crate) recording: Recording,
    pub(crate) calls: usize,
    /// Number of calls without a finding.
    pub(crate) alike: usize,
}

/// Events of one watch over the whole session.
#[derive(Debug)]
pub(crate) struct Watched {
    path: String,
    real: bool,
    events: Vec<Value>,
}

/// Object whose appearance ends the watches of the session.
const LAST: &str = "zz-last";

// === impl Side ===

impl Side {
    fn new(admin: kube::Config, nobody: kube::Config) -> Self {
        let configs = [admin, nobody];
        let [admin, nobody] = clients(&configs);
        Self {
            configs,
            admin,
            nobody,
            since: Instant::now(),
            kept: BTreeMap::new(),
            normaliser: Normaliser::default(),
        }
    }

    /// Replaces connections that may soon be closed.
    fn renew(&mut self) {
        if self.since.elapsed() > CONNECTED {
            [self.admin, self.nobody] = clients(&self.configs);
            self.since = Instant::now();
        }
    }

    /// Replaces `$name.field$` by the value in the response that was kept as `name`.
    fn fill(&self, text: &str) -> String {
        if !text.contains('$') {
            return text.to_owned();
        }
        let mut text = text.to_owned();
        for (name, value) in &self.kept {
            text = text.replace(&format!("${name}$"), value);
        }
        text
    }

    fn keep(&mut self, name: &str, answer: &Answer) {
        let metadata = &answer.body["metadata"];
        for (field, key) in [
            ("resourceVersion", "rv"),
            ("uid", "uid"),
            ("continue", "token"),
            ("name", "name"),
        ] {
            if let Some(value) = metadata[field].as_str() {
                self.kept.insert(format!("{name}.{key}"), value.to_owned());
            }
        }
    }

    /// Sends the call; the code is 0 after a timeout.
    async fn send(&self, call: &Call) -> Answer {
        let answer = tokio::time::timeout(PATIENCE, self.exchange(call)).await;
        answer.unwrap_or_else(|_| Answer {
            code: 0,
            content_type: String::new(),
            retry_after: false,
            warnings: Vec::new(),
            body: "no answer in time".into(),
        })
    }

    async fn exchange(&self, call: &Call) -> Answer {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(self.fill(&call.path));
        if let Some(accept) = &call.accept {
            request = request.header(header::ACCEPT, accept);
        }
        if let Some(content_type) = &call.content_type {
            request = request.header(header::CONTENT_TYPE, content_type);
        }
        let body = call.body.as_deref().map(|body| self.fill(body));
        let body = match call.content_type.as_deref() {
            Some(informer_protobuf::MEDIA_TYPE) => in_protobuf(&body.unwrap_or_default()),
            _ => body.unwrap_or_default().into_bytes(),
        };
        let body = body.into();
        let client = match &call.sender {
            Sender::Admin => &self.admin,
            Sender::Nobody => &self.nobody,
        };
        let response = client.send(request.body(body).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let text = |name| {
            let value = parts.headers.get(name).and_then(|v| v.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let warnings = parts.headers.get_all(header::WARNING).iter();
        let warnings = warnings.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let bytes = body.collect_bytes().await.unwrap();
        Answer {
            code: parts.status.as_u16(),
            content_type: text(header::CONTENT_TYPE),
            retry_after: !text(header::RETRY_AFTER).is_empty(),
            warnings: warnings.collect(),
            body: body_of(&bytes),
        }
    }

    async fn await_served(&self, call: &Call) {
        let mut pause = tokio::time::interval(Duration::from_millis(50));
        let served = async {
            while self.send(call).await.code != 200 {
                pause.tick().await;
            }
        };
        let served = tokio::time::timeout(PATIENCE, served).await;
        assert!(served.is_ok(), "{call} is not served");
    }

    fn normalised(&mut self, call: &Call, answer: &Answer) -> Answer {
        let path = self.fill(&call.path);
        Answer {
            body: self.normaliser.body(&path, answer.body.clone()),
            ..answer.clone()
        }
    }
}

fn clients(configs: &[kube::Config; 2]) -> [Client; 2] {
    configs
        .clone()
        .map(|config| Client::try_from(config).unwrap())
}

/// Encodes a document as protobuf in its envelope. Options have one message for all groups.
fn in_protobuf(document: &str) -> Vec<u8> {
    let document: Value = serde_json::from_str(document).unwrap();
    let (api_version, kind) = (&document["apiVersion"], &document["kind"]);
    let (api_version, kind) = (api_version.as_str().unwrap(), kind.as_str().unwrap());
    let message = Message::of(api_version, kind).or_else(|| Message::of("v1", kind));
    let mut members = document.as_object().unwrap().clone();
    members.retain(|name, _| name != "apiVersion" && name != "kind");
    let message = encode_members(message.unwrap(), &members).unwrap();
    wrap(api_version, kind, &message)
}

fn body_of(bytes: &[u8]) -> Value {
    if let Ok(value) = serde_json::from_slice(bytes) {
        // A watch with one event is an array, too.
        let value: Value = value;
        let is_event = value.get("type").is_some() && value.get("object").is_some();
        return if is_event {
            Value::Array(vec![value])
        } else {
            value
        };
    }
    let lines = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
    match lines.collect::<Result<Vec<Value>, _>>() {
        Ok(events) => Value::Array(events),
        Err(_) => String::from_utf8_lossy(bytes).into_owned().into(),
    }
}

// === impl Session ===

impl Session {
    pub(crate) fn new(real: Option<&Environment>, embedded: &ApiServer) -> Self {
        Self {
            real: real.map(|real| Side::new(real.kube_config(), real.kube_config_of_nobody())),
            embedded: Side::new(embedded.kube_config(), embedded.kube_config_as("nobody")),
            findings: Vec::new(),
            recording: Recording::default(),
            calls: 0,
            alike: 0,
        }
    }

    fn sides(&self) -> impl Iterator<Item = &Side> {
        self.real.iter().chain([&self.embedded])
    }

    fn renew(&mut self) {
        for side in self.real.iter_mut().chain([&mut self.embedded]) {
            side.renew();
        }
    }

    async fn send(&self, call: &Call) -> (Option<Answer>, Answer) {
        let real = async {
            match &self.real {
                Some(real) => Some(real.send(call).await),
                None => None,
            }
        };
        join(real, self.embedded.send(call)).await
    }

    /// Sends `call` to both servers and compares the responses.
    pub(crate) async fn check(&mut self, call: Call) {
        self.renew();
        let answers = self.send(&call).await;
        self.note(&call, answers);
    }

    /// Sends `call` to both servers and only records the versions.
    pub(crate) async fn look(&mut self, call: Call) {
        let (real, embedded) = self.send(&call).await;
        if let (Some(side), Some(real)) = (&mut self.real, real) {
            side.normalised(&call, &real);
        }
        self.embedded.normalised(&call, &embedded);
    }

    /// Returns the items of a list of the real server, each with its type.
    pub(crate) async fn real_items(&self, path: &str) -> Vec<Value> {
        let real = self.real.as_ref().unwrap();
        let answer = real.send(&Call::get(path)).await;
        let items = answer.body["items"].as_array().cloned();
        items.unwrap_or_default()
    }

    /// Compares the responses of calls whose order does not matter.
    pub(crate) async fn check_all(&mut self, calls: impl IntoIterator<Item = Call>) {
        self.renew();
        let calls: Vec<Call> = calls.into_iter().collect();
        let session = &*self;
        let answers = stream::iter(calls.iter().enumerate())
            .map(|(at, call)| async move { (at, session.send(call).await) });
        // Some calls wait for seconds on purpose; they do not delay the others.
        let answers: BTreeMap<usize, _> = answers.buffer_unordered(AT_ONCE).collect().await;
        for (call, answers) in calls.iter().zip(answers.into_values()) {
            self.note(call, answers);
        }
    }

    /// Sends `call` until both servers answer with 200: a new definition is served after a moment,
    /// and the real server observes roles after a moment.
    pub(crate) async fn await_served(&self, call: &Call) {
        for side in self.sides() {
            side.await_served(call).await;
        }
    }

    /// Waits for an object that the real server creates by itself.
    pub(crate) async fn await_real(&self, path: &str) {
        if let Some(real) = &self.real {
            real.await_served(&Call::get(path)).await;
        }
    }

    fn note(&mut self, call: &Call, (real, embedded): (Option<Answer>, Answer)) {
        if let Some(name) = &call.keep {
            self.embedded.keep(name, &embedded);
            if let (Some(side), Some(real)) = (&mut self.real, &real) {
                side.keep(name, real);
            }
        }
        let embedded = self.embedded.normalised(call, &embedded);
        let real = real.and_then(|real| Some(self.real.as_mut()?.normalised(call, &real)));
        self.compare(call, real.as_ref(), &embedded);
    }

    /// Records one response, and compares it with that of the real server.
    fn compare(&mut self, call: &Call, real: Option<&Answer>, embedded: &Answer) {
        self.calls += 1;
        self.recording.add(call, embedded);
        let Some(real) = real else {
            return;
        };
        let found = differences(call, real, embedded);
        self.alike += usize::from(found.is_empty());
        self.findings.extend(found);
    }

    /// Watches `paths` on both servers until the object `zz-last` appears.
    pub(crate) fn watch(&self, paths: &[String]) -> JoinSet<Watched> {
        let mut tasks = JoinSet::new();
        for path in paths {
            for (side, real) in [(self.real.as_ref(), true), (Some(&self.embedded), false)] {
                let Some(side) = side else {
                    continue;
                };
                let (client, path) = (side.admin.clone(), path.clone());
                tasks.spawn(async move {
                    let events = follow(&client, &path).await;
                    Watched { path, real, events }
                });
            }
        }
        tasks
    }

    /// Waits for the tasks of [`watch`](Self::watch) and compares the streams.
    pub(crate) async fn compare_watched(&mut self, mut tasks: JoinSet<Watched>) {
        let mut streams: BTreeMap<String, [Vec<Value>; 2]> = BTreeMap::new();
        while let Some(watched) = tasks.join_next().await {
            let watched = watched.unwrap();
            let pair = streams.entry(watched.path).or_default();
            pair[usize::from(!watched.real)] = watched.events;
        }
        for (path, [real, embedded]) in streams {
            let of = |events: Vec<Value>| Answer {
                code: 200,
                content_type: String::new(),
                retry_after: false,
                warnings: Vec::new(),
                body: Normaliser::default().body(&path, events.into()),
            };
            let real = self.real.is_some().then(|| of(real));
            self.compare(&Call::get(path.clone()), real.as_ref(), &of(embedded));
        }
    }
}

async fn follow(client: &Client, path: &str) -> Vec<Value> {
    let request = Request::get(path).body(Vec::new()).unwrap();
    let body = client.request_stream(request).await.unwrap();
    let mut lines = Box::pin(body).lines();
    let mut events = Vec::new();
    while let Some(line) = lines.try_next().await.unwrap() {
        let event: Value = serde_json::from_str(&line).unwrap();
        let is_last = event["object"]["metadata"]["name"] == json!(LAST);
        events.push(event);
        if is_last {
            break;
        }
    }
    events
}
