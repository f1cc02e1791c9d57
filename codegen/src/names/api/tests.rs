use super::*;

#[test]
fn versions_are_in_the_order_of_kubernetes() {
    let expected = [
        "v10",
        "v2",
        "v1",
        "v11beta2",
        "v10beta3",
        "v3beta1",
        "v12alpha1",
        "v11alpha2",
        "foo1",
        "foo10",
    ];
    let mut versions = expected;
    versions.reverse();
    versions.sort_by_key(|version| version_order(version));
    assert_eq!(versions, expected);
}

#[test]
fn only_v_and_a_number_is_stable() {
    for version in ["v1", "v2", "v10"] {
        assert!(is_stable(version), "{version}");
    }
    for version in ["v1beta1", "v1alpha1", "v", "1", "v1x", "foo1", "v1-beta"] {
        assert!(!is_stable(version), "{version}");
    }
}
