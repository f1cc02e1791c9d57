use std::sync::Arc;

use serde_json::json;

use super::Watcher;
use crate::api::query::Query;
use crate::api::state::ServerState;
use crate::api::watch::WatchRequest;
use crate::control::Control;
use crate::http::route::Route;
use crate::http::view::View;
use crate::server::builder::Builder;
use crate::shared::Shared;

/// The objects that a watch starts with may change before they are read.
#[test]
fn a_watch_that_is_not_read_holds_no_object() {
    let config = Builder::default().config;
    let shared = Shared::new(config.clone(), None, ServerState::new(100));
    let shared = Arc::new(shared);
    let control = Control::new(Arc::clone(&shared));
    let node = |label: &str| {
        json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": { "name": "a", "labels": { "version": label } },
        })
    };
    control.create_direct(node("old")).unwrap();
    let route = Route::parse("/api/v1/nodes");
    let target = route.resource().unwrap().resolve(&shared.state().registry);
    let target = target.unwrap();
    let request = WatchRequest::parse(&Query::default(), false, &config).unwrap();
    let watch = Watcher::start(&shared, &target, &request, View::full("Node", "v1")).unwrap();

    let held = {
        let state = shared.state();
        let object = state.store.find(target.resource.id, "", "a").unwrap();
        Arc::downgrade(object)
    };
    control.update_direct(node("new")).unwrap();
    assert!(held.upgrade().is_some(), "the log has the old version");
    control.compact();
    assert!(held.upgrade().is_none(), "the watch has it too");
    drop(watch);
}
