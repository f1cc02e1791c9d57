use std::sync::Arc;

use super::{MAX_COUNTED, RecordedRequest, RequestLog};
use crate::registry::target::Verb;

fn request(resource: &str) -> Arc<RecordedRequest> {
    Arc::new(RecordedRequest {
        method: http::Method::GET,
        path: format!("/api/v1/{resource}"),
        query: String::new(),
        accept: String::new(),
        verb: Verb::List,
        group: String::new(),
        resource: resource.to_owned(),
        namespace: String::new(),
        name: String::new(),
    })
}

/// Clients choose the resource names in paths, so the number of counted names is bounded.
#[test]
fn counted_resources_are_bounded() {
    let log = RequestLog::new(1);
    log.record(&request("pods"));
    log.record(&request(&"x".repeat(64)));
    for number in 0..=MAX_COUNTED {
        log.record(&request(&format!("made-up-{number}")));
    }
    log.record(&request("pods"));
    assert_eq!(log.count(Verb::List, "pods"), 2);
    assert_eq!(log.count(Verb::List, "made-up-0"), 1);
    let counted = log.log.lock().counts.len();
    assert_eq!(counted, MAX_COUNTED);
    let longest = "x".repeat(64);
    assert_eq!(
        log.count(Verb::List, &longest),
        0,
        "a resource name of 64 bytes is not counted"
    );

    log.reset();
    log.record(&request("made-up-again"));
    assert_eq!(log.count(Verb::List, "made-up-again"), 1);
}
