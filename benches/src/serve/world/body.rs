//! Bytes of a world in one encoding, ready to send.

use std::io::{self, Write};

use kube::core::ApiResource;

use super::{Form, json, protobuf};
use crate::Result;

/// Number of events to write at once.
const BLOCK: usize = 64;

#[derive(Debug)]
pub(in super::super) struct Body {
    form: Form,
    /// All objects as items of a list, with their separators.
    items: Vec<u8>,
    /// Start of each object in `items`, and the start of one more.
    starts: Vec<usize>,
    /// The MODIFIED events in chunks, the paced events last.
    events: Vec<u8>,
    /// End of each event.
    ends: Vec<usize>,
    /// Version of each event, and its offset in `events`.
    versions: Vec<(u64, usize)>,
    /// Number of events to send at once.
    at_once: usize,
}

/// Page of a list, as parts to send in sequence.
#[derive(Debug)]
pub(in super::super) struct Page<'a> {
    pub(in super::super) head: Vec<u8>,
    pub(in super::super) items: &'a [u8],
    pub(in super::super) tail: &'static [u8],
}

/// Metadata of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageMeta {
    pub(super) version: u64,
    /// Start of the next page, and the number of remaining objects.
    pub(super) more: Option<(usize, usize)>,
}

// === impl Body ===

impl Body {
    pub(super) fn new(form: Form, at_once: usize) -> Self {
        Self {
            form,
            items: Vec::new(),
            starts: vec![0],
            events: Vec::new(),
            ends: Vec::new(),
            versions: Vec::new(),
            at_once,
        }
    }

    /// Adds an object.
    pub(super) fn add_item(&mut self, item: &[u8]) {
        match self.form {
            Form::Json => {
                if !self.items.is_empty() {
                    self.items.push(b',');
                }
                self.items.extend_from_slice(item);
            }
            Form::Protobuf => protobuf::put_item(&mut self.items, item),
        }
        self.starts.push(self.items.len() + self.separator());
    }

    /// Adds an event of an object with this version, to send later.
    pub(super) fn add_event(&mut self, event: &[u8], version: u64) {
        let data = chunk(event);
        let digits = version.to_string();
        let position = data
            .windows(digits.len())
            .position(|window| window == digits.as_bytes())
            .unwrap_or_default();
        self.versions.push((version, self.events.len() + position));
        self.events.extend(data);
        self.ends.push(self.events.len());
    }

    /// Returns the number of bytes between two items.
    fn separator(&self) -> usize {
        match self.form {
            Form::Json => 1,
            Form::Protobuf => 0,
        }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the page from an offset on, with `limit` objects at most. A limit of 0 is none.
    pub(in super::super) fn page(
        &self,
        resource: &ApiResource,
        (offset, limit): (usize, usize),
        version: u64,
    ) -> Page<'_> {
        let first = offset.min(self.len());
        let until = match limit {
            0 => self.len(),
            limit => self.len().min(first.saturating_add(limit)),
        };
        let left = self.len() - until;
        let meta = PageMeta {
            version,
            more: (left > 0).then_some((until, left)),
        };
        let start = self.start(first);
        let end = self.start(until).saturating_sub(self.separator());
        let items = self.items.get(start..end.max(start)).unwrap_or_default();
        match self.form {
            Form::Json => Page {
                head: json::page_head(resource, meta),
                items,
                tail: b"]}\n",
            },
            Form::Protobuf => Page {
                head: protobuf::page_head(resource, meta, items.len()),
                items,
                tail: b"",
            },
        }
    }

    /// Returns the start of an object in `items`.
    fn start(&self, number: usize) -> usize {
        self.starts.get(number).copied().unwrap_or_default()
    }

    /// Writes all objects as events of a streaming list, and the bookmark that ends it.
    pub(in super::super) fn write_initial(
        &self,
        resource: &ApiResource,
        version: u64,
        out: &mut impl Write,
    ) -> Result<()> {
        let mut block = Vec::new();
        for (at, range) in self.starts.windows(2).enumerate() {
            let [start, next] = range else { continue };
            let end = next.saturating_sub(self.separator());
            let item = self.items.get(*start..end).unwrap_or_default();
            let event = match self.form {
                Form::Json => {
                    let object = json::typed(resource, item);
                    json::event("ADDED", &object)
                }
                Form::Protobuf => {
                    let object = protobuf::typed(resource, item);
                    protobuf::event("ADDED", &object)
                }
            };
            block.extend(chunk(&event));
            if at % BLOCK == BLOCK - 1 {
                out.write_all(&block)?;
                block.clear();
            }
        }
        let bookmark = json::end_of_initial_events(resource, version);
        let last = match self.form {
            Form::Json => {
                let object = bookmark.to_string();
                json::event("BOOKMARK", object.as_bytes())
            }
            Form::Protobuf => {
                let (_, envelope) = protobuf::object(&bookmark)?;
                protobuf::event("BOOKMARK", &envelope)
            }
        };
        block.extend(chunk(&last));
        out.write_all(&block)?;
        Ok(())
    }

    /// Writes the events to send at once, `rounds` times. The versions continue from round to
    /// round.
    pub(in super::super) fn write_events(
        &self,
        rounds: usize,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut block = Vec::new();
        for round in 0..rounds {
            for first in (0..self.at_once).step_by(BLOCK) {
                let last = self.at_once.min(first + BLOCK);
                let start = self.end(first);
                let end = self.end(last);
                let events = self.events.get(start..end).unwrap_or_default();
                if round == 0 {
                    out.write_all(events)?;
                    continue;
                }
                block.clear();
                block.extend_from_slice(events);
                let versions = self.versions.get(first..last).unwrap_or_default();
                for (version, offset) in versions {
                    let new_version = version + (round * self.at_once) as u64;
                    let digits = new_version.to_string();
                    let position = offset - start;
                    let end = position + digits.len();
                    if let Some(old) = block.get_mut(position..end) {
                        old.copy_from_slice(digits.as_bytes());
                    }
                }
                out.write_all(&block)?;
            }
        }
        Ok(())
    }

    /// Returns the paced events, one by one.
    pub(super) fn paced(&self) -> impl Iterator<Item = &[u8]> {
        (self.at_once..self.ends.len()).map(|at| {
            let range = self.end(at)..self.end(at + 1);
            self.events.get(range).unwrap_or_default()
        })
    }

    /// Returns the end of the first `count` events.
    fn end(&self, count: usize) -> usize {
        match count.checked_sub(1) {
            Some(last) => self.ends.get(last).copied().unwrap_or_default(),
            None => 0,
        }
    }
}

/// Returns `data` as one chunk of HTTP's chunked coding. Empty data ends the body.
pub(super) fn chunk(data: &[u8]) -> Vec<u8> {
    let mut out = format!("{:x}\r\n", data.len()).into_bytes();
    out.extend_from_slice(data);
    out.extend_from_slice(b"\r\n");
    out
}
