//! Lists, assembled from the messages of their items.

use bytes::Bytes;

use super::{CLOSE, open};
use crate::wire::{put_bytes, put_head};

/// Approximate size of a chunk, in bytes.
const CHUNK: usize = 64 * 1024;

/// Wraps a list in its envelope, as chunks of about 64 KiB that are produced on demand.
///
/// `metadata` is the message of a `ListMeta`, each item the message of an object. The bytes are
/// those of [`wrap`](super::wrap) for the list's message, which is never contiguous in memory here.
///
/// # Examples
///
/// ```
/// use informer_protobuf::{Message, encode_message, from_slice, wrap_list};
/// use serde_json::{Value, json};
///
/// let pod = Message::of("v1", "Pod").unwrap();
/// let item = encode_message(pod, &json!({ "metadata": { "name": "a" } }))?;
/// let list = wrap_list("v1", "PodList", b"", vec![item.into()]);
/// let list: Value = from_slice(&list.collect::<Vec<_>>().concat())?;
/// assert_eq!(list["items"][0]["metadata"]["name"], "a");
/// # Ok::<(), informer_protobuf::Error>(())
/// ```
pub fn wrap_list(
    api_version: &str,
    kind: &str,
    metadata: &[u8],
    items: Vec<Bytes>,
) -> impl Iterator<Item = Bytes> + use<> {
    let mut head = Vec::new();
    put_bytes(&mut head, 1, metadata);
    let mut length = head.len();
    let mut item_head = Vec::new();
    for item in &items {
        item_head.clear();
        put_head(&mut item_head, 2, item.len());
        length += item_head.len() + item.len();
    }
    let mut out = open(api_version, kind, length, CHUNK.min(length) + head.len());
    out.extend_from_slice(&head);
    let mut left = items.into_iter();
    let mut done = false;
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        while out.len() < CHUNK {
            let Some(item) = left.next() else {
                out.extend_from_slice(&CLOSE);
                done = true;
                break;
            };
            put_head(&mut out, 2, item.len());
            out.extend_from_slice(&item);
        }
        Some(std::mem::take(&mut out).into())
    })
}
