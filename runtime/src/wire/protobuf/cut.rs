//! [`DropFields`] in protobuf: paths become numbers, once for each kind.

use bytes::Bytes;
use serde::Deserialize as _;

use crate::wire::compiled::Compiled;
use crate::wire::drop_fields::DropFields;
use crate::wire::json;
use crate::wire::kind::Kind;

/// An object without fields.
#[derive(Debug)]
pub(in crate::wire) enum Shorter {
    /// It has none of them, or cannot be read: its decoder will say why.
    Same,
    Protobuf(Bytes),
    /// What is inside of JSON texts is cut in JSON.
    Json(Bytes),
}

/// The object without these fields.
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
