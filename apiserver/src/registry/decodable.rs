//! Values of built-in kinds that Go does not decode, by their schemas.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::models::{built_in, resolved};
use crate::document::json_type;

/// Type of times that Go reads with exactly six digits of a second.
const MICRO_TIME: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime";

/// Returns the error of Go's decoder for an object of a kind, except for its metadata.
pub(crate) fn problem(kind: &str, members: &Map<String, Value>, schema: &Value) -> Option<String> {
    members
        .iter()
        .filter(|(name, _)| *name != "metadata")
        .find_map(|(name, value)| member_problem(kind, name, value, schema))
}

fn member_problem(path: &str, name: &str, value: &Value, schema: &Value) -> Option<String> {
    let properties = schema.get("properties");
    let property = properties.and_then(|properties| properties.get(name));
    let of = property.or_else(|| schema.get("additionalProperties"))?;
    value_problem(&format!("{path}.{name}"), value, of)
}

fn value_problem(path: &str, value: &Value, schema: &Value) -> Option<String> {
    let schema = resolved(schema);
    let text = |name: &str| schema.get(name).and_then(Value::as_str);
    let format = text("format").unwrap_or_default();
    match (text("type").unwrap_or_default(), value) {
        // As in Go, null stands for the zero value of the type.
        (_, Value::Null) | ("boolean", Value::Bool(_)) | ("number", Value::Number(_)) => None,
        ("object", Value::Object(members)) => members
            .iter()
            .find_map(|(name, value)| member_problem(path, name, value, schema)),
        ("array", Value::Array(items)) => {
            let schema = schema.get("items")?;
            items
                .iter()
                .find_map(|item| value_problem(path, item, schema))
        }
        ("string", Value::String(text)) => {
            let is_micro = || built_in(MICRO_TIME).is_some_and(|micro| std::ptr::eq(micro, schema));
            text_problem(text, format, is_micro)
        }
        ("integer", Value::Number(number)) => {
            let integer = number.as_i64();
            let fits = match format {
                "int32" => integer.is_some_and(|integer| i32::try_from(integer).is_ok()),
                _ => integer.is_some(),
            };
            let go = if format.is_empty() { "int64" } else { format };
            (!fits).then(|| wrong_type(path, &format!("number {number}"), go))
        }
        ("", value) => untyped_problem(path, value, format, schema),
        (expected, value) => Some(wrong_type(
            path,
            json_type(value),
            go_type(expected, format),
        )),
    }
}

fn text_problem(text: &str, format: &str, is_micro: impl Fn() -> bool) -> Option<String> {
    match format {
        "byte" => {
            let encoded = text.replace(['\r', '\n'], "");
            let error = STANDARD.decode(encoded).err()?;
            Some(format!("illegal base64 data: {error}"))
        }
        "date-time" => {
            if let Err(error) = text.parse::<jiff::Timestamp>() {
                return Some(format!("parsing time {text:?}: {error}"));
            }
            let (_, fraction) = text.split_once('.').unwrap_or_default();
            let end = fraction.find(|c: char| !c.is_ascii_digit());
            (is_micro() && end.unwrap_or(fraction.len()) != 6)
                .then(|| format!("parsing time {text:?}: a second has six digits"))
        }
        _ => None,
    }
}

/// Returns the error of a value whose schema names no type: one of several, or any.
fn untyped_problem(path: &str, value: &Value, format: &str, schema: &Value) -> Option<String> {
    let is_text_or_number = matches!(value, Value::String(_) | Value::Number(_));
    match (format, schema.get("oneOf")) {
        ("int-or-string", _) => {
            let is_integer = |number: &serde_json::Number| {
                let integer = number.as_i64();
                integer.is_some_and(|integer| i32::try_from(integer).is_ok())
            };
            let fits = value.is_string() || value.as_number().is_some_and(is_integer);
            (!fits).then(|| wrong_type(path, json_type(value), "int32 or string"))
        }
        // The only other kind of value with alternatives is a quantity.
        (_, Some(_)) if !is_text_or_number => Some(wrong_type(path, json_type(value), "string")),
        (_, Some(_)) => {
            let is_quantity = value.as_str().is_none_or(is_quantity);
            (!is_quantity).then(|| {
                "quantities must match the regular expression \
                 '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
                    .to_owned()
            })
        }
        _ => None,
    }
}

/// Reports whether a text is a number with a suffix, or with an exponent.
fn is_quantity(text: &str) -> bool {
    const SUFFIXES: [&str; 16] = [
        "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "n", "u", "m", "k", "M", "G", "T", "P", "E",
    ];
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, suffix) = unsigned.split_at(end.unwrap_or(unsigned.len()));
    let has_digit = number.contains(|c: char| c.is_ascii_digit());
    let is_number = has_digit && number.matches('.').count() <= 1;
    let exponent = suffix.strip_prefix(['e', 'E']);
    let is_exponent = exponent.is_some_and(|exponent| exponent.parse::<i32>().is_ok());
    is_number && (SUFFIXES.contains(&suffix) || is_exponent)
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
