use super::Registry;

#[test]
fn a_plural_that_groups_share_needs_its_group() {
    let registry = Registry::built_in();
    assert_eq!(registry.named("events").unwrap().group, "");
    let other = registry.named("events.events.k8s.io").unwrap();
    assert_eq!(other.group, "events.k8s.io");
    assert!(registry.named("nonsense").is_none());
    assert!(
        registry
            .of_kind("autoscaling/v1", "HorizontalPodAutoscaler")
            .is_some()
    );
    assert!(
        registry
            .of_kind("autoscaling/v3", "HorizontalPodAutoscaler")
            .is_none()
    );
}
