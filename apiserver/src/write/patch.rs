//! Patching: JSON merge patch, JSON patch and, for built-in kinds, strategic merge patch.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{WriteOptions, strategic};
use crate::route::Target;
use crate::state::State;
use crate::status::ApiError;
use crate::store::Stored;

/// A decoded patch.
#[derive(Debug)]
pub(crate) enum Patch {
    /// `application/merge-patch+json`
    Merge(Value),
    /// `application/strategic-merge-patch+json`
    Strategic(Value),
    /// `application/json-patch+json`
    Json(json_patch::Patch),
}

// === impl Patch ===

impl Patch {
    /// Decodes by content type. Apply patches are refused: nobody keeps track of who owns which
    /// field. Strategic merge patches are for built-in kinds alone, as in the real server.
    pub(crate) fn parse(content_type: &str, body: &[u8], custom: bool) -> Result<Self, ApiError> {
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        let malformed = |error: serde_json::Error| {
            ApiError::bad_request(format!("error decoding patch: {error}"))
        };
        match media_type {
            "application/merge-patch+json" => serde_json::from_slice(body)
                .map(Self::Merge)
                .map_err(malformed),
            "application/strategic-merge-patch+json" if !custom => serde_json::from_slice(body)
                .map(Self::Strategic)
                .map_err(malformed),
            "application/json-patch+json" => serde_json::from_slice(body)
                .map(Self::Json)
                .map_err(malformed),
            other => Err(ApiError::unsupported_media_type(format!(
                "the body of the request was in an unknown format ({other}) - accepted media types \
                 include: application/json-patch+json, application/merge-patch+json{}; this test \
                 server does not serve server-side apply",
                if custom {
                    ""
                } else {
                    ", application/strategic-merge-patch+json"
                }
            ))),
        }
    }

    pub(crate) fn apply(&self, target: &Target, document: &mut Value) -> Result<(), ApiError> {
        match self {
            Self::Merge(patch) => {
                if !patch.is_object() {
                    return Err(ApiError::bad_request("a merge patch must be a JSON object"));
                }
                json_patch::merge(document, patch);
                Ok(())
            }
            Self::Strategic(patch) => strategic::apply(document, patch),
            Self::Json(patch) => json_patch::patch(document, patch).map_err(|error| {
                tracing::debug!(name = %target.name, %error, "JSON patch does not apply");
                ApiError::new(
                    http::StatusCode::UNPROCESSABLE_ENTITY,
                    "Invalid",
                    format!(
                        "the server rejected our request due to an error in our request: {error}"
                    ),
                )
            }),
        }
    }
}

impl State {
    /// Applies `patch` to the object (or the status) that `target` names.
    ///
    /// A resourceVersion or uid that the patch sets is a precondition.
    pub(crate) fn patch(
        &mut self,
        target: &Target,
        patch: &Patch,
        options: WriteOptions,
    ) -> Result<Arc<Stored>, ApiError> {
        self.current(target)?;
        let current = self.get(target)?;
        let mut document = current.to_value(&target.resource.kind, &target.api_version());
        let revision = current.revision;
        patch.apply(target, &mut document)?;
        // A patch that removes the version asks for no check, which is what the current one does.
        if let Some(Value::Object(metadata)) = document.get_mut("metadata") {
            metadata
                .entry("resourceVersion")
                .or_insert_with(|| json!(revision.to_string()));
        }
        self.update(target, document, options)
    }
}
