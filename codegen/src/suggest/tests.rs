use super::*;

#[test]
fn the_nearest_name_is_suggested_if_it_is_similar() {
    let known = ["accessor", "scope", "index", "crate", "deployment_name"];
    for (word, meant) in [
        ("acessor", Some("accessor")),
        ("scopes", Some("scope")),
        ("idnex", Some("index")),
        ("deploymentName", Some("deployment_name")),
        ("deplyoment-nam", Some("deployment_name")),
        ("z", None),
        ("plural", None),
    ] {
        assert_eq!(nearest(word, known), meant, "{word}");
    }
}
