use super::*;

#[test]
fn bad_objects_become_templates_at_growing_intervals() {
    let mut attempts = Attempts::default();
    let becomes = (1..=30).filter(|_| attempts.on_bad());
    assert_eq!(becomes.collect::<Vec<_>>(), [1, 3, 7, 15]);
}
