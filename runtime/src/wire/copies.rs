//! [`Copies`]: memory for the copies of objects.

use bytes::BytesMut;

/// Maximum size of an allocation that several copies share, in bytes.
const MAX_SHARED: usize = 64 << 10;

/// Memory for the copies of the objects of one frame.
///
/// The copies share allocations. An allocation of several kilobytes for each of them, which another
/// thread frees, would take a sixth of the time of a typed first list with glibc.
#[derive(Debug, Default)]
pub(super) struct Copies {
    free: BytesMut,
    /// Size of the next shared allocation.
    shared: usize,
}

// === impl Copies ===

impl Copies {
    /// Begins a frame of this size.
    pub(super) fn begin_frame(&mut self, bytes: usize) {
        self.shared = bytes.min(MAX_SHARED);
    }

    /// Ends the frame: only its copies keep their memory.
    pub(super) fn end_frame(&mut self) {
        *self = Self::default();
    }

    /// Returns an empty buffer for a copy of this size.
    pub(super) fn allocate(&mut self, bytes: usize) -> BytesMut {
        if self.free.capacity() < bytes {
            if self.shared < bytes {
                return BytesMut::with_capacity(bytes);
            }
            self.free = BytesMut::with_capacity(self.shared);
        }
        let rest = self.free.split_off(bytes);
        std::mem::replace(&mut self.free, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes copies of these sizes in one frame, and returns where each begins.
    fn starts(copies: &mut Copies, frame: usize, sizes: &[usize]) -> Vec<usize> {
        copies.begin_frame(frame);
        let mut kept = Vec::new();
        for (at, &size) in sizes.iter().enumerate() {
            let mut copy = copies.allocate(size);
            assert!(copy.is_empty() && copy.capacity() >= size);
            copy.resize(size, u8::try_from(at).unwrap());
            kept.push(copy.freeze());
        }
        copies.end_frame();
        for (at, copy) in kept.iter().enumerate() {
            let byte = u8::try_from(at).unwrap();
            assert!(copy.iter().all(|found| *found == byte), "{at}");
        }
        kept.iter().map(|copy| copy.as_ptr().addr()).collect()
    }

    #[test]
    fn the_copies_of_a_frame_are_in_one_allocation() {
        let mut copies = Copies::default();
        let starts = starts(&mut copies, 300, &[100, 50, 150]);
        assert_eq!([starts[1], starts[2]], [starts[0] + 100, starts[0] + 150]);
        assert_eq!(copies.free.capacity(), 0);
    }

    #[test]
    fn an_allocation_is_bounded_and_a_large_copy_has_its_own() {
        let mut copies = Copies::default();
        let large = MAX_SHARED + 1;
        let starts = starts(&mut copies, 10 * MAX_SHARED, &[1, large, MAX_SHARED - 1, 1]);
        assert_eq!(starts[2], starts[0] + 1);
        assert_ne!(starts[3], starts[0] + MAX_SHARED);
    }
}
