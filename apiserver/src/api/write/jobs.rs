//! Selector of a Job, which the server derives from the Job's uid.

use serde_json::{Map, Value, json};

use crate::document::{Members, metadata_str};
use crate::registry::Resource;

/// Label that the selector matches.
const UID: &str = "batch.kubernetes.io/controller-uid";
const NAME: &str = "batch.kubernetes.io/job-name";
/// Former names of both labels.
const OLD_UID: &str = "controller-uid";
const OLD_NAME: &str = "job-name";

/// Sets the selector of a new Job and the labels of its Pods, unless the Job has its own selector.
pub(super) fn add_selector(resource: &Resource, members: &mut Members) {
    if !resource.is("batch", "jobs") {
        return;
    }
    let (uid, name) = (
        metadata_str(members, "uid").to_owned(),
        metadata_str(members, "name").to_owned(),
    );
    let Some(Value::Object(spec)) = members.get_mut("spec") else {
        return;
    };
    if spec.get("manualSelector") == Some(&Value::Bool(true)) {
        return;
    }
    let Some(labels) = object(spec, "template")
        .and_then(|template| object(template, "metadata"))
        .and_then(|metadata| object(metadata, "labels"))
    else {
        return;
    };
    if !labels.contains_key(OLD_NAME) {
        for (label, value) in [
            (OLD_NAME, &name),
            (NAME, &name),
            (OLD_UID, &uid),
            (UID, &uid),
        ] {
            labels.insert(label.to_owned(), json!(value));
        }
    }
    let labels = labels.clone();
    if let Some(wanted) =
        object(spec, "selector").and_then(|selector| object(selector, "matchLabels"))
    {
        wanted.entry(UID).or_insert_with(|| json!(uid));
    }
    if let Some(metadata) = object(members, "metadata") {
        metadata.entry("labels").or_insert(Value::Object(labels));
    }
}

/// Returns the object at `field`, creating it if the field is missing or null.
fn object<'a>(
    members: &'a mut Map<String, Value>,
    field: &str,
) -> Option<&'a mut Map<String, Value>> {
    let value = members.entry(field).or_insert(Value::Null);
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}
