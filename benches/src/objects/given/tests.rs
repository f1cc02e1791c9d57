use super::*;

fn error(text: &str) -> String {
    Given::parse(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn lists_of_kubectl_and_of_the_api_server_are_read() {
    let of_kubectl = r#"{"apiVersion":"v1","kind":"List","items":[
        {"apiVersion":"apps/v1","kind":"Deployment","spec":{},"metadata":{"name":"a","resourceVersion":"7"}}]}"#;
    let resource = Given::parse(of_kubectl.as_bytes()).unwrap().resource();
    assert_eq!(resource.api_version, "apps/v1");
    assert_eq!(resource.plural, "deployments");

    let of_server = r#"{"apiVersion":"v1","kind":"PodList","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}"#;
    let given = Given::parse(of_server.as_bytes()).unwrap();
    assert_eq!(given.len(), 2);
    let expected = r#""metadata":{"name":"b","resourceVersion":"9"}}"#;
    assert_eq!(given.members(1, 9), expected);
}

#[test]
fn an_error_names_the_item_or_the_file() {
    let list = |items: &str| error(&format!(r#"{{"items":[{items}]}}"#));
    let pod = r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}"#;
    assert_eq!(list(""), "it has no items");
    assert_eq!(list("{}"), "items[0] has no kind or no apiVersion");
    let service = pod.replace("Pod", "Service");
    let expected = "items[0] is a Pod, items[1] is a Service";
    assert_eq!(list(&format!("{pod},{service}")), expected);
    let nameless = r#"{"kind":"Pod","apiVersion":"v1","metadata":{}}"#;
    let expected = "items[1] has no metadata.name";
    assert_eq!(list(&format!("{pod},{nameless}")), expected);
    let error = Given::read(Path::new("no-such-file")).unwrap_err();
    assert!(error.to_string().starts_with("cannot read no-such-file: "));
}
