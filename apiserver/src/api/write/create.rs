//! Creation of objects.

use std::sync::Arc;

use serde_json::{Value, json};
use uuid::Uuid;

use super::commit::commit;
use super::decode::{members_of, metadata_mut};
use super::options::WriteOptions;
use super::owners::own_created;
use super::rules::{check, check_number, name_label};
use crate::api::state::ServerState;
use crate::document::{Members, metadata_str};
use crate::names;
use crate::registry::subresource::Subresource;
use crate::registry::target::RequestTarget;
use crate::registry::{Generation, Resource, crd};
use crate::status::{ApiError, FieldCause};
use crate::store::Stored;

/// Maximum length of the prefix of a generated name: with its suffix, the name is valid as a label.
const MAX_GENERATED_PREFIX: usize = 58;

/// Attempts to generate a name that is not in use.
const NAME_ATTEMPTS: usize = 8;

/// Creates the object that `document` describes in the collection `target`.
pub(crate) fn create(
    state: &mut ServerState,
    target: &RequestTarget,
    document: Value,
    options: WriteOptions<'_>,
) -> Result<Arc<Stored>, ApiError> {
    state.current(target)?;
    let resource = &target.resource;
    let mut members = members_of(target, document, options)?;
    let namespace = metadata_str(&members, "namespace");
    // For cluster-scoped kinds the namespace is ignored.
    if !namespace.is_empty() && namespace != target.namespace && resource.namespaced {
        return Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    // As in the real server, which checks this in its storage layer and so not in a dry run.
    if !options.dry_run && !matches!(metadata_str(&members, "resourceVersion"), "" | "0") {
        return Err(ApiError::new(
            http::StatusCode::INTERNAL_SERVER_ERROR,
            "",
            "resourceVersion should not be set on objects to be created",
        ));
    }
    target.complete(&mut members, options.ownership.is_applied());
    if resource.namespaced {
        let name = metadata_str(&members, "name").to_owned();
        accepts_content(state, target, &name, options)?;
    }
    let name = new_name(state, target, &members)?;
    if state
        .store
        .find(resource.id, &target.namespace, &name)
        .is_some()
    {
        return Err(ApiError::already_exists(resource, &name));
    }
    if resource.is(crd::GROUP, crd::PLURAL) {
        crd::validate(resource, &name, &members)?;
    }
    fill_metadata(target, &name, state.clock.timestamp(), &mut members)?;
    if resource.is("", "namespaces") {
        name_label(&name, &mut members)?;
    }
    own_created(state.clock, target, &mut members, options.ownership)?;
    if target.has_status() && !options.with_status {
        members.remove("status");
    }
    initial_status(resource, &name, &mut members)?;
    check(target, &name, &members, None)?;
    target.check_schema(&name, &members)?;
    let stored = commit(state, resource, &target.namespace, &name, members, options);
    Ok(stored)
}

/// Creates the object of a write that is no POST. Its resourceVersion is ignored.
pub(super) fn create_missing(
    state: &mut ServerState,
    target: &RequestTarget,
    mut document: Value,
    options: WriteOptions<'_>,
) -> Result<Arc<Stored>, ApiError> {
    if let Some(metadata) = document.get_mut("metadata").and_then(Value::as_object_mut) {
        let version = metadata.remove("resourceVersion").unwrap_or_default();
        check_number(version.as_str().unwrap_or_default())?;
    }
    create(state, target, document, options)
}

/// Returns the given name, or a generated one that is not in use.
fn new_name(
    state: &ServerState,
    target: &RequestTarget,
    members: &Members,
) -> Result<String, ApiError> {
    let resource = &target.resource;
    let name = metadata_str(members, "name");
    if !name.is_empty() {
        valid_name(resource, name)?;
        return Ok(name.to_owned());
    }
    let prefix = metadata_str(members, "generateName");
    if prefix.is_empty() {
        let cause = FieldCause::required("metadata.name", "name or generateName is required");
        return Err(ApiError::invalid(resource, "", &[cause]));
    }
    // The generated name is shorter than a prefix that is too long.
    if prefix.len() > MAX_GENERATED_PREFIX {
        let rule = name_rule(resource);
        let mut causes = Vec::new();
        for error in rule(prefix.trim_end_matches('-')) {
            let cause = FieldCause::invalid("metadata.generateName", prefix, &error);
            causes.push(cause);
        }
        ApiError::unless_valid(resource, &generated(prefix), &causes)?;
    }
    let mut name = generated(prefix);
    for _ in 1..NAME_ATTEMPTS {
        if state
            .store
            .find(resource.id, &target.namespace, &name)
            .is_none()
        {
            break;
        }
        name = generated(prefix);
    }
    valid_name(resource, &name)?;
    Ok(name)
}

/// Checks that the namespace exists and is not terminating.
fn accepts_content(
    state: &mut ServerState,
    target: &RequestTarget,
    name: &str,
    options: WriteOptions<'_>,
) -> Result<(), ApiError> {
    let namespaces = namespace_resource(state)?;
    match state.store.find(namespaces.id, "", &target.namespace) {
        Some(namespace) if namespace.is_deleting() => Err(ApiError::forbidden(
            &target.resource,
            name,
            &format!(
                "unable to create new content in namespace {} because it is being terminated",
                target.namespace
            ),
        )),
        Some(_) => Ok(()),
        None if options.create_namespaces && options.dry_run => Ok(()),
        None if options.create_namespaces => create_namespace(state, &target.namespace),
        None => Err(ApiError::not_found(&namespaces, &target.namespace)),
    }
}

fn namespace_resource(state: &ServerState) -> Result<Arc<Resource>, ApiError> {
    state
        .registry
        .get("", "namespaces")
        .map(Arc::clone)
        .ok_or_else(ApiError::no_such_resource)
}

/// Creates a namespace as the server itself does for `default`.
pub(crate) fn create_namespace(state: &mut ServerState, name: &str) -> Result<(), ApiError> {
    let target = RequestTarget {
        resource: namespace_resource(state)?,
        version: "v1".to_owned(),
        namespace: String::new(),
        name: String::new(),
        subresource: Subresource::None,
    };
    let document = json!({ "metadata": { "name": name } });
    create(state, &target, document, WriteOptions::default())?;
    Ok(())
}

fn fill_metadata(
    target: &RequestTarget,
    name: &str,
    now: String,
    members: &mut Members,
) -> Result<(), ApiError> {
    let metadata = metadata_mut(members)?;
    for field in [
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
    ] {
        metadata.remove(field);
    }
    metadata.insert("name".to_owned(), name.into());
    if target.resource.namespaced {
        metadata.insert("namespace".to_owned(), target.namespace.clone().into());
    } else {
        metadata.remove("namespace");
    }
    metadata.insert("uid".to_owned(), Uuid::new_v4().to_string().into());
    metadata.insert("creationTimestamp".to_owned(), now.into());
    match target.resource.rules.generation {
        Generation::Given | Generation::Late => {}
        Generation::One | Generation::Counted | Generation::CountedWith(_) => {
            metadata.insert("generation".to_owned(), 1.into());
        }
    }
    Ok(())
}

/// Sets the initial status (and a namespace's spec) of a new object, as the real server does.
fn initial_status(resource: &Resource, name: &str, members: &mut Members) -> Result<(), ApiError> {
    let phase = match (resource.group.as_str(), resource.plural.as_str()) {
        ("", "namespaces") => "Active",
        ("", "pods" | "persistentvolumes" | "persistentvolumeclaims") => "Pending",
        _ => return Ok(()),
    };
    members
        .entry("status")
        .or_insert_with(|| json!({ "phase": phase }));
    if resource.plural == "namespaces" {
        members.insert("spec".to_owned(), json!({ "finalizers": ["kubernetes"] }));
        name_label(name, members)?;
    }
    Ok(())
}

/// Checks that a name is valid for this kind.
fn valid_name(resource: &Resource, name: &str) -> Result<(), ApiError> {
    let rule = name_rule(resource);
    let mut causes = Vec::new();
    for error in rule(name) {
        let cause = FieldCause::invalid("metadata.name", name, &error);
        causes.push(cause);
    }
    ApiError::unless_valid(resource, name, &causes)
}

/// Returns the rule for names of a kind; for most kinds, they are DNS subdomains.
fn name_rule(resource: &Resource) -> fn(&str) -> Vec<String> {
    match (resource.group.as_str(), resource.plural.as_str()) {
        ("rbac.authorization.k8s.io", _) | ("certificates.k8s.io", "clustertrustbundles") => {
            names::segment
        }
        ("", "namespaces") => names::label,
        _ => names::subdomain,
    }
}

/// Appends five random characters to `prefix`. The alphabet lacks vowels, so the suffix forms no
/// words.
fn generated(prefix: &str) -> String {
    const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let mut name: String = prefix.chars().take(MAX_GENERATED_PREFIX).collect();
    let random = Uuid::new_v4();
    for byte in random.as_bytes().iter().take(5) {
        let index = usize::from(*byte) % ALPHABET.len();
        if let Some(letter) = ALPHABET.get(index) {
            name.push(char::from(*letter));
        }
    }
    name
}
