//! Generates objects of any built-in kind, in the JSON that Go would write.
//!
//! The fields, and which of them Go omits, come from the text of the encoders' tables. The values
//! are boundary cases: ends of ranges, empty strings where they differ from missing ones, and
//! multi-byte letters.

use std::collections::BTreeMap;

use fastrand::Rng;
use serde_json::{Map, Value, json};

const TABLES: &str = include_str!("../../protobuf/tables/tables.txt");

/// Nesting depth below which optional messages become rare.
const DEEP: usize = 5;

/// Amount of content of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fill {
    /// Only the fields that Go always writes.
    Least,
    /// Every field, except for a message inside another message of its type.
    All,
    /// Half of the fields, at random.
    Some,
}

/// Tables by the names of messages and kinds.
pub(crate) struct Generator {
    messages: BTreeMap<&'static str, Vec<Field>>,
    kinds: BTreeMap<(&'static str, &'static str), &'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    One,
    List,
    Map,
}

/// Line such as `7 env list of core/v1.EnvVar omitempty`.
#[derive(Clone, Copy)]
struct Field {
    name: &'static str,
    shape: Shape,
    of: &'static str,
    is_pointer: bool,
    is_omitted_empty: bool,
    is_inline: bool,
}

/// Writer of one object.
struct Writer<'a> {
    tables: &'a Generator,
    random: &'a mut Rng,
    fill: Fill,
    /// Types of the enclosing messages.
    inside: Vec<&'static str>,
}

// === impl Generator ===

impl Generator {
    pub(crate) fn new() -> Self {
        let (mut messages, mut kinds) = (BTreeMap::new(), BTreeMap::new());
        let mut fields = &mut Vec::new();
        for line in TABLES.lines() {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["message", name] => fields = messages.entry(name).or_default(),
                ["kind", api_version, kind, message] => {
                    kinds.insert((api_version, kind), message);
                }
                _ => fields.push(Field::new(line.trim())),
            }
        }
        Self { messages, kinds }
    }

    /// Returns an object of this kind, with random metadata but without its identity.
    pub(crate) fn object(
        &self,
        api_version: &str,
        kind: &str,
        fill: Fill,
        random: &mut Rng,
    ) -> Map<String, Value> {
        let known = self.kinds.get(&(api_version, kind));
        let message = known.unwrap_or_else(|| panic!("the tables have {kind} of {api_version}"));
        let mut writer = Writer {
            tables: self,
            random,
            fill,
            inside: Vec::new(),
        };
        let mut object = writer.message(message);
        object.insert("apiVersion".into(), api_version.into());
        object.insert("kind".into(), kind.into());
        object
    }
}

// === impl Field ===

impl Field {
    fn new(line: &'static str) -> Self {
        let mut words = line.split(' ').skip(1);
        let mut next = || words.next().expect(line);
        let (name, first) = (next(), next());
        let shape = match first {
            "list" => Shape::List,
            "map" => Shape::Map,
            _ => Shape::One,
        };
        let of = match shape {
            Shape::One => first,
            Shape::List | Shape::Map => {
                assert_eq!(next(), "of", "{line}");
                next()
            }
        };
        let flags: Vec<&str> = words.collect();
        Self {
            name,
            shape,
            of,
            is_pointer: flags.contains(&"pointer"),
            is_omitted_empty: flags.contains(&"omitempty"),
            is_inline: flags.contains(&"inline"),
        }
    }

    fn is_message(&self) -> bool {
        self.of.contains('/')
    }

    /// Reports whether Go always writes the field. `omitempty` does not omit empty structs.
    fn is_always_written(&self) -> bool {
        let is_struct = self.is_message()
            || matches!(self.of, "time" | "microTime" | "quantity" | "intOrString");
        !self.is_omitted_empty || (self.shape == Shape::One && is_struct && !self.is_pointer)
    }
}

// === impl Writer ===

impl Writer<'_> {
    fn message(&mut self, name: &'static str) -> Map<String, Value> {
        let mut members = Map::new();
        self.inside.push(name);
        self.members(name, &mut members);
        self.inside.pop();
        members
    }

    fn members(&mut self, name: &'static str, members: &mut Map<String, Value>) {
        let tables = self.tables;
        for field in &tables.messages[name] {
            if field.is_inline {
                self.members(field.of, members);
            } else if self.has(field) {
                let value = self.field(field);
                members.insert(field.name.to_owned(), value);
            }
        }
    }

    fn has(&mut self, field: &Field) -> bool {
        let is_needed = field.is_always_written() && !(field.is_pointer && field.is_message());
        let is_recursive = self.inside.contains(&field.of) || field.of.starts_with("schema");
        let is_branch = field.is_message() || field.of.starts_with("schema");
        is_needed
            || match self.fill {
                Fill::Least => false,
                Fill::All => {
                    !is_recursive || (field.of.starts_with("schema") && self.inside.len() < DEEP)
                }
                Fill::Some if is_branch && self.inside.len() > DEEP => self.random.u8(..16) == 0,
                Fill::Some => self.random.bool(),
            }
    }

    fn field(&mut self, field: &Field) -> Value {
        // If an empty value cannot be distinguished from a missing one, generates a non-empty
        // value.
        let is_pointer = field.is_pointer && !matches!(field.of, "bytes" | "items");
        let may_be_empty = is_pointer || !field.is_omitted_empty;
        match field.shape {
            Shape::One => self.value(field.of, may_be_empty),
            Shape::List => {
                let count = self.random.usize(1..=2);
                (0..count).map(|_| self.value(field.of, true)).collect()
            }
            Shape::Map => {
                let count = self.random.usize(1..=2);
                let mut members = Map::new();
                for _ in 0..count {
                    let key = self.text(false);
                    members.insert(key, self.value(field.of, true));
                }
                Value::Object(members)
            }
        }
    }

    fn value(&mut self, of: &'static str, may_be_empty: bool) -> Value {
        match of {
            "string" => self.text(may_be_empty).into(),
            "bool" => (!may_be_empty || self.random.bool()).into(),
            "int32" => {
                let any = self.random.i32(..);
                self.number(may_be_empty, [i32::MIN, i32::MAX, any].map(i64::from))
            }
            "int64" => {
                let any = self.random.i64(..);
                self.number(may_be_empty, [i64::MIN, i64::MAX, any])
            }
            "double" => (*self.one_of(&[0.5, -1.25, 1e300, 3.0])).into(),
            "bytes" => (*self.one_of(&["AA==", "AP/+", "aGVsbG8="])).into(),
            "quantity" => (*self.one_of(&["0", "500m", "2Gi", "-1", "12e6"])).into(),
            "time" => self.time("").into(),
            "microTime" => {
                let fraction = format!(".{:06}", self.random.u32(..1_000_000));
                self.time(&fraction).into()
            }
            "intOrString" if self.random.bool() => self.random.i32(..).into(),
            "intOrString" => self.text(true).into(),
            "rawExtension" => {
                json!({"kind": self.text(true), "a": [1, {"b": "\u{e9}"}], "c": null})
            }
            "json" => self.any(),
            "items" => (0..self.random.usize(1..=2))
                .map(|_| self.text(true))
                .collect(),
            "schemaOrBool" if self.random.bool() => self.random.bool().into(),
            "schemaOrStrings" if self.random.bool() => json!([self.text(true)]),
            "schemaOrArray" if self.random.bool() => json!([self.schema(), self.schema()]),
            "schemaOrBool" | "schemaOrStrings" | "schemaOrArray" => self.schema(),
            message => {
                assert!(message.contains('/'), "{message} is a type of its own");
                Value::Object(self.message(message))
            }
        }
    }

    fn number(&mut self, may_be_empty: bool, [least, most, any]: [i64; 3]) -> Value {
        let number = *self.one_of(&[0, 1, -1, least, most, any]);
        let is_allowed = may_be_empty || number != 0;
        if is_allowed { number } else { 7 }.into()
    }

    fn schema(&mut self) -> Value {
        Value::Object(self.message("apiextensions/v1.JSONSchemaProps"))
    }

    /// Returns any JSON, for `apiextensions` and `fieldsV1`.
    fn any(&mut self) -> Value {
        let text = self.text(true);
        self.one_of(&[
            json!(text),
            json!(7),
            json!([true, text]),
            json!({"f:a": {}, ".": text}),
        ])
        .clone()
    }

    fn text(&mut self, may_be_empty: bool) -> String {
        let letters: Vec<char> = "aZ0-./ \"\\\n\u{e9}\u{1f600}".chars().collect();
        let least = usize::from(!may_be_empty);
        let count = self.random.usize(least..9);
        (0..count).map(|_| *self.one_of(&letters)).collect()
    }

    fn time(&mut self, fraction: &str) -> String {
        let (year, month, day) = (
            self.random.u16(1970..2100),
            self.random.u8(1..=12),
            self.random.u8(1..=28),
        );
        let [hour, minute, second] = [24, 60, 60].map(|limit| self.random.u8(..limit));
        format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
    }

    fn one_of<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[self.random.usize(..values.len())]
    }
}
