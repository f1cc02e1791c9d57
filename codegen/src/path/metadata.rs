//! Resolves paths into the metadata, whose fields are known in both spellings.

use std::ops::Range;

use super::segment::{Canonical, Name, PathError, Segment, Spelling};
use crate::names;
use crate::suggest::nearest;

/// Fields of `ObjectMeta` in JSON.
const METADATA: [&str; 13] = [
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "uid",
];

/// Fields of `OwnerReference` in JSON.
const OWNER_REFERENCE: [&str; 6] = [
    "apiVersion",
    "blockOwnerDeletion",
    "controller",
    "kind",
    "name",
    "uid",
];

/// Fields of the metadata that are maps.
const MAPS: [&str; 2] = ["labels", "annotations"];

/// Fields of the metadata that are numbers.
const NUMBERS: [&str; 2] = ["generation", "deletionGracePeriodSeconds"];

/// Resolved path into the metadata.
#[derive(Clone, Debug)]
pub struct Metadata {
    /// Path in JSON, `metadata` included. The positions are those of the original path.
    pub json: Vec<Segment>,
    /// `true` if the values are of type `i64`.
    pub is_number: bool,
}

/// Resolves a path whose first segment is `metadata`.
///
/// # Errors
///
/// Returns an error if the field is unknown or has several values.
pub fn metadata(segments: &[Segment], spelling: Spelling) -> Result<Metadata, PathError> {
    let [start, rest @ ..] = segments else {
        return Err(PathError::new(0..0, "the path is empty"));
    };
    let [Segment::Field(field), rest @ ..] = rest else {
        return Err(PathError::new(
            start.name().at.clone(),
            "a path leads to one field, not to all of `metadata`: write `metadata.name`",
        ));
    };
    let json = known("metadata", field, &METADATA, spelling)?;
    let mut path = vec![start.clone(), renamed(field, json)];
    match rest {
        [] if !MAPS.contains(&json) => {}
        [key @ Segment::Key(_)] if MAPS.contains(&json) => path.push(key.clone()),
        _ if MAPS.contains(&json) => return Err(one_entry(json, field, rest, spelling)),
        [Segment::Field(inner)] if json == "ownerReferences" => {
            let of = "metadata.ownerReferences";
            let json = known(of, inner, &OWNER_REFERENCE, spelling)?;
            path.push(renamed(inner, json));
        }
        [first, rest @ ..] => {
            // An owner reference has one more level of fields.
            let fits = json == "ownerReferences" && !first.is_key() && !rest.is_empty();
            let end = if fits { 3 } else { 2 };
            let (before, after) = segments.split_at(end);
            return Err(PathError::new(
                span(after),
                format!("`{}` has no fields: the path ends there", Canonical(before)),
            ));
        }
        [] => return Err(one_entry(json, field, rest, spelling)),
    }
    Ok(Metadata {
        json: path,
        is_number: NUMBERS.contains(&json),
    })
}

fn renamed(name: &Name, json: &str) -> Segment {
    Segment::Field(Name {
        text: json.to_owned(),
        at: name.at.clone(),
    })
}

/// Returns the error for a path to all labels or all annotations.
fn one_entry(json: &str, field: &Name, rest: &[Segment], spelling: Spelling) -> PathError {
    let key = rest.first().map_or("app", Segment::text);
    let form = match spelling {
        Spelling::Json => format!("metadata.{json}['{key}']"),
        Spelling::Rust => format!("metadata.{json}[\"{key}\"]"),
    };
    PathError::new(
        field.at.clone(),
        format!("a path leads to one entry of the {json}: write `{form}`"),
    )
}

/// Returns the JSON name of field `name` of the type `of`, which has the fields `all`.
fn known(
    of: &str,
    name: &Name,
    all: &[&'static str],
    spelling: Spelling,
) -> Result<&'static str, PathError> {
    let spelt: Vec<String> = all
        .iter()
        .map(|json| match spelling {
            Spelling::Json => (*json).to_owned(),
            Spelling::Rust => names::api_field(json),
        })
        .collect();
    let found = spelt.iter().position(|spelt| *spelt == name.text);
    if let Some(json) = found.and_then(|position| all.get(position)) {
        return Ok(json);
    }
    let advice = match nearest(&name.text, spelt.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean `{of}.{meant}`?"),
        None => format!("it has `{}`", spelt.join("`, `")),
    };
    Err(PathError::new(
        name.at.clone(),
        format!("`{of}` has no field `{}`: {advice}", name.text),
    ))
}

fn span(segments: &[Segment]) -> Range<usize> {
    let first = segments.first().map_or(0, |first| first.name().at.start);
    let last = segments.last().map_or(first, |last| last.name().at.end);
    first..last
}
