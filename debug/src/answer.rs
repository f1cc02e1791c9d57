//! Answers to requests.

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
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
use crate::route::{ROUTES, parts, root_of};
use crate::shared::{PageSettings, Recent, ServiceShared};

const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/live.js");
const ICON: &str = include_str!("../assets/icon.svg");

/// Maximum number of viewers of the live page.
const VIEWERS: usize = 64;

/// Answer, before the headers that all answers have.
struct PageAnswer {
    status: StatusCode,
    content_type: &'static str,
    body: Body,
}

// === impl ServiceShared ===

impl ServiceShared {
    /// Answers a request. Of the answer to `HEAD`, the server sends only the headers.
    pub(crate) fn answer<B>(
        &self,
        request: &Request<B>,
        access: Access,
        stop: &CancellationToken,
    ) -> Response<Body> {
        let checked = self.settings.lock().rules.check(request, access);
        let answer = match checked {
            Ok(()) => self.permitted(request, stop),
            Err(denied) => plain(denied.status, format!("{}\n", denied.reason)),
        };
        answer.into_response()
    }

    /// Returns the answer to a request that the rules permit.
    fn permitted<B>(&self, request: &Request<B>, stop: &CancellationToken) -> PageAnswer {
        let method = request.method();
        if method != Method::GET && method != Method::HEAD {
            let text = format!("{method} is not allowed: only GET and HEAD\n");
            return plain(StatusCode::METHOD_NOT_ALLOWED, text);
        }
        if let Some(page) = self.page(request.uri().path(), stop) {
            return page;
        }
        let text = format!("not found; there are\n{}\n", ROUTES.join("\n"));
        plain(StatusCode::NOT_FOUND, text)
    }

    /// Returns the answer of a path; `None` if there is no such page.
    fn page(&self, path: &str, stop: &CancellationToken) -> Option<PageAnswer> {
        let decoded = parts(path)?;
        let parts: Vec<&str> = decoded.iter().map(String::as_str).collect();
        let root = &*root_of(path);
        let answer = match parts.as_slice() {
            [""] => ok(HTML, Overview::of(self).page()),
            ["events"] => self.events(stop),
            ["style.css"] => ok("text/css; charset=utf-8", STYLE),
            ["live.js"] => ok("text/javascript; charset=utf-8", SCRIPT),
            ["icon.svg"] => ok("image/svg+xml", ICON),
            ["metrics"] => ok(Collector::CONTENT_TYPE, self.metrics()),
            ["livez"] => self.livez(),
            ["readyz"] => self.readyz(),
            ["informers", plural] => page(root, self.objects(plural, root)),
            ["informers", plural, rest @ ..] => {
                let key = key_of(rest)?;
                page(root, self.object(plural, &key, root))
            }
            ["why", name, rest @ ..] => {
                let key = key_of(rest)?;
                page(root, self.why(name, &key, root))
            }
            _ => return None,
        };
        Some(answer)
    }

    /// Returns the stream of the live page.
    fn events(&self, stop: &CancellationToken) -> PageAnswer {
        if self.live.receiver_count() >= VIEWERS {
            let text = format!("{VIEWERS} viewers are connected already\n");
            return plain(StatusCode::SERVICE_UNAVAILABLE, text);
        }
        PageAnswer {
            status: StatusCode::OK,
            content_type: "text/event-stream",
            body: body::events(self.live.subscribe(), stop.clone()),
        }
    }

    fn livez(&self) -> PageAnswer {
        let failures = dead((self.factory)().as_ref());
        if failures.is_empty() {
            probe(true, "ok\n".to_owned())
        } else {
            probe(false, format!("{failures}\n"))
        }
    }

    fn readyz(&self) -> PageAnswer {
        let stale_after = self.settings.lock().stale_after;
        let readiness = Readiness::of((self.factory)().as_ref(), stale_after);
        probe(readiness.faults.is_empty(), readiness.text())
    }

    /// Returns the metrics, of a [recent](Recent) rendering or of a new one.
    fn metrics(&self) -> Bytes {
        let began = Instant::now();
        let recent = self.metrics.lock().clone();
        if let Some(recent) = recent
            && let Some(page) = recent.at(began)
        {
            return page;
        }
        let page = Bytes::from(metrics(&self.settings()));
        let recent = Recent::new(page.clone(), began, Instant::now());
        *self.metrics.lock() = Some(recent);
        page
    }
}

// === impl PageAnswer ===

impl PageAnswer {
    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        for (name, value) in HEADERS {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if self.status == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        }
        let content_type = HeaderValue::from_static(self.content_type);
        headers.insert(CONTENT_TYPE, content_type);
        response
    }
}

fn key_of(parts: &[&str]) -> Option<ObjectKey> {
    parts.join("/").parse().ok()
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
    PageAnswer {
        status: StatusCode::OK,
        content_type,
        body: body::text(text),
    }
}

fn page(root: &str, page: Result<Page, String>) -> PageAnswer {
    let (status, shown) = match page {
        Ok(page) => (StatusCode::OK, page),
        Err(reason) => (StatusCode::NOT_FOUND, not_found(&reason)),
    };
    let text = html::page(root, &shown.title, &html! {}, &shown.content);
    PageAnswer {
        status,
        content_type: HTML,
        body: body::text(text),
    }
}

fn not_found(reason: &str) -> Page {
    Page {
        title: "Not found".to_owned(),
        content: html! {
            section {
                h1 { "Not found" }
                p { (reason) }
            }
        },
    }
}

fn plain(status: StatusCode, text: String) -> PageAnswer {
    PageAnswer {
        status,
        content_type: TEXT,
        body: body::text(text),
    }
}

fn probe(is_good: bool, text: String) -> PageAnswer {
    let status = if is_good {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    plain(status, text)
}
