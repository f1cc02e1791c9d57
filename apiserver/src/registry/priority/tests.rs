use super::priority;

#[test]
fn versions_have_the_priority_of_kubernetes() {
    let order = [
        "v10", "v2", "v1", "v2beta2", "v1beta10", "v1beta1", "v1alpha1", "foo1", "foo10",
    ];
    let mut shuffled = order;
    shuffled.sort_unstable();
    shuffled.sort_by_key(|version| std::cmp::Reverse(priority(version)));
    assert_eq!(shuffled, order);
}
