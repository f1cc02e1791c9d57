//! Iteration over a list.

use super::Context;
use super::value::{Data, RecordRun, Value};
use crate::error::Error;
use crate::wire::{Malformed, Reader};

/// Elements of a list.
pub(super) struct Elements<'de> {
    source: ElementSource<'de>,
    /// The last element that was read.
    value: Value<'de>,
    /// Number of elements that were read.
    pub(super) index: usize,
    /// Number of remaining elements.
    pub(super) left: usize,
}

enum ElementSource<'de> {
    Records { reader: Reader<'de>, number: u32 },
    Json(std::vec::IntoIter<&'de [u8]>),
}

// === impl Elements ===

impl<'de> Elements<'de> {
    /// Creates the elements of a run of records, each of which has the shape of `value`.
    #[inline]
    pub(super) fn of(run: RecordRun<'de>, value: &Value<'de>) -> Result<Self, Error> {
        let context = value.context.deeper()?;
        Ok(Self {
            source: ElementSource::Records {
                reader: Reader::new(run.bytes),
                number: run.number,
            },
            value: Value { context, ..*value },
            index: 0,
            left: usize::try_from(run.count).unwrap_or(usize::MAX),
        })
    }

    pub(super) fn of_json(texts: Vec<&'de [u8]>, context: Context) -> Result<Self, Error> {
        Ok(Self {
            value: Value::null(context.deeper()?),
            index: 0,
            left: texts.len(),
            source: ElementSource::Json(texts.into_iter()),
        })
    }

    pub(super) fn next(&mut self) -> Result<Option<&Value<'de>>, Error> {
        match &mut self.source {
            ElementSource::Records { reader, number } => {
                let Some((found, payload)) = reader.record()? else {
                    return Ok(None);
                };
                if found != *number {
                    return Err(Malformed("one field only").into());
                }
                self.value.data = Data::of(self.value.shape, payload)?;
            }
            ElementSource::Json(texts) => {
                let Some(text) = texts.next() else {
                    return Ok(None);
                };
                self.value = Value::json(text, self.value.context);
            }
        }
        self.index += 1;
        self.left = self.left.saturating_sub(1);
        Ok(Some(&self.value))
    }
}
