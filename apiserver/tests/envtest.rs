//! The real `kube-apiserver`, where `KUBEBUILDER_ASSETS` names it.

#[path = "support/assets.rs"]
mod assets;

use informer_apiserver::envtest::Environment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{ListParams, PostParams};
use kube::{Api, Client};

/// Administrators may do everything, nobody nothing, and what was started ends.
#[tokio::test]
async fn the_real_kube_apiserver_runs_and_ends() {
    let Some(assets) = assets::assets() else {
        return;
    };
    let environment = Environment::start(&assets).await.unwrap();
    let client = Client::try_from(environment.kube_config()).unwrap();
    let namespaces: Api<Namespace> = Api::all(client.clone());
    assert!(namespaces.get("default").await.is_ok());
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let mut map = ConfigMap::default();
    map.metadata.name = Some("a".into());
    let created = maps.create(&PostParams::default(), &map).await.unwrap();
    assert!(created.metadata.resource_version.is_some());

    let nobody = Client::try_from(environment.kube_config_of_nobody()).unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(nobody);
    let refused = maps.list(&ListParams::default()).await.unwrap_err();
    let kube::Error::Api(status) = refused else {
        panic!("{refused}");
    };
    assert_eq!(status.code, 403);

    let kubeconfig = environment.write_kubeconfig().unwrap();
    let kubeconfig = kube::config::Kubeconfig::read_from(kubeconfig).unwrap();
    assert_eq!(kubeconfig.current_context.as_deref(), Some("envtest"));

    let port = environment
        .url()
        .rsplit(':')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    environment.stop().await;
    let left = std::net::TcpStream::connect(("127.0.0.1", port));
    assert!(left.is_err(), "somebody still listens on {port}");
}
