use super::*;

#[test]
fn equal_values_share_one_allocation() {
    let names = Names::default();
    let text = names.text("web");
    assert!(Arc::ptr_eq(&text, &names.text("web")));
    assert!(!Arc::ptr_eq(&text, &names.text("api")));
    assert_eq!(names.bytes(), "web".len() + 2 * size_of::<usize>());
}

#[test]
fn values_with_equal_hashes_stay_distinct() {
    let texts = Interner::<str>::default();
    let intern = |text: &str| texts.intern(7, |other| other == text, || text.into());
    let (one, other) = (intern("a"), intern("b"));
    assert_eq!((&*one, &*other), ("a", "b"));
    assert_eq!(&*intern("a"), "a");
}

#[test]
fn dead_values_are_removed_from_the_table() {
    let names = Names::default();
    let kept: Vec<_> = (0..100).map(|n| names.text(&format!("kept-{n}"))).collect();
    for n in 0..100_000 {
        drop(names.text(&format!("gone-{n}")));
    }
    let entries = names.texts.table.lock().values.len();
    assert!(entries <= 2 * kept.len(), "{entries}");
    let again = names.text("kept-7");
    assert!(Arc::ptr_eq(&again, &kept[7]));
}
