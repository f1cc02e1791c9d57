use std::sync::Arc;

use serde_json::json;

use crate::api::state::ServerState;
use crate::config::Config;
use crate::control::Control;
use crate::server::builder::Builder;
use crate::shared::Shared;

/// Only a list stands for its items; they belong to any other object.
#[test]
fn a_loaded_object_keeps_its_own_items() {
    let config = Config {
        create_namespaces: true,
        ..Builder::default().config
    };
    let shared = Shared::new(config, None, ServerState::new(100));
    let control = Control::new(Arc::new(shared));
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "items": ["b"],
    });
    control.load(object).unwrap();
    let stored = control
        .get("/api/v1/namespaces/default/configmaps/a")
        .unwrap();
    assert_eq!(stored["items"], json!(["b"]));
}
