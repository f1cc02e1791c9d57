//! One session with two servers: every call goes to both, and the answers are compared.

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
use informer_protobuf::{Message, encode_members, wrap};

/// A call that takes longer has hung: on a busy machine answers take seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long connections are used again. Both the real server and the client close one that has been
/// idle for 90 seconds, and a request in that moment is lost.
const CONNECTED: Duration = Duration::from_secs(45);

/// How many calls run at once where the order does not matter.
const AT_ONCE: usize = 200;

/// An answer, as far as it is compared.
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

/// One of the two.
pub(crate) struct Side {
    /// Of the administrator, of a user without rights, and without a user.
    configs: [kube::Config; 3],
    admin: Client,
    nobody: Client,
    /// For requests that bring tokens of their own.
    bare: Client,
    /// When the clients were made.
    since: Instant,
    /// What earlier answers gave, by `name.field`.
    kept: BTreeMap<String, String>,
    normaliser: Normaliser,
}

pub(crate) struct Session {
    real: Side,
    double: Side,
    pub(crate) findings: Vec<Finding>,
    pub(crate) calls: usize,
    /// Calls without a finding.
    pub(crate) alike: usize,
}

/// The events of one watch over the whole session.
#[derive(Debug)]
pub(crate) struct Watched {
    path: String,
    real: bool,
    events: Vec<Value>,
}

/// The object that ends the watches of the session when it appears in them.
const LAST: &str = "zz-last";

// === impl Side ===

impl Side {
    fn new(admin: kube::Config, nobody: kube::Config) -> Self {
        let mut bare = nobody.clone();
        bare.auth_info.token = None;
        let configs = [admin, nobody, bare];
        let [admin, nobody, bare] = clients(&configs);
        Self {
            configs,
            admin,
            nobody,
            bare,
            since: Instant::now(),
            kept: BTreeMap::new(),
            normaliser: Normaliser::default(),
        }
    }

    /// Lets go of connections that may soon be closed.
    fn renew(&mut self) {
        if self.since.elapsed() > CONNECTED {
            [self.admin, self.nobody, self.bare] = clients(&self.configs);
            self.since = Instant::now();
        }
    }

    /// `$name.field$` stands for what an answer that was kept as `name` has there.
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
        if let Some(token) = answer.body["status"]["token"].as_str() {
            self.kept.insert(format!("{name}.jwt"), token.to_owned());
        }
    }

    /// Sends it; without an answer in time the code is 0.
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
            Sender::Bearer(token) => {
                let token = format!("Bearer {}", self.fill(token));
                request = request.header(header::AUTHORIZATION, token);
                &self.bare
            }
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
        let asked = self.fill(&call.path);
        Answer {
            body: self.normaliser.body(&asked, answer.body.clone()),
            ..answer.clone()
        }
    }
}

fn clients(configs: &[kube::Config; 3]) -> [Client; 3] {
    configs
        .clone()
        .map(|config| Client::try_from(config).unwrap())
}

/// A document as a message in its envelope. Options have one message for all groups.
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
        // A watch with one event is an array too.
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
    pub(crate) fn new(real: &Environment, double: &ApiServer) -> Self {
        Self {
            real: Side::new(real.kube_config(), real.kube_config_of_nobody()),
            double: Side::new(double.kube_config(), double.kube_config_as("nobody")),
            findings: Vec::new(),
            calls: 0,
            alike: 0,
        }
    }

    fn renew(&mut self) {
        self.real.renew();
        self.double.renew();
    }

    /// Sends `call` to both and compares.
    pub(crate) async fn check(&mut self, call: Call) {
        self.renew();
        let answers = join(self.real.send(&call), self.double.send(&call)).await;
        self.note(&call, answers);
    }

    /// Sends `call` to both and only remembers which versions there were.
    pub(crate) async fn look(&mut self, call: Call) {
        let (real, double) = join(self.real.send(&call), self.double.send(&call)).await;
        self.real.normalised(&call, &real);
        self.double.normalised(&call, &double);
    }

    /// The items of a list as the real server has them, each with its type.
    pub(crate) async fn real_items(&self, path: &str) -> Vec<Value> {
        let answer = self.real.send(&Call::get(path)).await;
        let items = answer.body["items"].as_array().cloned();
        items.unwrap_or_default()
    }

    /// The same for calls whose order does not matter.
    pub(crate) async fn check_all(&mut self, calls: impl IntoIterator<Item = Call>) {
        self.renew();
        let calls: Vec<Call> = calls.into_iter().collect();
        let (real, double) = (&self.real, &self.double);
        let answers = stream::iter(calls.iter().enumerate()).map(|(at, call)| async move {
            let answers = join(real.send(call), double.send(call)).await;
            (at, answers)
        });
        // Some wait for seconds, as they are to; those do not hold the others up.
        let answers: BTreeMap<usize, _> = answers.buffer_unordered(AT_ONCE).collect().await;
        for (call, answers) in calls.iter().zip(answers.into_values()) {
            self.note(call, answers);
        }
    }

    /// Sends `call` until the real server answers with something else than 429 and 404: a new
    /// definition is served in a moment.
    pub(crate) async fn await_served(&mut self, path: &str) {
        for side in [&self.real, &self.double] {
            side.await_served(&Call::get(path)).await;
        }
    }

    /// Waits until who sends `call` may do so: the real server learns of roles in a moment.
    pub(crate) async fn await_allowed(&self, call: &Call) {
        for side in [&self.real, &self.double] {
            side.await_served(call).await;
        }
    }

    /// Waits for what the real server makes for itself, in its own time.
    pub(crate) async fn await_real(&self, path: &str) {
        self.real.await_served(&Call::get(path)).await;
    }

    fn note(&mut self, call: &Call, (real, double): (Answer, Answer)) {
        self.calls += 1;
        if let Some(name) = &call.keep {
            self.real.keep(name, &real);
            self.double.keep(name, &double);
        }
        let real = self.real.normalised(call, &real);
        let double = self.double.normalised(call, &double);
        let found = differences(call, &real, &double);
        self.alike += usize::from(found.is_empty());
        self.findings.extend(found);
    }

    /// Follows `paths` on both servers until the object `zz-last` is in them.
    pub(crate) fn watch(&self, paths: &[&str]) -> JoinSet<Watched> {
        let mut tasks = JoinSet::new();
        for path in paths {
            for (side, real) in [(&self.real, true), (&self.double, false)] {
                let (client, path) = (side.admin.clone(), (*path).to_owned());
                tasks.spawn(async move {
                    let events = follow(&client, &path).await;
                    Watched { path, real, events }
                });
            }
        }
        tasks
    }

    /// Waits for what [`watch`](Self::watch) has started and compares the streams.
    pub(crate) async fn compare_watched(&mut self, mut tasks: JoinSet<Watched>) {
        let mut streams: BTreeMap<String, [Vec<Value>; 2]> = BTreeMap::new();
        while let Some(watched) = tasks.join_next().await {
            let watched = watched.unwrap();
            let pair = streams.entry(watched.path).or_default();
            pair[usize::from(!watched.real)] = watched.events;
        }
        for (path, [real, double]) in streams {
            let of = |events: Vec<Value>| Answer {
                code: 200,
                content_type: String::new(),
                retry_after: false,
                warnings: Vec::new(),
                body: Normaliser::default().body(&path, events.into()),
            };
            let call = Call::get(path.clone());
            self.calls += 1;
            let found = differences(&call, &of(real), &of(double));
            self.alike += usize::from(found.is_empty());
            self.findings.extend(found);
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
