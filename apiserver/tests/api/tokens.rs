//! Tokens of service accounts.

use http::Request;
use informer_apiserver::{ApiServer, Builder};
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, ServiceAccount};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};

use crate::support::{error_of, get, send, send_as};

const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// Starts a server with the account `robot` in `default`, which may list config maps there.
async fn with_robot() -> ApiServer {
    let builder = ApiServer::builder().token("jane", ["developers"]);
    let objects = [
        json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": "robot" } }),
        json!({
            "apiVersion": RBAC, "kind": "Role", "metadata": { "name": "reader" },
            "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"] }],
        }),
        json!({
            "apiVersion": RBAC, "kind": "RoleBinding", "metadata": { "name": "reader" },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader" },
            "subjects": [{ "kind": "ServiceAccount", "name": "robot" }],
        }),
    ];
    let builder = objects.iter().fold(builder, Builder::object);
    builder.start().await.unwrap()
}

fn accounts(server: &ApiServer) -> Api<ServiceAccount> {
    Api::namespaced(server.client().unwrap(), "default")
}

async fn request(server: &ApiServer, spec: Value) -> kube::Result<TokenRequest> {
    let request = TokenRequest {
        spec: serde_json::from_value(spec).unwrap(),
        ..TokenRequest::default()
    };
    let post = PostParams::default();
    accounts(server)
        .create_token_request("robot", &post, &request)
        .await
}

async fn token(server: &ApiServer) -> String {
    let spec = json!({ "audiences": [] });
    token_of(request(server, spec).await.unwrap())
}

fn token_of(answer: TokenRequest) -> String {
    answer.status.unwrap().token.unwrap()
}

/// Returns a client with the bearer token `token`.
fn bearer(server: &ApiServer, token: &str) -> Client {
    let mut config = server.kube_config();
    config.auth_info.token = Some(token.to_owned().into());
    Client::try_from(config).unwrap()
}

/// Returns the code of a list of config maps in `namespace` with `token`.
async fn list(server: &ApiServer, token: &str, namespace: &str) -> u16 {
    let maps: Api<ConfigMap> = Api::namespaced(bearer(server, token), namespace);
    match maps.list(&ListParams::default()).await {
        Ok(_) => 200,
        rejected => error_of(rejected).0,
    }
}

#[tokio::test]
async fn a_token_of_an_account_authenticates_the_account() {
    let server = with_robot().await;
    let token = token(&server).await;
    assert_eq!(list(&server, &token, "default").await, 200);
    assert_eq!(list(&server, &token, "kube-system").await, 403);
    assert_eq!(list(&server, "made-up", "default").await, 401);
    let question = Request::post("/apis/authentication.k8s.io/v1/selfsubjectreviews")
        .header("content-type", "application/json")
        .body(b"{}".to_vec())
        .unwrap();
    let (_, answer) = send_as(bearer(&server, &token), question).await;
    let user = &answer["status"]["userInfo"];
    assert_eq!(user["username"], "system:serviceaccount:default:robot");
    assert_eq!(
        user["groups"],
        json!([
            "system:serviceaccounts",
            "system:serviceaccounts:default",
            "system:authenticated"
        ])
    );
    let robot = accounts(&server).get("robot").await.unwrap();
    assert_eq!(user["uid"], json!(robot.metadata.uid));
    server.shutdown().await;
}

#[tokio::test]
async fn a_token_expires_by_the_clock_of_the_server() {
    let server = with_robot().await;
    let spec = json!({ "audiences": [], "expirationSeconds": 600 });
    let answer = request(&server, spec).await.unwrap();
    let until = answer.status.clone().unwrap().expiration_timestamp;
    let since = answer.metadata.creation_timestamp.clone();
    let seconds = |time: Option<Time>| time.unwrap().0.as_second();
    assert_eq!(seconds(until) - seconds(since), 600);
    let token = token_of(answer);
    assert_eq!(list(&server, &token, "default").await, 200);
    // A difference of one minute between clocks is tolerated.
    server.control().set_clock_skew(600);
    assert_eq!(list(&server, &token, "default").await, 200);
    server.control().set_clock_skew(600 + 120);
    assert_eq!(list(&server, &token, "default").await, 401);
    // A token is not valid before it was issued.
    server.control().set_clock_skew(-120);
    assert_eq!(list(&server, &token, "default").await, 401);
    server.control().set_clock_skew(0);
    assert_eq!(list(&server, &token, "default").await, 200);
    server.shutdown().await;
}

#[tokio::test]
async fn a_token_stays_invalid_after_its_account_was_deleted() {
    let server = with_robot().await;
    let token = token(&server).await;
    let accounts = accounts(&server);
    let robot = accounts.get("robot").await.unwrap();
    accounts
        .delete("robot", &DeleteParams::default())
        .await
        .unwrap();
    assert_eq!(list(&server, &token, "default").await, 401);
    let again = ServiceAccount {
        metadata: kube::api::ObjectMeta {
            name: robot.metadata.name,
            ..Default::default()
        },
        ..ServiceAccount::default()
    };
    accounts
        .create(&PostParams::default(), &again)
        .await
        .unwrap();
    assert_eq!(list(&server, &token, "default").await, 401);
    server.shutdown().await;
}

#[tokio::test]
async fn a_token_that_is_bound_to_a_pod_becomes_invalid_with_the_pod() {
    let server = with_robot().await;
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "p" },
        "spec": { "serviceAccountName": "robot", "containers": [] },
    });
    server.control().create_direct(pod).unwrap();
    let reference = json!({ "apiVersion": "v1", "kind": "Pod", "name": "p" });
    let spec = json!({ "audiences": [], "boundObjectRef": reference });
    let token = token_of(request(&server, spec).await.unwrap());
    assert_eq!(list(&server, &token, "default").await, 200);
    let pods: Api<Pod> = Api::namespaced(server.client().unwrap(), "default");
    pods.delete("p", &DeleteParams::default()).await.unwrap();
    assert_eq!(list(&server, &token, "default").await, 401);
    server.shutdown().await;
}

#[tokio::test]
async fn a_token_for_another_audience_is_rejected() {
    let server = with_robot().await;
    let spec = json!({ "audiences": ["vault"] });
    let token = token_of(request(&server, spec).await.unwrap());
    assert_eq!(list(&server, &token, "default").await, 401);
    let review = async |audiences: Value| {
        let review = json!({ "spec": { "token": token, "audiences": audiences } });
        let request = Request::post("/apis/authentication.k8s.io/v1/tokenreviews")
            .header("content-type", "application/json")
            .body(review.to_string().into_bytes())
            .unwrap();
        send(&server, request).await.1["status"].take()
    };
    let known = review(json!(["vault", "other"])).await;
    assert_eq!(known["audiences"], json!(["vault"]));
    assert_eq!(
        known["user"]["username"],
        "system:serviceaccount:default:robot"
    );
    let unknown = review(json!(["other"])).await;
    assert_eq!(
        unknown["error"],
        r#"[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["other"]]"#
    );
    server.shutdown().await;
}

#[tokio::test]
async fn a_token_request_needs_ten_minutes_and_a_permission() {
    let server = with_robot().await;
    let spec = json!({ "audiences": [], "expirationSeconds": 599 });
    let rejected = request(&server, spec).await;
    assert_eq!(error_of(rejected), (422, "Invalid".to_owned()));
    let post = PostParams::default();
    let request = TokenRequest::default();
    let none = accounts(&server)
        .create_token_request("none", &post, &request)
        .await;
    assert_eq!(error_of(none), (404, "NotFound".to_owned()));
    // The request needs a permission of its own.
    let jane: Api<ServiceAccount> = Api::namespaced(server.client_as("jane").unwrap(), "default");
    let Err(kube::Error::Api(status)) = jane.create_token_request("robot", &post, &request).await
    else {
        panic!("should have been rejected")
    };
    assert_eq!(
        status.message,
        r#"serviceaccounts "robot" is forbidden: User "jane" cannot create resource "serviceaccounts/token" in API group "" in the namespace "default""#
    );
    server.shutdown().await;
}

#[tokio::test]
async fn discovery_lists_the_token_as_of_another_kind() {
    let server = with_robot().await;
    let (_, core) = get(&server, "/api/v1").await;
    let resources = core["resources"].as_array().unwrap();
    let token = resources
        .iter()
        .find(|resource| resource["name"] == "serviceaccounts/token");
    let expected = json!({
        "name": "serviceaccounts/token", "singularName": "", "namespaced": true,
        "group": "authentication.k8s.io", "version": "v1", "kind": "TokenRequest",
        "verbs": ["create"],
    });
    assert_eq!(token, Some(&expected));
    server.shutdown().await;
}
