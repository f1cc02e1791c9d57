//! Turns the text of an object into a [`RawObject`]: reads the header, checks the type, and cuts
//! unwanted bytes.

use std::ops::Range;

use bytes::Bytes;
use kube::core::TypeMeta;

use super::cut;
use super::header::{self, Extent, Found};
use super::walk::{Piece, Walker};
use crate::wire::drop_fields::DropFields;
use crate::wire::split::{SplitOptions, SplitStats};
use crate::wire::{RawEncoding, RawObject, Rejected, text};

/// Maximum length of a quoted foreign kind or apiVersion, in bytes.
const MAX_TYPE: usize = 64;
/// Offset of the members of an object: its text starts with the brace.
const MEMBERS: usize = 1;

/// Creates raw objects and counts the work.
#[derive(Debug)]
pub(super) struct ObjectReader {
    options: SplitOptions,
    /// All fields to cut, if there are more than managed fields.
    drop_fields: Option<DropFields>,
    pub(super) stats: SplitStats,
}

// === impl ObjectReader ===

impl ObjectReader {
    pub(super) fn new(options: SplitOptions) -> Self {
        let fields = options.drop_fields.as_ref();
        let drop_fields = fields.map(|fields| {
            if options.keep_managed_fields {
                fields.clone()
            } else {
                fields.with_managed_fields()
            }
        });
        Self {
            drop_fields,
            options,
            stats: SplitStats::default(),
        }
    }

    /// Counts a piece that the walker returned.
    pub(super) fn count(&mut self, piece: &Piece) {
        self.stats.objects += 1;
        if !matches!(piece, Piece::Slice(_)) {
            self.stats.copies += 1;
        }
    }

    /// Reads the header of the object that `text` starts with, which the walker then skips; the end
    /// of the frame may truncate the object. Returns `None` if the header is malformed or incomplete.
    pub(super) fn begin<'a>(
        &self,
        text: Option<&'a [u8]>,
        extent: Extent,
        walker: &mut Walker,
    ) -> Option<Found<'a>> {
        let found = header::read(text?, self.extent(extent)).ok()?;
        walker.skip(found.lookahead);
        Some(found)
    }

    /// Reads one object. `found` is its header, if it was read before; `list_type` is the type of
    /// the items of the object's list.
    ///
    /// # Errors
    ///
    /// Fails if the header is unreadable, or if the object is of another type.
    pub(super) fn read(
        &mut self,
        piece: Piece,
        found: Option<Found<'_>>,
        extent: Extent,
        list_type: Option<&TypeMeta>,
    ) -> Result<RawObject, Rejected> {
        if let Piece::Oversize(start) = &piece {
            let found = header::read(start, Extent::Metadata).map_err(Rejected::without_key)?;
            let checked = self.check_type(found)?;
            let header = checked.header().map_err(Rejected::without_key)?;
            let limit = self.options.max_object_bytes;
            return Ok(RawObject::oversize(header, RawEncoding::Json, limit));
        }
        let found = match found.filter(|_| matches!(piece, Piece::Slice(_))) {
            Some(found) => self.check_type(found)?,
            None => self.examine(&piece, self.extent(extent))?,
        };
        let header = found.header().map_err(Rejected::without_key)?;
        let managed = found.managed_fields.clone();
        let prefix = self.missing_type_meta(&found, list_type);
        drop(found);
        let cut: Vec<Range<usize>> = match &self.drop_fields {
            // A malformed object is kept: the decoder will report the position of the error.
            Some(fields) => cut::ranges(piece.as_bytes(), fields.root()).unwrap_or_default(),
            None if self.options.keep_managed_fields => Vec::new(),
            None => managed.into_iter().collect(),
        };
        let bytes = self.edit(piece, &cut, &prefix);
        let dropped = self.options.drop_fields.clone();
        Ok(RawObject::new(header, RawEncoding::Json, bytes).with_dropped(dropped))
    }

    /// Reads the header and checks the type.
    ///
    /// # Errors
    ///
    /// The same as [`read`](Self::read), but a missing name is not an error.
    pub(super) fn examine<'a>(
        &self,
        piece: &'a Piece,
        extent: Extent,
    ) -> Result<Found<'a>, Rejected> {
        let found = header::read(piece.as_bytes(), extent).map_err(Rejected::without_key)?;
        self.check_type(found)
    }

    fn extent(&self, extent: Extent) -> Extent {
        if self.options.add_type_meta {
            Extent::TypeMeta
        } else {
            extent
        }
    }

    fn check_type<'a>(&self, found: Found<'a>) -> Result<Found<'a>, Rejected> {
        match self.wrong_type(&found) {
            None => Ok(found),
            Some(reason) => Err(Rejected {
                key: found.key(),
                reason,
            }),
        }
    }

    fn wrong_type(&self, found: &Found<'_>) -> Option<String> {
        let kind = found.kind.as_deref();
        let api_version = found.api_version.as_deref();
        if is_table(kind, api_version) {
            return Some("it is a Table".to_owned());
        }
        let expected = self.options.expected_type.as_ref()?;
        let fits = kind.is_none_or(|kind| kind == expected.kind)
            && api_version.is_none_or(|version| version == expected.api_version);
        (!fits).then(|| {
            format!(
                "it is a {} of {}, not a {} of {}",
                text::printable(kind.unwrap_or("nameless kind"), MAX_TYPE),
                text::printable(api_version.unwrap_or("no apiVersion"), MAX_TYPE),
                expected.kind,
                expected.api_version,
            )
        })
    }

    /// Returns the members to insert after the opening brace.
    fn missing_type_meta(&self, found: &Found<'_>, list_type: Option<&TypeMeta>) -> Vec<u8> {
        let known = self.options.expected_type.as_ref().or(list_type);
        let mut members = Vec::new();
        let Some(known) = known.filter(|_| self.options.add_type_meta) else {
            return members;
        };
        let type_members = [
            ("kind", &known.kind, found.kind.is_none()),
            (
                "apiVersion",
                &known.api_version,
                found.api_version.is_none(),
            ),
        ];
        for (name, value, is_missing) in type_members {
            if is_missing {
                let value = serde_json::Value::from(value.as_str());
                members.extend_from_slice(format!("\"{name}\":{value},").as_bytes());
            }
        }
        members
    }

    /// Cuts and inserts; copies the bytes only if they were not copied before.
    fn edit(&mut self, piece: Piece, cut: &[Range<usize>], prefix: &[u8]) -> Bytes {
        match piece {
            Piece::Slice(bytes) if cut.is_empty() && prefix.is_empty() => bytes,
            Piece::Slice(bytes) => {
                self.stats.copies += 1;
                assemble(&bytes, cut, prefix).into()
            }
            Piece::Joined(mut bytes) | Piece::Oversize(mut bytes) => {
                // Both operations move bytes inside the one buffer.
                close_gaps(&mut bytes, cut);
                if !prefix.is_empty() {
                    bytes.splice(MEMBERS..MEMBERS, prefix.iter().copied());
                }
                Bytes::from(bytes)
            }
        }
    }
}

/// Copies an object without the ranges `cut`, and with `prefix` after its opening brace.
fn assemble(bytes: &[u8], cut: &[Range<usize>], prefix: &[u8]) -> Vec<u8> {
    let dropped: usize = cut.iter().map(ExactSizeIterator::len).sum();
    let mut edited = Vec::with_capacity(bytes.len() - dropped + prefix.len());
    edited.extend_from_slice(bytes.get(..MEMBERS).unwrap_or_default());
    edited.extend_from_slice(prefix);
    let mut at = MEMBERS;
    for range in cut {
        edited.extend_from_slice(bytes.get(at..range.start).unwrap_or_default());
        at = range.end;
    }
    edited.extend_from_slice(bytes.get(at..).unwrap_or_default());
    edited
}

/// Removes the gaps, in one pass.
fn close_gaps(bytes: &mut Vec<u8>, gaps: &[Range<usize>]) {
    let mut end = gaps.first().map_or(bytes.len(), |gap| gap.start);
    for (index, gap) in gaps.iter().enumerate() {
        let next = gaps.get(index + 1).map_or(bytes.len(), |next| next.start);
        bytes.copy_within(gap.end..next, end);
        end += next - gap.end;
    }
    bytes.truncate(end);
}

/// Returns `true` for a `Table` of either version, which API servers return on request.
fn is_table(kind: Option<&str>, api_version: Option<&str>) -> bool {
    kind == Some("Table") && api_version.is_some_and(|version| version.starts_with("meta.k8s.io/"))
}

// === impl Piece ===

impl Piece {
    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Slice(bytes) => bytes,
            Self::Joined(bytes) | Self::Oversize(bytes) => bytes,
        }
    }
}
