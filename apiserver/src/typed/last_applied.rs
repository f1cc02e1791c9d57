//! Annotation of client-side `kubectl apply`, for objects from before server-side apply.
//!
//! Client-side apply stores the applied object in an annotation; for the server, it is an update.
//! To support the migration to `kubectl apply --server-side`, the manager `kubectl` (and no other)
//! also takes over the fields in the annotation, and keeps the annotation up to date.

use serde_json::{Map, Value};

use super::compare::Comparison;
use super::context::Context;
use super::set::Set;
use crate::document::str_of;

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The manager that this applies to.
const KUBECTL: &str = "kubectl";

/// Maximum size of all annotations of an object, in bytes.
const MAX_ANNOTATIONS: usize = 256 * 1024;

/// Returns the fields that the manager takes from others without force: those whose values in
/// `live` equal the ones that were applied last.
pub(super) fn taken_over(context: &Context<'_>, live: &Value) -> Set {
    unchanged(context, live).unwrap_or_default()
}

/// Returns the fields of the last applied document that are the same in `live`; `None` if the
/// documents cannot be compared.
fn unchanged(context: &Context<'_>, live: &Value) -> Option<Set> {
    let last: Value = serde_json::from_str(annotation(context, live)?).ok()?;
    let before = last.as_object()?;
    let now = live.as_object()?;
    for field in ["kind", "apiVersion"] {
        if before.get(field)? != now.get(field)? {
            return None;
        }
    }
    let types = context.types;
    types.check(&last, false).ok()?;
    types.check(live, false).ok()?;
    let changes = Comparison::of(types, before, now);
    let same = types
        .fields(&last)
        .difference(&changes.modified)
        .difference(&changes.added)
        .difference(&changes.removed);
    Some(same)
}

/// Updates the annotation of `document`, if it has one, to the document `applied`.
pub(super) fn renew(context: &Context<'_>, document: &mut Value, applied: &Value) {
    if annotation(context, document).is_none() {
        return;
    }
    let mut shown = applied.clone();
    if let Some(annotations) = annotations_mut(&mut shown) {
        annotations.remove(ANNOTATION);
    }
    let Some(annotations) = annotations_mut(document) else {
        return;
    };
    annotations.insert(ANNOTATION.to_owned(), encoded(&shown).into());
    let mut size = 0;
    for (name, value) in &*annotations {
        size += name.len() + str_of(Some(value)).len();
    }
    if size > MAX_ANNOTATIONS {
        annotations.remove(ANNOTATION);
    }
}

/// Returns the annotation, if it exists and the manager is `kubectl`.
fn annotation<'a>(context: &Context<'_>, document: &'a Value) -> Option<&'a str> {
    let annotations = document.get("metadata")?.get("annotations")?;
    let last = annotations.get(ANNOTATION)?.as_str()?;
    if context.manager != KUBECTL || last.is_empty() {
        return None;
    }
    Some(last)
}

fn annotations_mut(document: &mut Value) -> Option<&mut Map<String, Value>> {
    document
        .get_mut("metadata")?
        .get_mut("annotations")?
        .as_object_mut()
}

/// Encodes JSON as Go does, with HTML characters escaped and a final newline.
fn encoded(document: &Value) -> String {
    let mut text = document
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    text.push('\n');
    text
}
