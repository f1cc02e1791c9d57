//! TLS and client certificates.

use informer_apiserver::ApiServer;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{ListParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};

use crate::support::{config_map, soon, started};

#[tokio::test]
async fn clients_that_trust_the_authority_use_tls() {
    let server = started(ApiServer::builder().tls()).await;
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
async fn a_kubeconfig_contains_the_token_of_its_user() {
    let server = ApiServer::builder()
        .tls()
        .token("jane", ["system:masters"])
        .token("joe", Vec::<String>::new());
    let server = server.start().await.unwrap();
    for (user, expected) in [("jane", true), ("joe", false), ("nobody", false)] {
        let kubeconfig = Kubeconfig::from_yaml(&server.kubeconfig_as(user)).unwrap();
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(kubeconfig, &options);
        let pods: Api<Pod> = Api::all(Client::try_from(config.await.unwrap()).unwrap());
        let listed = soon(pods.list(&ListParams::default())).await;
        assert_eq!(listed.is_ok(), expected, "{user}");
    }
}
