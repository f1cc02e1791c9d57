//! [`Route`]: the page that a path names. Pure.

use std::borrow::Cow;

use informer_controller::ObjectKey;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters of names that a path shows as they are.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// All routes, for the text of a 404.
pub(crate) const ROUTES: [&str; 8] = [
    "/",
    "/events",
    "/metrics",
    "/livez",
    "/readyz",
    "/informers/<plural>",
    "/informers/<plural>/<namespace>/<name>",
    "/why/<controller>/<namespace>/<name>",
];

/// Page that a path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    Overview,
    Events,
    Style,
    Script,
    Icon,
    Metrics,
    Livez,
    Readyz,
    /// Objects of the informers of this name or plural.
    Objects(String),
    Object(String, ObjectKey),
    /// Reasons for which a controller had this key.
    Why(String, ObjectKey),
}

// === impl Route ===

impl Route {
    pub(crate) fn of(path: &str) -> Option<Self> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let decoded = |part| percent_decode_str(part).decode_utf8().ok();
        let parts: Option<Vec<Cow<'_, str>>> = path.split('/').map(decoded).collect();
        let parts = parts?;
        let parts: Vec<&str> = parts.iter().map(|part| &**part).collect();
        Some(match parts.as_slice() {
            [""] => Self::Overview,
            ["events"] => Self::Events,
            ["style.css"] => Self::Style,
            ["live.js"] => Self::Script,
            ["icon.svg"] => Self::Icon,
            ["metrics"] => Self::Metrics,
            ["livez"] => Self::Livez,
            ["readyz"] => Self::Readyz,
            ["informers", plural] => Self::Objects((*plural).to_owned()),
            ["informers", plural, key @ ..] => Self::Object((*plural).to_owned(), key_of(key)?),
            ["why", name, key @ ..] => Self::Why((*name).to_owned(), key_of(key)?),
            _ => return None,
        })
    }

    /// Returns the number of folders above the page, for relative links: the service can be mounted
    /// anywhere.
    pub(crate) fn depth(path: &str) -> usize {
        path.bytes().filter(|byte| *byte == b'/').count().max(1) - 1
    }

    /// Reports whether the answer is for a machine that has no token: a probe.
    pub(crate) fn is_probe(&self) -> bool {
        matches!(self, Self::Livez | Self::Readyz)
    }
}

/// Returns the key as the rest of a path.
fn path_of(key: &ObjectKey) -> String {
    match key.namespace() {
        Some(namespace) => format!("{}/{}", encoded(namespace), encoded(key.name())),
        None => encoded(key.name()),
    }
}

/// Returns the path of the page of an informer's object.
pub(crate) fn object_path(informer: &str, key: &ObjectKey) -> String {
    format!("informers/{}/{}", encoded(informer), path_of(key))
}

/// Returns the path of the page of a controller's key.
pub(crate) fn why_path(controller: &str, key: &ObjectKey) -> String {
    format!("why/{}/{}", encoded(controller), path_of(key))
}

pub(crate) fn encoded(name: &str) -> String {
    utf8_percent_encode(name, PLAIN).to_string()
}

fn key_of(parts: &[&str]) -> Option<ObjectKey> {
    match parts {
        [name] if !name.is_empty() => Some(ObjectKey::cluster(name)),
        [namespace, name] if !namespace.is_empty() && !name.is_empty() => {
            Some(ObjectKey::namespaced(namespace, name))
        }
        _ => None,
    }
}
