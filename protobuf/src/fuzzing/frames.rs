//! Property of the bodies of lists and watches: the result does not depend on the framing.

use bytes::Bytes;

use super::{MEMORY, peak_memory};
use crate::wire::{Payload, Reader};
use crate::{
    BadFrame, Envelope, Event, EventSplitter, ListMeta, ListSplitter, SplitError, watch_frame, wrap,
};

/// Splits the body of a list or watch, and a list or watch with the input as its content.
pub fn protobuf_frames(bytes: &[u8]) {
    list(bytes);
    list(&wrap("v1", "PodList", bytes));
    watch(bytes);
    watch(&watch_frame("ADDED", bytes));
}

/// Sizes of frames; whole bodies come first.
const SIZES: [usize; 6] = [usize::MAX, 1, 2, 3, 7, 64];
/// Maximum size of an item and of an event, in bytes.
const MAX_ITEM: u64 = 1 << 10;

type Items = Vec<Result<Bytes, BadFrame>>;

fn split_list(body: &[u8], size: usize) -> (Items, Result<ListMeta, SplitError>) {
    let mut splitter = ListSplitter::new().max_item_bytes(MAX_ITEM);
    let mut items = Vec::new();
    for frame in body.chunks(size) {
        if let Err(error) = splitter.push(&Bytes::copy_from_slice(frame), &mut items) {
            return (items, Err(without_offset(error)));
        }
    }
    (items, splitter.finish().map_err(without_offset))
}

fn list(body: &[u8]) {
    let (items, end) = split_list(body, usize::MAX);
    for size in SIZES {
        assert_eq!(
            (&items, &end),
            (&split_list(body, size).0, &split_list(body, size).1)
        );
    }
    let memory = peak_memory(|| drop(split_list(body, 16)));
    assert!(
        memory <= MEMORY + 128 * body.len(),
        "{memory} bytes are held"
    );
    let total: usize = items.iter().flatten().map(Bytes::len).sum();
    assert!(total <= body.len());
    if end.is_ok() {
        let envelope = Envelope::parse(body).expect("the list is complete");
        let mut reader = Reader::new(envelope.raw);
        let mut expected = Vec::new();
        while let Some(record) = reader.record().expect("the list is complete") {
            if let (2, Payload::Bytes(item)) = record {
                expected.push(item);
            }
        }
        assert_eq!(items.len(), expected.len());
        for (item, expected) in items.iter().zip(expected) {
            match item {
                Ok(item) => assert_eq!(item, expected),
                Err(_) => assert!(expected.len() as u64 > MAX_ITEM),
            }
        }
    }
}

type Events = Vec<Result<Event, BadFrame>>;

fn split_watch(body: &[u8], size: usize) -> (Events, Result<(), SplitError>) {
    let mut splitter = EventSplitter::new().max_frame_bytes(MAX_ITEM);
    let mut events = Vec::new();
    for frame in body.chunks(size) {
        if let Err(error) = splitter.push(&Bytes::copy_from_slice(frame), &mut events) {
            return (events, Err(error));
        }
    }
    (events, splitter.finish())
}

fn watch(body: &[u8]) {
    let (events, end) = split_watch(body, usize::MAX);
    for size in SIZES {
        assert_eq!(
            (&events, &end),
            (&split_watch(body, size).0, &split_watch(body, size).1)
        );
    }
    let memory = peak_memory(|| drop(split_watch(body, 16)));
    assert!(
        memory <= MEMORY + 128 * body.len(),
        "{memory} bytes are held"
    );
    let total: usize = events
        .iter()
        .flatten()
        .map(|event| event.object.len())
        .sum();
    assert!(total <= body.len());
}

/// Removes the offset of an error, because smaller frames can detect the error earlier in the body.
fn without_offset(error: SplitError) -> SplitError {
    match error {
        SplitError::Malformed { expected, .. } => SplitError::Malformed {
            offset: 0,
            expected,
        },
        SplitError::Truncated { .. } => SplitError::Truncated { bytes: 0 },
        other => other,
    }
}
