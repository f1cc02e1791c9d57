use super::*;

/// Results of kube-derive 5 for words of every branch of its rule.
#[test]
fn plurals_are_kube_derives() {
    for (kind, plural) in [
        ("Foo", Some("foos")),
        ("NetworkChaos", Some("networkchaoses")),
        ("Gateway", Some("gateways")),
        ("NetworkPolicy", Some("networkpolicies")),
        ("Box", Some("boxes")),
        ("Quiz", Some("quizes")),
        ("Batch", Some("batches")),
        ("Mesh", Some("meshes")),
        ("Knife", Some("knifes")),
        ("Endpoints", Some("endpointses")),
        ("WKC", Some("wkcs")),
        ("Y", None),
    ] {
        assert_eq!(inferred_plural(None, kind).as_deref(), plural, "{kind}");
    }
    assert_eq!(
        inferred_plural(Some("foot"), "Feet").as_deref(),
        Some("foots")
    );
}
