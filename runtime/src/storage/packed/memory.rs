//! [`Ledger`]: counts the memory of a storage, in bytes.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::storage::PackedMemory;
use crate::storage::budget::Account;

/// Running counts.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    objects: AtomicUsize,
    evicted: AtomicUsize,
    bodies: AtomicUsize,
    unpacked: AtomicUsize,
    templates: AtomicUsize,
    dictionaries: AtomicUsize,
    dictionary_bytes: AtomicUsize,
    /// Never decreases.
    decodings: AtomicU64,
    template_limit: OnceLock<TemplateLimit>,
}

/// Limit of templates, which cannot be evicted.
#[derive(Debug)]
pub(super) struct TemplateLimit {
    pub(super) account: Arc<Account>,
    /// Maximum size of an object that becomes a template, unpacked.
    pub(super) max_object: usize,
}

/// Memory of a template, counted until this is dropped.
pub(super) struct TemplateSpace {
    bytes: usize,
    ledger: Arc<Ledger>,
}

/// Size of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    /// Packed size, without that of a template, which is counted by itself.
    pub(super) packed: usize,
    pub(super) unpacked: usize,
}

// === impl Ledger ===

impl Ledger {
    pub(super) fn add_object(&self, body: Size) {
        self.objects.fetch_add(1, Ordering::Relaxed);
        self.add_body(body);
    }

    /// Removes an object whose body was evicted.
    pub(super) fn remove_object(&self) {
        self.objects.fetch_sub(1, Ordering::Relaxed);
        self.evicted.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn evict(&self, body: Size) {
        self.bodies.fetch_sub(body.packed, Ordering::Relaxed);
        self.unpacked.fetch_sub(body.unpacked, Ordering::Relaxed);
        self.evicted.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds a body that was evicted.
    pub(super) fn restore(&self, body: Size) {
        self.evicted.fetch_sub(1, Ordering::Relaxed);
        self.add_body(body);
    }

    /// Limits the templates that are made from now on. Has an effect once.
    pub(super) fn limit_templates(&self, limit: TemplateLimit) {
        let _limited_before = self.template_limit.set(limit);
    }

    /// Counts a template; `None` if there is no room for it.
    pub(super) fn reserve_template(self: &Arc<Self>, body: Size) -> Option<TemplateSpace> {
        if let Some(TemplateLimit {
            account,
            max_object,
        }) = self.template_limit.get()
            && (body.unpacked > *max_object || !account.reserve_template(body.packed))
        {
            return None;
        }
        self.templates.fetch_add(body.packed, Ordering::Relaxed);
        Some(TemplateSpace {
            bytes: body.packed,
            ledger: Arc::clone(self),
        })
    }

    pub(super) fn add_dictionary(&self, bytes: usize) {
        self.dictionaries.fetch_add(1, Ordering::Relaxed);
        self.dictionary_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn remove_dictionary(&self, bytes: usize) {
        self.dictionaries.fetch_sub(1, Ordering::Relaxed);
        self.dictionary_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Counts one decoding attempt.
    pub(super) fn count_decoding(&self) {
        self.decodings.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn decodings(&self) -> u64 {
        self.decodings.load(Ordering::Relaxed)
    }

    /// Returns the size of the bodies, without those of templates.
    pub(super) fn bodies(&self) -> usize {
        self.bodies.load(Ordering::Relaxed)
    }

    /// Returns the counts. `header_bytes` is the size of an object without its body.
    pub(super) fn memory(
        &self,
        header_bytes: usize,
        interned_bytes: usize,
        sample_bytes: usize,
    ) -> PackedMemory {
        let read = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let objects = read(&self.objects);
        PackedMemory {
            objects,
            evicted: read(&self.evicted),
            decoded_bytes: 0,
            packed_bytes: self.bodies() + read(&self.templates),
            unpacked_bytes: read(&self.unpacked),
            header_bytes: objects * header_bytes,
            interned_bytes,
            sample_bytes,
            dictionaries: read(&self.dictionaries),
            dictionary_bytes: read(&self.dictionary_bytes),
        }
    }

    fn add_body(&self, body: Size) {
        self.bodies.fetch_add(body.packed, Ordering::Relaxed);
        self.unpacked.fetch_add(body.unpacked, Ordering::Relaxed);
    }
}

// === impl TemplateSpace ===

impl Drop for TemplateSpace {
    fn drop(&mut self) {
        self.ledger
            .templates
            .fetch_sub(self.bytes, Ordering::Relaxed);
        if let Some(limit) = self.ledger.template_limit.get() {
            limit.account.release_template(self.bytes);
        }
    }
}
