use super::*;

fn members(path: &str) -> Walk {
    Walk::Members(path.split('.').map(str::to_owned).collect())
}

fn beside(path: &str) -> Beside {
    Beside::Name(members(path))
}

#[test]
fn fields_of_a_reference_are_split_after_their_common_part() {
    let named = Named::new(members("spec.refs.name"), None, None);
    assert_eq!(
        (named.at, named.name),
        (members("spec.refs"), members("name"))
    );

    let namespace = Some(members("spec.refs.namespace"));
    let named = Named::new(members("spec.refs.name"), namespace, None);
    assert_eq!(
        (named.at, named.namespace),
        (members("spec.refs"), Some(beside("namespace")))
    );
}

#[test]
fn a_field_elsewhere_belongs_to_all_names() {
    let kind = Some(members("spec.refs.kind"));
    let named = Named::new(
        members("spec.refs.name"),
        Some(members("spec.namespace")),
        kind,
    );
    assert_eq!(named.at, members("spec.refs"));
    assert_eq!(named.kind, Some(beside("kind")));
    let all = Some(Beside::Object(members("spec.namespace")));
    assert_eq!(named.namespace, all);
}

#[test]
fn the_last_field_is_never_common() {
    let named = Named::new(members("spec.name"), Some(members("spec.name")), None);
    assert_eq!((named.at, named.name), (members("spec"), members("name")));
    let named = Named::new(
        members("spec.names.name"),
        Some(members("spec.names")),
        None,
    );
    assert_eq!(
        (named.at, named.namespace),
        (members("spec"), Some(beside("names")))
    );
}
