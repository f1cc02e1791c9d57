//! Tokens, roles and bindings.

use http::Request;
use informer_apiserver::ApiServer;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{ListParams, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};

use crate::support::{config_map, error_of, server};

const RBAC: &str = "rbac.authorization.k8s.io/v1";

async fn with_tokens() -> ApiServer {
    let tokens = ApiServer::builder()
        .token("jane", ["developers"])
        .token("system:serviceaccount:default:robot", Vec::<String>::new());
    tokens.start().await.unwrap()
}

fn role(server: &ApiServer, kind: &str, name: &str, rules: Value) {
    let mut role = json!({ "apiVersion": RBAC, "kind": kind, "metadata": { "name": name } });
    role["rules"] = rules;
    server.control().create_direct(role).unwrap();
}

fn bind(server: &ApiServer, kind: &str, role: (&str, &str), subject: Value) {
    let mut binding = json!({
        "apiVersion": RBAC, "kind": kind, "metadata": { "name": role.1 },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": role.0, "name": role.1 },
    });
    binding["subjects"] = Value::Array(vec![subject]);
    server.control().create_direct(binding).unwrap();
}

fn maps(client: &Client, namespace: &str) -> Api<ConfigMap> {
    Api::namespaced(client.clone(), namespace)
}

#[tokio::test]
async fn a_user_without_a_role_is_rejected_in_the_words_of_rbac() {
    let server = with_tokens().await;
    let jane = server.client_as("jane").unwrap();
    let rejected = maps(&jane, "default").list(&ListParams::default()).await;
    let Err(kube::Error::Api(status)) = rejected else {
        panic!("should have been rejected")
    };
    assert_eq!((status.code, status.reason.as_str()), (403, "Forbidden"));
    assert_eq!(
        status.message,
        r#"configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "default""#
    );
    // Every registered user may read discovery.
    assert!(jane.list_api_groups().await.is_ok());
    let stranger = server.client_as("stranger").unwrap();
    let rejected = stranger.list_api_groups().await;
    assert_eq!(error_of(rejected), (401, "Unauthorized".to_owned()));
    // The server's own client may do everything.
    let client = server.client().unwrap();
    assert!(
        maps(&client, "default")
            .list(&ListParams::default())
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_request_without_a_token_is_anonymous() {
    let server = with_tokens().await;
    let mut config = server.kube_config();
    config.auth_info.token = None;
    let nobody = Client::try_from(config).unwrap();
    assert!(nobody.apiserver_version().await.is_ok());
    let Err(kube::Error::Api(status)) = nobody.list_api_groups().await else {
        panic!("should have been rejected")
    };
    assert_eq!(status.code, 403);
    assert_eq!(
        status.message,
        r#"forbidden: User "system:anonymous" cannot get path "/apis""#
    );
}

#[tokio::test]
async fn a_role_applies_to_its_namespace_and_a_cluster_role_everywhere() {
    let server = with_tokens().await;
    let reading = json!([{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"] }]);
    role(&server, "Role", "reader", reading.clone());
    let group = json!({ "kind": "Group", "name": "developers" });
    bind(&server, "RoleBinding", ("Role", "reader"), group.clone());
    let jane = server.client_as("jane").unwrap();
    let list = ListParams::default();
    assert!(maps(&jane, "default").list(&list).await.is_ok());
    assert_eq!(
        error_of(maps(&jane, "kube-system").list(&list).await).0,
        403
    );
    let everywhere: Api<ConfigMap> = Api::all(jane.clone());
    assert_eq!(error_of(everywhere.list(&list).await).0, 403);
    let post = PostParams::default();
    assert_eq!(
        error_of(maps(&jane, "default").create(&post, &config_map("a")).await).0,
        403
    );
    let pods: Api<Pod> = Api::namespaced(jane.clone(), "default");
    assert_eq!(error_of(pods.list(&list).await).0, 403);

    role(&server, "ClusterRole", "all-readers", reading);
    bind(
        &server,
        "ClusterRoleBinding",
        ("ClusterRole", "all-readers"),
        group,
    );
    assert!(maps(&jane, "kube-system").list(&list).await.is_ok());
    assert!(everywhere.list(&list).await.is_ok());
    // A deleted binding grants nothing.
    let path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/all-readers";
    server.control().delete_direct(path).unwrap();
    assert_eq!(error_of(everywhere.list(&list).await).0, 403);
}

#[tokio::test]
async fn rules_name_objects_and_subresources_and_bindings_name_service_accounts() {
    let server = with_tokens().await;
    let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" }, "spec": {} });
    server.control().create_direct(pod).unwrap();
    role(
        &server,
        "ClusterRole",
        "status-writer",
        json!([
            { "apiGroups": [""], "resources": ["pods/status"], "verbs": ["*"] },
            { "apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"], "resourceNames": ["mine"] },
        ]),
    );
    let robot = json!({ "kind": "ServiceAccount", "name": "robot", "namespace": "default" });
    bind(
        &server,
        "RoleBinding",
        ("ClusterRole", "status-writer"),
        robot,
    );
    let robot = server
        .client_as("system:serviceaccount:default:robot")
        .unwrap();
    let get = async |path: &str| {
        let request = Request::get(path).body(Vec::new()).unwrap();
        let response = robot.send(request.map(Into::into)).await.unwrap();
        response.status().as_u16()
    };
    let default = "/api/v1/namespaces/default";
    assert_eq!(get(&format!("{default}/pods/a/status")).await, 200);
    assert_eq!(get(&format!("{default}/pods/a")).await, 403);
    assert_eq!(get(&format!("{default}/configmaps/mine")).await, 404);
    assert_eq!(get(&format!("{default}/configmaps/other")).await, 403);
    // An unknown resource is rejected with 403 before it is looked up.
    assert_eq!(get("/apis/none.io/v1/things").await, 403);
}

/// As in the real server, a field selector that requires one name makes a list or watch a request
/// for that object.
#[tokio::test]
async fn a_rule_for_an_object_permits_to_list_and_watch_it_by_a_field_selector() {
    let server = with_tokens().await;
    let rules = json!([{
        "apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"],
        "resourceNames": ["mine"],
    }]);
    role(&server, "ClusterRole", "of-one", rules);
    let group = json!({ "kind": "Group", "name": "developers" });
    bind(&server, "RoleBinding", ("ClusterRole", "of-one"), group);
    let jane = server.client_as("jane").unwrap();
    let list = async |query: &str| {
        let path = format!("/api/v1/namespaces/default/configmaps?{query}");
        let request = Request::get(path).body(Vec::new()).unwrap();
        let response = jane.send(request.map(Into::into)).await.unwrap();
        response.status().as_u16()
    };
    assert_eq!(list("fieldSelector=metadata.name%3Dmine").await, 200);
    assert_eq!(
        list("watch=true&fieldSelector=metadata.name%3Dmine").await,
        200
    );
    let both = "fieldSelector=metadata.namespace%3Ddefault,metadata.name%3D%3Dmine";
    assert_eq!(list(both).await, 200);
    for query in [
        "",
        "fieldSelector=metadata.name%3Dother",
        "fieldSelector=metadata.name!%3Dmine",
        "fieldSelector=metadata.namespace%3Dmine",
        "labelSelector=metadata.name%3Dmine",
    ] {
        assert_eq!(list(query).await, 403, "{query}");
    }
    let maps = maps(&jane, "default");
    let other = ListParams::default().fields("metadata.name=other");
    let Err(kube::Error::Api(status)) = maps.list(&other).await else {
        panic!("should have been rejected")
    };
    let message =
        r#"configmaps "other" is forbidden: User "jane" cannot list resource "configmaps""#;
    assert!(status.message.starts_with(message), "{}", status.message);
}

#[tokio::test]
async fn without_tokens_every_request_is_authorized() {
    let server = server().await;
    let anybody = server.client_as("anybody").unwrap();
    assert!(
        maps(&anybody, "default")
            .list(&ListParams::default())
            .await
            .is_ok()
    );
    assert!(server.control().objects("clusterroles").is_empty());
}
