//! Field selectors: their syntax, and the selectable fields of each kind.

use super::term::FieldTerm;
use crate::registry::Resource;
use crate::status::ApiError;

/// Kinds with selectable fields besides name and namespace.
const FIELDS: &[(&str, &str, &[&str])] = &[
    (
        "",
        "pods",
        &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
        ],
    ),
    (
        "",
        "events",
        &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
    ),
    (
        "events.k8s.io",
        "events",
        &[
            "regarding.kind",
            "regarding.namespace",
            "regarding.name",
            "regarding.uid",
            "regarding.apiVersion",
            "regarding.resourceVersion",
            "regarding.fieldPath",
            "reason",
            "reportingController",
            "type",
        ],
    ),
    ("", "namespaces", &["status.phase"]),
    ("", "nodes", &["spec.unschedulable"]),
    ("", "replicationcontrollers", &["status.replicas"]),
    ("", "secrets", &["type"]),
    ("", "services", &["spec.clusterIP", "spec.type"]),
    ("batch", "jobs", &["status.successful"]),
    (
        "certificates.k8s.io",
        "certificatesigningrequests",
        &["spec.signerName"],
    ),
    (
        "certificates.k8s.io",
        "clustertrustbundles",
        &["spec.signerName"],
    ),
    (
        "certificates.k8s.io",
        "podcertificaterequests",
        &["spec.signerName", "spec.podName", "spec.nodeName"],
    ),
    (
        "resource.k8s.io",
        "resourceslices",
        &["spec.nodeName", "spec.driver"],
    ),
];

/// Reports whether the real server has an index of `field`.
pub(super) fn is_indexed(resource: &Resource, field: &str) -> bool {
    let is_kept = resource.is("", "pods") || resource.is("resource.k8s.io", "resourceslices");
    is_kept && field == "spec.nodeName"
}

/// Rejects fields that objects of `resource` cannot be selected by.
pub(super) fn check(
    resource: &Resource,
    version: &str,
    terms: &[FieldTerm],
) -> Result<(), ApiError> {
    let listed = FIELDS
        .iter()
        .find(|(group, plural, _)| resource.is(group, plural))
        .map(|(_, _, fields)| *fields);
    let selectable = resource
        .version(version)
        .map_or(&[] as &[String], |version| &version.selectable);
    // The common rule of the real server allows the namespace for cluster-scoped kinds, too.
    let has_namespace = resource.namespaced || (listed.is_none() && !resource.custom);
    for term in terms {
        let field = term.path.join(".");
        let known = field == "metadata.name"
            || (has_namespace && field == "metadata.namespace")
            || listed.is_some_and(|listed| listed.contains(&field.as_str()))
            || selectable.contains(&field);
        if known {
            continue;
        }
        return Err(ApiError::bad_request(if resource.is("batch", "jobs") {
            format!("field label {field:?} not supported for Job")
        } else if resource.is("resource.k8s.io", "resourceslices") {
            format!(
                "field label not supported for {}, Kind={}: {field}",
                resource.api_version(version),
                resource.kind
            )
        } else if listed.is_some() || resource.custom {
            format!("field label not supported: {field}")
        } else {
            format!(
                "{field:?} is not a known field selector: only \"metadata.name\", \
                 \"metadata.namespace\""
            )
        }));
    }
    Ok(())
}

/// Parses `a.b=c,d!=e`; in values, a backslash escapes `,`, `=` and itself. The error is the
/// message.
pub(super) fn parse(text: &str) -> Result<Vec<FieldTerm>, String> {
    terms(text)
        .into_iter()
        .filter(|term| !term.is_empty())
        .map(|term| {
            let (path, value, equal) = split(term)
                .ok_or_else(|| format!("invalid selector: '{text}'; can't understand '{term}'"))?;
            Ok(FieldTerm {
                path: path.split('.').map(str::to_owned).collect(),
                value: unescaped(value)?,
                equal,
            })
        })
        .collect()
}

/// Splits at commas that are not escaped.
fn terms(text: &str) -> Vec<&str> {
    let mut escaped = false;
    text.split(|c: char| {
        let splits = c == ',' && !escaped;
        escaped = c == '\\' && !escaped;
        splits
    })
    .collect()
}

/// Splits a term into path, value, and `true` if they have to be equal.
fn split(term: &str) -> Option<(&str, &str, bool)> {
    let at = term.char_indices().find_map(|(at, _)| {
        let rest = term.get(at..)?;
        [("!=", false), ("==", true), ("=", true)]
            .into_iter()
            .find(|(operator, _)| rest.starts_with(operator))
            .map(|(operator, equal)| (at, operator, equal))
    });
    let (at, operator, equal) = at?;
    let value = term.get(at + operator.len()..)?;
    Some((term.get(..at)?, value, equal))
}

fn unescaped(value: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(escaped @ ('\\' | ',' | '=')) => out.push(escaped),
                other => {
                    let other = other.map(String::from).unwrap_or_default();
                    return Err(format!(
                        "invalid field selector: invalid escape sequence: \\{other}"
                    ));
                }
            },
            ',' | '=' => {
                return Err(format!(
                    "invalid field selector: unescaped character in value: {}",
                    u32::from(c)
                ));
            }
            _ => out.push(c),
        }
    }
    Ok(out)
}
