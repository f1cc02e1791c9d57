//! Formats the model of a kind as Rust text, as rustfmt does.

use std::fmt::Write;

use super::docs::comment;
use super::model::{Enum, Field, Item, Presence, Struct, Type};

/// Writes an item.
pub(super) fn item(text: &mut String, item: &Item, visibility: &str, runtime: &str) {
    match item {
        Item::Struct(structure) => {
            let derive = format!("#[derive({})]\n", derives(structure));
            self::structure(text, structure, visibility, &derive);
        }
        Item::Enum(texts) => enumeration(text, texts, visibility, runtime),
    }
}

/// Returns the derives of a struct.
pub(super) fn derives(structure: &Struct) -> String {
    let default = if structure.has_default {
        ", Default"
    } else {
        ""
    };
    format!("Serialize, Deserialize, Clone, Debug, PartialEq{default}")
}

/// Writes a struct with its attributes.
pub(super) fn structure(text: &mut String, structure: &Struct, visibility: &str, attributes: &str) {
    let name = &structure.name;
    comment(text, 0, &structure.docs, &format!("`{name}`."));
    text.push_str(attributes);
    if structure.fields.is_empty() && structure.rest.is_none() {
        let _ = writeln!(text, "{visibility} struct {name} {{}}");
        return;
    }
    let _ = writeln!(text, "{visibility} struct {name} {{");
    for field in &structure.fields {
        self::field(text, field, visibility);
    }
    rest(text, structure, visibility, "");
    text.push_str("}\n");
}

/// Writes a field with its attributes.
pub(super) fn field(text: &mut String, field: &Field, visibility: &str) {
    let Field { ident, json, .. } = field;
    comment(text, 4, &field.docs, &format!("`{json}`."));
    match field.presence {
        Presence::Required => {}
        Presence::Nullable | Presence::Defaulted => text.push_str("    #[serde(default)]\n"),
        Presence::Optional => {
            text.push_str("    #[serde(default, skip_serializing_if = \"Option::is_none\")]\n");
        }
    }
    if ident.trim_start_matches("r#") != json {
        let _ = writeln!(text, "    #[serde(rename = {json:?})]");
    }
    let value = name(&field.value);
    let value = match field.presence {
        Presence::Required | Presence::Defaulted => value,
        Presence::Nullable | Presence::Optional => format!("Option<{value}>"),
    };
    let _ = writeln!(text, "    {visibility} {ident}: {value},");
}

/// Writes the field for members that the schema does not name.
pub(super) fn rest(text: &mut String, structure: &Struct, visibility: &str, attribute: &str) {
    if let Some(rest) = &structure.rest {
        text.push_str("    /// Members that the schema does not name.\n");
        let _ = writeln!(text, "    #[serde(flatten{attribute})]");
        let _ = writeln!(
            text,
            "    {visibility} {rest}: BTreeMap<String, ::serde_json::Value>,"
        );
    }
}

/// Returns a type as text.
pub(super) fn name(value: &Type) -> String {
    match value {
        Type::Bool => "bool".to_owned(),
        Type::Number(name) => (*name).to_owned(),
        Type::Text => "String".to_owned(),
        Type::IntOrString => "IntOrString".to_owned(),
        Type::Any => "::serde_json::Value".to_owned(),
        Type::Condition => "Condition".to_owned(),
        Type::ObjectMeta => "ObjectMeta".to_owned(),
        Type::ObjectReference => "ObjectReference".to_owned(),
        Type::Struct(name) | Type::Enum(name) => name.clone(),
        Type::List(element) => format!("Vec<{}>", self::name(element)),
        Type::Map(value) => format!("BTreeMap<String, {}>", self::name(value)),
        Type::Nullable(value) => format!("Option<{}>", self::name(value)),
    }
}

/// Writes an enum with its strings, and its use as an index value.
fn enumeration(text: &mut String, texts: &Enum, visibility: &str, runtime: &str) {
    let name = &texts.name;
    comment(text, 0, &texts.docs, &format!("`{name}`."));
    text.push_str("#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n");
    let _ = writeln!(text, "{visibility} enum {name} {{");
    for variant in &texts.variants {
        let _ = writeln!(text, "    /// {}.", shown(&variant.json));
        if variant.ident != variant.json {
            let _ = writeln!(text, "    #[serde(rename = {:?})]", variant.json);
        }
        let _ = writeln!(text, "    {},", variant.ident);
    }
    let _ = writeln!(text, "}}\n\nimpl {name} {{");
    let _ = writeln!(text, "    /// All values, in the order of the schema.");
    let _ = writeln!(text, "    {visibility} const ALL: &[Self] = &[");
    for variant in &texts.variants {
        let _ = writeln!(text, "        Self::{},", variant.ident);
    }
    let _ = writeln!(
        text,
        "    ];\n\n    /// Returns the text of the value in JSON."
    );
    let _ = writeln!(text, "    #[must_use]");
    let _ = writeln!(
        text,
        "    {visibility} const fn as_str(self) -> &'static str {{"
    );
    let _ = writeln!(text, "        match self {{");
    for variant in &texts.variants {
        let _ = writeln!(
            text,
            "            Self::{} => {:?},",
            variant.ident, variant.json
        );
    }
    text.push_str("        }\n    }\n}\n\n");
    let _ = write!(
        text,
        "impl ::std::fmt::Display for {name} {{\n    \
             fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {{\n        \
                 f.pad(self.as_str())\n    \
             }}\n\
         }}\n\n\
         impl {runtime}::__private::AnyIndexValue for {name} {{\n    \
             fn parse(text: &str) -> Option<Self> {{\n        \
                 let mut all = Self::ALL.iter().copied();\n        \
                 all.find(|value| value.as_str() == text)\n    \
             }}\n\
         }}\n"
    );
}

/// Returns a string for documentation.
fn shown(json: &str) -> String {
    if json.trim().is_empty() {
        return "The empty string".to_owned();
    }
    let letters = json.chars().filter(|letter| !letter.is_control());
    format!("`{}`", letters.collect::<String>().replace('`', "'"))
}
