//! Authentication and authorization of a request, before it is executed.

use http::Request;
use hyper::body::Incoming;

use crate::api::query::Query;
use crate::api::selector::Selector;
use crate::auth::{Attributes, User, allows};
use crate::http::route::Route;
use crate::registry::target::{RequestTarget, ResourcePath, Verb};
use crate::shared::Shared;
use crate::status::ApiError;

/// Authenticates the user and checks the permission.
pub(super) fn authorize(
    shared: &Shared,
    request: &Request<Incoming>,
    route: &Route,
    verb: Verb,
) -> Result<User, ApiError> {
    let Some(access) = &shared.access else {
        return Ok(User::anonymous());
    };
    let user = access.authenticate(request.headers())?;
    let method = request.method().as_str().to_ascii_lowercase();
    let own;
    let attributes = match route.resource() {
        Some(path) => {
            // Methods that a resource does not support are authorized as well.
            let authorized = match (verb, request.method().as_str()) {
                (Verb::Other, "POST") => Verb::Create,
                (Verb::Other, "PUT") => Verb::Update,
                (Verb::Other, "PATCH") => Verb::Patch,
                (verb, _) => verb,
            };
            let query = request.uri().query().unwrap_or_default();
            own = requested(path, authorized, &Query::parse(query));
            Attributes::Resource {
                verb: authorized.as_str(),
                path: &own,
            }
        }
        None => Attributes::Path {
            verb: &method,
            path: request.uri().path(),
        },
    };
    if allows(&shared.state(), &user, &attributes) {
        return Ok(user);
    }
    let denial = attributes.denial(&user);
    Err(match attributes {
        Attributes::Resource { .. } => denial,
        Attributes::Path { .. } => denial.generic(),
    })
}

/// Returns the path for authorization. A field selector that requires one name makes a list or
/// watch a request for that object, so that rules with `resourceNames` apply.
fn requested(path: &ResourcePath, verb: Verb, query: &Query) -> ResourcePath {
    let mut own = path.in_itself();
    if matches!(verb, Verb::List | Verb::Watch)
        && let Ok(selector) = Selector::parse("", query.get("fieldSelector"))
        && let Some(name) = selector.required_name()
    {
        name.clone_into(&mut own.name);
    }
    own
}

/// Rejects requests that a test has forbidden to all users.
pub(super) fn check_switches(
    shared: &Shared,
    path: &ResourcePath,
    target: &RequestTarget,
    verb: Verb,
    user: &User,
) -> Result<(), ApiError> {
    let forbidden = {
        shared
            .switches()
            .forbidden
            .iter()
            .any(|name| target.resource.answers_to(name))
    };
    if forbidden {
        let attributes = Attributes::Resource {
            verb: verb.as_str(),
            path,
        };
        Err(attributes.denial(user))
    } else {
        Ok(())
    }
}
