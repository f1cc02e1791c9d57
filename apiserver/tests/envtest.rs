//! The real `kube-apiserver` in the folder that `KUBEBUILDER_ASSETS` names, and the treatment of
//! tests without it.
#![expect(
    clippy::unwrap_used,
    reason = "a failure fails the test; clippy exempts only the test functions themselves"
)]

#[path = "support/assets.rs"]
mod assets;

use informer_apiserver::envtest::Environment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{ListParams, PostParams};
use kube::{Api, Client};

use crate::assets::require::need_in;

/// An administrator may do everything, the other user nothing, and the programs stop with the
/// environment.
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
    assert!(left.is_err(), "a process still listens on {port}");
}

/// Calls `need_in`, and returns its result, or the message of its failure, and its output.
fn needed(required: &str, found: Result<u8, &str>) -> (Result<Option<u8>, String>, String) {
    let mut output = Vec::new();
    let found = found.map_err(str::to_owned);
    let need = || need_in(required, &mut output, "go", found);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(need));
    let outcome = outcome.map_err(|panic| panic.downcast_ref::<String>().unwrap().clone());
    (outcome, String::from_utf8(output).unwrap())
}

#[test]
fn a_test_without_its_requirement_is_skipped_with_a_message() {
    let name = std::thread::current().name().unwrap().to_owned();
    for required in ["", "real-servers", " , "] {
        let skipped = format!("SKIPPED {name}: there is no Go\n");
        let expected = (Ok(None), skipped);
        assert_eq!(needed(required, Err("there is no Go")), expected);
    }
    assert_eq!(needed("", Ok(1)), (Ok(Some(1)), String::new()));
}

#[test]
fn a_test_without_a_mandatory_requirement_fails() {
    for required in ["go", "real-servers,go", " go ,"] {
        let (outcome, output) = needed(required, Err("there is none"));
        let failure = "INFORMER_REQUIRE names go, but there is none".to_owned();
        assert_eq!((outcome, output.as_str()), (Err(failure), ""), "{required}");
        assert_eq!(needed(required, Ok(1)).0, Ok(Some(1)));
    }
}

#[test]
fn an_unknown_requirement_always_fails() {
    for found in [Ok(1), Err("there is none")] {
        let failure =
            "INFORMER_REQUIRE knows real-servers and go and browser, not \"Go\"".to_owned();
        assert_eq!(needed("real-servers,Go", found).0, Err(failure));
    }
}
