//! TLS and client certificates.

use informer_apiserver::ApiServer;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{ListParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};
use serde_json::json;

use crate::support::{config_map, error_of, soon};

#[tokio::test]
async fn clients_that_trust_the_authority_use_tls() {
    let server = ApiServer::builder().tls().start().await.unwrap();
    assert!(server.url().starts_with("https://127.0.0.1:"));
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client().unwrap());
    let create = PostParams::default();
    soon(maps.create(&create, &config_map("a"))).await.unwrap();

    // The client of the kubeconfig trusts the authority as well.
    let kubeconfig = Kubeconfig::from_yaml(&server.kubeconfig()).unwrap();
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options);
    let maps: Api<ConfigMap> = Api::default_namespaced(config.await.unwrap().try_into().unwrap());
    assert_eq!(
        soon(maps.list(&ListParams::default()))
            .await
            .unwrap()
            .items
            .len(),
        1
    );

    // A client that does not trust the authority fails, and so does a client without TLS.
    let mut config = server.kube_config();
    config.root_cert = None;
    config.default_retry = false;
    let stranger = Client::try_from(config).unwrap();
    assert!(soon(stranger.apiserver_version()).await.is_err());
    let url = format!("http://{}", server.address()).parse().unwrap();
    let plain = Client::try_from(Config::new(url)).unwrap();
    assert!(soon(plain.apiserver_version()).await.is_err());
    soon(server.shutdown()).await;
}

#[tokio::test]
async fn a_client_certificate_identifies_the_user() {
    let server = ApiServer::builder()
        .client_certificate("jane", ["readers", "others"])
        .client_certificate("joe", Vec::<String>::new())
        .object(&json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": { "name": "reader" },
            "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["list"] }],
        }))
        .object(&json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": { "name": "readers" },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reader" },
            "subjects": [{ "kind": "Group", "name": "others" }],
        }))
        .start()
        .await
        .unwrap();
    let list = async |config: Config| {
        let pods: Api<Pod> = Api::all(Client::try_from(config).unwrap());
        soon(pods.list(&ListParams::default())).await
    };
    let jane = server.kube_config_with_certificate("jane").unwrap();
    assert!(list(jane).await.is_ok());
    let kubeconfig = server.kubeconfig_with_certificate("jane").unwrap();
    let kubeconfig = Kubeconfig::from_yaml(&kubeconfig).unwrap();
    let options = KubeConfigOptions::default();
    let jane = Config::from_custom_kubeconfig(kubeconfig, &options);
    assert!(list(jane.await.unwrap()).await.is_ok());

    let joe = server.kube_config_with_certificate("joe").unwrap();
    let Err(kube::Error::Api(status)) = list(joe).await else {
        panic!("should be rejected")
    };
    assert_eq!(status.code, 403);
    assert!(
        status
            .message
            .contains("User \"joe\" cannot list resource \"pods\"")
    );
    let mut nobody = server.kube_config();
    nobody.auth_info.token = None;
    assert_eq!(error_of(list(nobody).await).0, 403);
    assert!(list(server.kube_config()).await.is_ok());
    assert!(server.client_certificate("nobody").is_none());

    // A certificate of another authority is rejected.
    let other = ApiServer::builder().client_certificate("jane", ["readers"]);
    let other = other.start().await.unwrap();
    let mut forged = other.kube_config_with_certificate("jane").unwrap();
    forged.root_cert = server.kube_config().root_cert;
    forged.cluster_url = server.url().parse().unwrap();
    assert!(list(forged).await.is_err());
}
