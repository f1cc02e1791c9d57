//! zstd contexts, shared by the whole process.
//!
//! A context is large and slow to create. Contexts hold no data of previous objects, so all
//! storages share them.

use parking_lot::Mutex;
use zstd::zstd_safe::{CCtx, DCtx};

use crate::base::cores::cores;

/// Compression context with its output buffer.
pub(super) struct Compressor {
    pub(super) context: CCtx<'static>,
    pub(super) buffer: Vec<u8>,
}

/// Pool of idle contexts; at most one for each core.
struct Idle<T>(Mutex<Vec<T>>);

static COMPRESSORS: Idle<Compressor> = Idle(Mutex::new(Vec::new()));
static DECOMPRESSORS: Idle<DCtx<'static>> = Idle(Mutex::new(Vec::new()));

/// Largest buffer capacity that is kept for the next object.
const MAX_BUFFER: usize = 1 << 20;

/// Compresses with a pooled context; `None` if memory for a new context is exhausted.
pub(super) fn compress<R>(work: impl FnOnce(&mut Compressor) -> R) -> Option<R> {
    let idle = COMPRESSORS.take();
    let mut compressor = idle.or_else(|| {
        Some(Compressor {
            context: CCtx::try_create()?,
            buffer: Vec::new(),
        })
    })?;
    let result = work(&mut compressor);
    if compressor.buffer.capacity() > MAX_BUFFER {
        compressor.buffer = Vec::new();
    }
    COMPRESSORS.put(compressor);
    Some(result)
}

/// Decompresses with a pooled context; `None` if memory for a new context is exhausted.
pub(super) fn decompress<R>(work: impl FnOnce(&mut DCtx<'static>) -> R) -> Option<R> {
    let mut context = DECOMPRESSORS.take().or_else(DCtx::try_create)?;
    let result = work(&mut context);
    DECOMPRESSORS.put(context);
    Some(result)
}

// === impl Idle ===

impl<T> Idle<T> {
    fn take(&self) -> Option<T> {
        self.0.lock().pop()
    }

    fn put(&self, context: T) {
        let limit = cores();
        let mut idle = self.0.lock();
        if idle.len() < limit {
            idle.push(context);
        }
    }
}
