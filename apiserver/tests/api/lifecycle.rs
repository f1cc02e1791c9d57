//! Start and shutdown of a server.

use std::path::Path;

use informer_apiserver::{ApiServer, Fault, Matcher, StartError};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Lines, get, put, server, soon, started};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[tokio::test]
async fn shutdown_ends_watches_cleanly_and_joins_every_task() {
    let server = server().await;
    let control = server.control();
    let address = server.address();
    // A raw connection instead of kube's client: every task of this runtime then belongs to the
    // server.
    let mut watch = TcpStream::connect(address).await.unwrap();
    let request = "GET /api/v1/pods?watch=1 HTTP/1.1\r\nhost: localhost\r\n\r\n";
    watch.write_all(request.as_bytes()).await.unwrap();
    soon(control.await_watches("pods", 1)).await;
    // An idle connection must not delay the shutdown.
    let mut idle = TcpStream::connect(address).await.unwrap();
    soon(server.shutdown()).await;

    let alive = tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks();
    assert_eq!(alive, 0, "the shutdown leaves tasks");
    assert_eq!(control.watch_count("pods"), 0);
    let mut answer = String::new();
    soon(watch.read_to_string(&mut answer)).await.unwrap();
    assert!(
        answer.ends_with("\r\n0\r\n\r\n"),
        "not a clean end: {answer}"
    );
    assert_eq!(soon(idle.read(&mut [0])).await.unwrap_or(0), 0);
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn shutdown_does_not_wait_for_a_stalled_request() {
    let server = server().await;
    let control = server.control();
    control.fail_next(1, Matcher::any(), Fault::Stall);
    let client = server.client().unwrap();
    let ((), answer) = tokio::join!(
        async {
            soon(control.await_request(Matcher::any())).await;
            soon(server.shutdown()).await;
        },
        client.apiserver_version()
    );
    assert!(answer.is_err());
}

#[tokio::test]
async fn dropping_a_server_frees_its_port() {
    let server = server().await;
    let address = server.address();
    let mut connection = TcpStream::connect(address).await.unwrap();
    drop(server);
    assert_eq!(soon(connection.read(&mut [0])).await.unwrap_or(0), 0);
    let again = started(ApiServer::builder().bind(address)).await;
    assert_eq!(get(&again, "/readyz").await.0, 200);
}

#[tokio::test]
async fn the_error_of_a_start_names_its_cause() {
    let server = server().await;
    let taken = ApiServer::builder()
        .bind(server.address())
        .start()
        .await
        .unwrap_err();
    assert!(matches!(taken, StartError::Bind { address, .. } if address == server.address()));
    let unknown = json!({ "apiVersion": "v1", "kind": "Nonsense", "metadata": {} });
    let rejected = ApiServer::builder()
        .object(&unknown)
        .start()
        .await
        .unwrap_err();
    assert!(matches!(rejected, StartError::Create(error) if error.code() == 400));
}

/// The file has the form of `kubectl get -o json`, or of the API. The first rejected object stops
/// the start.
#[tokio::test]
async fn a_server_starts_with_the_objects_of_a_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api/load");
    let server = started(ApiServer::builder().load(folder.join("good.json"))).await;
    let maps = server.control().objects("configmaps");
    let names = maps.iter().map(|map| &map["metadata"]["name"]);
    assert_eq!(names.collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(server.control().objects("secrets").len(), 1);

    // A definition and an object of its kind, as `kubectl apply -f` reads them.
    let server = started(ApiServer::builder().load(folder.join("good.yaml"))).await;
    assert_eq!(server.control().objects("foos").len(), 1);

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let bad = folder.join("bad.json");
    std::fs::write(&bad, r#"{ "kind": "Nothing", "apiVersion": "v1" }"#).unwrap();
    let rejected = ApiServer::builder().load(&bad).start().await.unwrap_err();
    assert!(matches!(rejected, StartError::Create(_)), "{rejected}");
    std::fs::write(&bad, r#"{ "kind": "#).unwrap();
    let broken = folder.join("bad.yaml");
    std::fs::write(&broken, "a: 1\nb: [\n").unwrap();
    for (path, cause) in [
        (
            bad,
            "is not JSON: EOF while parsing a value at line 1 column 10",
        ),
        (broken, "is neither JSON nor YAML"),
        (folder.join("none.json"), "No such file"),
    ] {
        let failed = ApiServer::builder().load(&path).start().await.unwrap_err();
        let expected = format!("cannot load {}", path.display());
        assert_eq!(failed.to_string(), expected);
        let source = std::error::Error::source(&failed).unwrap().to_string();
        assert!(source.starts_with(cause), "{source}");
    }
}

/// J-01. Words of YAML 1.1 and numbers are keys by their JSON, and the last of equal keys wins.
#[tokio::test]
async fn a_file_is_read_as_kubectl_reads_it() {
    let text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: words, namespace: default}, \
                data: {y: '1', 010: '2', \"n\": '3', a: x, a: z}}\n";
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("words.yaml");
    std::fs::write(&file, text).unwrap();
    let server = started(ApiServer::builder().load(&file)).await;
    let data = &server.control().objects("configmaps")[0]["data"];
    assert_eq!(*data, json!({ "true": "1", "8": "2", "n": "3", "a": "z" }));
}

#[tokio::test]
async fn a_server_comes_back_with_its_store() {
    let mut server = server().await;
    put(&server, "a");
    let version = server.control().current_resource_version();
    let path = format!("{MAPS}?watch=1&resourceVersion={version}");
    let mut cut = Lines::open(&server, &path).await;
    soon(server.stop_listening()).await;
    assert!(!cut.ends_cleanly().await);
    assert!(TcpStream::connect(server.address()).await.is_err());

    // Time goes on during the outage.
    put(&server, "b");
    server.listen().await.unwrap();
    let mut resumed = Lines::open(&server, &path).await;
    let (kind, object) = resumed.next().await.unwrap();
    assert_eq!(
        (kind.as_str(), &object["metadata"]["name"]),
        ("ADDED", &json!("b"))
    );
    soon(server.shutdown()).await;
}

/// A program in the cluster finds the server by the Service `kubernetes`.
#[tokio::test]
async fn the_service_kubernetes_has_the_address_of_the_server() {
    let server = server().await;
    let (ip, port) = (server.address().ip().to_string(), server.address().port());
    let base = "/api/v1/namespaces/default";
    let (_, service) = get(&server, &format!("{base}/services/kubernetes")).await;
    assert_eq!(service["spec"]["ports"][0]["port"], 443);
    assert_eq!(service["spec"]["ports"][0]["targetPort"], port);
    let (_, endpoints) = get(&server, &format!("{base}/endpoints/kubernetes")).await;
    let subset = &endpoints["subsets"][0];
    assert_eq!(subset["addresses"][0]["ip"], ip.as_str());
    assert_eq!(subset["ports"][0]["port"], port);
    let slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
    let (_, slice) = get(&server, slices).await;
    assert_eq!(slice["endpoints"][0]["addresses"][0], ip.as_str());
    assert_eq!(slice["ports"][0]["port"], port);
}
