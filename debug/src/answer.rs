//! Answers to requests.

use bytes::Bytes;
use http::header::HeaderValue;
use http::{Method, Request, Response, StatusCode};
use informer_controller::metrics::Collector;
use informer_runtime::ObjectKey;
use maud::html;
use prometheus_client::encoding::text::encode;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::access::{Access, HEADERS};
use crate::body::{self, Body};
use crate::html;
use crate::overview::Overview;
use crate::pages::Page;
use crate::ready::{Readiness, dead};
use crate::route::{ROUTES, parts, root};
use crate::shared::{PageSettings, Recent, ServiceShared};

const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/live.js");
const ICON: &str = include_str!("../assets/icon.svg");

/// Maximum number of viewers of the live page.
const VIEWERS: usize = 64;

/// Answer, before the headers that all answers have.
type PageAnswer = (StatusCode, &'static str, Body);

// === impl ServiceShared ===

impl ServiceShared {
    /// Answers a request. Of the answer to `HEAD`, the server sends only the headers.
    pub(crate) fn answer<B>(
        &self,
        request: &Request<B>,
        access: Access,
        stop: &CancellationToken,
    ) -> Response<Body> {
        let path = request.uri().path();
        let method = request.method();
        let checked = self.settings.lock().rules.check(request, access);
        let (status, content_type, body) = if let Err((status, reason)) = checked {
            plain(status, format!("{reason}\n"))
        } else if method == Method::GET || method == Method::HEAD {
            let found = self.page(path, stop);
            found.unwrap_or_else(|| {
                let text = format!("not found; there are\n{}\n", ROUTES.join("\n"));
                plain(StatusCode::NOT_FOUND, text)
            })
        } else {
            let text = format!("{method} is not allowed: only GET and HEAD\n");
            plain(StatusCode::METHOD_NOT_ALLOWED, text)
        };
        let extra = match status {
            StatusCode::UNAUTHORIZED => Some(("www-authenticate", "Bearer")),
            StatusCode::METHOD_NOT_ALLOWED => Some(("allow", "GET, HEAD")),
            _ => None,
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = HEADERS
            .into_iter()
            .chain(extra)
            .chain([("content-type", content_type)]);
        for (name, value) in headers {
            response
                .headers_mut()
                .insert(name, HeaderValue::from_static(value));
        }
        response
    }

    /// Returns the answer of a path; `None` if there is no such page.
    fn page(&self, path: &str, stop: &CancellationToken) -> Option<PageAnswer> {
        let decoded = parts(path)?;
        let parts: Vec<&str> = decoded.iter().map(String::as_str).collect();
        let root = &root(path);
        let key = |parts: &[&str]| parts.join("/").parse::<ObjectKey>().ok();
        Some(match parts.as_slice() {
            [""] => ok(HTML, Overview::of(self).page()),
            ["events"] if self.live.receiver_count() >= VIEWERS => {
                let text = format!("{VIEWERS} viewers are connected already\n");
                plain(StatusCode::SERVICE_UNAVAILABLE, text)
            }
            ["events"] => (
                StatusCode::OK,
                "text/event-stream",
                body::events(self.live.subscribe(), stop.clone()),
            ),
            ["style.css"] => ok("text/css; charset=utf-8", STYLE),
            ["live.js"] => ok("text/javascript; charset=utf-8", SCRIPT),
            ["icon.svg"] => ok("image/svg+xml", ICON),
            ["metrics"] => ok(Collector::CONTENT_TYPE, self.metrics()),
            ["livez"] => match dead((self.factory)().as_ref()) {
                dead if dead.is_empty() => probe(true, "ok\n".to_owned()),
                dead => probe(false, format!("{dead}\n")),
            },
            ["readyz"] => {
                let stale_after = self.settings.lock().stale_after;
                let readiness = Readiness::of((self.factory)().as_ref(), stale_after);
                probe(readiness.faults.is_empty(), readiness.text())
            }
            ["informers", plural] => page(root, self.objects(plural, root)),
            ["informers", plural, rest @ ..] => page(root, self.object(plural, &key(rest)?, root)),
            ["why", name, rest @ ..] => page(root, self.why(name, &key(rest)?, root)),
            _ => return None,
        })
    }

    /// Returns the metrics, of a [recent](Recent) rendering or of a new one.
    fn metrics(&self) -> Bytes {
        let began = Instant::now();
        let recent = self.metrics.lock().clone();
        if let Some(page) = recent.and_then(|recent| recent.at(began)) {
            return page;
        }
        let page = Bytes::from(metrics(&self.settings()));
        let recent = Recent::new(page.clone(), began, Instant::now());
        *self.metrics.lock() = Some(recent);
        page
    }
}

fn metrics(settings: &PageSettings) -> String {
    let Some(registry) = &settings.registry else {
        return settings.collector.encode();
    };
    let mut page = String::new();
    // Writing into a string cannot fail.
    _ = encode(&mut page, registry);
    page
}

fn ok(content_type: &'static str, text: impl Into<Bytes>) -> PageAnswer {
    (StatusCode::OK, content_type, body::text(text))
}

fn page(root: &str, page: Page) -> PageAnswer {
    let (status, (title, content)) = match page {
        Ok(page) => (StatusCode::OK, page),
        Err(reason) => {
            let content = html! { section { h1 { "Not found" } p { (reason) } } };
            (StatusCode::NOT_FOUND, ("Not found".to_owned(), content))
        }
    };
    let text = html::page(root, &title, &html! {}, &content);
    (status, HTML, body::text(text))
}

fn plain(status: StatusCode, text: String) -> PageAnswer {
    (status, TEXT, body::text(text))
}

fn probe(is_good: bool, text: String) -> PageAnswer {
    let bad = StatusCode::SERVICE_UNAVAILABLE;
    plain(if is_good { StatusCode::OK } else { bad }, text)
}
