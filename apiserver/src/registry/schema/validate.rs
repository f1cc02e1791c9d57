//! Validation against a schema, in the words of the real server.
//!
//! Rules in CEL are not supported.

use serde_json::{Map, Number, Value};

use super::format;
use super::pattern::Patterns;
use super::read::{OF_EVERY_RESOURCE, flag, member};
use crate::document::list_of;
use crate::status::FieldCause;

/// Returns the violations of an object's members, except metadata.
pub(super) fn object(
    members: &Map<String, Value>,
    schema: &Value,
    patterns: &Patterns,
) -> Vec<FieldCause> {
    let mut causes = Vec::new();
    let mut walk = Walk {
        path: String::new(),
        causes: &mut causes,
        patterns,
    };
    walk.members(members, schema, true);
    causes
}

struct Walk<'a> {
    path: String,
    causes: &'a mut Vec<FieldCause>,
    patterns: &'a Patterns,
}

impl Walk<'_> {
    fn cause(&mut self, reason: &'static str, message: String) {
        let cause = FieldCause::new(reason, self.path.clone(), message);
        self.causes.push(cause);
    }

    /// Adds a cause such as `Invalid value: 0: spec.size in body should be ..`.
    fn invalid(&mut self, value: &Value, should: &str) {
        let message = format!("Invalid value: {value}: {} in body {should}", self.path);
        self.cause("FieldValueInvalid", message);
    }

    fn too_many(&mut self, found: usize, allowed: u64) {
        let message = format!("Too many: {found}: must have at most {allowed} items");
        self.cause("FieldValueTooMany", message);
    }

    /// Calls `visit` at a path below the current one.
    fn below(&mut self, step: &str, visit: impl FnOnce(&mut Walk<'_>)) {
        let before = self.path.len();
        self.path.push_str(step);
        visit(self);
        self.path.truncate(before);
    }

    fn member_step(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!(".{name}")
        }
    }

    fn value(&mut self, value: &Value, schema: &Value) {
        if value.is_null() && flag(schema, "nullable") {
            return;
        }
        if let Some((expected, found)) = wrong_type(value, schema) {
            let message = format!(
                "Invalid value: {found:?}: {} in body must be of type {expected}: {found:?}",
                self.path
            );
            self.cause("FieldValueTypeInvalid", message);
            self.range(value, schema);
            return;
        }
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
            && !allowed.contains(value)
        {
            let supported: Vec<String> = allowed.iter().map(quoted).collect();
            let message = format!(
                "Unsupported value: {value}: supported values: {}",
                supported.join(", ")
            );
            self.cause("FieldValueNotSupported", message);
        }
        match value {
            Value::Object(members) => {
                let is_resource = flag(schema, "x-kubernetes-embedded-resource");
                self.members(members, schema, is_resource);
                if is_resource {
                    self.embedded(members);
                }
            }
            Value::Array(items) => self.items(value, items, schema),
            Value::Number(_) => self.number(value, schema),
            Value::String(text) => self.text(value, text, schema),
            Value::Null | Value::Bool(_) => {}
        }
        self.combined(value, schema);
    }

    fn members(&mut self, members: &Map<String, Value>, schema: &Value, is_resource: bool) {
        let is_own = |name: &str| is_resource && OF_EVERY_RESOURCE.contains(&name);
        for required in list_of(schema.get("required")) {
            let Some(name) = required.as_str() else {
                continue;
            };
            if !members.contains_key(name) && !is_own(name) {
                let step = self.member_step(name);
                self.below(&step, |walk| {
                    walk.cause("FieldValueRequired", "Required value".to_owned());
                });
            }
        }
        let count = members.len();
        if let Some(least) = bound(schema, "minProperties")
            && size(count) < least
        {
            let whole = Value::Object(members.clone());
            self.invalid(&whole, &format!("should have at least {least} properties"));
        }
        if let Some(most) = bound(schema, "maxProperties")
            && size(count) > most
        {
            self.too_many(count, most);
        }
        for (name, value) in members {
            if is_own(name) {
                continue;
            }
            if let Some(schema) = member(schema, name) {
                let step = self.member_step(name);
                self.below(&step, |walk| walk.value(value, schema));
            }
        }
    }

    fn items(&mut self, value: &Value, items: &[Value], schema: &Value) {
        let count = items.len();
        if let Some(least) = bound(schema, "minItems")
            && size(count) < least
        {
            self.invalid(value, &format!("should have at least {least} items"));
        }
        if let Some(most) = bound(schema, "maxItems")
            && size(count) > most
        {
            self.too_many(count, most);
        }
        if let Some(schema) = schema.get("items") {
            for (index, item) in items.iter().enumerate() {
                self.below(&format!("[{index}]"), |walk| walk.value(item, schema));
            }
        }
    }

    fn number(&mut self, value: &Value, schema: &Value) {
        let Some(number) = value.as_f64() else { return };
        self.range(value, schema);
        if let Some(factor) = schema.get("multipleOf") {
            self.multiple(value, number, factor);
        }
        if let Some(limit) = schema.get("minimum") {
            self.minimum(value, number, limit, flag(schema, "exclusiveMinimum"));
        }
        if let Some(limit) = schema.get("maximum") {
            self.maximum(value, number, limit, flag(schema, "exclusiveMaximum"));
        }
    }

    fn minimum(&mut self, value: &Value, number: f64, limit: &Value, is_exclusive: bool) {
        let Some(least) = limit.as_f64() else { return };
        if is_exclusive && number <= least {
            self.invalid(value, &format!("should be greater than {limit}"));
        } else if number < least {
            self.invalid(
                value,
                &format!("should be greater than or equal to {limit}"),
            );
        }
    }

    fn maximum(&mut self, value: &Value, number: f64, limit: &Value, is_exclusive: bool) {
        let Some(most) = limit.as_f64() else { return };
        if is_exclusive && number >= most {
            self.invalid(value, &format!("should be less than {limit}"));
        } else if number > most {
            self.invalid(value, &format!("should be less than or equal to {limit}"));
        }
    }

    /// Checks that a number is a multiple of `factor`, as Go does: for an integer, the factor has no
    /// fraction.
    fn multiple(&mut self, value: &Value, number: f64, factor: &Value) {
        let Some(positive) = factor.as_f64() else {
            return;
        };
        if value.is_i64() && positive < 1.0 {
            let path = &self.path;
            let message = format!(
                "Invalid value: 0: factor MultipleOf declared for {path} must be positive: 0"
            );
            self.cause("FieldValueInvalid", message);
            return;
        }
        // As Go computes it, so that the rounding is the same.
        let times = if positive < 1.0 {
            1.0 / positive * number
        } else {
            number / positive
        };
        if (times - times.round()).abs() > 1e-9 {
            self.invalid(value, &format!("should be a multiple of {factor}"));
        }
    }

    /// Checks that a number is in the range of its type and format.
    fn range(&mut self, value: &Value, schema: &Value) {
        let Value::Number(number) = value else { return };
        let of = schema
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("number");
        let format = format_of(schema);
        if fits(number, of, format) {
            return;
        }
        let qualifier = match format {
            Some(format) => format!("with format {format}"),
            None => "(default format)".to_owned(),
        };
        let path = &self.path;
        self.nameless(format!(
            "Invalid value: \"\": Checked value must be of type {of} {qualifier} in {path}"
        ));
    }

    /// Adds a cause that names no field, as the real server does.
    fn nameless(&mut self, message: String) {
        let cause = FieldCause::new("FieldValueInvalid", "<nil>".to_owned(), message);
        self.causes.push(cause);
    }

    /// Checks the type of an object that is a resource.
    fn embedded(&mut self, members: &Map<String, Value>) {
        for name in ["apiVersion", "kind"] {
            let step = self.member_step(name);
            self.below(&step, |walk| match members.get(name) {
                None => walk.cause("FieldValueRequired", "Required value".to_owned()),
                Some(Value::String(text)) if text.is_empty() => {
                    let message = "Invalid value: \"\": must not be empty".to_owned();
                    walk.cause("FieldValueInvalid", message);
                }
                Some(Value::String(_)) => {}
                Some(value) => {
                    let message = format!("Invalid value: {value}: must be a string");
                    walk.cause("FieldValueInvalid", message);
                }
            });
        }
    }

    fn text(&mut self, value: &Value, text: &str, schema: &Value) {
        let length = size(text.chars().count());
        let pattern = schema.get("pattern").and_then(Value::as_str);
        let too_long = bound(schema, "maxLength").filter(|most| length > *most);
        let too_short = bound(schema, "minLength").filter(|least| length < *least);
        let unmatched = pattern.filter(|pattern| !pattern.is_empty());
        // Only the first violation is reported.
        if let Some(most) = too_long {
            let message = format!("Too long: may not be more than {most} bytes");
            self.cause("FieldValueTooLong", message);
        } else if let Some(least) = too_short {
            self.invalid(value, &format!("should be at least {least} chars long"));
        } else if let Some(pattern) = unmatched
            && !self.patterns.is_match(pattern, text)
        {
            self.invalid(value, &format!("should match '{pattern}'"));
        }
        let is_of_texts = schema.get("type").is_none_or(|of| of == "string");
        if let Some(format) = schema.get("format").and_then(Value::as_str)
            && is_of_texts
            && format::is_valid(format, text) == Some(false)
        {
            let path = &self.path;
            let message = format!(
                "Invalid value: {value}: {path} in body must be of type {format}: {text:?}"
            );
            self.cause("FieldValueTypeInvalid", message);
        }
    }

    /// Checks `allOf`, `anyOf`, `oneOf` and `not`.
    fn combined(&mut self, value: &Value, schema: &Value) {
        for part in list_of(schema.get("allOf")) {
            self.value(value, part);
        }
        let any_of = list_of(schema.get("anyOf"));
        if !any_of.is_empty() && self.valid(value, any_of) == 0 {
            self.unmatched("must validate at least one schema (anyOf)");
            self.best_failure(value, any_of);
        }
        let one_of = list_of(schema.get("oneOf"));
        if !one_of.is_empty() {
            self.one_of(value, one_of);
        }
        if let Some(not) = schema.get("not")
            && self.is_valid(value, not)
        {
            self.unmatched("must not validate the schema (not)");
        }
    }

    fn one_of(&mut self, value: &Value, schemas: &[Value]) {
        match self.valid(value, schemas) {
            0 => {
                self.unmatched("must validate one and only one schema (oneOf). Found none valid");
                self.best_failure(value, schemas);
            }
            1 => {}
            many => self.unmatched(&format!(
                "must validate one and only one schema (oneOf). Found {many} valid alternatives"
            )),
        }
    }

    /// Reports the violations of the most similar schema: the first one whose type matches, or else
    /// the first one.
    fn best_failure(&mut self, value: &Value, schemas: &[Value]) {
        let has_type = |schema: &&Value| wrong_type(value, schema).is_none();
        let best = schemas.iter().find(has_type).or(schemas.first());
        if let Some(best) = best {
            self.value(value, best);
        }
    }

    /// Returns the number of schemas that the value fits.
    fn valid(&self, value: &Value, schemas: &[Value]) -> usize {
        schemas
            .iter()
            .filter(|schema| self.is_valid(value, schema))
            .count()
    }

    fn is_valid(&self, value: &Value, schema: &Value) -> bool {
        let mut causes = Vec::new();
        let mut walk = Walk {
            path: String::new(),
            causes: &mut causes,
            patterns: self.patterns,
        };
        walk.value(value, schema);
        causes.is_empty()
    }

    fn unmatched(&mut self, must: &str) {
        let path = &self.path;
        self.nameless(format!("Invalid value: \"\": {path:?} {must}"));
    }
}

/// Reports whether a number is in the range of the type `of` and its format.
fn fits(number: &Number, of: &str, format: Option<&str>) -> bool {
    match (of, format) {
        ("integer", Some("int32")) => match integer(number) {
            Some(integer) => i32::try_from(integer).is_ok(),
            None => false,
        },
        ("integer", _) => integer(number).is_some(),
        (_, Some("float")) => match number.as_f64() {
            Some(float) => float.abs() <= f32::MAX.into(),
            None => false,
        },
        _ => true,
    }
}

/// Returns the expected and the found type, or their formats, if `value` has another type.
fn wrong_type<'a>(value: &Value, schema: &'a Value) -> Option<(&'a str, &'static str)> {
    let found = type_of(value);
    if flag(schema, "x-kubernetes-int-or-string") {
        if value.is_string() || found == "integer" {
            return None;
        }
        return Some(("integer,string", found));
    }
    let expected = schema.get("type")?.as_str()?;
    if found == expected || (expected == "number" && found == "integer") {
        return None;
    }
    match (value, format_of(schema)) {
        (Value::String(_) | Value::Array(_), _) | (_, None) => Some((expected, found)),
        (Value::Number(number), Some(format)) if number.is_i64() => Some((format, "int64")),
        (Value::Number(_), Some(format)) => Some((format, "float64")),
        (_, Some(format)) => Some((format, "")),
    }
}

/// Returns the format of a schema, if it means anything for the type.
fn format_of(schema: &Value) -> Option<&str> {
    let format = schema.get("format")?.as_str()?;
    let of = schema.get("type").and_then(Value::as_str);
    let has_meaning = match of {
        None | Some("string") => format::is_valid(format, "").is_some(),
        Some("integer") => matches!(format, "int32" | "int64"),
        Some("number") => matches!(format, "float" | "double"),
        Some(_) => false,
    };
    has_meaning.then_some(format)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if integer(number).is_some() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns the integer that a number is in Go: one of 64 bits, or a floating-point number without a
/// fraction that JSON represents exactly.
fn integer(number: &Number) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    if let Some(integer) = number.as_i64() {
        return Some(integer);
    }
    let float = number.as_f64()?;
    if float.fract() != 0.0 || float.abs() > EXACT {
        return None;
    }
    format!("{float:.0}").parse().ok()
}

fn bound(schema: &Value, name: &str) -> Option<u64> {
    schema.get(name)?.as_u64()
}

fn size(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Quotes a supported value of any type.
fn quoted(value: &Value) -> String {
    if value.is_string() {
        value.to_string()
    } else {
        format!("\"{value}\"")
    }
}
