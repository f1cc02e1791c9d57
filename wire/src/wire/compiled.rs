//! [`Compiled`]: field paths compiled to field numbers, for objects in protobuf of one kind.

use informer_protobuf::{Cut, Field, Message};

use super::field_path::FieldPath;
use super::kind::Kind;

/// Fields to drop from objects of one kind.
#[derive(Debug, Clone)]
pub(super) struct Compiled {
    pub(super) kind: &'static Kind,
    pub(super) cut: Cut,
    /// `true` if a path continues inside a JSON text, such as a default in a schema or the data of
    /// a `ControllerRevision`.
    pub(super) is_inside_json: bool,
}

// === impl Compiled ===

impl Compiled {
    pub(super) fn new(kind: &'static Kind, paths: &[FieldPath]) -> Self {
        let mut cut = Cut::none(kind.message);
        let mut is_inside_json = false;
        for path in paths {
            let segments = path.segments();
            // A field that the kind does not have needs no cut.
            is_inside_json |= cut.add(segments).is_err() && is_inside_value(kind.message, segments);
        }
        Self {
            kind,
            cut,
            is_inside_json,
        }
    }
}

/// Returns `true` if the path continues inside a field that is not a message: a JSON text, or a
/// scalar.
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
