//! Packed objects keep their content.

use bytes::Bytes;
use kube::core::DynamicObject;

use crate::object::{ObjectKey, ResourceVersion};
use crate::storage::{Packed, PackedObject, Storage};
use crate::wire::{Header, RawEncoding, RawObject};

/// Minimum number of objects: the first ones train a dictionary.
const OBJECTS: usize = 40;

/// Checks objects, one per line: their bytes are restored, and no memory remains after they are
/// dropped.
pub fn packed(input: &[u8]) {
    let storage = Packed::new();
    let lines: Vec<&[u8]> = input.split(|&byte| byte == b'\n').collect();
    let texts = lines.iter().cycle().take(OBJECTS.max(lines.len()));
    let raws: Vec<RawObject> = texts.map(|text| raw(text)).collect();
    let pack = |raw: &RawObject| -> PackedObject<DynamicObject> {
        storage
            .make_handle(raw, None)
            .expect("packing decodes nothing")
    };
    let objects: Vec<_> = raws.iter().map(pack).collect();
    for (raw, object) in raws.iter().zip(&objects) {
        let unpacked = object.to_raw().expect("the object unpacks");
        assert_eq!(unpacked.bytes(), raw.bytes());
        assert_eq!(unpacked.header(), raw.header());
        let (decoded, expected) = (object.decode().ok(), raw.decode::<DynamicObject>().ok());
        assert_eq!(decoded.as_deref(), expected.as_ref());
        let labels = raw.related().labels;
        assert!(
            object
                .labels()
                .eq(labels.iter().map(|(key, value)| (&**key, &**value)))
        );
    }
    assert_eq!(storage.memory().objects, objects.len());
    drop(objects);
    let memory = storage.memory();
    assert_eq!(
        (memory.objects, memory.packed_bytes, memory.unpacked_bytes),
        (0, 0, 0)
    );
    assert_eq!((memory.header_bytes, memory.interned_bytes), (0, 0));
}

/// Returns an object with any bytes.
fn raw(text: &[u8]) -> RawObject {
    let bytes = Bytes::copy_from_slice(text);
    let header = Header {
        key: ObjectKey::cluster("a"),
        uid: None,
        resource_version: ResourceVersion::UNSET,
    };
    let raw = RawObject::json(bytes.clone());
    raw.unwrap_or_else(|_| RawObject::new(header, RawEncoding::Json, bytes))
}
