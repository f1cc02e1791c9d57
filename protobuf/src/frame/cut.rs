//! [`Cut`]: removes fields from an object's bytes.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::envelope::text;
use crate::error::Error;
use crate::tables::{Field, Message};
use crate::wire::{Malformed, Payload, Reader, WireType, put_tag, put_varint, varint_width};

/// Fields that are removed from objects as byte ranges, without decoding.
///
/// Removing a field shortens its enclosing messages: their lengths are rewritten, and the remaining
/// bytes are copied once.
///
/// # Examples
///
/// ```
/// use bytes::Bytes;
/// use informer_protobuf::{Cut, Envelope, Message};
///
/// let cut = Cut::new(Message::of("v1", "Node").unwrap(), &["metadata.managedFields", "status.images"])?;
/// let bytes = informer_protobuf::to_vec(&serde_json::json!({
///     "apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
///     "status": {"images": [{"names": ["x"]}]},
/// }))?;
/// let node = Bytes::copy_from_slice(Envelope::parse(&bytes)?.raw);
/// let node: serde_json::Value = informer_protobuf::from_message(cut.message(), &cut.apply(&node)?)?;
/// assert_eq!(node["status"].get("images"), None);
/// # Ok::<(), informer_protobuf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    message: Message,
    root: Node,
}

/// Fields to remove from one message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Node {
    /// `true` if the whole value is removed.
    is_leaf: bool,
    /// Children by field number.
    children: BTreeMap<u32, Node>,
    /// Entries of a map, by key.
    keys: BTreeMap<Box<str>, Node>,
}

/// Operation on one value.
enum CutStep<'a> {
    Keep,
    Drop,
    Into(&'a Node),
}

/// A byte range of an object that is removed, and its replacement.
#[derive(Debug, Default)]
struct Edit {
    start: usize,
    end: usize,
    /// Number and new length of a shortened message that continues after the range.
    head: Option<(u32, usize)>,
}

// === impl Cut ===

impl Cut {
    /// Creates a cut of `metadata.managedFields`, for objects of any kind.
    #[must_use]
    pub fn managed_fields() -> Self {
        let mut root = Node::default();
        root.child(1).child(17).is_leaf = true;
        Self {
            // The path does not depend on the kind.
            message: Message::OBJECT_META,
            root,
        }
    }

    /// Creates a cut of the fields with these JSON paths, for objects with this message.
    ///
    /// A path through a list applies to each element: `spec.containers.env`. Do not remove fields
    /// that a type requires.
    ///
    /// # Errors
    ///
    /// A field does not exist, or is inside a JSON text.
    pub fn new(message: Message, paths: &[&str]) -> Result<Self, Error> {
        let mut cut = Self::none(message);
        for path in paths {
            let names: Vec<&str> = path.split('.').collect();
            cut.add(&names)?;
        }
        Ok(cut)
    }

    /// Creates a cut without fields.
    #[must_use]
    pub fn none(message: Message) -> Self {
        Self {
            message,
            root: Node::default(),
        }
    }

    /// Adds a field, named by the steps of its JSON path. A step can be any key of a map:
    /// `["metadata", "annotations", "example.com/note"]`.
    ///
    /// # Errors
    ///
    /// The field does not exist, or is inside a JSON text.
    pub fn add<S: AsRef<str>>(&mut self, path: &[S]) -> Result<(), Error> {
        let names: Vec<&str> = path.iter().map(AsRef::as_ref).collect();
        if self.root.add(self.message, &names).is_some() {
            return Ok(());
        }
        Err(Error::data(format!(
            "cannot cut the field `{}`: it does not exist, or is inside a JSON text",
            names.join(".")
        )))
    }

    /// Reports whether the cut has no fields.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.root == Node::default()
    }

    /// Returns the message whose fields are removed.
    #[must_use]
    pub fn message(&self) -> Message {
        self.message
    }

    /// Removes the fields from an object's message.
    ///
    /// An object without any of the fields is returned unchanged; no byte is copied.
    ///
    /// # Errors
    ///
    /// The bytes are not a message.
    pub fn apply(&self, object: &Bytes) -> Result<Bytes, Error> {
        let mut edits = Vec::new();
        let length = self.root.edits(object, 0, &mut edits)?;
        if length == object.len() {
            return Ok(object.clone());
        }
        let mut out = Vec::with_capacity(length);
        let mut kept = 0;
        for edit in edits {
            out.extend_from_slice(object.get(kept..edit.start).unwrap_or_default());
            kept = edit.end;
            if let Some((number, length)) = edit.head {
                put_tag(&mut out, number, WireType::Bytes);
                put_varint(&mut out, length as u64);
            }
        }
        out.extend_from_slice(object.get(kept..).unwrap_or_default());
        Ok(out.into())
    }
}

// === impl Node ===

impl Node {
    fn child(&mut self, number: u32) -> &mut Self {
        self.children.entry(number).or_default()
    }

    fn add(&mut self, message: Message, path: &[&str]) -> Option<()> {
        let (name, rest) = path.split_first()?;
        if let Some(field) = message.field(name) {
            let mut child = self.child(field.number()).clone();
            child.add_inside(field, rest)?;
            *self.child(field.number()) = child;
            return Some(());
        }
        // Members of inlined messages.
        for field in message.fields().filter(|field| field.is_inline()) {
            let known = self.children.get(&field.number());
            let mut child = known.cloned().unwrap_or_default();
            if child.add(field.target(), path).is_some() {
                *self.child(field.number()) = child;
                return Some(());
            }
        }
        None
    }

    /// Adds the rest of a path below the field.
    fn add_inside(&mut self, field: Field, path: &[&str]) -> Option<()> {
        match path.split_first() {
            None => self.is_leaf = true,
            Some((key, rest)) if field.is_map() => {
                let child = self.keys.entry((*key).into()).or_default();
                match rest {
                    [] => child.is_leaf = true,
                    // An entry is a message of key and value.
                    rest => child.child(2).add(field.message()?, rest)?,
                }
            }
            Some(_) => self.add(field.message()?, path)?,
        }
        Some(())
    }

    /// Returns the operation on one value of a field, or on one entry of a map.
    fn inside(&self, value: &[u8]) -> Result<CutStep<'_>, Malformed> {
        if self.keys.is_empty() {
            return Ok(CutStep::Into(self));
        }
        let mut key: &[u8] = &[];
        let mut reader = Reader::new(value);
        while let Some(record) = reader.record()? {
            if let (1, Payload::Bytes(bytes)) = record {
                key = bytes;
            }
        }
        match self.keys.get(text(key)?) {
            None => Ok(CutStep::Keep),
            Some(node) if node.is_leaf => Ok(CutStep::Drop),
            Some(node) => Ok(CutStep::Into(node)),
        }
    }

    /// Adds the edits of a message that starts at offset `base` of the object; returns its new
    /// length.
    fn edits(
        &self,
        message: &[u8],
        base: usize,
        edits: &mut Vec<Edit>,
    ) -> Result<usize, Malformed> {
        let mut length = message.len();
        let mut reader = Reader::new(message);
        loop {
            let start = base + message.len() - reader.rest().len();
            let Some((number, payload)) = reader.record()? else {
                return Ok(length);
            };
            let Some(child) = self.children.get(&number) else {
                continue;
            };
            let end = base + message.len() - reader.rest().len();
            if child.is_leaf {
                Edit::drop(start, end, edits);
                length -= end - start;
                continue;
            }
            let Payload::Bytes(bytes) = payload else {
                return Err(Malformed("a message"));
            };
            let node = match child.inside(bytes)? {
                CutStep::Keep => continue,
                CutStep::Drop => {
                    Edit::drop(start, end, edits);
                    length -= end - start;
                    continue;
                }
                CutStep::Into(shortened) => shortened,
            };
            // The edit of the header comes before those of the content.
            let place = edits.len();
            let inside = end - bytes.len();
            edits.push(Edit::default());
            let shorter = node.edits(bytes, inside, edits)?;
            if shorter == bytes.len() {
                edits.truncate(place);
            } else if let Some(edit) = edits.get_mut(place) {
                *edit = Edit {
                    start,
                    end: inside,
                    head: Some((number, shorter)),
                };
                let head = varint_width(u64::from(number) << 3) + varint_width(shorter as u64);
                length = length - (end - start) + head + shorter;
            }
        }
    }
}

// === impl Edit ===

impl Edit {
    fn drop(start: usize, end: usize, edits: &mut Vec<Self>) {
        match edits.last_mut() {
            // The records of a list are contiguous.
            Some(last) if last.head.is_none() && last.end == start => last.end = end,
            _ => edits.push(Self {
                start,
                end,
                head: None,
            }),
        }
    }
}
