//! Values of built-in kinds that Go does not decode, by their schemas.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Number, Value};

use super::models::{built_in, resolved};
use crate::document::{json_type, str_of};

/// Type of times that Go reads with exactly six digits of a second.
const MICRO_TIME: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime";

/// Returns the error of Go's decoder for an object of a kind, except for its metadata.
pub(crate) fn problem(kind: &str, members: &Map<String, Value>, schema: &Value) -> Option<String> {
    for (name, value) in members {
        if name == "metadata" {
            continue;
        }
        let found = member_problem(kind, name, value, schema);
        if found.is_some() {
            return found;
        }
    }
    None
}

fn member_problem(path: &str, name: &str, value: &Value, schema: &Value) -> Option<String> {
    let properties = schema.get("properties");
    let property = properties.and_then(|properties| properties.get(name));
    let of = property.or_else(|| schema.get("additionalProperties"))?;
    value_problem(&format!("{path}.{name}"), value, of)
}

fn value_problem(path: &str, value: &Value, schema: &Value) -> Option<String> {
    let model = resolved(schema);
    let format = str_of(model.get("format"));
    match (str_of(model.get("type")), value) {
        // As in Go, null stands for the zero value of the type.
        (_, Value::Null) | ("boolean", Value::Bool(_)) | ("number", Value::Number(_)) => None,
        ("object", Value::Object(members)) => {
            for (name, value) in members {
                let found = member_problem(path, name, value, model);
                if found.is_some() {
                    return found;
                }
            }
            None
        }
        ("array", Value::Array(items)) => {
            let element = model.get("items")?;
            for item in items {
                let found = value_problem(path, item, element);
                if found.is_some() {
                    return found;
                }
            }
            None
        }
        ("string", Value::String(text)) => text_problem(text, format, model),
        ("integer", Value::Number(number)) => integer_problem(path, number, format),
        ("", value) => untyped_problem(path, value, format, model),
        (expected, value) => {
            let go = go_type(expected, format);
            Some(wrong_type(path, json_type(value), go))
        }
    }
}

fn integer_problem(path: &str, number: &Number, format: &str) -> Option<String> {
    let fits = match format {
        "int32" => is_int32(number),
        _ => number.is_i64(),
    };
    if fits {
        return None;
    }
    let found = format!("number {number}");
    let expected = go_type("integer", format);
    Some(wrong_type(path, &found, expected))
}

fn is_int32(number: &Number) -> bool {
    match number.as_i64() {
        Some(integer) => i32::try_from(integer).is_ok(),
        None => false,
    }
}

fn text_problem(text: &str, format: &str, schema: &Value) -> Option<String> {
    match format {
        "byte" => {
            let encoded = text.replace(['\r', '\n'], "");
            let error = STANDARD.decode(encoded).err()?;
            Some(format!("illegal base64 data: {error}"))
        }
        "date-time" => time_problem(text, schema),
        _ => None,
    }
}

fn time_problem(text: &str, schema: &Value) -> Option<String> {
    if let Err(error) = text.parse::<jiff::Timestamp>() {
        return Some(format!("parsing time {text:?}: {error}"));
    }
    let micro = built_in(MICRO_TIME)?;
    if std::ptr::eq(micro, schema) && fraction_digits(text) != 6 {
        Some(format!("parsing time {text:?}: a second has six digits"))
    } else {
        None
    }
}

/// Counts the digits after the dot of a time.
fn fraction_digits(time: &str) -> usize {
    let Some((_, fraction)) = time.split_once('.') else {
        return 0;
    };
    fraction
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(fraction.len())
}

/// Returns the error of a value whose schema names no type: one of several, or any.
fn untyped_problem(path: &str, value: &Value, format: &str, schema: &Value) -> Option<String> {
    if format == "int-or-string" {
        let fits = match value {
            Value::String(_) => true,
            Value::Number(number) => is_int32(number),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
        };
        if fits {
            return None;
        }
        return Some(wrong_type(path, json_type(value), "int32 or string"));
    }
    // The only other kind of value with alternatives is a quantity.
    schema.get("oneOf")?;
    match value {
        Value::Number(_) => None,
        Value::String(text) if is_quantity(text) => None,
        Value::String(_) => Some(
            "quantities must match the regular expression \
             '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
                .to_owned(),
        ),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            Some(wrong_type(path, json_type(value), "string"))
        }
    }
}

/// Reports whether a text is a number with a suffix, or with an exponent.
fn is_quantity(text: &str) -> bool {
    const SUFFIXES: [&str; 16] = [
        "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "n", "u", "m", "k", "M", "G", "T", "P", "E",
    ];
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = unsigned
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(unsigned.len());
    let (number, suffix) = unsigned.split_at(end);
    let has_digit = number.contains(|c: char| c.is_ascii_digit());
    if !has_digit || number.matches('.').count() > 1 {
        return false;
    }
    if SUFFIXES.contains(&suffix) {
        return true;
    }
    match suffix.strip_prefix(['e', 'E']) {
        Some(exponent) => exponent.parse::<i32>().is_ok(),
        None => false,
    }
}

fn wrong_type(path: &str, found: &str, expected: &str) -> String {
    format!("json: cannot unmarshal {found} into Go struct field {path} of type {expected}")
}

fn go_type<'a>(name: &'a str, format: &'a str) -> &'a str {
    match (name, format) {
        ("integer", "") => "int64",
        ("integer", format) => format,
        ("boolean", _) => "bool",
        ("number", _) => "float64",
        (name, _) => name,
    }
}
