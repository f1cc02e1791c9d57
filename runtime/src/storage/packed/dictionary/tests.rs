use zstd::zstd_safe::CCtx;

use super::super::trainer::Trainer;
use super::*;

/// Returns the first dictionary of a type whose objects all equal `object`.
fn first(object: &[u8], max_bytes: usize) -> Dictionary {
    let order = Order::Verbatim(samples(object));
    Dictionary::make(&order, 1, max_bytes, &Arc::default()).unwrap()
}

fn packed(object: &[u8], encoder: &EncoderDictionary<'_>) -> usize {
    let mut bytes = Vec::with_capacity(1024);
    let mut context = CCtx::create();
    let packed = context.compress_using_cdict(&mut bytes, object, encoder.as_cdict());
    packed.unwrap()
}

#[test]
fn text_without_repetitions_is_compressed_by_the_tables_of_the_head() {
    let object = br#"{"metadata":{"uid":""}}"#;
    let uid = b"5e0f1c3a-9b27-4d68-8a40-d71f3be92c56";
    let content = EncoderDictionary::copy(&object.repeat(16), 1);
    let (with, without) = (
        packed(uid, &first(object, 1 << 10).encoder),
        packed(uid, &content),
    );
    assert!(with + 4 < without, "{with} with, {without} without");
}

#[test]
fn dictionary_content_is_bounded() {
    let object = [&[b'a'; 600][..], &[b'b'; 600]].concat();
    let content = |max_bytes| Dictionary::of(&samples(&object), max_bytes);
    assert_eq!(content(1000)[HEAD.len()..], object[200..]);
    assert_eq!(content(1 << 20)[HEAD.len()..], object.repeat(16));
}

#[test]
fn minimal_objects_make_a_dictionary() {
    let minimal = br#"{"metadata":{}}"#;
    assert!(packed(minimal, &first(minimal, 1 << 10).encoder) < minimal.len() + 4);
}

fn samples(object: &[u8]) -> Samples {
    let mut trainer = Trainer::new();
    match (0..100).find_map(|_| trainer.on_packed(object, 10)) {
        Some(Order::Verbatim(samples)) => samples,
        other => panic!("{other:?}"),
    }
}
