//! Which fields a field selector may name: name and namespace, a few of some built-in kinds, and
//! the `selectableFields` of custom resources.

use std::borrow::Cow;

use serde_json::Value;

use crate::registry::Resource;
use crate::status::ApiError;

/// A field of one kind: its label in selectors, where it is, and what it is where it is missing.
type Field = (&'static str, &'static str, &'static str);

/// The kinds whose fields are listed, by group and plural; all others have name and namespace.
type Kind = (&'static str, &'static str, &'static [Field]);

const NAME: Field = ("metadata.name", "/metadata/name", "");
const NAMESPACE: Field = ("metadata.namespace", "/metadata/namespace", "");
const SIGNER: Field = ("spec.signerName", "/spec/signerName", "");

const KINDS: [Kind; 12] = [
    (
        "",
        "pods",
        &[
            NAME,
            NAMESPACE,
            ("spec.nodeName", "/spec/nodeName", ""),
            ("spec.host", "/spec/nodeName", ""),
            ("spec.restartPolicy", "/spec/restartPolicy", ""),
            ("spec.schedulerName", "/spec/schedulerName", ""),
            ("spec.serviceAccountName", "/spec/serviceAccountName", ""),
            ("spec.hostNetwork", "/spec/hostNetwork", "false"),
            ("status.phase", "/status/phase", ""),
            ("status.podIP", "/status/podIPs/0/ip", ""),
            // Taken, and always empty.
            ("status.podIPs", "", ""),
            ("status.nominatedNodeName", "/status/nominatedNodeName", ""),
        ],
    ),
    (
        "",
        "nodes",
        &[NAME, ("spec.unschedulable", "/spec/unschedulable", "false")],
    ),
    (
        "",
        "namespaces",
        &[NAME, ("status.phase", "/status/phase", "")],
    ),
    ("", "secrets", &[NAME, NAMESPACE, ("type", "/type", "")]),
    (
        "",
        "services",
        &[
            NAME,
            NAMESPACE,
            ("spec.clusterIP", "/spec/clusterIP", ""),
            ("spec.type", "/spec/type", ""),
        ],
    ),
    (
        "",
        "replicationcontrollers",
        &[
            NAME,
            NAMESPACE,
            ("status.replicas", "/status/replicas", "0"),
        ],
    ),
    (
        "",
        "events",
        &[
            NAME,
            NAMESPACE,
            ("involvedObject.kind", "/involvedObject/kind", ""),
            ("involvedObject.namespace", "/involvedObject/namespace", ""),
            ("involvedObject.name", "/involvedObject/name", ""),
            ("involvedObject.uid", "/involvedObject/uid", ""),
            (
                "involvedObject.apiVersion",
                "/involvedObject/apiVersion",
                "",
            ),
            (
                "involvedObject.resourceVersion",
                "/involvedObject/resourceVersion",
                "",
            ),
            ("involvedObject.fieldPath", "/involvedObject/fieldPath", ""),
            ("reason", "/reason", ""),
            ("reportingComponent", "/reportingComponent", ""),
            ("source", "/source/component", ""),
            ("type", "/type", ""),
        ],
    ),
    (
        "events.k8s.io",
        "events",
        &[
            NAME,
            NAMESPACE,
            ("regarding.kind", "/regarding/kind", ""),
            ("regarding.namespace", "/regarding/namespace", ""),
            ("regarding.name", "/regarding/name", ""),
            ("regarding.uid", "/regarding/uid", ""),
            ("regarding.apiVersion", "/regarding/apiVersion", ""),
            (
                "regarding.resourceVersion",
                "/regarding/resourceVersion",
                "",
            ),
            ("regarding.fieldPath", "/regarding/fieldPath", ""),
            ("reason", "/reason", ""),
            ("reportingController", "/reportingController", ""),
            ("type", "/type", ""),
        ],
    ),
    (
        "batch",
        "jobs",
        &[
            NAME,
            NAMESPACE,
            ("status.successful", "/status/succeeded", "0"),
        ],
    ),
    (
        "certificates.k8s.io",
        "certificatesigningrequests",
        &[NAME, SIGNER],
    ),
    (
        "certificates.k8s.io",
        "clustertrustbundles",
        &[NAME, SIGNER],
    ),
    (
        "resource.k8s.io",
        "resourceslices",
        &[
            NAME,
            ("spec.nodeName", "/spec/nodeName", ""),
            ("spec.driver", "/spec/driver", ""),
            ("spec.pool.name", "/spec/pool/name", ""),
        ],
    ),
];

/// The fields of one resource in one version that selectors may name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Selectable<'a> {
    resource: &'a Resource,
    version: &'a str,
}

/// Where the value of a field is, as a JSON pointer, and what it is where it is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) pointer: Cow<'static, str>,
    pub(crate) missing: &'static str,
}

// === impl Place ===

impl Place {
    /// `metadata.name`
    pub(crate) fn name() -> Self {
        Self::of(NAME)
    }

    fn of((_, pointer, missing): Field) -> Self {
        Self {
            pointer: pointer.into(),
            missing,
        }
    }
}

// === impl Selectable ===

impl<'a> Selectable<'a> {
    pub(crate) fn new(resource: &'a Resource, version: &'a str) -> Self {
        Self { resource, version }
    }

    /// Where the field that selectors call `label` is.
    pub(crate) fn find(self, label: &str) -> Result<Place, ApiError> {
        let resource = self.resource;
        let listed = KINDS
            .iter()
            .find(|(group, plural, _)| !resource.custom && resource.is(group, plural));
        let fields: &[Field] = match listed {
            Some((_, _, fields)) => fields,
            None if resource.custom && !resource.namespaced => &[NAME],
            None => &[NAME, NAMESPACE],
        };
        if let Some(field) = fields.iter().find(|(known, _, _)| *known == label) {
            return Ok(Place::of(*field));
        }
        let version = resource.version(self.version);
        let mut own = version.into_iter().flat_map(|version| &version.selectable);
        if let Some(path) = own.find(|path| path.as_str() == label) {
            return Ok(Place {
                pointer: format!("/{}", path.replace('.', "/")).into(),
                missing: "",
            });
        }
        Err(ApiError::bad_request(
            match (listed, resource.kind.as_str()) {
                (_, "Job") if !resource.custom => {
                    format!("field label {label:?} not supported for Job")
                }
                (_, "ResourceSlice") if !resource.custom => format!(
                    "field label not supported for {}/{}, Kind=ResourceSlice: {label}",
                    resource.group, self.version
                ),
                (None, _) if !resource.custom => format!(
                    "{label:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                ),
                _ => format!("field label not supported: {label}"),
            },
        ))
    }
}

/// The value at `place` as selectors compare it: numbers and booleans as they print.
pub(crate) fn value<'v>(place: &'v Place, found: Option<&'v Value>) -> Cow<'v, str> {
    match found {
        Some(Value::String(text)) => Cow::Borrowed(text),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => Cow::Owned(value.to_string()),
        Some(Value::Null | Value::Array(_) | Value::Object(_)) | None => {
            Cow::Borrowed(place.missing)
        }
    }
}

/// The label of the field that the `jsonPath` of a `selectableFields` entry means: `.spec.color` is
/// `spec.color`. Nothing if it is more than names.
pub(crate) fn label_of(path: &str) -> Option<String> {
    let label = path.strip_prefix('.')?;
    let is_name = |step: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        !step.is_empty() && step.chars().all(plain)
    };
    label.split('.').all(is_name).then(|| label.to_owned())
}
