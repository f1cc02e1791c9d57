use super::*;

#[test]
fn few_unpacked_templates_are_kept() {
    let (recent, ledger) = (Arc::default(), Arc::default());
    let object = [7; 100];
    let templates: Vec<_> = (0..2 * RECENT)
        .map(|_| Template::new(Frame::new(&object, 1, None), &recent, &ledger))
        .map(Arc::new)
        .collect();
    for template in &templates {
        assert_eq!(*template.bytes().unwrap(), object);
    }
    assert_eq!(recent.bytes(), RECENT * object.len());
    assert!(recent.get(&templates[0]).is_none());
    assert!(recent.get(&templates[RECENT]).is_some());
}

#[test]
fn a_large_unpacked_template_is_not_kept() {
    let recent = Arc::default();
    let frame = Frame::new(&vec![7; MAX_RECENT + 1], 1, None);
    let template = Arc::new(Template::new(frame, &recent, &Arc::default()));
    assert_eq!(template.bytes().unwrap().len(), MAX_RECENT + 1);
    assert_eq!(recent.bytes(), 0);
}
