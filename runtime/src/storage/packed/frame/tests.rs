use super::*;
use crate::storage::packed::memory::{Ledger, Size};

/// Makes a template of this size, alone in its storage.
fn template(bytes: usize, recent: &Arc<Recent>) -> Arc<Template> {
    let frame = Frame::new(&vec![7; bytes], 1, None);
    let size = Size {
        packed: frame.len(),
        unpacked: bytes,
    };
    let space = Arc::<Ledger>::default().reserve_template(size).unwrap();
    Arc::new(Template::new(frame, recent, space))
}

#[test]
fn few_unpacked_templates_are_kept() {
    let recent = Arc::default();
    let object = [7; 100];
    let templates: Vec<_> = (0..2 * RECENT)
        .map(|_| template(object.len(), &recent))
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
    let template = template(MAX_RECENT + 1, &recent);
    assert_eq!(template.bytes().unwrap().len(), MAX_RECENT + 1);
    assert_eq!(recent.bytes(), 0);
}
