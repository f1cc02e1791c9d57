use super::*;

/// Results of kube-derive 5 for words of every branch of its rule.
#[test]
fn plurals_are_kube_derives() {
    for (kind, plural) in [
        ("Foo", "foos"),
        ("NetworkChaos", "networkchaoses"),
        ("Gateway", "gateways"),
        ("NetworkPolicy", "networkpolicies"),
        ("Box", "boxes"),
        ("Quiz", "quizes"),
        ("Batch", "batches"),
        ("Mesh", "meshes"),
        ("Knife", "knifes"),
        ("Endpoints", "endpointses"),
        ("WKC", "wkcs"),
    ] {
        let meta = syn::parse_quote!(kube(kind = #kind));
        assert_eq!(Kube::read([&meta]).unwrap().plural(kind), plural);
    }
    let meta = syn::parse_quote!(kube(kind = "Feet", singular = "foot"));
    assert_eq!(Kube::read([&meta]).unwrap().plural("Feet"), "foots");
}
