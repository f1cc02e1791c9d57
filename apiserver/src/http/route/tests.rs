use super::Route;
use crate::registry::target::ResourcePath;

fn resource(path: &str) -> [String; 6] {
    let Route::Resource(ResourcePath {
        group,
        version,
        namespace,
        plural,
        name,
        subresource,
    }) = Route::parse(path)
    else {
        panic!("{path} is no resource")
    };
    [group, version, namespace, plural, name, subresource]
}

#[test]
fn paths_are_taken_apart() {
    for (path, expected) in [
        ("/api/v1/pods", ["", "v1", "", "pods", "", ""]),
        ("/api/v1/namespaces", ["", "v1", "", "namespaces", "", ""]),
        (
            "/api/v1/namespaces/x",
            ["", "v1", "", "namespaces", "x", ""],
        ),
        (
            "/api/v1/namespaces/x/status",
            ["", "v1", "", "namespaces", "x", "status"],
        ),
        ("/api/v1/namespaces/x/pods", ["", "v1", "x", "pods", "", ""]),
        (
            "/apis/apps/v1/namespaces/x/deployments/y/status",
            ["apps", "v1", "x", "deployments", "y", "status"],
        ),
        (
            "/apis/a.io/v1/roles/system%3Aall",
            ["a.io", "v1", "", "roles", "system:all", ""],
        ),
    ] {
        assert_eq!(resource(path), expected, "{path}");
    }
    assert_eq!(Route::parse("/apis/apps/"), Route::Group("apps".to_owned()));
    assert_eq!(Route::parse("/livez/ping"), Route::Health);
    let index = Route::OpenApi(String::new());
    assert_eq!(Route::parse("/openapi/v3"), index);
    let document = Route::OpenApi("apis/apps/v1".to_owned());
    assert_eq!(Route::parse("/openapi/v3/apis/apps/v1"), document);
    for unknown in ["/", "/openapi/v1", "/api/v1/namespaces/x/pods/y/z/w"] {
        assert_eq!(Route::parse(unknown), Route::Unknown, "{unknown}");
    }
}
