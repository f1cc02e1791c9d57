//! Indices in the configuration file: a path, or a table with settings.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};

use crate::index::Index;

/// Index as a path, or as a table with settings.
#[derive(Debug)]
pub(super) struct IndexEntry(pub(super) Index);

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Settings {
    path: Option<String>,
    rust_path: Option<String>,
    label: Option<String>,
    annotation: Option<String>,
    owner: Option<Owner>,
    with: Option<String>,
    name: Option<String>,
    value: Option<String>,
    unique: bool,
}

/// Owner of an index: `true`, or a kind.
#[derive(Debug, serde::Deserialize)]
#[serde(
    untagged,
    expecting = "`owner` must be `true` or a kind such as \"apps/v1/Deployment\""
)]
enum Owner {
    Any(MustBeTrue),
    Of(String),
}

#[derive(Debug, serde::Deserialize)]
#[serde(try_from = "bool")]
struct MustBeTrue;

impl TryFrom<bool> for MustBeTrue {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, Self::Error> {
        value.then_some(Self).ok_or("must be true")
    }
}

// === impl IndexEntry ===

impl<'de> Deserialize<'de> for IndexEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IndexVisitor)
    }
}

struct IndexVisitor;

impl<'de> Visitor<'de> for IndexVisitor {
    type Value = IndexEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path such as \"spec.nodeName\", or a table such as { label = \"app\" }")
    }

    fn visit_str<E>(self, path: &str) -> Result<IndexEntry, E> {
        Ok(IndexEntry(Index::path(path)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<IndexEntry, A::Error> {
        let settings = Settings::deserialize(MapAccessDeserializer::new(map))?;
        settings
            .into_index()
            .map(IndexEntry)
            .map_err(A::Error::custom)
    }
}

// === impl Settings ===

impl Settings {
    fn into_index(self) -> Result<Index, &'static str> {
        let owner = self.owner.map(|owner| match owner {
            Owner::Any(_) => Index::owner(),
            Owner::Of(kind) => Index::owner_of(&kind),
        });
        let all = [
            self.path.as_deref().map(Index::path),
            self.rust_path.as_deref().map(Index::rust_path),
            self.label.as_deref().map(Index::label),
            self.annotation.as_deref().map(Index::annotation),
            owner,
            self.with.as_deref().map(Index::with),
        ];
        let mut given = all.into_iter().flatten();
        let (Some(mut index), None) = (given.next(), given.next()) else {
            return Err(
                "an index needs exactly one of `path`, `rust-path`, `label`, `annotation`, `owner` and \
                 `with`",
            );
        };
        if let Some(name) = self.name {
            index = index.named(&name);
        }
        if let Some(value) = self.value {
            index = index.value(&value);
        }
        Ok(if self.unique { index.unique() } else { index })
    }
}
