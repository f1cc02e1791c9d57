//! Relations in the configuration file: tables with settings.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};

use crate::relation::{Declaration, Relation, Verb};

/// Relation as a table with settings. An owned kind may be a string.
#[derive(Debug)]
pub(super) struct RelationEntry<T>(pub(super) T);

struct RelationVisitor<T>(PhantomData<T>);

// === impl RelationEntry ===

impl<'de, T: Declaration> Deserialize<'de> for RelationEntry<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RelationVisitor(PhantomData))
    }
}

impl<'de, T: Declaration> Visitor<'de> for RelationVisitor<T> {
    type Value = RelationEntry<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match T::VERB {
            Verb::Owns => "a kind such as \"apps/v1/Deployment\", or a table such as { to = \"apps/v1/Deployment\" }",
            Verb::References | Verb::Selects => {
                "a table such as { to = \"v1/Secret\", path = \"spec.secretName\" }"
            }
        })
    }

    fn visit_str<E: serde::de::Error>(self, kind: &str) -> Result<RelationEntry<T>, E> {
        match T::VERB {
            Verb::Owns => Ok(RelationEntry(T::new(Relation::new(T::VERB, kind)))),
            Verb::References | Verb::Selects => {
                let found = serde::de::Unexpected::Str(kind);
                Err(E::invalid_type(found, &self))
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RelationEntry<T>, A::Error> {
        let mut relation = Relation::new(T::VERB, "");
        while let Some((name, value)) = map.next_entry::<String, String>()? {
            if name == "to" {
                relation.target = value;
            } else {
                relation.set(&name, &value).map_err(A::Error::custom)?;
            }
        }
        if relation.target.is_empty() {
            return Err(A::Error::custom(format!(
                "`{}` needs the related kind, as in `to = \"v1/Secret\"`",
                T::VERB.name()
            )));
        }
        Ok(RelationEntry(T::new(relation)))
    }
}
