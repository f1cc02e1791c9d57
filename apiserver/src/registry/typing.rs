//! Objects of a target: their form, and their schemas.

use std::sync::{Arc, LazyLock};

use serde_json::Value;

use super::decodable;
use super::defaults;
use super::events::to_shown;
use super::models;
use super::rules::KeptByStatus;
use super::schema::Schema;
use super::subresource::Subresource;
use super::target::RequestTarget;
use crate::document::Members;
use crate::status::ApiError;
use crate::store::Stored;
use crate::typed::{Set, Types, compile_custom};

impl RequestTarget {
    /// Returns the schema of a custom resource, if its definition has one.
    pub(crate) fn schema(&self) -> Option<&Schema> {
        self.resource.version(&self.version)?.schema.as_ref()
    }

    /// Sets the defaults of the members that a client has written, and prunes a custom resource.
    /// With `keep_nulls`, a null of a custom resource stays if it has no default.
    pub(crate) fn complete(&self, members: &mut Members, keep_nulls: bool) {
        if let Some(schema) = self.schema() {
            schema.complete(members, keep_nulls);
        } else if !self.resource.custom {
            defaults::fill(&self.api_version(), &self.resource.kind, members);
        }
    }

    /// Rejects a custom resource that violates its schema.
    pub(crate) fn check_schema(&self, name: &str, members: &Members) -> Result<(), ApiError> {
        let violations = self.schema().map(|schema| schema.violations(members));
        ApiError::unless_valid(&self.resource, name, &violations.unwrap_or_default())
    }
}

impl RequestTarget {
    /// Returns the members of an object in the form of this target.
    pub(crate) fn members_of(&self, object: &Stored) -> Members {
        let mut members = object.members();
        to_shown(&self.resource.group, &mut members);
        members
    }

    /// Returns the document of an object in the form of this target.
    pub(crate) fn document_of(&self, object: &Stored) -> Value {
        let mut document = object.to_value(&self.resource.kind, &self.api_version());
        if let Value::Object(members) = &mut document {
            to_shown(&self.resource.group, members);
        }
        document
    }
}

impl RequestTarget {
    /// Returns the schema of a built-in kind.
    pub(crate) fn model(&self) -> Option<&'static Value> {
        if self.subresource == Subresource::Scale || self.resource.custom {
            return None;
        }
        models::of_kind(&self.api_version(), &self.resource.kind)
    }

    /// Returns the paths of fields in `members`, except in metadata, that the kind does not have.
    pub(crate) fn unknown_fields(&self, members: &Members) -> Vec<String> {
        if let Some(schema) = self.schema() {
            return schema.unknown_fields(members);
        }
        match self.model() {
            Some(model) => models::unknown_fields(members, model),
            None => Vec::new(),
        }
    }

    /// Returns the error of Go's decoder for members of a built-in kind, except for metadata.
    pub(crate) fn undecodable(&self, members: &Members) -> Option<String> {
        let model = self.model()?;
        decodable::problem(&self.resource.kind, members, model)
    }

    /// Returns the ownership types of the kind; `None` for a built-in kind without a schema.
    pub(crate) fn types(&self) -> Option<Arc<Types>> {
        /// Types of custom kinds without a schema.
        static OPEN: LazyLock<Arc<Types>> =
            LazyLock::new(|| Arc::new(compile_custom(None, true, &models::built_in)));
        let resource = &self.resource;
        if !resource.custom {
            return models::types(&self.api_version(), &resource.kind);
        }
        match &resource.version(&self.version)?.schema {
            Some(schema) => Some(schema.types()),
            None => Some(Arc::clone(&OPEN)),
        }
    }

    /// Returns the served versions of the kind, which are valid in managed fields.
    pub(crate) fn served(&self) -> Vec<String> {
        let mut served = Vec::new();
        for version in &self.resource.versions {
            served.push(self.resource.api_version(&version.name));
        }
        served
    }

    /// Returns the fields that this endpoint ignores.
    pub(crate) fn ignored(&self) -> Set {
        let mut ignored = Set::default();
        match self.subresource {
            Subresource::Status => {
                ignored.insert_fields(&["spec"]);
                match self.resource.rules.kept_by_status {
                    KeptByStatus::Nothing => {}
                    KeptByStatus::Field(field) => ignored.insert_fields(&["metadata", field]),
                    KeptByStatus::Metadata => ignored.insert_fields(&["metadata"]),
                }
            }
            Subresource::None if self.has_status() => ignored.insert_fields(&["status"]),
            Subresource::None | Subresource::Scale => {}
        }
        ignored
    }
}
