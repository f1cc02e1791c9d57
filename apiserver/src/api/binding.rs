//! Bindings: a scheduler assigns a Pod to a node.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::api::eviction::put_condition;
use crate::api::state::State;
use crate::api::write::{WriteOptions, update};
use crate::document::set;
use crate::registry::part::Part;
use crate::registry::target::Target;
use crate::status::{ApiError, Cause};

/// Assigns the Pod that `target` names to the node that `binding` names.
pub(crate) fn bind(
    state: &mut State,
    target: &Target,
    binding: &Value,
    options: WriteOptions<'_>,
) -> Result<(), ApiError> {
    let text = |path| {
        binding
            .pointer(path)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let name = text("/metadata/name");
    if !name.is_empty() && name != target.name {
        let reason = "name in URL does not match name in Binding object";
        return Err(ApiError::bad_request(reason));
    }
    let node = text("/target/name");
    if node.is_empty() {
        let cause = Cause::required("target.name", "");
        return Err(ApiError::invalid(&target.resource, &target.name, &[cause]));
    }
    let object = Target {
        part: Part::Object,
        ..target.clone()
    };
    let pod = Arc::clone(state.get(&object)?);
    let rejection = |reason: &str| ApiError::conflict(&target.resource, &target.name, reason);
    if pod.is_deleting() {
        return Err(rejection(&format!(
            "pod {} is being deleted, cannot be assigned to a host",
            pod.name
        )));
    }
    let mut document = object.document_of(&pod);
    let mut spec = document.get("spec").cloned().unwrap_or_default();
    let known = spec
        .get("nodeName")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if !known.is_empty() {
        return Err(rejection(&format!(
            "pod {} is already assigned to node {known:?}",
            pod.name
        )));
    }
    set(&mut spec, "nodeName", node);
    set(&mut document, "spec", spec);
    let condition = json!({
        "type": "PodScheduled", "status": "True", "lastProbeTime": null,
        "lastTransitionTime": state.clock.timestamp(),
    });
    put_condition(&mut document, condition);
    let options = WriteOptions {
        with_status: true,
        ..options
    };
    update(state, &object, document, options)?;
    Ok(())
}
