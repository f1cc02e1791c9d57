//! [`View`]: a reader whose caches show all earlier writes of a session.

use std::ops::Deref;

use super::write::OwnWrite;

/// Reader whose caches show all earlier writes of a session; returned by
/// [`Session::read`](super::Session::read).
///
/// Dereferences to the reader. A cache never goes back, so later reads show the writes as well. For
/// several reads of one moment, take a [`snapshot`](informer_runtime::Lister::snapshot).
#[derive(Debug)]
pub struct View<'r, R: ?Sized> {
    pub(super) reader: &'r R,
    pub(super) left_out: Vec<OwnWrite>,
}

// === impl View ===

impl<R: ?Sized> View<'_, R> {
    /// Returns the writes of recent time that the reader does not show: an informer's selectors or scope
    /// leave their objects out, or the informer may not list them.
    #[must_use]
    pub fn left_out(&self) -> &[OwnWrite] {
        &self.left_out
    }
}

impl<R: ?Sized> Deref for View<'_, R> {
    type Target = R;

    fn deref(&self) -> &R {
        self.reader
    }
}
