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
fn a_kind_is_found_by_its_full_name_or_by_a_short_name_that_no_other_kind_has() {
    let known = || {
        [
            (Gvk::new("", "v1", "Pod"), Some("pods")),
            (Gvk::new("", "v1", "Event"), Some("events")),
            (Gvk::new("events.k8s.io", "v1", "Event"), Some("events")),
            // A kind that is known twice is one candidate.
            (Gvk::new("", "v1", "Pod"), Some("pods")),
        ]
    };
    for (name, expected) in [
        ("Pod", Ok("v1/Pod")),
        ("core/v1/Pod", Ok("v1/Pod")),
        ("events.k8s.io/v1/Event", Ok("events.k8s.io/v1/Event")),
        (
            "Event",
            Err("is ambiguous, write one of: `v1/Event`, `events.k8s.io/v1/Event`"),
        ),
        ("Pods", Err("is unknown, did you mean `v1/Pod`?")),
        ("apps/v1/Event", Err("is unknown, did you mean `v1/Event`?")),
        ("v1/Pdo", Err("is unknown, did you mean `v1/Pod`?")),
        ("example.com/v1/Widget", Err("is unknown")),
    ] {
        let found = find(name, known(), "is unknown").map(|gvk| gvk.to_string());
        assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned));
    }
}
