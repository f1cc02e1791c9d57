use std::cell::Cell;
use std::sync::Arc;

use serde_json::json;

use super::change_current;
use crate::api::state::ServerState;
use crate::config::Config;
use crate::control::Control;
use crate::http::route::Route;
use crate::server::builder::Builder;
use crate::shared::Shared;

/// The computation of a change does not block other writers and does not overwrite their changes.
#[test]
fn a_change_is_computed_without_the_lock_and_again_after_a_conflict() {
    let shared = Shared::new(
        Config {
            create_namespaces: true,
            ..Builder::default().config
        },
        None,
        ServerState::new(100),
    );
    let shared = Arc::new(shared);
    let control = Control::new(Arc::clone(&shared));
    let map = |value: &str| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": "a", "namespace": "default" }, "data": { "k": value },
        })
    };
    control.create_direct(map("first")).unwrap();
    let route = Route::parse("/api/v1/namespaces/default/configmaps/a");
    let target = route.resource().unwrap().resolve(&shared.state().registry);
    let target = target.unwrap();

    let times = Cell::new(0);
    let stored = change_current(
        &shared,
        &target,
        |current| {
            times.set(times.get() + 1);
            if times.get() == 1 {
                // Would deadlock if the lock were held.
                control.update_direct(map("second")).unwrap();
            }
            Ok(current.members())
        },
        |_, members| Ok(members["data"]["k"].clone()),
    )
    .unwrap();
    assert_eq!((times.get(), stored), (2, json!("second")));
}
