//! Reads the JSON names of fields and variants from `#[serde(...)]`.
//!
//! The names are those for deserialization, where serde distinguishes the two directions. serde
//! reports mistakes.

use informer_codegen::declaration::entry::{self, Entry};
use syn::{Attribute, Meta};

/// `#[serde(rename_all = "...")]`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum RenameRule {
    /// The name in Rust.
    #[default]
    None,
    /// `lowercase`.
    Lower,
    /// `UPPERCASE`.
    Upper,
    /// `PascalCase`.
    Pascal,
    /// `camelCase`.
    Camel,
    /// `snake_case`.
    Snake,
    /// `SCREAMING_SNAKE_CASE`.
    ScreamingSnake,
    /// `kebab-case`.
    Kebab,
    /// `SCREAMING-KEBAB-CASE`.
    ScreamingKebab,
}

/// Names in `#[serde(...)]` of a variant.
#[derive(Default)]
pub(crate) struct VariantAttrs {
    /// `rename = "..."`.
    pub(crate) rename: Option<String>,
    /// Each `alias = "..."`.
    pub(crate) aliases: Vec<String>,
}

/// `#[serde(...)]` of a field.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    /// `rename = "..."`.
    pub(crate) rename: Option<String>,
    /// `flatten`.
    pub(crate) flatten: bool,
    /// `skip` or `skip_deserializing`.
    pub(crate) skip: bool,
    /// `true` if the value may differ from the value in JSON: `default`, `alias`, `with`,
    /// `deserialize_with`.
    pub(crate) computed: bool,
}

// === impl RenameRule ===

impl RenameRule {
    /// Reads the rule of a struct.
    pub(crate) fn read(attrs: &[Attribute]) -> Self {
        entries(attrs)
            .filter(|entry| entry.key() == "rename_all")
            .find_map(|entry| name(&entry))
            .map(|name| Self::parse(&name))
            .unwrap_or_default()
    }

    fn parse(name: &str) -> Self {
        match name {
            "lowercase" => Self::Lower,
            "UPPERCASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "snake_case" => Self::Snake,
            "SCREAMING_SNAKE_CASE" => Self::ScreamingSnake,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::ScreamingKebab,
            _ => Self::None,
        }
    }

    /// Returns the JSON name of the field `field`, by the rules of `serde_derive`.
    pub(crate) fn apply_to_field(self, field: &str) -> String {
        match self {
            Self::None | Self::Lower | Self::Snake => field.to_owned(),
            Self::Upper | Self::ScreamingSnake => field.to_ascii_uppercase(),
            Self::Pascal => pascal(field),
            Self::Camel => uncapitalized(pascal(field)),
            Self::Kebab => field.replace('_', "-"),
            Self::ScreamingKebab => field.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// Returns the JSON name of the variant `variant`, by the rules of `serde_derive`.
    pub(crate) fn apply_to_variant(self, variant: &str) -> String {
        match self {
            Self::None | Self::Pascal => variant.to_owned(),
            Self::Lower => variant.to_ascii_lowercase(),
            Self::Upper => variant.to_ascii_uppercase(),
            Self::Camel => uncapitalized(variant.to_owned()),
            Self::Snake => snake(variant),
            Self::ScreamingSnake => snake(variant).to_ascii_uppercase(),
            Self::Kebab => snake(variant).replace('_', "-"),
            Self::ScreamingKebab => snake(variant).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

/// Returns the key, if any, that makes serde read something other than the fields of a struct.
pub(crate) fn reads_other(attrs: &[Attribute]) -> Option<String> {
    entries(attrs).find_map(|entry| match entry.key() {
        key @ ("from" | "try_from" | "remote") => Some(format!("{key} = \"..\"")),
        key @ "transparent" => Some(key.to_owned()),
        _ => None,
    })
}

/// Reports whether missing fields of a struct have default values.
pub(crate) fn has_default(attrs: &[Attribute]) -> bool {
    entries(attrs).any(|entry| entry.key() == "default")
}

fn uncapitalized(mut name: String) -> String {
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    name
}

fn snake(variant: &str) -> String {
    let mut name = String::with_capacity(variant.len());
    for (position, letter) in variant.char_indices() {
        if position > 0 && letter.is_uppercase() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

fn pascal(field: &str) -> String {
    let mut name = String::with_capacity(field.len());
    let mut start = true;
    for c in field.chars() {
        if c == '_' {
            start = true;
        } else if start {
            name.push(c.to_ascii_uppercase());
            start = false;
        } else {
            name.push(c);
        }
    }
    name
}

// === impl FieldAttrs ===

impl FieldAttrs {
    /// Reads the attributes of a field.
    pub(crate) fn read(attrs: &[Attribute]) -> Self {
        let mut all = Self::default();
        for entry in entries(attrs) {
            match entry.key() {
                "rename" => all.rename = name(&entry),
                "flatten" => all.flatten = true,
                "skip" | "skip_deserializing" => all.skip = true,
                "default" | "alias" | "with" | "deserialize_with" => all.computed = true,
                _ => {}
            }
        }
        all
    }
}

// === impl VariantAttrs ===

impl VariantAttrs {
    /// Reads the attributes of a variant.
    pub(crate) fn read(attrs: &[Attribute]) -> Self {
        let mut all = Self::default();
        for entry in entries(attrs) {
            match entry.key() {
                "rename" => all.rename = name(&entry),
                "alias" => all.aliases.extend(name(&entry)),
                _ => {}
            }
        }
        all
    }
}

fn entries(attrs: &[Attribute]) -> impl Iterator<Item = Entry> {
    attrs
        .iter()
        .filter(|attr| attr.path().is_ident("serde"))
        .flat_map(|attr| match &attr.meta {
            Meta::List(list) => entry::entries(list.tokens.clone()),
            Meta::Path(_) | Meta::NameValue(_) => Vec::new(),
        })
}

/// Returns the string of `key = "text"`, or of `deserialize` in `key(serialize = "..", deserialize
/// = "..")`.
fn name(entry: &Entry) -> Option<String> {
    let text = match entry.list() {
        Some(list) => entry::entries(list)
            .iter()
            .find(|direction| direction.key() == "deserialize")?
            .try_string()?,
        None => entry.try_string()?,
    };
    Some(text.value())
}
