//! Writes by other components: schedulers and approvers.

use http::Request;
use kube::api::PostParams;
use serde_json::{Value, json};

use crate::support::{get, pod, pods, send, server};

async fn write(
    server: &informer_apiserver::ApiServer,
    method: &str,
    path: &str,
    body: &Value,
) -> (u16, Value) {
    let request = Request::builder().method(method).uri(path);
    let request = request.header("content-type", "application/json");
    send(server, request.body(body.to_string().into()).unwrap()).await
}

#[tokio::test]
async fn a_binding_assigns_a_pod_to_a_node_once() {
    let server = server().await;
    let created = pods(&server)
        .create(&PostParams::default(), &pod("a"))
        .await;
    assert!(created.is_ok());
    let path = "/api/v1/namespaces/default/pods/a/binding";
    let to = |node: &str| {
        json!({
            "apiVersion": "v1", "kind": "Binding", "metadata": { "name": "a" },
            "target": { "kind": "Node", "name": node },
        })
    };
    assert_eq!(write(&server, "POST", path, &to("")).await.0, 422);
    let (code, answer) = write(&server, "POST", path, &to("one")).await;
    assert_eq!((code, &answer["status"]), (201, &json!("Success")));
    let (_, bound) = get(&server, "/api/v1/namespaces/default/pods/a").await;
    assert_eq!(bound["spec"]["nodeName"], "one");
    assert_eq!(bound["status"]["conditions"][0]["type"], "PodScheduled");
    let (code, answer) = write(&server, "POST", path, &to("two")).await;
    let message = answer["message"].as_str().unwrap();
    assert_eq!(code, 409);
    assert!(
        message.ends_with("pod a is already assigned to node \"one\""),
        "{message}"
    );
}

/// kube-controller-manager publishes a trust bundle with such a name.
#[tokio::test]
async fn a_trust_bundle_has_its_signer_in_its_name() {
    let server = server().await;
    let bundle = json!({
        "apiVersion": "certificates.k8s.io/v1", "kind": "ClusterTrustBundle",
        "metadata": { "name": "kubernetes.io:kube-apiserver-serving:f3c7" },
        "spec": { "signerName": "kubernetes.io/kube-apiserver-serving", "trustBundle": "" },
    });
    let path = "/apis/certificates.k8s.io/v1/clustertrustbundles";
    let (code, answer) = write(&server, "POST", path, &bundle).await;
    assert_eq!(code, 201, "{answer}");
}

#[tokio::test]
async fn an_approval_is_written_to_the_status() {
    let server = server().await;
    let base = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let request = json!({
        "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
        "metadata": { "name": "a" }, "spec": { "signerName": "example.com/a" },
    });
    let (code, mut request) = write(&server, "POST", base, &request).await;
    assert_eq!(code, 201);
    let approved = json!([{ "type": "Approved", "status": "True", "reason": "Because" }]);
    request["status"] = json!({ "conditions": approved });
    let path = format!("{base}/a/approval");
    let (code, answer) = write(&server, "PUT", &path, &request).await;
    assert_eq!((code, &answer["status"]["conditions"]), (200, &approved));
    assert_eq!(
        get(&server, &format!("{base}/a")).await.1["status"],
        request["status"]
    );
}
