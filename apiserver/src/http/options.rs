//! Options of a write.

use http::{HeaderMap, header};

use super::call::{HttpCall, media_type};
use super::fields::FieldValidation;
use crate::api::write::{APPLY, Manager, Ownership, WriteOptions};
use crate::registry::target::RequestTarget;
use crate::shared::Shared;
use crate::status::{ApiError, FieldCause};

/// Maximum length of a manager's name, in bytes.
const MAX_MANAGER: usize = 128;

/// Parses the options. `kind` is the name of the options in an error.
pub(super) fn write_options<'a>(
    shared: &Shared,
    target: &RequestTarget,
    call: &'a HttpCall,
    kind: &str,
) -> Result<WriteOptions<'a>, ApiError> {
    let mut causes = Vec::new();
    let dry_run = call.query.get("dryRun");
    let manager = call.query.get("fieldManager");
    if kind == "PatchOptions" {
        let applies = is_apply(call);
        if applies && manager.is_empty() {
            let detail = "is required for apply patch";
            causes.push(FieldCause::required("fieldManager", detail));
        }
        if !applies && call.query.has("force") {
            let detail = "may not be specified for non-apply patch";
            causes.push(FieldCause::forbidden("force", detail));
        }
    }
    if kind != "DeleteOptions" {
        check_manager(manager, &mut causes);
    }
    if call.query.has("dryRun") && dry_run != "All" {
        causes.push(FieldCause::not_supported_list("dryRun", dry_run, "All"));
    }
    let validation = call.query.get("fieldValidation");
    let known = ["", "Ignore", "Strict", "Warn"];
    if kind != "DeleteOptions" && !known.contains(&validation) {
        causes.push(FieldCause::not_supported(
            "fieldValidation",
            validation,
            &known,
        ));
    }
    if !causes.is_empty() {
        return Err(ApiError::invalid_options(kind, &causes));
    }
    let recorded = Manager {
        name: if manager.is_empty() {
            program(&call.headers)
        } else {
            manager
        },
        subresource: target.subresource.as_str(),
        follows: !manager.is_empty() || shared.config.managed_fields,
    };
    Ok(WriteOptions {
        dry_run: dry_run == "All",
        with_status: false,
        strict: FieldValidation::of(call) == FieldValidation::Strict,
        ownership: Ownership::Recorded(recorded),
        create_namespaces: shared.config.create_namespaces,
    })
}

fn check_manager(manager: &str, causes: &mut Vec<FieldCause>) {
    const FIELD: &str = "fieldManager";
    if manager.len() > MAX_MANAGER {
        let message = format!("Too long: may not be more than {MAX_MANAGER} bytes");
        causes.push(FieldCause::new(
            "FieldValueTooLong",
            FIELD.to_owned(),
            message,
        ));
    }
    if manager.contains(char::is_control) {
        causes.push(FieldCause::invalid(FIELD, manager, "invalid character"));
    }
}

/// Returns the client's program name from `User-Agent`: `kubectl` for `kubectl/v1.37`.
fn program(headers: &HeaderMap) -> &str {
    let name = headers
        .get(header::USER_AGENT)
        .and_then(|agent| agent.to_str().ok())
        .and_then(|agent| agent.split('/').next())
        .unwrap_or_default();
    name.get(..MAX_MANAGER).unwrap_or(name)
}

fn is_apply(call: &HttpCall) -> bool {
    media_type(&call.headers) == APPLY
}
