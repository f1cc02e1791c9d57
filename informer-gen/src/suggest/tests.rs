use super::*;

#[test]
fn a_kind_is_suggested_for_its_plural_and_for_its_name_alone() {
    let known = || {
        [
            (Gvk::new("", "v1", "Pod"), Some("pods")),
            (Gvk::new("", "v1", "Binding"), None),
            (Gvk::new("apps", "v1", "Deployment"), Some("deployments")),
        ]
    };
    for (wanted, meant) in [
        ("Pod", Some("v1/Pod")),
        ("pods", Some("v1/Pod")),
        ("v1/pods", Some("v1/Pod")),
        ("apps/Deployments", Some("apps/v1/Deployment")),
        ("apps/v1/Deploymnt", Some("apps/v1/Deployment")),
        ("v1/Pdo", Some("v1/Pod")),
        ("Deploymet", Some("apps/v1/Deployment")),
        ("deploymens", Some("apps/v1/Deployment")),
        ("widgets", None),
    ] {
        assert_eq!(
            kind_or_plural(wanted, known()).0.as_deref(),
            meant,
            "{wanted}"
        );
    }
}

#[test]
fn a_kind_is_suggested_from_another_group_before_a_similar_name() {
    let known = [
        Gvk::new("", "v1", "Pod"),
        Gvk::new("apps", "v1", "Deployment"),
    ];
    let suggest = |text| kind(&Gvk::parse(text).unwrap(), &known).0;
    assert_eq!(
        suggest("v1/Deployment").as_deref(),
        Some("apps/v1/Deployment")
    );
    assert_eq!(
        suggest("apps/v1/Deploymnt").as_deref(),
        Some("apps/v1/Deployment")
    );
    assert_eq!(suggest("v1/Pdo").as_deref(), Some("v1/Pod"));
    assert_eq!(suggest("example.com/v1/Widget"), None);
}
