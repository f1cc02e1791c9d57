//! Resolves a path in the schema of a definition.

use informer_codegen::check::resolver::{Purpose, SchemaValues};
use informer_codegen::names;
use informer_codegen::path::{Canonical, Segment, Spelling};

use crate::error::escaped;
use crate::suggest;
use crate::types::schema::Schema;

/// Returns the type of the scalars at the end of a path from the root of `schema`, or `None` for
/// selectors.
///
/// A path in JSON spelling has to lead to a value that suits `purpose`. serde's attributes may
/// rename the fields of a path in Rust spelling, so returns `None` if the schema cannot resolve
/// such a path.
///
/// # Errors
///
/// Returns advice if the schema has no such field, or if the path ends at an unsuitable value.
pub(super) fn check(
    schema: &Schema,
    segments: &[Segment],
    spelling: Spelling,
    purpose: Purpose,
) -> Result<Option<SchemaValues>, String> {
    let mut at = element(schema);
    for (position, segment) in segments.iter().enumerate() {
        let before = segments.get(..position).unwrap_or_default();
        let next = match spelling {
            Spelling::Json => exact_next(at, segment, before)?,
            Spelling::Rust => likely_next(at, segment),
        };
        match (next, spelling) {
            (Some(schema), _) => at = element(schema),
            (None, Spelling::Json) => return Ok(Some(SchemaValues::Texts)),
            (None, Spelling::Rust) => return Ok(None),
        }
    }
    match purpose {
        Purpose::Index => scalar(at, segments, spelling).map(Some),
        Purpose::Name => name(at, segments, spelling).map(Some),
        Purpose::Selector => {
            check_selector(at)?;
            Ok(None)
        }
    }
}

/// Returns the schema of a list's elements: an index has an entry for each element.
fn element(schema: &Schema) -> &Schema {
    match &schema.items {
        Some(items) if schema.kind == "array" => element(items),
        _ => schema,
    }
}

/// Returns the schema of a segment, or `None` if the schema allows any value there.
fn exact_next<'s>(
    at: &'s Schema,
    segment: &Segment,
    before: &[Segment],
) -> Result<Option<&'s Schema>, String> {
    let name = segment.text();
    let place = Canonical(before).to_string();
    let field = at.properties.get(name);
    match segment {
        Segment::Key(_) => {
            if let Some(values) = &at.values {
                return Ok(Some(values));
            }
            if field.is_some() && Spelling::Json.is_field(name) {
                return Err(format!(
                    "`{name}` is a field of `{place}`; write `{place}.{name}`"
                ));
            }
        }
        Segment::Field(_) => {
            if field.is_none() && at.values.is_some() {
                return Err(format!(
                    "`{place}` is a map; write `{place}['{name}']` for the value of a key"
                ));
            }
        }
    }
    if field.is_none() && !at.keeps_unknown {
        return Err(missing(at, name, &place));
    }
    Ok(field)
}

fn missing(at: &Schema, name: &str, place: &str) -> String {
    let owner = if place.is_empty() {
        "the schema".to_owned()
    } else {
        format!("`{place}`")
    };
    if at.properties.is_empty() {
        return format!("{owner} has no fields in the schema");
    }
    let dotted = format!("{name}.");
    if let Some(field) = at
        .properties
        .keys()
        .find(|field| field.starts_with(&dotted))
    {
        return format!("{owner} has no field `{name}`, but {}", shown(field));
    }
    let suggestion = suggest::nearest(name, at.properties.keys().cloned());
    if suggestion.0.is_some() {
        return format!("{owner} has no field `{name}`{suggestion}");
    }
    format!("{owner} has no field `{name}`; it has {}", fields(at))
}

/// Returns the schema of a segment in Rust spelling, if exactly one field matches.
fn likely_next<'s>(at: &'s Schema, segment: &Segment) -> Option<&'s Schema> {
    match segment {
        Segment::Key(_) => at.values.as_deref(),
        Segment::Field(name) => {
            let plain = name.text.trim_end_matches('_');
            let mut found = None;
            for (json, field) in &at.properties {
                if names::api_field(json).trim_end_matches('_') == plain {
                    if found.is_some() {
                        return None;
                    }
                    found = Some(field);
                }
            }
            found
        }
    }
}

fn scalar(at: &Schema, segments: &[Segment], spelling: Spelling) -> Result<SchemaValues, String> {
    let path = Canonical(segments);
    let key = match spelling {
        Spelling::Json => format!("{path}['key']"),
        Spelling::Rust => format!("{path}[\"key\"]"),
    };
    match at.kind.as_str() {
        _ if at.is_int_or_string => Ok(SchemaValues::Texts),
        "string" => Ok(SchemaValues::Texts),
        "integer" if at.format == "int32" => Ok(SchemaValues::Integers(32)),
        "integer" => Ok(SchemaValues::Integers(64)),
        "boolean" => Ok(SchemaValues::Booleans),
        "number" => {
            Err("the path ends at a floating-point number, which cannot be indexed".to_owned())
        }
        _ if at.values.is_some() => Err(format!(
            "the path ends at a map; write `{key}` for the value of a key"
        )),
        _ if !at.properties.is_empty() => Err(format!(
            "the path ends at an object; extend it to one of its fields: {}",
            fields(at)
        )),
        "object" => {
            Err("the path ends at an object without a schema, which cannot be indexed".to_owned())
        }
        _ => Ok(SchemaValues::Texts),
    }
}

/// Checks that the values are strings.
fn name(at: &Schema, path: &[Segment], spelling: Spelling) -> Result<SchemaValues, String> {
    let values = scalar(at, path, spelling)?;
    if values != SchemaValues::Texts || at.is_int_or_string {
        return Err(crate::types::NO_NAME.to_owned());
    }
    Ok(values)
}

/// Checks that the values are objects like `LabelSelector`, or maps of strings.
fn check_selector(at: &Schema) -> Result<(), String> {
    let has = |field| at.properties.contains_key(field);
    let is_map = at
        .values
        .as_ref()
        .is_some_and(|values| values.kind == "string");
    if is_map || has("matchLabels") || has("matchExpressions") {
        return Ok(());
    }
    let found = if at.properties.is_empty() {
        String::new()
    } else {
        format!("; it has {}", fields(at))
    };
    Err(format!(
        "the path ends neither at an object with `matchLabels` or `matchExpressions` nor at a map of \
         strings{found}"
    ))
}

/// Returns a field as a path spells it.
fn shown(name: &str) -> String {
    let quote = if name.contains('\'') { '"' } else { '\'' };
    match escaped(name) {
        name if Spelling::Json.is_field(&name) => format!("`{name}`"),
        name => format!("`[{quote}{name}{quote}]`"),
    }
}

/// Lists the fields of an object, up to a readable number.
fn fields(at: &Schema) -> String {
    const MANY: usize = 12;
    let names = at.properties.keys().map(|name| shown(name));
    suggest::some_of(names, MANY)
}
