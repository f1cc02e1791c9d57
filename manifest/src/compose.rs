//! Composes the nodes of a text from the events of the parser, like go-yaml.
//!
//! The stack of open collections is on the heap, so the depth of a text does not matter here.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem;

use granit_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};

use crate::continued;
use crate::error::ParseError;
use crate::node::{Document, Node, OddKey, Oddity, Place, Value};
use crate::scalar::{self, Scalar};
use crate::{MAX_DEPTH, MAX_REPLAYED};

/// Maximum number of keys and values that the composer keeps for aliases. Nested anchors count each
/// time.
const MAX_ANCHORED: usize = 1_000_000;

const NO_MERGE: &str = "a merge key `<<` needs a mapping, or a list of mappings";

/// Returns the documents of a text that begins at `start`, without empty ones. If a quoted scalar is
/// not indented far enough, indents it and composes again.
pub(crate) fn compose(text: &str, start: Place) -> Result<Vec<Document>, ParseError> {
    let rejection = match strict(text, start) {
        Err(error) if continued::is_cause(&error.message) => error,
        result => return result,
    };
    match continued::indented(text) {
        Some(text) => strict(&text, start),
        None => Err(rejection),
    }
}

fn strict(text: &str, start: Place) -> Result<Vec<Document>, ParseError> {
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut composer = Composer {
        start,
        documents: Vec::new(),
        oddities: Vec::new(),
        open: Vec::new(),
        anchors: HashMap::new(),
        anchored: 0,
        replayed: 0,
    };
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| composer.scan_error(&error))?;
        let at = composer.place(&span.start);
        composer.event(event, at)?;
    }
    Ok(composer.documents)
}

struct Composer {
    start: Place,
    documents: Vec<Document>,
    /// Odd keys of the current document.
    oddities: Vec<Oddity>,
    /// Collections that have begun, from the outermost.
    open: Vec<Open>,
    /// Values with an anchor in the current document, by the number of the anchor.
    anchors: HashMap<usize, Complete>,
    /// Number of keys and values in `anchors`.
    anchored: usize,
    /// Number of keys and values that aliases have added.
    replayed: usize,
}

/// Collection that has begun.
struct Open {
    at: Place,
    anchor: usize,
    content: Content,
    /// Number of keys and values so far.
    size: usize,
    /// Depth of the deepest value so far.
    depth: usize,
}

enum Content {
    Sequence(Vec<Node>),
    Mapping(Members),
}

/// Members of a mapping that has begun.
#[derive(Default)]
struct Members {
    all: BTreeMap<String, Node>,
    /// Keys that a merge has added, and no key of the mapping itself since.
    merged: BTreeSet<String>,
    /// Key whose value follows.
    key: Option<Key>,
}

enum Key {
    Name(String, Place),
    /// `<<`: the value has the members.
    Merge,
}

/// Value that has ended.
#[derive(Clone)]
struct Complete {
    value: Parsed,
    at: Place,
    /// Number of keys and values in it, itself included.
    size: usize,
    /// Depth of its deepest value. Zero for a scalar.
    depth: usize,
}

/// A scalar keeps its form, because a key and a value of one text may differ.
#[derive(Clone)]
enum Parsed {
    Scalar(Scalar),
    /// The plain scalar `<<`.
    MergeKey,
    Collection(Value),
}

// === impl Composer ===

impl Composer {
    fn event(&mut self, event: Event<'_>, at: Place) -> Result<(), ParseError> {
        let fail = |reason: String| ParseError::new(at, reason);
        match event {
            Event::DocumentStart(..) => {
                self.anchors.clear();
                self.anchored = 0;
                self.oddities.clear();
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                let value = Parsed::scalar(&text, style, tag.as_deref()).map_err(fail)?;
                if self.awaits_key() && value.is_no_string() {
                    self.oddities.push(Oddity {
                        at,
                        key: text.into_owned(),
                        kind: OddKey::NoString,
                    });
                }
                let complete = Complete {
                    value,
                    at,
                    size: 1,
                    depth: 0,
                };
                self.complete(complete, anchor)
            }
            Event::SequenceStart(_, anchor, _) => {
                self.begin(Content::Sequence(Vec::new()), at, anchor)
            }
            Event::MappingStart(_, anchor, _) => {
                self.begin(Content::Mapping(Members::default()), at, anchor)
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(open) => {
                    let anchor = open.anchor;
                    self.complete(open.complete(), anchor)
                }
                None => Ok(()),
            },
            Event::Alias(anchor) => {
                let aliased = self.anchors.get(&anchor).cloned();
                let aliased =
                    aliased.ok_or_else(|| fail("an anchor contains an alias of itself".into()))?;
                self.replayed += aliased.size;
                if self.replayed > MAX_REPLAYED {
                    let reason = format!("aliases expand to more than {MAX_REPLAYED} values");
                    return Err(fail(reason));
                }
                if self.is_merging() && !aliased.is_mapping() {
                    return Err(fail(NO_MERGE.to_owned()));
                }
                // An alias of `<<` is not a merge key.
                let value = match aliased.value {
                    Parsed::MergeKey => Parsed::Scalar(Scalar::String("<<".to_owned())),
                    value @ (Parsed::Scalar(_) | Parsed::Collection(_)) => value,
                };
                self.complete(Complete { value, ..aliased }, 0)
            }
            // Nothing else has a value.
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd | _ => Ok(()),
        }
    }

    /// Reports whether the next value is a key.
    fn awaits_key(&self) -> bool {
        match self.open.last().map(|open| &open.content) {
            Some(Content::Mapping(members)) => members.key.is_none(),
            Some(Content::Sequence(_)) | None => false,
        }
    }

    /// Reports whether the next value is that of a merge key.
    fn is_merging(&self) -> bool {
        match self.open.last().map(|open| &open.content) {
            Some(Content::Mapping(members)) => matches!(members.key, Some(Key::Merge)),
            Some(Content::Sequence(_)) | None => false,
        }
    }

    fn begin(&mut self, content: Content, at: Place, anchor: usize) -> Result<(), ParseError> {
        self.open.push(Open {
            at,
            anchor,
            content,
            size: 1,
            depth: 0,
        });
        check_depth(self.open.len(), at)
    }

    /// Adds a value that has ended to the collection around it, or to the documents.
    fn complete(&mut self, value: Complete, anchor: usize) -> Result<(), ParseError> {
        if anchor > 0 {
            self.anchored += value.size;
            if self.anchored > MAX_ANCHORED {
                let reason = format!("anchors have more than {MAX_ANCHORED} values");
                return Err(ParseError::new(value.at, reason));
            }
            self.anchors.insert(anchor, value.clone());
        }
        let around = self.open.len();
        let Some(open) = self.open.last_mut() else {
            let root = value.node()?;
            if root.value != Value::Null {
                let oddities = mem::take(&mut self.oddities);
                self.documents.push(Document { root, oddities });
            }
            return Ok(());
        };
        check_depth(around + value.depth, value.at)?;
        open.size += value.size;
        open.depth = open.depth.max(value.depth + 1);
        match &mut open.content {
            Content::Sequence(items) => items.push(value.node()?),
            Content::Mapping(members) => match members.key.take() {
                None => members.key = Some(value.key()?),
                Some(Key::Merge) => members.merge(value.node()?)?,
                Some(Key::Name(key, at)) => {
                    if members.add(&key, value.node()?) {
                        let kind = OddKey::Repeated;
                        self.oddities.push(Oddity { at, key, kind });
                    }
                }
            },
        }
        Ok(())
    }

    fn place(&self, marker: &Marker) -> Place {
        let count = |number| u32::try_from(number).unwrap_or(u32::MAX);
        self.start.and(Place {
            line: count(marker.line()),
            column: count(marker.col()).saturating_add(1),
        })
    }

    fn scan_error(&self, error: &ScanError) -> ParseError {
        ParseError::new(self.place(error.marker()), error.info())
    }
}

fn check_depth(depth: usize, at: Place) -> Result<(), ParseError> {
    if depth > MAX_DEPTH {
        let reason = format!("the document is deeper than {MAX_DEPTH} levels");
        return Err(ParseError::new(at, reason));
    }
    Ok(())
}

// === impl Open ===

impl Open {
    fn complete(self) -> Complete {
        let value = match self.content {
            Content::Sequence(items) => Value::Sequence(items),
            Content::Mapping(members) => Value::Mapping(members.all),
        };
        Complete {
            value: Parsed::Collection(value),
            at: self.at,
            size: self.size,
            depth: self.depth,
        }
    }
}

// === impl Members ===

impl Members {
    /// Adds a member, and returns `true` if the mapping itself has the key already.
    fn add(&mut self, key: &str, value: Node) -> bool {
        let is_repeated = self.all.insert(key.to_owned(), value).is_some();
        !self.merged.remove(key) && is_repeated
    }

    /// Adds the members of the value of `<<`: a mapping, or several of which the first wins. Like
    /// go-yaml, the members replace those before `<<`.
    fn merge(&mut self, node: Node) -> Result<(), ParseError> {
        let at = node.at;
        let sources = if let Value::Sequence(items) = node.value {
            items
        } else {
            vec![node]
        };
        for source in sources.into_iter().rev() {
            let Value::Mapping(members) = source.value else {
                return Err(ParseError::new(at, NO_MERGE));
            };
            self.merged.extend(members.keys().cloned());
            self.all.extend(members);
        }
        Ok(())
    }
}

// === impl Complete ===

impl Complete {
    fn is_mapping(&self) -> bool {
        matches!(self.value, Parsed::Collection(Value::Mapping(_)))
    }

    fn node(self) -> Result<Node, ParseError> {
        let at = self.at;
        let value = match self.value {
            Parsed::Scalar(scalar) => scalar.value(),
            Parsed::MergeKey => Ok(Value::String("<<".to_owned())),
            Parsed::Collection(value) => Ok(value),
        };
        let value = value.map_err(|reason| ParseError::new(at, reason))?;
        Ok(Node { value, at })
    }

    fn key(self) -> Result<Key, ParseError> {
        let at = self.at;
        let name = match self.value {
            Parsed::Scalar(scalar) => scalar.key(),
            Parsed::MergeKey => return Ok(Key::Merge),
            Parsed::Collection(_) => Err("a list or a mapping cannot be a key".to_owned()),
        };
        let name = name.map_err(|reason| ParseError::new(at, reason))?;
        Ok(Key::Name(name, at))
    }
}

// === impl Parsed ===

impl Parsed {
    fn is_no_string(&self) -> bool {
        matches!(self, Self::Scalar(scalar) if !matches!(scalar, Scalar::String(_)))
    }

    fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Self, String> {
        let tag = tag.map(|tag| {
            let (handle, suffix) = tag.parts();
            [handle, suffix].concat()
        });
        let is_quoted = style != ScalarStyle::Plain;
        let is_untagged = match tag.as_deref() {
            None => !is_quoted,
            Some(tag) => tag == "!" || tag == "tag:yaml.org,2002:merge",
        };
        if text == "<<" && is_untagged {
            return Ok(Self::MergeKey);
        }
        scalar::resolve(text, tag.as_deref(), is_quoted).map(Self::Scalar)
    }
}
