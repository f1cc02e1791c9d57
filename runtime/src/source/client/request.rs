//! Paths and queries of LIST and WATCH requests. Pure.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::object::{ObjectKey, ResourceInfo, ResourceVersion};
use crate::source::{ListOptions, WatchOptions};

/// All characters except the unreserved ones of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Properties that all requests of a source share.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) resource: ResourceInfo,
    pub(super) namespace: Option<String>,
    pub(super) label_selector: Option<String>,
    pub(super) field_selector: Option<String>,
}

// === impl Target ===

impl Target {
    /// Returns the path and query of a LIST.
    pub(super) fn list_uri(&self, options: &ListOptions) -> String {
        let mut uri = self.uri(options.shard_selector.as_ref());
        if let Some(limit) = options.limit {
            uri.add("limit", &limit.to_string());
        }
        if let Some(token) = &options.continue_token {
            uri.add("continue", token);
        }
        if !options.resource_version.is_unset() {
            uri.add("resourceVersion", &options.resource_version.to_string());
        }
        if let Some(matching) = options.resource_version_match {
            uri.add("resourceVersionMatch", &matching.to_string());
        }
        uri.text
    }

    /// Returns the path and query of a WATCH.
    pub(super) fn watch_uri(&self, options: &WatchOptions) -> String {
        let mut uri = self.uri(options.shard_selector.as_ref());
        uri.add("watch", "true");
        if !options.resource_version.is_unset() {
            uri.add("resourceVersion", &options.resource_version.to_string());
        }
        if options.allow_bookmarks {
            uri.add("allowWatchBookmarks", "true");
        }
        if options.send_initial_events {
            uri.add("sendInitialEvents", "true");
            uri.add("resourceVersionMatch", "NotOlderThan");
        }
        // Whole seconds, at least 1, because 0 leaves the timeout to the server.
        uri.add(
            "timeoutSeconds",
            &options.timeout.as_secs().max(1).to_string(),
        );
        uri.text
    }

    /// Returns the path and query of a GET of this version or a later one.
    pub(super) fn get_uri(&self, key: &ObjectKey, version: &ResourceVersion) -> String {
        let mut uri = self.path(key.namespace());
        uri.text.push('/');
        uri.text.extend(utf8_percent_encode(key.name(), RESERVED));
        if !version.is_unset() {
            uri.add("resourceVersion", &version.to_string());
        }
        uri.text
    }

    fn path(&self, namespace: Option<&str>) -> Uri {
        let namespace =
            namespace.map(|namespace| utf8_percent_encode(namespace, RESERVED).to_string());
        Uri {
            text: self.resource.url_path(namespace.as_deref()),
            has_query: false,
        }
    }

    fn uri(&self, shards: Option<&String>) -> Uri {
        let mut uri = self.path(self.namespace.as_deref());
        if let Some(selector) = &self.label_selector {
            uri.add("labelSelector", selector);
        }
        if let Some(selector) = &self.field_selector {
            uri.add("fieldSelector", selector);
        }
        if let Some(selector) = shards {
            uri.add("shardSelector", selector);
        }
        uri
    }
}

struct Uri {
    text: String,
    has_query: bool,
}

impl Uri {
    fn add(&mut self, name: &str, value: &str) {
        self.text.push(if self.has_query { '&' } else { '?' });
        self.has_query = true;
        self.text.push_str(name);
        self.text.push('=');
        self.text.extend(utf8_percent_encode(value, RESERVED));
    }
}

#[cfg(test)]
mod tests;
