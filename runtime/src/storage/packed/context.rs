//! zstd's working memory, shared by the whole process.
//!
//! A context is some hundred kilobytes and slow to make; it belongs to no storage, and knows
//! nothing of what it worked on.

use parking_lot::Mutex;
use zstd::zstd_safe::{CCtx, DCtx};

use crate::base::cores::cores;

/// What compresses, with the buffer that it compresses into.
pub(super) struct Compressor {
    pub(super) context: CCtx<'static>,
    pub(super) buffer: Vec<u8>,
}

/// Contexts that nobody uses; at most one for each core.
struct Idle<T>(Mutex<Vec<T>>);

static COMPRESSORS: Idle<Compressor> = Idle(Mutex::new(Vec::new()));
static DECOMPRESSORS: Idle<DCtx<'static>> = Idle(Mutex::new(Vec::new()));

/// Larger buffers are not kept for the next object.
const MAX_BUFFER: usize = 1 << 20;

/// Compresses with a context of the pool; `None` if there is no memory for one.
pub(super) fn compress<R>(work: impl FnOnce(&mut Compressor) -> R) -> Option<R> {
    let idle = COMPRESSORS.take();
    let mut compressor = idle.or_else(|| {
        Some(Compressor {
            context: CCtx::try_create()?,
            buffer: Vec::new(),
        })
    })?;
    let done = work(&mut compressor);
    if compressor.buffer.capacity() > MAX_BUFFER {
        compressor.buffer = Vec::new();
    }
    COMPRESSORS.put(compressor);
    Some(done)
}

/// Decompresses with a context of the pool; `None` if there is no memory for one.
pub(super) fn decompress<R>(work: impl FnOnce(&mut DCtx<'static>) -> R) -> Option<R> {
    let mut context = DECOMPRESSORS.take().or_else(DCtx::try_create)?;
    let done = work(&mut context);
    DECOMPRESSORS.put(context);
    Some(done)
}

// === impl Idle ===

impl<T> Idle<T> {
    fn take(&self) -> Option<T> {
        self.0.lock().pop()
    }

    fn put(&self, context: T) {
        let most = cores();
        let mut idle = self.0.lock();
        if idle.len() < most {
            idle.push(context);
        }
    }
}
