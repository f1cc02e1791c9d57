//! [`DropFields`] in protobuf: paths become numbers, once for each kind.

use bytes::Bytes;
use informer_protobuf::{Cut, Field, Message};
use serde::Deserialize as _;

use super::kind::Kind;
use crate::wire::drop_fields::DropFields;
use crate::wire::json;

/// Fields to be dropped of objects of one kind.
#[derive(Debug, Clone)]
pub(in crate::wire) struct Compiled {
    pub(in crate::wire) kind: &'static Kind,
    cut: Cut,
    /// Some are inside of JSON texts: schemas' defaults, and the data of revisions.
    is_inside_json: bool,
}

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
    fields.compiled(kind, |compiled| compiled.shorten(object, fields))
}

// === impl Compiled ===

impl Compiled {
    pub(in crate::wire) fn new(kind: &'static Kind, fields: &DropFields) -> Self {
        let mut cut = Cut::none(kind.message);
        let mut is_inside_json = false;
        for path in fields.paths() {
            let segments = path.segments();
            // What the kind does not have is dropped already.
            is_inside_json |= cut.add(segments).is_err() && is_inside_value(kind.message, segments);
        }
        Self {
            kind,
            cut,
            is_inside_json,
        }
    }

    fn shorten(&self, object: &Bytes, fields: &DropFields) -> Shorter {
        if self.is_inside_json
            && let Some(json) = self.shorten_json(object, fields)
        {
            return Shorter::Json(json);
        }
        match self.cut.apply(object) {
            Ok(shorter) if shorter.len() < object.len() => Shorter::Protobuf(shorter),
            _ => Shorter::Same,
        }
    }

    fn shorten_json(&self, object: &[u8], fields: &DropFields) -> Option<Bytes> {
        let value = serde_json::Value::deserialize(self.kind.deserializer(object)).ok()?;
        let text = serde_json::to_vec(&value).ok()?;
        let ranges = json::cut::ranges(&text, fields.root()).ok()?;
        Some(json::cut::without(&text, &ranges).into())
    }
}

/// Whether the path goes on inside of a field that is no message: a JSON text, or a scalar.
fn is_inside_value(message: Message, path: &[Box<str>]) -> bool {
    let Some((name, rest)) = path.split_first() else {
        return false;
    };
    let Some(field) = message.field(name) else {
        let inlined = message.fields().filter(|field| field.is_inline());
        return inlined
            .filter_map(Field::message)
            .any(|message| is_inside_value(message, path));
    };
    let rest = match rest {
        [_, rest @ ..] if field.is_map() => rest,
        rest => rest,
    };
    match field.message() {
        Some(message) => is_inside_value(message, rest),
        None => !rest.is_empty(),
    }
}
