//! Requested form of a response.

use super::call::HttpCall;
use crate::http::negotiate::{AnswerForm, Encoding, form};
use crate::http::protobuf::Kind;
use crate::http::view::View;
use crate::kubectl::PrintedTable;
use crate::registry::target::RequestTarget;
use crate::status::ApiError;

/// Form and view that a client requests.
#[derive(Debug)]
pub(super) struct Wanted {
    form: AnswerForm,
    pub(super) view: View,
}

// === impl Wanted ===

impl Wanted {
    pub(super) fn of(target: &RequestTarget, call: &HttpCall) -> Result<Self, ApiError> {
        let name = &target.resource.kind;
        let api_version = target.api_version();
        let kind = if target.resource.custom {
            None
        } else {
            Kind::of(&api_version, name)
        };
        let (form, encoding) = form(&call.headers, kind.is_some())?;
        let if_requested = |kind: Option<Kind>| match encoding {
            Encoding::Protobuf => kind,
            Encoding::Json => None,
        };
        let view = match form {
            AnswerForm::Full => View::full(name, &api_version).in_protobuf(if_requested(kind)),
            AnswerForm::Metadata | AnswerForm::MetadataList => {
                View::partial().in_protobuf(if_requested(Kind::partial()))
            }
            AnswerForm::Table => table(target, call.query.get("includeObject"))?,
        };
        Ok(Self { form, view })
    }

    /// Returns the view of one object.
    pub(super) fn of_object(&self) -> Result<&View, ApiError> {
        if self.form == AnswerForm::MetadataList {
            let reason =
                "you requested PartialObjectMetadataList, but the requested object is not a list";
            return Err(ApiError::not_acceptable(reason));
        }
        Ok(&self.view)
    }

    /// Returns the view of a list.
    pub(super) fn of_list(self) -> Result<View, ApiError> {
        if self.form == AnswerForm::Metadata {
            let reason = "you requested PartialObjectMetadata, but the requested object is a list";
            return Err(ApiError::not_acceptable(reason));
        }
        Ok(self.view)
    }

    /// Reports whether the form can show single objects, as a watch requires.
    pub(super) fn is_of_objects(&self) -> bool {
        self.form != AnswerForm::MetadataList
    }
}

/// Returns the view of a table, whose rows include the object as `includeObject` requests.
fn table(target: &RequestTarget, include: &str) -> Result<View, ApiError> {
    if !matches!(include, "" | "None" | "Metadata" | "Object") {
        return Err(ApiError::bad_request(format!(
            "Unable to convert to Table as requested: includeObject: Invalid value: \
             {include:?}: must be 'Metadata', 'Object', 'None', or empty"
        )));
    }
    let table = PrintedTable::new(&target.resource, &target.version, include);
    Ok(View::table(table))
}
