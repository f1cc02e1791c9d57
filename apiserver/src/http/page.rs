//! Body of a list, in chunks.

use bytes::{BufMut, Bytes, BytesMut};
use serde_json::{Map, Value, json};

use crate::api::list::Page;
use crate::http::protobuf::Kind;
use crate::http::view::View;

/// Approximate size of one chunk, in bytes.
const CHUNK: usize = 64 * 1024;

/// Returns the body in protobuf; the items have the kind `kind`.
pub(super) fn protobuf_chunks(page: &Page, kind: &Kind) -> impl Iterator<Item = Bytes> + use<> {
    kind.list(&metadata_of(page, !kind.is_partial()), &page.items)
}

/// Returns the body in JSON, in chunks of about 64 KiB that are produced on demand.
///
/// `list` is the kind of the list, `view` the view of each item. `bare` items have no kind of their
/// own, as in lists of built-in kinds.
pub(super) fn chunks(
    page: Page,
    list: &View,
    view: View,
    bare: bool,
) -> impl Iterator<Item = Bytes> + use<> {
    let mut out = BytesMut::with_capacity(CHUNK + CHUNK / 4);
    out.put_u8(b'{');
    out.put_slice(list.type_meta());
    let whole = !view.is_partial() && view.as_table().is_none();
    let mut metadata = metadata_of(&page, whole);
    // Lists of custom resources always have the field.
    if !bare && whole {
        metadata
            .entry("continue")
            .or_insert_with(|| Value::from(""));
    }
    let head = format!(
        "\"metadata\":{},{}",
        Value::Object(metadata),
        view.items_member()
    );
    out.put_slice(head.as_bytes());
    // Go encodes an empty list of metadata as null.
    let is_null = view.is_partial() && page.items.is_empty();
    let (start, end) = if is_null {
        ("null", "}\n")
    } else {
        ("[", "]}\n")
    };
    out.put_slice(start.as_bytes());
    let mut items = page.items.into_iter();
    let mut first = true;
    let mut done = false;
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        while out.len() < CHUNK {
            let Some(item) = items.next() else {
                out.put_slice(end.as_bytes());
                done = true;
                break;
            };
            if !std::mem::take(&mut first) {
                out.put_u8(b',');
            }
            match view.as_table() {
                Some(table) => table.write_row(&item, &mut out),
                None => view.write(&item, bare, &mut out),
            }
        }
        Some(out.split().freeze())
    })
}

/// Returns the metadata of the list. Forms other than `whole` objects lack some of the fields.
fn metadata_of(page: &Page, whole: bool) -> Map<String, Value> {
    let mut metadata = Map::new();
    metadata.insert(
        "resourceVersion".to_owned(),
        page.revision.to_string().into(),
    );
    if let Some(token) = &page.continue_token {
        metadata.insert("continue".to_owned(), token.clone().into());
    }
    if let Some(remaining) = page.remaining {
        metadata.insert("remainingItemCount".to_owned(), remaining.into());
    }
    if let Some(selector) = page.shard.as_ref().filter(|_| whole) {
        metadata.insert("shardInfo".to_owned(), json!({ "selector": selector }));
    }
    metadata
}
