//! Label, field and shard selectors, evaluated on stored objects.
//!
//! A missing field compares as the empty string; numbers and booleans compare in their printed
//! form.

mod fields;
mod labels;
mod shard;
mod term;

use http::StatusCode;

pub(crate) use self::shard::Shard;
use self::term::{FieldTerm, LabelTerm, Test};
use crate::api::query::Query;
use crate::registry::events::stored_path;
use crate::registry::target::RequestTarget;
use crate::status::ApiError;
use crate::store::Stored;

/// Conditions of one list or watch.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selector {
    labels: Vec<LabelTerm>,
    fields: Vec<FieldTerm>,
    /// Always `None` unless
    /// [`Builder::sharded_list_and_watch`](crate::Builder::sharded_list_and_watch) is set.
    shard: Option<Shard>,
}

// === impl Selector ===

impl Selector {
    /// Parses `labelSelector` and `fieldSelector`.
    pub(crate) fn parse(labels: &str, fields: &str) -> Result<Self, ApiError> {
        Ok(Self {
            labels: labels::parse(labels).map_err(ApiError::bad_request)?,
            fields: fields::parse(fields).map_err(ApiError::bad_request)?,
            shard: None,
        })
    }

    /// Adds the `shardSelector` of `query` if `is_known`, that is, if the feature is enabled.
    pub(crate) fn with_shard(mut self, query: &Query, is_known: bool) -> Result<Self, ApiError> {
        let text = query.get("shardSelector");
        if !is_known || text.is_empty() {
            return Ok(self);
        }
        match Shard::parse(text) {
            Ok(shard) => {
                self.shard = Some(shard);
                Ok(self)
            }
            Err(error) => {
                // In the real server, too, this is an internal error and not a bad request.
                let message = format!("invalid shard selector: {error}");
                Err(ApiError::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "",
                    message,
                ))
            }
        }
    }

    /// Returns the shard, which a list reports in `shardInfo`.
    pub(crate) fn shard(&self) -> Option<&Shard> {
        self.shard.as_ref()
    }

    /// Returns the only name that the field selector permits, if it requires one.
    pub(crate) fn required_name(&self) -> Option<&str> {
        for term in &self.fields {
            if term.equal && term.path == ["metadata", "name"] {
                return Some(&term.value);
            }
        }
        None
    }

    /// Rejects fields that the target's objects cannot be selected by.
    pub(crate) fn check(&self, target: &RequestTarget) -> Result<(), ApiError> {
        fields::check(&target.resource, &target.version, &self.fields)
    }

    /// Returns the same selector with the field paths of stored objects, which differ from those of
    /// `target` for some versions.
    pub(crate) fn of_stored(&self, target: &RequestTarget) -> Self {
        let mut stored = self.clone();
        for term in &mut stored.fields {
            stored_path(&target.resource.group, &mut term.path);
        }
        stored
    }

    pub(crate) fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty() && self.shard.is_none()
    }

    pub(crate) fn matches(&self, object: &Stored) -> bool {
        for term in &self.labels {
            let value = object.header.label(&term.key);
            if !term.test.accepts(value) {
                return false;
            }
        }
        for term in &self.fields {
            if !term.accepts(object) {
                return false;
            }
        }
        match &self.shard {
            Some(shard) => shard.matches(object),
            None => true,
        }
    }
}

impl Test {
    fn accepts(&self, value: Option<&str>) -> bool {
        let Some(value) = value else {
            return matches!(self, Self::Absent | Self::NotIn(_));
        };
        match self {
            Self::In(values) => values.iter().any(|wanted| wanted == value),
            Self::NotIn(values) => !values.iter().any(|unwanted| unwanted == value),
            Self::Exists => true,
            Self::Absent => false,
            Self::Above(limit) => value.parse::<i64>().is_ok_and(|number| number > *limit),
            Self::Below(limit) => value.parse::<i64>().is_ok_and(|number| number < *limit),
        }
    }
}

impl FieldTerm {
    fn accepts(&self, object: &Stored) -> bool {
        // The key of an object takes precedence over the name in an injected document.
        let is_equal = match self.path.as_slice() {
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
        is_equal == self.equal
    }
}

/// Returns the printed form of a missing field: the zero value of its type.
fn unset(path: &[String]) -> &'static str {
    match path.last().map(String::as_str) {
        Some("hostNetwork" | "unschedulable") => "false",
        Some("successful") => "0",
        _ => "",
    }
}

#[cfg(test)]
mod tests;
