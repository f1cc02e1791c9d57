//! Reviews of permissions and identities, and impersonation.

use http::Request;
use informer_apiserver::ApiServer;
use serde_json::{Value, json};

use crate::support::send_as;

const AUTHORIZATION: &str = "/apis/authorization.k8s.io/v1";
const AUTHENTICATION: &str = "/apis/authentication.k8s.io/v1";

/// Jane may read pods in `default`.
async fn with_jane() -> ApiServer {
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": { "name": "jane-reads", "namespace": "default" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader" },
        "subjects": [{ "kind": "User", "name": "jane" }],
    });
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
        "metadata": { "name": "reader", "namespace": "default" },
        "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"] }],
    });
    let builder = ApiServer::builder().token("jane", Vec::<String>::new());
    let builder = builder.token("joe", ["system:masters"]);
    builder
        .object(&role)
        .object(&binding)
        .start()
        .await
        .unwrap()
}

/// Sends a review as the user of `token`, with additional headers.
async fn ask(
    server: &ApiServer,
    token: &str,
    headers: &[(&str, &str)],
    path: &str,
    review: &Value,
) -> (u16, Value) {
    let mut request = Request::post(path).header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(review.to_string().into_bytes()).unwrap();
    let client = match token {
        "" => server.client(),
        token => server.client_as(token),
    };
    send_as(client.unwrap(), request).await
}

fn access(verb: &str, resource: &str, namespace: &str) -> Value {
    json!({ "spec": { "resourceAttributes": {
        "verb": verb, "resource": resource, "namespace": namespace,
    }}})
}

#[tokio::test]
async fn an_access_review_predicts_the_result_of_a_request() {
    let server = with_jane().await;
    let path = format!("{AUTHORIZATION}/selfsubjectaccessreviews");
    for (verb, resource, namespace, allowed) in [
        ("list", "pods", "default", true),
        ("delete", "pods", "default", false),
        ("list", "pods", "kube-system", false),
        ("list", "secrets", "default", false),
    ] {
        let review = access(verb, resource, namespace);
        let (code, answer) = ask(&server, "jane", &[], &path, &review).await;
        assert_eq!(code, 201, "{answer}");
        assert_eq!(answer["kind"], "SelfSubjectAccessReview");
        assert_eq!(answer["spec"], review["spec"]);
        assert_eq!(answer["status"]["allowed"], allowed, "{answer}");
    }
    let (_, answer) = ask(
        &server,
        "jane",
        &[],
        &path,
        &access("get", "pods", "default"),
    )
    .await;
    assert_eq!(
        answer["status"]["reason"],
        r#"RBAC: allowed by RoleBinding "jane-reads/default" of Role "reader" to User "jane""#
    );
    // A review is not stored as an object.
    assert_eq!(crate::support::get(&server, &path).await.0, 405);
    let everything = access("*", "*", "");
    let (_, answer) = ask(&server, "joe", &[], &path, &everything).await;
    assert_eq!(answer["status"], json!({ "allowed": true }));
    let (_, answer) = ask(&server, "jane", &[], &path, &everything).await;
    assert_eq!(answer["status"], json!({ "allowed": false }));
}

#[tokio::test]
async fn a_review_of_another_user_needs_permission() {
    let server = with_jane().await;
    let path = format!("{AUTHORIZATION}/subjectaccessreviews");
    let mut review = access("get", "pods", "default");
    review["spec"]["user"] = json!("jane");
    assert_eq!(ask(&server, "jane", &[], &path, &review).await.0, 403);
    let (_, answer) = ask(&server, "joe", &[], &path, &review).await;
    assert_eq!(answer["status"]["allowed"], true);
    // Only the groups in the review count.
    let mut discovery = json!({ "spec": {
        "user": "jane", "nonResourceAttributes": { "verb": "get", "path": "/api/v1" },
    }});
    let (_, answer) = ask(&server, "joe", &[], &path, &discovery).await;
    assert_eq!(answer["status"]["allowed"], false);
    discovery["spec"]["groups"] = json!(["system:authenticated"]);
    let (_, answer) = ask(&server, "joe", &[], &path, &discovery).await;
    assert_eq!(answer["status"]["allowed"], true);

    let path = format!("{AUTHORIZATION}/namespaces/default/localsubjectaccessreviews");
    let (_, answer) = ask(&server, "joe", &[], &path, &review).await;
    assert_eq!(answer["status"]["allowed"], true);
    assert_eq!(answer["metadata"]["namespace"], "default");
    review["spec"]["resourceAttributes"]["namespace"] = json!("other");
    assert_eq!(ask(&server, "joe", &[], &path, &review).await.0, 422);
}

#[tokio::test]
async fn a_review_of_rules_lists_the_rules_of_all_roles() {
    let server = with_jane().await;
    let path = format!("{AUTHORIZATION}/selfsubjectrulesreviews");
    let review = json!({ "spec": { "namespace": "default" } });
    let (code, answer) = ask(&server, "jane", &[], &path, &review).await;
    assert_eq!(code, 201);
    let rules = answer["status"]["resourceRules"].as_array().unwrap();
    let pods = json!({ "apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"] });
    assert!(rules.contains(&pods), "{answer}");
    assert_eq!(rules.len(), 3);
    assert_eq!(
        answer["status"]["nonResourceRules"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let (code, answer) = ask(&server, "jane", &[], &path, &json!({ "spec": {} })).await;
    assert_eq!(
        (code, &answer["message"]),
        (400, &json!("no namespace on request"))
    );
}

#[tokio::test]
async fn reviews_report_the_identity_of_a_token_and_of_a_request() {
    let server = with_jane().await;
    let path = format!("{AUTHENTICATION}/selfsubjectreviews");
    let (_, answer) = ask(&server, "jane", &[], &path, &json!({})).await;
    let jane = json!({ "username": "jane", "groups": ["system:authenticated"] });
    assert_eq!(answer["status"]["userInfo"], jane);
    let path = format!("{AUTHENTICATION}/tokenreviews");
    let (_, answer) = ask(
        &server,
        "joe",
        &[],
        &path,
        &json!({ "spec": { "token": "jane" } }),
    )
    .await;
    assert_eq!(
        answer["status"],
        json!({ "authenticated": true, "user": jane })
    );
    let (_, answer) = ask(
        &server,
        "joe",
        &[],
        &path,
        &json!({ "spec": { "token": "?" } }),
    )
    .await;
    assert_eq!(answer["status"]["error"], "invalid bearer token");
    assert_eq!(ask(&server, "joe", &[], &path, &json!({})).await.0, 400);
}

#[tokio::test]
async fn a_review_asks_one_question() {
    let server = with_jane().await;
    let path = format!("{AUTHORIZATION}/selfsubjectaccessreviews");
    let both = json!({ "spec": {
        "resourceAttributes": { "verb": "get" }, "nonResourceAttributes": { "verb": "get" },
    }});
    for review in [json!({}), both] {
        let (code, answer) = ask(&server, "jane", &[], &path, &review).await;
        assert_eq!(
            (code, &answer["reason"]),
            (422, &json!("Invalid")),
            "{answer}"
        );
        assert_eq!(answer["details"]["causes"][0]["field"], "spec");
    }
    let named = json!({ "metadata": { "name": "x" }, "spec": access("get", "pods", "")["spec"] });
    assert_eq!(ask(&server, "jane", &[], &path, &named).await.0, 422);
}

/// An impersonating user has the permissions of the other user, and loses its own.
#[tokio::test]
async fn an_impersonating_user_acts_as_the_other_user() {
    let server = with_jane().await;
    let path = format!("{AUTHENTICATION}/selfsubjectreviews");
    let review = json!({});
    let headers = [
        ("impersonate-user", "jane"),
        ("impersonate-group", "developers"),
        ("impersonate-uid", "7"),
        ("impersonate-extra-scopes", "view"),
    ];
    let (code, answer) = ask(&server, "joe", &headers, &path, &review).await;
    assert_eq!(code, 201);
    assert_eq!(
        answer["status"]["userInfo"],
        json!({
            "username": "jane", "groups": ["developers", "system:authenticated"],
            "uid": "7", "extra": { "scopes": ["view"] },
        })
    );
    let robot = [("impersonate-user", "system:serviceaccount:default:robot")];
    let (_, answer) = ask(&server, "joe", &robot, &path, &review).await;
    let groups = [
        "system:serviceaccounts",
        "system:serviceaccounts:default",
        "system:authenticated",
    ];
    assert_eq!(answer["status"]["userInfo"]["groups"], json!(groups));

    let create = json!({ "metadata": { "name": "a" } });
    let maps = "/api/v1/namespaces/default/configmaps";
    assert_eq!(
        ask(&server, "joe", &headers[..1], maps, &create).await.0,
        403
    );
    assert_eq!(ask(&server, "joe", &[], maps, &create).await.0, 201);

    let (code, answer) = ask(
        &server,
        "jane",
        &[("impersonate-user", "joe")],
        &path,
        &review,
    )
    .await;
    assert_eq!(code, 403);
    assert_eq!(
        answer["message"],
        r#"users "joe" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope"#
    );
    let (code, _) = ask(&server, "joe", &headers[1..2], &path, &review).await;
    assert_eq!(code, 400);
}

/// Without tokens every request is authorized, and reviews report this.
#[tokio::test]
async fn without_tokens_reviews_allow_everything() {
    let server = crate::support::server().await;
    let path = format!("{AUTHORIZATION}/selfsubjectaccessreviews");
    let (_, answer) = ask(&server, "", &[], &path, &access("delete", "nodes", "")).await;
    assert_eq!(answer["status"], json!({ "allowed": true }));
    // A test's prohibition applies to all users.
    server.control().set_forbidden("nodes", true);
    let (_, answer) = ask(&server, "", &[], &path, &access("delete", "nodes", "")).await;
    assert_eq!(answer["status"], json!({ "allowed": false }));
    let path = format!("{AUTHORIZATION}/selfsubjectrulesreviews");
    let review = json!({ "spec": { "namespace": "default" } });
    let (_, answer) = ask(&server, "", &[], &path, &review).await;
    assert_eq!(answer["status"]["resourceRules"][0]["verbs"], json!(["*"]));
    let path = format!("{AUTHENTICATION}/selfsubjectreviews");
    let (_, answer) = ask(&server, "", &[("impersonate-user", "x")], &path, &json!({})).await;
    assert_eq!(answer["status"]["userInfo"]["username"], "x");
}
