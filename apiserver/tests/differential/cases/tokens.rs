//! Tokens of service accounts.

use http::Method;
use serde_json::{Value, json};

use crate::call::Call;
use crate::cases::namespace;
use crate::session::Session;

const ACCOUNTS: &str = "/api/v1/namespaces/tokens/serviceaccounts";
const ROBOT: &str = "/api/v1/namespaces/tokens/serviceaccounts/robot/token";
const PODS: &str = "/api/v1/namespaces/tokens/pods";
const SECRETS: &str = "/api/v1/namespaces/tokens/secrets";
const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/tokens";

pub(super) async fn run(session: &mut Session) {
    let call = Call::post("/api/v1/namespaces", &namespace("tokens"));
    session.check(call).await;
    let account = json!({
        "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": "robot" },
    });
    let account = Call::post(ACCOUNTS, &account).keep("robot");
    session.check(account).await;
    requests(session).await;
    rejected(session).await;
    bound(session).await;
    users(session).await;
}

fn request(spec: &Value) -> Value {
    json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec })
}

fn named(metadata: &Value) -> Value {
    let mut request = request(&json!({}));
    request["metadata"] = metadata.clone();
    request
}

async fn requests(session: &mut Session) {
    for spec in [
        json!({}),
        json!({ "audiences": ["a", "b"] }),
        json!({ "audiences": [] }),
        json!({ "audiences": null, "expirationSeconds": null, "boundObjectRef": null }),
        json!({ "expirationSeconds": 600 }),
        json!({ "expirationSeconds": 4_294_967_296_i64 }),
        json!({ "expirationSeconds": 599 }),
        json!({ "expirationSeconds": 0 }),
        json!({ "expirationSeconds": -1 }),
        json!({ "expirationSeconds": 4_294_967_297_i64 }),
        json!({ "bogus": 1 }),
    ] {
        session.check(Call::post(ROBOT, &request(&spec))).await;
    }
    for document in [
        json!({}),
        json!({ "spec": {} }),
        json!({ "kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1" }),
        json!({ "kind": "Pod", "apiVersion": "v1" }),
        named(&json!({ "name": "robot", "namespace": "tokens", "uid": "$robot.uid$" })),
        named(&json!({ "name": "other" })),
        named(&json!({ "namespace": "other" })),
        named(&json!({ "uid": "11111111-2222-3333-4444-555555555555" })),
        named(&json!({ "labels": { "a": "b" }, "generateName": "x-", "finalizers": ["a.b/c"] })),
        named(&json!({
            "generation": 3, "creationTimestamp": "2020-01-01T00:00:00Z", "selfLink": "x",
            "deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 3,
            "annotations": { "a": "b" }, "managedFields": [],
            "ownerReferences": [{ "apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "b" }],
        })),
        named(&json!({ "name": "Not A Name", "uid": "x", "labels": { "a b": "c" } })),
        named(&json!({ "labels": { "a b": "c" }, "annotations": { "": "x" } })),
        named(&json!({ "labels": 7 })),
        json!({ "spec": {}, "status": { "token": "mine", "expirationTimestamp": null } }),
    ] {
        session.check(Call::post(ROBOT, &document)).await;
    }
    for query in [
        "?dryRun=All",
        "?dryRun=Some",
        "?fieldManager=me",
        "?fieldValidation=Strict",
        "?fieldValidation=Bogus",
    ] {
        let path = format!("{ROBOT}{query}");
        session.check(Call::post(path, &request(&json!({})))).await;
    }
}

async fn rejected(session: &mut Session) {
    let body = request(&json!({}));
    for path in [
        format!("{ACCOUNTS}/none/token"),
        "/api/v1/namespaces/none/serviceaccounts/robot/token".to_owned(),
        "/api/v1/namespaces/tokens/configmaps/robot/token".to_owned(),
        "/api/v1/namespaces/tokens/pods/robot/token".to_owned(),
    ] {
        session.check(Call::post(path, &body)).await;
    }
    session.check(Call::post(ROBOT, &body).by_nobody()).await;
    for method in [Method::GET, Method::PUT, Method::PATCH, Method::DELETE] {
        let call = Call::new(method, ROBOT).json(&body);
        session.check(call.clone().by_nobody()).await;
        session.check(call).await;
    }
}

async fn bound(session: &mut Session) {
    for (name, account) in [("mine", "robot"), ("theirs", "other")] {
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name },
            "spec": {
                "serviceAccountName": account, "nodeName": "somewhere",
                "containers": [{ "name": "main", "image": "x" }],
            },
        });
        session.look(Call::post(PODS, &pod)).await;
    }
    let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "mine" } });
    session.look(Call::post(SECRETS, &secret)).await;
    let reference = |api_version: &str, kind: &str, name: &str, uid: &str| {
        let reference =
            json!({ "apiVersion": api_version, "kind": kind, "name": name, "uid": uid });
        Call::post(ROBOT, &request(&json!({ "boundObjectRef": reference })))
    };
    let other_uid = "11111111-2222-3333-4444-555555555555";
    for call in [
        reference("v1", "Pod", "mine", "").keep("of-pod"),
        reference("v1", "Pod", "mine", other_uid),
        reference("v1", "Pod", "theirs", ""),
        reference("v1", "Pod", "none", ""),
        reference("v1", "Secret", "mine", "").keep("of-secret"),
        reference("v1", "Secret", "mine", other_uid),
        reference("v1", "Secret", "none", ""),
        reference("v1", "Node", "none", ""),
        reference("v1", "ConfigMap", "mine", ""),
        reference("apps/v1", "Deployment", "mine", ""),
        reference("", "", "", ""),
    ] {
        session.check(call).await;
    }
}

/// Identity and permissions of a token.
async fn users(session: &mut Session) {
    let plain = Call::post(ROBOT, &request(&json!({}))).keep("plain");
    session.check(plain).await;
    let foreign = request(&json!({ "audiences": ["elsewhere"] }));
    session
        .check(Call::post(ROBOT, &foreign).keep("foreign"))
        .await;
    let shared = request(&json!({ "audiences": ["elsewhere", "https://kubernetes.default.svc"] }));
    session.check(Call::post(ROBOT, &shared).keep("both")).await;
    let question = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview" });
    let whoami = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
    for name in ["plain", "foreign", "both", "of-pod", "of-secret"] {
        session
            .check(Call::post(whoami, &question).by_account(name))
            .await;
        session.check(Call::get(ACCOUNTS).by_account(name)).await;
        for audiences in [
            json!([]),
            json!(["elsewhere"]),
            json!(["https://kubernetes.default.svc"]),
            json!(["nowhere", "elsewhere", "https://kubernetes.default.svc"]),
            json!(["nowhere"]),
        ] {
            let mut review = json!({
                "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview",
                "spec": { "token": format!("${name}.jwt$") },
            });
            if audiences != json!([]) {
                review["spec"]["audiences"] = audiences;
            }
            session.check(Call::post(reviews, &review)).await;
        }
    }
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
        "metadata": { "name": "reader" },
        "rules": [{ "apiGroups": [""], "resources": ["serviceaccounts"], "verbs": ["list"] }],
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": { "name": "reader" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader" },
        "subjects": [{ "kind": "ServiceAccount", "name": "robot", "namespace": "tokens" }],
    });
    session
        .check(Call::post(format!("{RBAC}/roles"), &role))
        .await;
    session
        .check(Call::post(format!("{RBAC}/rolebindings"), &binding))
        .await;
    let list = Call::get(ACCOUNTS).by_account("plain");
    session.await_allowed(&list).await;
    session.check(list).await;
    session
        .check(Call::get(ACCOUNTS).by_account("foreign"))
        .await;
    session.check(Call::get(PODS).by_account("plain")).await;
}
