//! Answers to requests.

use http::header::{ALLOW, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use http::{Method, Request, Response, StatusCode};
use informer_controller::engine::store_of;
use informer_controller::metrics::Collector;
use informer_controller::{Entry, GenericInformer, ObjectKey, Snapshot};
use tokio_util::sync::CancellationToken;

use crate::access::{Access, Denied, protect};
use crate::body::{self, Body};
use crate::read::Read;
use crate::ready::{Readiness, dead};
use crate::redact::{REDACTED, Removed, redact};
use crate::route::{ROUTES, Route};
use crate::shared::{Settings, Shared, Watched};
use crate::text::{Now, size};
use crate::view::{Found, Message, Objects, Overview, Shown, Why, html};

const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/live.js");
const ICON: &str = include_str!("../assets/icon.svg");

/// Maximum number of viewers of the live page.
const VIEWERS: usize = 64;
/// Maximum number of keys on the page of an informer.
const KEYS: usize = 500;
/// Maximum number of values of an index that are looked through for those of an object.
const VALUES: usize = 10_000;
const NOT_SHOWN: &str =
    "The content is not shown: the program permits it with `Service::show(&informer)`.";
/// Maximum size of an object that is shown, in bytes of its JSON.
const BODY: usize = 256 << 10;
/// Maximum number of items that wait among which a key is looked for.
const WAITING: usize = 100_000;

/// Answer, before the headers that all answers have.
type Answer = (StatusCode, &'static str, Body);

// === impl Shared ===

impl Shared {
    /// Answers a request. Of the answer to `HEAD`, the server sends only the headers.
    pub(crate) fn answer<B>(
        &self,
        request: &Request<B>,
        access: Access,
        stop: &CancellationToken,
    ) -> Response<Body> {
        let (path, method) = (request.uri().path(), request.method());
        let (route, settings) = (Route::of(path), self.settings());
        let (headers, authority) = (request.headers(), request.uri().authority());
        let checked = settings
            .rules
            .check(route.as_ref(), access, headers, authority);
        let mut extra = None;
        let (status, content_type, body) = match (checked, route) {
            (Err(denied), _) => {
                extra = (denied != Denied::Host).then_some((WWW_AUTHENTICATE, "Bearer"));
                refused(denied)
            }
            _ if method != Method::GET && method != Method::HEAD => {
                extra = Some((ALLOW, "GET, HEAD"));
                let text = format!("{method} is not allowed: only GET and HEAD\n");
                plain(StatusCode::METHOD_NOT_ALLOWED, text)
            }
            (Ok(()), Some(route)) => {
                let root = "../".repeat(Route::depth(path));
                self.page(route, &root, &settings, stop)
            }
            (Ok(()), None) => {
                let text = format!("not found; there are\n{}\n", ROUTES.join("\n"));
                plain(StatusCode::NOT_FOUND, text)
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        for (name, value) in extra.into_iter().chain([(CONTENT_TYPE, content_type)]) {
            headers.insert(name, HeaderValue::from_static(value));
        }
        protect(headers);
        response
    }

    fn page(
        &self,
        route: Route,
        root: &str,
        settings: &Settings,
        stop: &CancellationToken,
    ) -> Answer {
        let factory = (self.factory)();
        let ok = |content_type, body| (StatusCode::OK, content_type, body);
        match route {
            Route::Overview => {
                let sections = &self.sections(Now::get());
                ok(HTML, body::text(html(&Overview { root, sections })))
            }
            Route::Events if self.live.receiver_count() >= VIEWERS => {
                let text = format!("{VIEWERS} viewers are connected already\n");
                plain(StatusCode::SERVICE_UNAVAILABLE, text)
            }
            Route::Events => {
                let events = body::events(self.live.subscribe(), stop.clone());
                ok("text/event-stream", events)
            }
            Route::Style => ok("text/css; charset=utf-8", body::text(STYLE)),
            Route::Script => ok("text/javascript; charset=utf-8", body::text(SCRIPT)),
            Route::Icon => ok("image/svg+xml", body::text(ICON)),
            Route::Metrics => ok(Collector::CONTENT_TYPE, body::text(settings.metrics())),
            Route::Livez => match dead(factory.as_ref()) {
                dead if dead.is_empty() => probe(true, "ok\n".to_owned()),
                dead => probe(false, format!("{dead}\n")),
            },
            Route::Readyz => {
                let readiness = Readiness::of(factory.as_ref(), settings.stale_after);
                probe(readiness.faults.is_empty(), readiness.text())
            }
            Route::Objects(plural) => self.objects(&plural, root),
            Route::Object(plural, key) => self.object(&plural, &key, root, settings),
            Route::Why(controller, key) => self.why(&controller, &key, root, settings),
        }
    }

    /// Returns the informer of this name, or else those of this plural.
    fn informers_of(&self, name: &str) -> Vec<GenericInformer> {
        let (named, others): (Vec<_>, Vec<_>) = self
            .informers()
            .into_iter()
            .partition(|one| one.name() == name);
        if !named.is_empty() {
            return named;
        }
        let is_meant = |one: &GenericInformer| one.resource().api_resource.plural.as_str() == name;
        others.into_iter().filter(is_meant).collect()
    }

    fn objects(&self, plural: &str, root: &str) -> Answer {
        let found = self.informers_of(plural);
        let Some(informer) = found.first() else {
            let text = format!("No informer caches `{plural}`.");
            return unknown(root, "No such informer", &text);
        };
        let snapshot = store_of(informer).snapshot();
        let keys = snapshot.entries().take(KEYS).map(|entry| &entry.key);
        let view = Objects {
            root,
            informer: informer.name(),
            total: snapshot.len(),
            keys: keys.collect(),
        };
        (StatusCode::OK, HTML, body::text(html(&view)))
    }

    fn object(&self, plural: &str, key: &ObjectKey, root: &str, settings: &Settings) -> Answer {
        let informers = self.informers_of(plural).into_iter();
        let found = informers.filter_map(|informer| self.found(informer, key, settings));
        let found: Vec<Found> = found.collect();
        if found.is_empty() {
            let text = format!("No informer of `{plural}` has `{key}` in its cache.");
            return unknown(root, "No such object", &text);
        }
        let knows = |watched: &&Watched| !watched.history.lock().of(key).is_empty();
        let controllers = settings.controllers.iter().filter(knows);
        let controllers = controllers.map(|one| one.handle.name().to_owned());
        let view = Shown {
            root,
            key,
            found,
            controllers: controllers.collect(),
            now: Now::get(),
        };
        (StatusCode::OK, HTML, body::text(html(&view)))
    }

    /// Returns what an informer has of an object; `None` if it has nothing.
    fn found(
        &self,
        informer: GenericInformer,
        key: &ObjectKey,
        settings: &Settings,
    ) -> Option<Found> {
        let snapshot = store_of(&informer).snapshot();
        let (entry, undecodable) = (snapshot.entry(key), snapshot.undecodable(key));
        let version = match (entry, undecodable) {
            (Some(entry), _) => &entry.resource_version,
            (None, Some(undecodable)) => &undecodable.resource_version,
            (None, None) => return None,
        };
        let (body, removed) = body_of(&informer, entry, settings);
        Some(Found {
            changed: self.series.lock().changed(informer.name(), version),
            entry: entry.cloned(),
            undecodable: undecodable.cloned(),
            indices: indices(&snapshot, key, removed.as_ref()),
            absent: removed.map(|removed| removed.absent).unwrap_or_default(),
            body,
            read: Read::new(informer, Vec::new(), None),
        })
    }

    fn why(&self, name: &str, key: &ObjectKey, root: &str, settings: &Settings) -> Answer {
        let mut controllers = settings.controllers.iter();
        let Some(watched) = controllers.find(|one| one.handle.name() == name) else {
            let text = format!("No controller `{name}` was added to this service.");
            return unknown(root, "No such controller", &text);
        };
        let queue = watched.handle.queue();
        let mut waiting = queue.waiting(WAITING).into_iter();
        let waiting = waiting.find(|(item, _, _)| item == key);
        let mut informers = self.informers();
        informers.retain(|informer| {
            let handlers = informer.metrics().handlers;
            handlers.iter().any(|handler| handler.name == queue.name())
        });
        let view = Why {
            root,
            controller: name,
            key,
            informers,
            waiting: waiting.map(|(_, reasons, waited)| (reasons, waited)),
            is_in_work: queue.in_work().contains(key),
            is_held_back: watched.handle.held_back().contains(key),
            calls: watched.history.lock().of(key),
            now: Now::get(),
            began: self.began.instant,
        };
        (StatusCode::OK, HTML, body::text(html(&view)))
    }
}

/// Returns the JSON of an object without what must not leave the process, and the values that were
/// removed. Without the latter, no value of an index may be shown either.
fn body_of(
    informer: &GenericInformer,
    entry: Option<&Entry>,
    settings: &Settings,
) -> (Result<String, String>, Option<Removed>) {
    let Some(entry) = entry else {
        return (Err("No version of the object did decode.".to_owned()), None);
    };
    let Some(show) = settings.shown.get(informer.name()) else {
        return (Err(NOT_SHOWN.to_owned()), None);
    };
    let mut object = match show(entry) {
        Ok(object) => object,
        Err(error) => return (Err(error), None),
    };
    let api = &informer.resource().api_resource;
    let is_secret = api.group.is_empty() && api.kind == "Secret";
    let removed = redact(&mut object, is_secret, &settings.redacted);
    let text = serde_json::to_string_pretty(&object).unwrap_or_default();
    let body = if text.len() > BODY {
        Err(format!("The object has {} of JSON.", size(text.len())))
    } else {
        Ok(text)
    };
    (body, (!is_secret).then_some(removed))
}

/// Returns the indices with the values of an object. Without `removed`, the values stay hidden, and
/// so does a value that was removed from the object.
fn indices(
    snapshot: &Snapshot<Entry>,
    key: &ObjectKey,
    removed: Option<&Removed>,
) -> Vec<(String, String)> {
    let of_index = |name: &str| {
        let Some(Removed { values: hidden, .. }) = removed else {
            return "(values are not shown)".to_owned();
        };
        let values = snapshot.list_index_func_values(name).unwrap_or_default();
        if values.len() > VALUES {
            return format!("(one of {} values)", values.len());
        }
        let mut shown: Vec<&str> = Vec::new();
        for value in &values {
            let keys = snapshot.index_keys(name, value).unwrap_or_default();
            if keys.contains(key) {
                let is_hidden = hidden.iter().any(|one| value.contains(one.as_str()));
                shown.push(if is_hidden { REDACTED } else { value });
            }
        }
        if shown.is_empty() {
            shown.push("(no value)");
        }
        shown.join(", ")
    };
    let names = snapshot.index_names();
    names
        .map(|name| (name.to_string(), of_index(name.as_ref())))
        .collect()
}

fn refused(denied: Denied) -> Answer {
    let (status, text) = match denied {
        Denied::Host => (
            StatusCode::MISDIRECTED_REQUEST,
            "the header `Host` names another site: use an address or `localhost`, or permit the name \
             with `Service::host`",
        ),
        Denied::Token => (
            StatusCode::UNAUTHORIZED,
            "a bearer token is needed: `Authorization: Bearer ..`",
        ),
        Denied::NoToken => (
            StatusCode::UNAUTHORIZED,
            "this page is not open to the network: serve it on a loopback address, set a token with \
             `Service::token`, or mount it behind a layer of your own with `Service::trusted`",
        ),
    };
    plain(status, format!("{text}\n"))
}

fn unknown(root: &str, title: &str, text: &str) -> Answer {
    let page = html(&Message { root, title, text });
    (StatusCode::NOT_FOUND, HTML, body::text(page))
}

fn plain(status: StatusCode, text: String) -> Answer {
    (status, TEXT, body::text(text))
}

fn probe(is_good: bool, text: String) -> Answer {
    let bad = StatusCode::SERVICE_UNAVAILABLE;
    plain(if is_good { StatusCode::OK } else { bad }, text)
}
