//! Reviews of permissions and identities.

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

/// Sends a review as the user of `token`.
async fn ask(server: &ApiServer, token: &str, path: &str, review: &Value) -> (u16, Value) {
    let request = Request::post(path).header("content-type", "application/json");
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
        let (code, answer) = ask(&server, "jane", &path, &review).await;
        assert_eq!(code, 201, "{answer}");
        assert_eq!(answer["kind"], "SelfSubjectAccessReview");
        assert_eq!(answer["spec"], review["spec"]);
        assert_eq!(answer["status"]["allowed"], allowed, "{answer}");
    }
    // A review is not stored as an object.
    assert_eq!(crate::support::get(&server, &path).await.0, 405);
    let everything = access("*", "*", "");
    let (_, answer) = ask(&server, "joe", &path, &everything).await;
    assert_eq!(answer["status"], json!({ "allowed": true }));
    let (_, answer) = ask(&server, "jane", &path, &everything).await;
    assert_eq!(answer["status"], json!({ "allowed": false }));
}

#[tokio::test]
async fn a_review_of_another_user_needs_permission() {
    let server = with_jane().await;
    let path = format!("{AUTHORIZATION}/subjectaccessreviews");
    let mut review = access("get", "pods", "default");
    review["spec"]["user"] = json!("jane");
    assert_eq!(ask(&server, "jane", &path, &review).await.0, 403);
    let (_, answer) = ask(&server, "joe", &path, &review).await;
    assert_eq!(answer["status"]["allowed"], true);
    // Only the groups in the review count.
    let mut discovery = json!({ "spec": {
        "user": "jane", "nonResourceAttributes": { "verb": "get", "path": "/api/v1" },
    }});
    let (_, answer) = ask(&server, "joe", &path, &discovery).await;
    assert_eq!(answer["status"]["allowed"], false);
    discovery["spec"]["groups"] = json!(["system:authenticated"]);
    let (_, answer) = ask(&server, "joe", &path, &discovery).await;
    assert_eq!(answer["status"]["allowed"], true);

    let path = format!("{AUTHORIZATION}/namespaces/default/localsubjectaccessreviews");
    let (_, answer) = ask(&server, "joe", &path, &review).await;
    assert_eq!(answer["status"]["allowed"], true);
    assert_eq!(answer["metadata"]["namespace"], "default");
}

#[tokio::test]
async fn a_review_of_rules_lists_the_rules_of_all_roles() {
    let server = with_jane().await;
    let path = format!("{AUTHORIZATION}/selfsubjectrulesreviews");
    let review = json!({ "spec": { "namespace": "default" } });
    let (code, answer) = ask(&server, "jane", &path, &review).await;
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
    let (code, answer) = ask(&server, "jane", &path, &json!({ "spec": {} })).await;
    assert_eq!(
        (code, &answer["message"]),
        (400, &json!("no namespace on request"))
    );
}

#[tokio::test]
async fn reviews_report_the_identity_of_a_token_and_of_a_request() {
    let server = with_jane().await;
    let path = format!("{AUTHENTICATION}/selfsubjectreviews");
    let (_, answer) = ask(&server, "jane", &path, &json!({})).await;
    let jane = json!({ "username": "jane", "groups": ["system:authenticated"] });
    assert_eq!(answer["status"]["userInfo"], jane);
    let path = format!("{AUTHENTICATION}/tokenreviews");
    let (_, answer) = ask(
        &server,
        "joe",
        &path,
        &json!({ "spec": { "token": "jane" } }),
    )
    .await;
    assert_eq!(
        answer["status"],
        json!({ "authenticated": true, "user": jane })
    );
    let (_, answer) = ask(&server, "joe", &path, &json!({ "spec": { "token": "?" } })).await;
    assert_eq!(answer["status"]["error"], "invalid bearer token");
    assert_eq!(ask(&server, "joe", &path, &json!({})).await.0, 400);
}

#[tokio::test]
async fn a_review_asks_one_question() {
    let server = with_jane().await;
    let path = format!("{AUTHORIZATION}/selfsubjectaccessreviews");
    let both = json!({ "spec": {
        "resourceAttributes": { "verb": "get" }, "nonResourceAttributes": { "verb": "get" },
    }});
    for review in [json!({}), both] {
        let (code, answer) = ask(&server, "jane", &path, &review).await;
        assert_eq!(
            (code, &answer["reason"]),
            (422, &json!("Invalid")),
            "{answer}"
        );
        assert_eq!(answer["details"]["causes"][0]["field"], "spec");
    }
}

/// Without tokens every request is authorized, and reviews report this.
#[tokio::test]
async fn without_tokens_reviews_allow_everything() {
    let server = crate::support::server().await;
    let path = format!("{AUTHORIZATION}/selfsubjectaccessreviews");
    let (_, answer) = ask(&server, "", &path, &access("delete", "nodes", "")).await;
    assert_eq!(answer["status"], json!({ "allowed": true }));
    // A test's prohibition applies to all users.
    server.control().set_forbidden("nodes", true);
    let (_, answer) = ask(&server, "", &path, &access("delete", "nodes", "")).await;
    assert_eq!(answer["status"], json!({ "allowed": false }));
    let path = format!("{AUTHORIZATION}/selfsubjectrulesreviews");
    let review = json!({ "spec": { "namespace": "default" } });
    let (_, answer) = ask(&server, "", &path, &review).await;
    assert_eq!(answer["status"]["resourceRules"][0]["verbs"], json!(["*"]));
}
