//! Log of requests, for tests to count and to await.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::registry::target::Verb;
use crate::url::parameters;

/// Number of requests that a server's log keeps.
pub(crate) const RECENT: usize = 10_000;

/// Maximum number of counted pairs of a verb and a resource; requests for further pairs are not
/// counted.
const MAX_COUNTED: usize = 10_000;

/// Maximum length of a resource name: that of a DNS label.
const MAX_RESOURCE: usize = 63;

/// A request as it arrived, before the server processed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRequest {
    /// HTTP method.
    pub method: http::Method,
    /// Path, as sent.
    pub path: String,
    /// Query, as sent; empty if the request has none.
    pub query: String,
    /// Header `Accept`; empty if the request has none.
    pub accept: String,
    /// Verb of the request; [`Verb::Other`] if the path does not name a resource.
    pub verb: Verb,
    /// API group; empty for the core group.
    pub group: String,
    /// Plural of the resource; empty if the path does not name a resource.
    pub resource: String,
    /// Namespace; empty for cluster scope and for all namespaces.
    pub namespace: String,
    /// Name of the object; empty for a collection.
    pub name: String,
}

/// Condition on requests. By default it matches every request; its methods add conditions.
///
/// ```
/// use informer_apiserver::{Matcher, Verb};
///
/// let first_page = Matcher::any().verb(Verb::List).resource("pods");
/// # let _ = first_page;
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Matcher {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verb: Option<Verb>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) resource: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) namespace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) query: Vec<String>,
}

/// The bounded log. The counts include all requests since the last reset, even those that have left
/// the log; the number of pairs is bounded.
#[derive(Debug)]
pub(crate) struct RequestLog {
    capacity: usize,
    log: Mutex<Log>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Log {
    recent: VecDeque<Arc<RecordedRequest>>,
    counts: HashMap<(Verb, String), u64>,
}

// === impl RecordedRequest ===

impl RecordedRequest {
    /// Returns the decoded value of the query parameter `name`; `None` if it was not sent.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<String> {
        parameters(&self.query)
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    fn is_of(&self, resource: &str) -> bool {
        self.resource == resource
            || resource
                .split_once('.')
                .is_some_and(|(plural, group)| self.resource == plural && self.group == group)
    }
}

// === impl Matcher ===

impl Matcher {
    /// Matches every request.
    #[must_use]
    pub fn any() -> Self {
        Self::default()
    }

    /// Adds the condition that the request has this verb.
    #[must_use]
    pub fn verb(mut self, verb: Verb) -> Self {
        self.verb = Some(verb);
        self
    }

    /// Adds the condition that the request is for this resource: a plural, or `plural.group`.
    #[must_use]
    pub fn resource(mut self, resource: impl Into<String>) -> Self {
        self.resource = Some(resource.into());
        self
    }

    /// Adds the condition that the request is in this namespace.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Adds the condition that the request is for the object of this name.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Adds the condition that the query contains this text, for example `continue=` or
    /// `sendInitialEvents=true`.
    #[must_use]
    pub fn query(mut self, text: impl Into<String>) -> Self {
        self.query.push(text.into());
        self
    }

    /// Reports whether `request` meets all conditions.
    #[must_use]
    pub fn matches(&self, request: &RecordedRequest) -> bool {
        self.verb.is_none_or(|verb| request.verb == verb)
            && self
                .resource
                .as_deref()
                .is_none_or(|resource| request.is_of(resource))
            && self
                .namespace
                .as_deref()
                .is_none_or(|namespace| request.namespace == namespace)
            && self.name.as_deref().is_none_or(|name| request.name == name)
            && self
                .query
                .iter()
                .all(|text| request.query.contains(text.as_str()))
    }
}

// === impl RequestLog ===

impl RequestLog {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            log: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }

    pub(crate) fn record(&self, request: &Arc<RecordedRequest>) {
        {
            let mut log = self.log.lock();
            let key = (request.verb, request.resource.clone());
            let has_room = log.counts.len() < MAX_COUNTED && key.1.len() <= MAX_RESOURCE;
            if has_room || log.counts.contains_key(&key) {
                *log.counts.entry(key).or_default() += 1;
            }
            if log.recent.len() >= self.capacity {
                log.recent.pop_front();
            }
            log.recent.push_back(Arc::clone(request));
        }
        self.changed.send_replace(());
    }

    pub(crate) fn recent(&self) -> Vec<Arc<RecordedRequest>> {
        self.log.lock().recent.iter().cloned().collect()
    }

    pub(crate) fn count(&self, verb: Verb, resource: &str) -> u64 {
        let log = self.log.lock();
        let key = (verb, resource.to_owned());
        log.counts.get(&key).copied().unwrap_or(0)
    }

    pub(crate) fn reset(&self) {
        let old = std::mem::take(&mut *self.log.lock());
        drop(old);
    }

    /// Resolves with the `nth` (from 1) request in the log that matches.
    pub(crate) async fn wait(&self, matcher: &Matcher, nth: usize) -> Arc<RecordedRequest> {
        let mut changed = self.changed.subscribe();
        loop {
            let found = {
                let log = self.log.lock();
                log.recent
                    .iter()
                    .filter(|request| matcher.matches(request))
                    .nth(nth.saturating_sub(1))
                    .cloned()
            };
            if let Some(found) = found {
                return found;
            }
            // `self` owns the sender, so this cannot fail.
            if changed.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

#[cfg(test)]
mod tests;
