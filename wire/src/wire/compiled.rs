//! [`Compiled`]: fields to drop, compiled to field numbers, for objects in protobuf of one kind.

use informer_protobuf::{Cut, Message};

use super::actions::{Actions, FieldAction};
use super::kind::Kind;

/// Fields to drop from objects of one kind.
#[derive(Debug, Clone)]
pub(super) struct Compiled {
    pub(super) kind: &'static Kind,
    pub(super) cut: Cut,
    /// `true` if the fields have to be cut in JSON: a path continues inside a JSON text, such as a
    /// default in a schema or the data of a `ControllerRevision`, or names the keys to keep of a map.
    pub(super) is_inside_json: bool,
}

// === impl Compiled ===

impl Compiled {
    pub(super) fn new(kind: &'static Kind, root: &Actions) -> Self {
        let mut compiled = Self {
            kind,
            cut: Cut::none(kind.message),
            is_inside_json: false,
        };
        compiled.message(kind.message, root, &mut Vec::new());
        compiled
    }

    /// Adds the fields of the message at the path `at`. A field that the kind does not have needs no
    /// cut.
    fn message<'a>(&mut self, message: Message, node: &'a Actions, at: &mut Vec<&'a str>) {
        for field in message.fields() {
            match field.message() {
                Some(inlined) if field.is_inline() => self.message(inlined, node, at),
                inner => {
                    at.push(field.name());
                    self.value(inner, field.is_map(), node.step(field.name()), at);
                    at.pop();
                }
            }
        }
    }

    /// Adds a value, or those of a map, whose message is `inner`.
    fn value<'a>(
        &mut self,
        inner: Option<Message>,
        is_map: bool,
        step: &'a FieldAction,
        at: &mut Vec<&'a str>,
    ) {
        match (step, inner) {
            (FieldAction::Keep, _) => {}
            (FieldAction::Drop, _) => self.is_inside_json |= self.cut.add(at).is_err(),
            (FieldAction::Into(keys), _) if is_map && !keys.drops_others => {
                for (key, step) in &keys.members {
                    at.push(key);
                    self.value(inner, false, step, at);
                    at.pop();
                }
            }
            (FieldAction::Into(node), Some(inner)) if !is_map => self.message(inner, node, at),
            // The path ends inside a JSON text or a scalar, or at the only keys to keep of a map.
            (FieldAction::Into(_), _) => self.is_inside_json = true,
        }
    }
}
