//! [`Packer`] and [`Body`]: compression and decompression of an object's bytes.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use tracing::debug;

use super::dictionary::Dictionary;
use super::frame::{Damaged, Frame, Recent, Template};
use super::memory::{Ledger, Size};
use super::template::Templates;
use super::trainer::{self, Order, Trainer};

/// Compresses the bytes of one type's objects.
pub(super) struct Packer {
    level: i32,
    dictionary_bytes: usize,
    dictionary: ArcSwapOption<Dictionary>,
    trainer: Mutex<Trainer>,
    recent: Arc<Recent>,
    ledger: Arc<Ledger>,
}

/// Bytes of one object.
pub(in crate::storage) enum Body {
    Own(Frame),
    /// Other objects are stored as differences to this one.
    Template(Arc<Template>),
}

// === impl Packer ===

impl Packer {
    pub(super) fn new(level: i32, dictionary_bytes: usize, ledger: Arc<Ledger>) -> Self {
        Self {
            level,
            dictionary_bytes,
            dictionary: ArcSwapOption::empty(),
            trainer: Mutex::new(Trainer::new()),
            recent: Arc::default(),
            ledger,
        }
    }

    /// Returns the size of the samples that wait to become a dictionary, and of the unpacked
    /// templates.
    pub(super) fn sample_bytes(&self) -> usize {
        let samples = self.trainer.lock().sample_bytes();
        samples + self.recent.bytes()
    }

    /// Compresses an object. `templates` are those of its owner.
    pub(super) fn pack(&self, bytes: &[u8], templates: Option<&Templates>) -> Body {
        let like = templates
            .and_then(Templates::current)
            .and_then(|template| Frame::like(bytes, self.level, template).ok());
        let like = match like {
            Some(like) if is_good(&like) => return Body::Own(like),
            like => like,
        };
        let dictionary = self.dictionary.load_full();
        // The first objects have no dictionary, so nothing is known about it yet.
        let has_dictionary = dictionary.is_some();
        let frame = Frame::new(bytes, self.level, dictionary);
        let order = self.trainer.lock().on_packed(bytes, frame.len());
        if let Some(order) = order {
            self.make(&order);
        }
        let is_bad = has_dictionary && !is_good(&frame);
        if let Some(templates) = templates
            && is_bad
            && templates.on_bad()
            && let Some(space) = self.ledger.reserve_template(Size::of(&frame))
        {
            let template = Arc::new(Template::new(frame, &self.recent, space));
            // A list brings the owner's next objects at once.
            template.keep(bytes.to_vec());
            templates.set(&template);
            return Body::Template(template);
        }
        Body::Own(match like {
            Some(like) if like.len() < frame.len() => like,
            _ => frame,
        })
    }

    /// Builds a dictionary. Other threads keep packing with the previous one meanwhile.
    fn make(&self, order: &Order) {
        let result = Dictionary::make(order, self.level, self.dictionary_bytes, &self.ledger);
        match result {
            Ok(dictionary) => self.dictionary.store(Some(Arc::new(dictionary))),
            Err(error) => debug!(%error, "could not build a dictionary from the sampled objects"),
        }
        self.trainer.lock().on_made();
    }
}

// === impl Body ===

impl Body {
    /// Returns the packed size.
    pub(super) fn len(&self) -> usize {
        self.frame().len()
    }

    pub(super) fn size(&self) -> Size {
        match self {
            Self::Own(frame) => Size::of(frame),
            Self::Template(template) => Size {
                packed: 0,
                ..Size::of(template.frame())
            },
        }
    }

    pub(super) fn unpack(&self) -> Result<Vec<u8>, Damaged> {
        self.frame().unpack()
    }

    /// Returns the template that this body is, or that it differs from.
    #[cfg(test)]
    pub(super) fn template(&self) -> Option<Arc<Template>> {
        match self {
            Self::Own(frame) => frame.template(),
            Self::Template(template) => Some(Arc::clone(template)),
        }
    }

    fn frame(&self) -> &Frame {
        match self {
            Self::Own(frame) => frame,
            Self::Template(template) => template.frame(),
        }
    }
}

// === impl Size ===

impl Size {
    fn of(frame: &Frame) -> Self {
        Self {
            packed: frame.len(),
            unpacked: frame.unpacked_len(),
        }
    }
}

/// Returns `true` if another dictionary or template would save little.
fn is_good(frame: &Frame) -> bool {
    trainer::is_good(1, frame.len() as u64, frame.unpacked_len() as u64)
}
