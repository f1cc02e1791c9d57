//! Paths and queries of LIST and WATCH requests. Pure.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::object::ResourceInfo;
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
        let mut uri = self.uri();
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
        let mut uri = self.uri();
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

    fn uri(&self) -> Uri {
        let namespace = self.namespace.as_deref();
        let namespace =
            namespace.map(|namespace| utf8_percent_encode(namespace, RESERVED).to_string());
        let mut uri = Uri {
            text: self.resource.url_path(namespace.as_deref()),
            has_query: false,
        };
        if let Some(selector) = &self.label_selector {
            uri.add("labelSelector", selector);
        }
        if let Some(selector) = &self.field_selector {
            uri.add("fieldSelector", selector);
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
mod tests {
    use std::time::Duration;

    use k8s_openapi::api::core::v1::Pod;

    use super::*;
    use crate::object::ResourceVersion;
    use crate::source::ResourceVersionMatch;

    fn pods() -> Target {
        Target {
            resource: ResourceInfo::of::<Pod>(&()).unwrap(),
            namespace: None,
            label_selector: None,
            field_selector: None,
        }
    }

    /// W-07, R-04.
    #[test]
    fn w07_a_list_requests_only_the_options_that_are_set() {
        let list = |options: ListOptions| pods().list_uri(&options);
        assert_eq!(list(ListOptions::default()), "/api/v1/pods");
        assert_eq!(
            list(ListOptions {
                limit: Some(500),
                resource_version: ResourceVersion::ANY,
                ..ListOptions::default()
            }),
            "/api/v1/pods?limit=500&resourceVersion=0"
        );
        assert_eq!(
            list(ListOptions {
                limit: Some(500),
                continue_token: Some("a+b/c=".into()),
                ..ListOptions::default()
            }),
            "/api/v1/pods?limit=500&continue=a%2Bb%2Fc%3D"
        );
        assert_eq!(
            list(ListOptions {
                resource_version: ResourceVersion::new("7"),
                resource_version_match: Some(ResourceVersionMatch::Exact),
                ..ListOptions::default()
            }),
            "/api/v1/pods?resourceVersion=7&resourceVersionMatch=Exact"
        );
    }

    /// L-01, R-04.
    #[test]
    fn l01_a_watch_requests_its_version_bookmarks_and_timeout() {
        let mut options = WatchOptions {
            resource_version: ResourceVersion::new("7"),
            send_initial_events: false,
            allow_bookmarks: true,
            timeout: Duration::from_millis(300_900),
        };
        assert_eq!(
            pods().watch_uri(&options),
            "/api/v1/pods?watch=true&resourceVersion=7&allowWatchBookmarks=true&timeoutSeconds=300"
        );
        options.resource_version = ResourceVersion::UNSET;
        options.send_initial_events = true;
        options.timeout = Duration::ZERO;
        assert_eq!(
            pods().watch_uri(&options),
            "/api/v1/pods?watch=true&allowWatchBookmarks=true&sendInitialEvents=true\
             &resourceVersionMatch=NotOlderThan&timeoutSeconds=1"
        );
    }

    /// F-15.
    #[test]
    fn f15_namespace_and_selectors_are_in_every_request_and_encoded() {
        let target = Target {
            namespace: Some("a b?".into()),
            label_selector: Some("app in (a, b),é".into()),
            field_selector: Some("spec.nodeName=n1&x".into()),
            ..pods()
        };
        let expected = "/api/v1/namespaces/a%20b%3F/pods\
                        ?labelSelector=app%20in%20%28a%2C%20b%29%2C%C3%A9\
                        &fieldSelector=spec.nodeName%3Dn1%26x";
        assert_eq!(target.list_uri(&ListOptions::default()), expected);
        let watch = WatchOptions {
            resource_version: ResourceVersion::UNSET,
            send_initial_events: false,
            allow_bookmarks: false,
            timeout: Duration::from_secs(1),
        };
        assert!(target.watch_uri(&watch).starts_with(expected));
    }
}
