//! Label, field and shard selectors, evaluated on stored objects.
//!
//! A path that leads nowhere is the empty string, and numbers and booleans compare as they print.

mod fields;
mod labels;
mod shard;
mod term;

use http::StatusCode;

pub(crate) use self::shard::Shard;
use self::term::{FieldTerm, LabelTerm, Test};
use crate::api::query::Query;
use crate::registry::forms::stored_path;
use crate::registry::target::Target;
use crate::status::ApiError;
use crate::store::Stored;

/// The conditions of one list or watch.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selector {
    labels: Vec<LabelTerm>,
    fields: Vec<FieldTerm>,
    /// Behind a switch, so none in most servers.
    shard: Option<Shard>,
}

// === impl Selector ===

impl Selector {
    /// Parses `labelSelector` and `fieldSelector`.
    pub(crate) fn parse(labels: &str, fields: &str) -> Result<Self, ApiError> {
        let labels = labels::parse(labels).map_err(ApiError::bad_request)?;
        let fields = fields::parse(fields).map_err(ApiError::bad_request)?;
        Ok(Self {
            labels,
            fields,
            shard: None,
        })
    }

    /// Adds the `shardSelector` of `query`, if the server knows of it.
    pub(crate) fn with_shard(mut self, query: &Query, is_known: bool) -> Result<Self, ApiError> {
        let text = query.get("shardSelector");
        if is_known && !text.is_empty() {
            // Not a bad request but an internal error, in the real server too.
            let refused = |why| {
                let message = format!("invalid shard selector: {why}");
                ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "", message)
            };
            self.shard = Some(Shard::parse(text).map_err(refused)?);
        }
        Ok(self)
    }

    /// What a list says about the part of the objects that it is.
    pub(crate) fn shard(&self) -> Option<&Shard> {
        self.shard.as_ref()
    }

    /// Refuses fields that the target's objects cannot be selected by.
    pub(crate) fn check(&self, target: &Target) -> Result<(), ApiError> {
        fields::check(&target.resource, &target.version, &self.fields)
    }

    /// The same of objects as they are stored, for what `target` names otherwise.
    pub(crate) fn of_stored(&self, target: &Target) -> Self {
        let mut stored = self.clone();
        for term in &mut stored.fields {
            stored_path(&target.resource.group, &mut term.path);
        }
        stored
    }

    /// The part of it that the real server turns into a key or, if `indexed`, finds in an index.
    pub(crate) fn looked_up(&self, target: &Target, indexed: bool) -> Self {
        let exact = self.fields.iter().filter(|term| term.equal);
        let is_of_one = !target.resource.namespaced
            || !target.namespace.is_empty()
            || exact
                .clone()
                .any(|term| term.path == ["metadata", "namespace"]);
        let fields = exact.filter(|term| match term.path.join(".").as_str() {
            "metadata.namespace" => true,
            "metadata.name" => is_of_one,
            field => indexed && fields::is_indexed(&target.resource, field),
        });
        Self {
            fields: fields.cloned().collect(),
            ..Self::default()
        }
    }

    pub(crate) fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty() && self.shard.is_none()
    }

    pub(crate) fn matches(&self, object: &Stored) -> bool {
        if self.is_everything() {
            return true;
        }
        let mut labels = self.labels.iter();
        let mut fields = self.fields.iter();
        labels.all(|term| term.test.accepts(object.header.label(&term.key)))
            && fields.all(|term| term.accepts(object))
            && self
                .shard
                .as_ref()
                .is_none_or(|shard| shard.matches(object))
    }
}

impl Test {
    fn accepts(&self, value: Option<&str>) -> bool {
        let number = || value?.parse::<i64>().ok();
        match self {
            Self::In(values) => value.is_some_and(|v| values.iter().any(|wanted| wanted == v)),
            Self::NotIn(values) => !value.is_some_and(|v| values.iter().any(|not| not == v)),
            Self::Exists => value.is_some(),
            Self::Absent => value.is_none(),
            Self::Above(limit) => number().is_some_and(|n| n > *limit),
            Self::Below(limit) => number().is_some_and(|n| n < *limit),
        }
    }
}

impl FieldTerm {
    fn accepts(&self, object: &Stored) -> bool {
        // An object's identity holds even where an injected document says otherwise.
        let is_wanted = match self.path.as_slice() {
            [metadata, name] if metadata == "metadata" && name == "name" => {
                object.name == self.value
            }
            [metadata, namespace] if metadata == "metadata" && namespace == "namespace" => {
                object.namespace == self.value
            }
            path => object.with_field(path, |found| {
                found.unwrap_or_else(|| unset(path)) == self.value
            }),
        };
        is_wanted == self.equal
    }
}

/// What a field prints as that is not there: the zero of its type.
fn unset(path: &[String]) -> &'static str {
    match path.last().map(String::as_str) {
        Some("hostNetwork" | "unschedulable") => "false",
        Some("successful") => "0",
        _ => "",
    }
}

#[cfg(test)]
mod tests;
