//! Where a path leads by the schema of a definition.

use informer_codegen::names;
use informer_codegen::path::{Canonical, Segment, Spelling};

use crate::suggest;
use crate::types::schema::Schema;

/// What is at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// Texts, or whatever the schema leaves open.
    Texts,
    /// Integers, which are 32 bits wide or 64.
    Integers(u8),
    Booleans,
}

/// The values at the end of a path from the root of `schema`.
///
/// By the names in JSON, the path has to lead to a scalar. By those in Rust, which attributes of serde may change, what
/// cannot be followed is not judged: `None`.
///
/// # Errors
///
/// If the schema has no such field, or if the path ends at what no index can hold: what to write instead.
pub(super) fn check(
    schema: &Schema,
    segments: &[Segment],
    spelling: Spelling,
) -> Result<Option<Values>, String> {
    let mut at = element(schema);
    for (position, segment) in segments.iter().enumerate() {
        let before = segments.get(..position).unwrap_or_default();
        let next = match spelling {
            Spelling::Json => next(at, segment, before)?,
            Spelling::Rust => likely_next(at, segment),
        };
        match next {
            Some(next) => at = element(next),
            None => return Ok((spelling == Spelling::Json).then_some(Values::Texts)),
        }
    }
    scalar(at, segments, spelling).map(Some)
}

/// What lists are of: an object is found by each element.
fn element(schema: &Schema) -> &Schema {
    match &schema.items {
        Some(items) if schema.kind == "array" => element(items),
        _ => schema,
    }
}

/// The schema behind a segment; `None` if anything may be there.
fn next<'s>(
    at: &'s Schema,
    segment: &Segment,
    before: &[Segment],
) -> Result<Option<&'s Schema>, String> {
    let name = segment.text();
    let place = Canonical(before).to_string();
    match (segment, at.properties.get(name), &at.values) {
        (Segment::Field(_), Some(field), _) => Ok(Some(field)),
        (Segment::Key(_), _, Some(values)) => Ok(Some(values)),
        (Segment::Field(_), None, Some(_)) => Err(format!(
            "`{place}` is a map; write `{place}['{name}']` for the value of a key"
        )),
        (Segment::Key(_), Some(_), None) => Err(format!(
            "`{name}` is a field of `{place}`; write `{place}.{name}`"
        )),
        _ if at.keeps_unknown => Ok(None),
        _ => Err(missing(at, name, &place)),
    }
}

fn missing(at: &Schema, name: &str, place: &str) -> String {
    let place = if place.is_empty() {
        "the schema".to_owned()
    } else {
        format!("`{place}`")
    };
    if at.properties.is_empty() {
        return format!("{place} has no fields in the schema");
    }
    let suggestion = suggest::nearest(name, at.properties.keys().cloned());
    if suggestion.0.is_some() {
        return format!("{place} has no field `{name}`{suggestion}");
    }
    format!("{place} has no field `{name}`; it has {}", fields(at))
}

/// The schema behind a segment that is spelt as in Rust, if one field is likely to be meant.
fn likely_next<'s>(at: &'s Schema, segment: &Segment) -> Option<&'s Schema> {
    match segment {
        Segment::Key(_) => at.values.as_deref(),
        Segment::Field(name) => {
            let plain = name.text.trim_end_matches('_');
            let mut fields = at
                .properties
                .iter()
                .filter(|(json, _)| names::api_field(json).trim_end_matches('_') == plain);
            match (fields.next(), fields.next()) {
                (Some((_, field)), None) => Some(field),
                _ => None,
            }
        }
    }
}

fn scalar(at: &Schema, path: &[Segment], spelling: Spelling) -> Result<Values, String> {
    let path = Canonical(path);
    let key = match spelling {
        Spelling::Json => format!("{path}['key']"),
        Spelling::Rust => format!("{path}[\"key\"]"),
    };
    match at.kind.as_str() {
        _ if at.is_int_or_string => Ok(Values::Texts),
        "string" => Ok(Values::Texts),
        "integer" if at.format == "int32" => Ok(Values::Integers(32)),
        "integer" => Ok(Values::Integers(64)),
        "boolean" => Ok(Values::Booleans),
        "number" => Err("is a number with a fraction, which is no value of an index".to_owned()),
        _ if at.values.is_some() => Err(format!("is a map; write `{key}` for the value of a key")),
        _ if !at.properties.is_empty() => Err(format!(
            "is an object; go on to one of its fields: {}",
            fields(at)
        )),
        "object" => Err("is an object of any content, which is no value of an index".to_owned()),
        _ => Ok(Values::Texts),
    }
}

/// The fields of an object, as many as can be read.
fn fields(at: &Schema) -> String {
    const MANY: usize = 12;
    let names = at.properties.keys().take(MANY);
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let rest = at.properties.len().saturating_sub(MANY);
    let rest = if rest == 0 {
        String::new()
    } else {
        format!(" and {rest} more")
    };
    names.join(", ") + &rest
}

// === impl Values ===

impl Values {
    /// The Rust type that holds them.
    pub(super) const fn rust_type(self) -> Option<&'static str> {
        match self {
            Self::Texts => None,
            Self::Integers(32) => Some("i32"),
            Self::Integers(_) => Some("i64"),
            Self::Booleans => Some("bool"),
        }
    }

    /// Checks a type that the user gives; types that are not of the standard library are the user's to know.
    ///
    /// # Errors
    ///
    /// If the values cannot be of this type: what they are.
    pub(super) fn check_type(self, given: &str) -> Result<(), String> {
        let is_integer = given
            .strip_prefix(['i', 'u'])
            .is_some_and(|width| matches!(width, "8" | "16" | "32" | "64" | "128" | "size"));
        let fits = match self {
            Self::Texts => !is_integer && given != "bool",
            Self::Integers(_) => given != "bool" && given != "String",
            Self::Booleans => !is_integer && given != "String",
        };
        if fits {
            return Ok(());
        }
        Err(match self {
            Self::Texts => "has texts, so that the index needs no `value`".to_owned(),
            Self::Integers(width) => format!("has integers; give `i{width}`"),
            Self::Booleans => "has booleans; give `bool`".to_owned(),
        })
    }
}
