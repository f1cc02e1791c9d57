//! Field selectors: their syntax, and the selectable fields of each kind.

use super::term::FieldTerm;
use crate::registry::Resource;
use crate::status::ApiError;

/// Rejects fields that objects of `resource` cannot be selected by.
pub(super) fn check(
    resource: &Resource,
    version: &str,
    terms: &[FieldTerm],
) -> Result<(), ApiError> {
    let selectable = resource
        .version(version)
        .map_or(&[] as &[String], |version| &version.selectable);
    // The common rule of the real server allows the namespace for cluster-scoped kinds, too.
    let is_common = selectable.is_empty() && !resource.custom;
    let has_namespace = resource.namespaced || is_common;
    for term in terms {
        let field = term.path.join(".");
        let known = field == "metadata.name"
            || (has_namespace && field == "metadata.namespace")
            || selectable.contains(&field);
        if known {
            continue;
        }
        return Err(ApiError::bad_request(if is_common {
            format!(
                "{field:?} is not a known field selector: only \"metadata.name\", \
                 \"metadata.namespace\""
            )
        } else {
            format!("field label not supported: {field}")
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
                    let escaped = other.map(String::from).unwrap_or_default();
                    return Err(format!(
                        "invalid field selector: invalid escape sequence: \\{escaped}"
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
