//! [`DropFields`] in protobuf: paths are compiled to field numbers, once for each kind.

use bytes::Bytes;
use serde::Deserialize as _;

use crate::wire::compiled::Compiled;
use crate::wire::drop_fields::DropFields;
use crate::wire::json;
use crate::wire::kind::Kind;

/// Result of cutting fields from an object.
#[derive(Debug)]
pub(in crate::wire) enum Shorter {
    /// The object has none of the fields, or is malformed; the decoder then reports the error.
    Same,
    Protobuf(Bytes),
    /// Fields inside JSON texts are cut in JSON.
    Json(Bytes),
}

/// Cuts these fields from the object.
pub(in crate::wire) fn shorten(
    kind: &'static Kind,
    object: &Bytes,
    fields: &DropFields,
) -> Shorter {
    fields.compiled(kind, |compiled| cut(compiled, object, fields))
}

fn cut(compiled: &Compiled, object: &Bytes, fields: &DropFields) -> Shorter {
    if compiled.is_inside_json
        && let Some(json) = cut_json(compiled, object, fields)
    {
        return Shorter::Json(json);
    }
    match compiled.cut.apply(object) {
        Ok(shorter) if shorter.len() < object.len() => Shorter::Protobuf(shorter),
        _ => Shorter::Same,
    }
}

fn cut_json(compiled: &Compiled, object: &[u8], fields: &DropFields) -> Option<Bytes> {
    let value = serde_json::Value::deserialize(compiled.kind.deserializer(object)).ok()?;
    let text = serde_json::to_vec(&value).ok()?;
    let ranges = json::cut::ranges(&text, fields.root()).ok()?;
    Some(json::cut::without(&text, &ranges).into())
}
