//! Validation against a schema, in the words of the real server.
//!
//! Rules in CEL are not supported.

use serde_json::{Map, Value};

use super::format;
use super::pattern::Patterns;
use super::read::{OF_EVERY_RESOURCE, flag, member};
use crate::document::list_of;
use crate::status::Cause;

/// Returns the violations of an object's members, except metadata.
pub(super) fn object(
    members: &Map<String, Value>,
    schema: &Value,
    patterns: &Patterns,
) -> Vec<Cause> {
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
    causes: &'a mut Vec<Cause>,
    patterns: &'a Patterns,
}

impl Walk<'_> {
    fn cause(&mut self, reason: &'static str, message: String) {
        let cause = Cause::new(reason, self.path.clone(), message);
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
        if let Some(expected) = wrong_type(value, schema) {
            let found = type_of(value);
            let message = format!(
                "Invalid value: {found:?}: {} in body must be of type {expected}: {found:?}",
                self.path
            );
            self.cause("FieldValueTypeInvalid", message);
            return;
        }
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
            && !allowed.contains(value)
        {
            let allowed: Vec<String> = allowed.iter().map(quoted).collect();
            let message = format!(
                "Unsupported value: {value}: supported values: {}",
                allowed.join(", ")
            );
            self.cause("FieldValueNotSupported", message);
        }
        match value {
            Value::Object(members) => {
                let is_resource = flag(schema, "x-kubernetes-embedded-resource");
                self.members(members, schema, is_resource);
            }
            Value::Array(items) => self.items(value, items, schema),
            Value::Number(_) => self.number(value, schema),
            Value::String(text) => self.text(value, text, schema),
            Value::Null | Value::Bool(_) => {}
        }
        self.combined(value, schema);
    }

    fn members(&mut self, members: &Map<String, Value>, schema: &Value, is_resource: bool) {
        let own = |name: &str| is_resource && OF_EVERY_RESOURCE.contains(&name);
        for name in list_of(schema.get("required"))
            .iter()
            .filter_map(Value::as_str)
        {
            if !members.contains_key(name) && !own(name) {
                let step = self.member_step(name);
                self.below(&step, |walk| {
                    walk.cause("FieldValueRequired", "Required value".to_owned());
                });
            }
        }
        let count = members.len();
        if bound(schema, "minProperties").is_some_and(|least| size(count) < least) {
            let least = bound(schema, "minProperties").unwrap_or_default();
            let whole = Value::Object(members.clone());
            self.invalid(&whole, &format!("should have at least {least} properties"));
        }
        if let Some(most) = bound(schema, "maxProperties").filter(|most| size(count) > *most) {
            self.too_many(count, most);
        }
        for (name, value) in members.iter().filter(|(name, _)| !own(name)) {
            if let Some(schema) = member(schema, name) {
                let step = self.member_step(name);
                self.below(&step, |walk| walk.value(value, schema));
            }
        }
    }

    fn items(&mut self, value: &Value, items: &[Value], schema: &Value) {
        let count = items.len();
        if let Some(least) = bound(schema, "minItems").filter(|least| size(count) < *least) {
            self.invalid(value, &format!("should have at least {least} items"));
        }
        if let Some(most) = bound(schema, "maxItems").filter(|most| size(count) > *most) {
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
        let limit = |name: &str| Some((schema.get(name)?, schema.get(name)?.as_f64()?));
        if let Some((shown, least)) = limit("minimum") {
            if flag(schema, "exclusiveMinimum") && number <= least {
                self.invalid(value, &format!("should be greater than {shown}"));
            } else if number < least {
                self.invalid(
                    value,
                    &format!("should be greater than or equal to {shown}"),
                );
            }
        }
        if let Some((shown, most)) = limit("maximum") {
            if flag(schema, "exclusiveMaximum") && number >= most {
                self.invalid(value, &format!("should be less than {shown}"));
            } else if number > most {
                self.invalid(value, &format!("should be less than or equal to {shown}"));
            }
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
        let schemas = |name: &str| list_of(schema.get(name));
        for schema in schemas("allOf") {
            self.value(value, schema);
        }
        let any_of = schemas("anyOf");
        let one_of = schemas("oneOf");
        if !any_of.is_empty() && self.valid(value, any_of) == 0 {
            self.unmatched("must validate at least one schema (anyOf)");
            self.best_failure(value, any_of);
        }
        match self.valid(value, one_of) {
            _ if one_of.is_empty() => {}
            0 => {
                self.unmatched("must validate one and only one schema (oneOf). Found none valid");
                self.best_failure(value, one_of);
            }
            1 => {}
            many => self.unmatched(&format!(
                "must validate one and only one schema (oneOf). Found {many} valid alternatives"
            )),
        }
        if schema
            .get("not")
            .is_some_and(|not| self.is_valid(value, not))
        {
            self.unmatched("must not validate the schema (not)");
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
        let valid = schemas.iter().filter(|schema| self.is_valid(value, schema));
        valid.count()
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
        let message = format!("Invalid value: \"\": {:?} {must}", self.path);
        let cause = Cause::new("FieldValueInvalid", "<nil>".to_owned(), message);
        self.causes.push(cause);
    }
}

/// Returns the expected type if `value` has another one.
fn wrong_type<'a>(value: &Value, schema: &'a Value) -> Option<&'a str> {
    if flag(schema, "x-kubernetes-int-or-string") {
        let fits = value.is_string() || type_of(value) == "integer";
        return (!fits).then_some("integer,string");
    }
    let expected = schema.get("type")?.as_str()?;
    let found = type_of(value);
    let fits = found == expected || (expected == "number" && found == "integer");
    (!fits).then_some(expected)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|n| n.fract() == 0.0) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
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
