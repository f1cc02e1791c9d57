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
        shard_selector: None,
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
        shard_selector: None,
    };
    assert!(target.watch_uri(&watch).starts_with(expected));
}
