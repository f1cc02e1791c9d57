//! [`Frame`]: compressed bytes of one object, alone or as the difference to a [`Template`].

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use zstd::zstd_safe::{compress_bound, get_frame_content_size};

use super::context::{self, Compressor};
use super::dictionary::Dictionary;
use super::memory::TemplateSpace;

/// Number of unpacked templates that are kept. Lists bring objects of an owner one after another.
const RECENT: usize = 8;
/// Maximum size of an unpacked template that is kept.
const MAX_RECENT: usize = 64 << 10;

/// Compressed bytes of one object, with what is needed to decompress them.
pub(in crate::storage) struct Frame {
    bytes: Box<[u8]>,
    coding: Coding,
}

/// Encoding of a frame's bytes.
enum Coding {
    /// Uncompressed, because compression would not make them smaller.
    Plain,
    Alone,
    /// With a dictionary of the type.
    With(Arc<Dictionary>),
    /// As the difference to another object.
    Like(Arc<Template>),
}

/// Object that others of the same owner resemble. Objects that are stored as differences to it keep
/// it alive.
pub(in crate::storage) struct Template {
    frame: Frame,
    recent: Arc<Recent>,
    _space: TemplateSpace,
}

/// Templates that were used last, unpacked.
#[derive(Default)]
pub(super) struct Recent(Mutex<VecDeque<Unpacked>>);

type Unpacked = (Weak<Template>, Arc<Vec<u8>>);

/// Error of bytes that do not unpack: they are damaged, or memory is exhausted.
#[derive(Debug)]
pub(super) struct Damaged;

// === impl Frame ===

impl Frame {
    /// Compresses an object with the dictionary of its type, if there is one.
    pub(super) fn new(bytes: &[u8], level: i32, dictionary: Option<Arc<Dictionary>>) -> Self {
        let packed = compress(bytes, |Compressor { context, buffer }| match &dictionary {
            Some(dictionary) => {
                context.compress_using_cdict(buffer, bytes, dictionary.encoder.as_cdict())
            }
            None => context.compress(buffer, bytes, level),
        });
        let coding = dictionary.map_or(Coding::Alone, Coding::With);
        Self::of(bytes, packed, coding)
    }

    /// Compresses an object that resembles another one.
    ///
    /// # Errors
    ///
    /// Fails if the other one does not unpack.
    pub(super) fn like(bytes: &[u8], level: i32, template: Arc<Template>) -> Result<Self, Damaged> {
        let prefix = template.bytes()?;
        let packed = compress(bytes, |Compressor { context, buffer }| {
            context.compress_using_dict(buffer, bytes, &prefix, level)
        });
        Ok(Self::of(bytes, packed, Coding::Like(template)))
    }

    fn of(bytes: &[u8], packed: Option<Box<[u8]>>, coding: Coding) -> Self {
        let plain = || (bytes.into(), Coding::Plain);
        let (bytes, coding) = packed.map_or_else(plain, |packed| (packed, coding));
        Self { bytes, coding }
    }

    /// Returns the packed size.
    pub(in crate::storage) fn len(&self) -> usize {
        self.bytes.len()
    }

    #[cfg(test)]
    pub(super) fn template(&self) -> Option<Arc<Template>> {
        match &self.coding {
            Coding::Like(template) => Some(Arc::clone(template)),
            Coding::Plain | Coding::Alone | Coding::With(_) => None,
        }
    }

    /// Returns the unpacked size, which zstd keeps in the head of the bytes.
    pub(super) fn unpacked_len(&self) -> usize {
        if matches!(self.coding, Coding::Plain) {
            return self.len();
        }
        let Ok(Some(length)) = get_frame_content_size(&self.bytes) else {
            return 0;
        };
        usize::try_from(length).unwrap_or_default()
    }

    pub(super) fn unpack(&self) -> Result<Vec<u8>, Damaged> {
        if matches!(self.coding, Coding::Plain) {
            return Ok(self.bytes.to_vec());
        }
        let unpacked_len = self.unpacked_len();
        let mut bytes = Vec::with_capacity(unpacked_len);
        let unpacked = match &self.coding {
            Coding::Plain | Coding::Alone => {
                context::decompress(|context| context.decompress(&mut bytes, &self.bytes))
            }
            Coding::With(dictionary) => context::decompress(|context| {
                let prepared = dictionary.decoder.as_ddict();
                context.decompress_using_ddict(&mut bytes, &self.bytes, prepared)
            }),
            Coding::Like(template) => {
                let prefix = template.bytes()?;
                context::decompress(|context| {
                    context.decompress_using_dict(&mut bytes, &self.bytes, &prefix)
                })
            }
        };
        match unpacked {
            Some(Ok(length)) if length == unpacked_len => Ok(bytes),
            _ => Err(Damaged),
        }
    }
}

// === impl Template ===

impl Template {
    pub(super) fn new(frame: Frame, recent: &Arc<Recent>, space: TemplateSpace) -> Self {
        Self {
            frame,
            recent: Arc::clone(recent),
            _space: space,
        }
    }

    pub(in crate::storage) fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Returns the unpacked object.
    ///
    /// # Errors
    ///
    /// Fails if memory is exhausted or the packed bytes are damaged.
    pub(super) fn bytes(self: &Arc<Self>) -> Result<Arc<Vec<u8>>, Damaged> {
        if let Some(bytes) = self.recent.get(self) {
            return Ok(bytes);
        }
        Ok(self.keep(self.frame.unpack()?))
    }

    /// Keeps the unpacked object for the next objects.
    pub(super) fn keep(self: &Arc<Self>, bytes: Vec<u8>) -> Arc<Vec<u8>> {
        let bytes = Arc::new(bytes);
        if bytes.len() <= MAX_RECENT {
            self.recent.add(Arc::downgrade(self), &bytes);
        }
        bytes
    }
}

// === impl Recent ===

impl Recent {
    /// Returns the size of the unpacked templates.
    pub(super) fn bytes(&self) -> usize {
        let recent = self.0.lock();
        recent.iter().map(|(_, bytes)| bytes.capacity()).sum()
    }

    fn get(&self, template: &Arc<Template>) -> Option<Arc<Vec<u8>>> {
        let recent = self.0.lock();
        let is_it = |(other, _): &&Unpacked| other.as_ptr() == Arc::as_ptr(template);
        let found = recent.iter().find(is_it);
        found.map(|(_, bytes)| Arc::clone(bytes))
    }

    fn add(&self, template: Weak<Template>, bytes: &Arc<Vec<u8>>) {
        let mut recent = self.0.lock();
        let oldest = (recent.len() >= RECENT).then(|| recent.pop_back());
        recent.push_front((template, Arc::clone(bytes)));
        drop(recent);
        // Frees the oldest outside of the lock.
        drop(oldest);
    }
}

/// Compresses `bytes`; `None` if that would not make them smaller, or if memory is exhausted.
fn compress(
    bytes: &[u8],
    work: impl FnOnce(&mut Compressor) -> Result<usize, usize>,
) -> Option<Box<[u8]>> {
    let packed = context::compress(|compressor| {
        compressor.buffer.clear();
        compressor.buffer.reserve(compress_bound(bytes.len()));
        let is_smaller = work(compressor).is_ok_and(|packed| packed < bytes.len());
        is_smaller.then(|| Box::from(compressor.buffer.as_slice()))
    });
    packed.flatten()
}

#[cfg(test)]
mod tests;
