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
        let mut value = *value;
        value.context = value.context.deeper()?;
        Ok(Self {
            source: ElementSource::Records {
                reader: Reader::new(run.bytes),
                number: run.number,
            },
            value,
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
            ElementSource::Records { reader, number } => match reader.record()? {
                None => return Ok(None),
                Some((found, _)) if found != *number => {
                    return Err(Malformed("one field only").into());
                }
                Some((_, payload)) => self.value.data = Data::of(self.value.shape, payload)?,
            },
            ElementSource::Json(texts) => match texts.next() {
                None => return Ok(None),
                Some(text) => self.value = Value::json(text, self.value.context),
            },
        }
        self.index += 1;
        self.left = self.left.saturating_sub(1);
        Ok(Some(&self.value))
    }
}
