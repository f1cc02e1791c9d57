//! The objects of a target: their form, and what schemas say of them.

#[cfg(feature = "openapi")]
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use super::defaults;
use super::forms::to_shown;
use super::schema::Schema;
use super::target::Target;
#[cfg(feature = "openapi")]
use super::{models, part::Part};
use crate::document::Members;
use crate::status::ApiError;
use crate::store::Stored;
#[cfg(feature = "openapi")]
use crate::typed::{Set, Types, compile_custom};

impl Target {
    /// That of a custom resource whose definition has one.
    pub(crate) fn schema(&self) -> Option<&Schema> {
        let version = self.resource.version(&self.version)?;
        version.schema.as_ref()
    }

    /// Fills in the defaults of what a client has written, and prunes a custom resource. With
    /// `keep_nulls` a null of one stays where there is no default.
    pub(crate) fn complete(&self, members: &mut Members, keep_nulls: bool) {
        if let Some(schema) = self.schema() {
            schema.complete(members, keep_nulls);
        } else if !self.resource.custom {
            defaults::fill(&self.api_version(), &self.resource.kind, members);
        }
    }

    /// Refuses what breaks the schema of a custom resource.
    pub(crate) fn check_schema(&self, name: &str, members: &Members) -> Result<(), ApiError> {
        let violations = self
            .schema()
            .map(|schema| schema.violations(members))
            .unwrap_or_default();
        if violations.is_empty() {
            Ok(())
        } else {
            Err(ApiError::invalid(&self.resource, name, &violations))
        }
    }
}

impl Target {
    /// The members of an object in the form of this target.
    pub(crate) fn members_of(&self, object: &Stored) -> Members {
        let mut members = object.members();
        to_shown(&self.resource.group, &mut members);
        members
    }

    /// The document of an object in the form of this target.
    pub(crate) fn document_of(&self, object: &Stored) -> Value {
        let mut document = object.to_value(&self.resource.kind, &self.api_version());
        if let Value::Object(members) = &mut document {
            to_shown(&self.resource.group, members);
        }
        document
    }
}

#[cfg(feature = "openapi")]
impl Target {
    /// What the schema of the kind says of its fields. Nothing for a built-in kind of which there is
    /// no schema.
    pub(crate) fn types(&self) -> Option<Arc<Types>> {
        /// Of custom kinds without a schema.
        static OPEN: LazyLock<Arc<Types>> =
            LazyLock::new(|| Arc::new(compile_custom(None, true, &models::built_in)));
        let resource = &self.resource;
        if !resource.custom {
            return models::types(&self.api_version(), &resource.kind);
        }
        let schema = resource.version(&self.version)?.schema.as_ref();
        Some(schema.map_or_else(|| Arc::clone(&OPEN), Schema::types))
    }

    /// The versions in which the kind is served: those that managers may name.
    pub(crate) fn served(&self) -> Vec<String> {
        let versions = self.resource.versions.iter();
        versions
            .map(|version| self.resource.api_version(&version.name))
            .collect()
    }

    /// What this endpoint leaves alone.
    pub(crate) fn ignored(&self) -> Set {
        match self.part {
            Part::Status => Set::of_fields(&[&["metadata"], &["spec"]]),
            Part::Object if self.has_status() => Set::of_fields(&[&["status"]]),
            Part::Object | Part::Scale | Part::Binding | Part::Eviction | Part::Token => {
                Set::default()
            }
        }
    }
}
