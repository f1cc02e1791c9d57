//! Informers of several namespaces: identity, requests, settings that contradict each other, and what
//! is said about a namespace.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};

use super::support::{Answer, SECOND, Server};
use crate::logged;
use crate::reflector::{ErrorHandler, WatchListMode};
use crate::shared_informer::{ConfigError, InformerConfig, InformerOptions, SyncError};
use crate::status::InformerState;

/// F-21, F-01, F-16: the same namespaces are one informer, in whatever order they are named.
#[tokio::test(start_paused = true)]
async fn f21_a_set_of_namespaces_is_a_part_of_the_identity() {
    let server = Server::default();
    let factory = server
        .factory()
        .namespaces(["b", "a", "b"])
        .build()
        .unwrap();
    let of = |namespaces: &[&str]| {
        let namespaces = namespaces.iter().copied();
        factory.informer_with(InformerOptions::<Pod>::new().namespaces(namespaces))
    };
    let pods = factory.informer::<Pod>();
    assert!(pods.is_same(&of(&["a", "b"])));
    assert_eq!(pods.namespaces(), [Arc::from("a"), Arc::from("b")]);
    let one = of(&["a"]);
    let single = factory.informer_with(InformerOptions::<Pod>::new().namespace("a"));
    assert!(one.is_same(&single));
    let all = of(&[""]);
    assert!(all.namespaces().is_empty());
    let nodes = factory.informer::<Node>();
    assert_eq!(
        [pods.name(), one.name(), all.name(), nodes.name()],
        [
            "pods.v1 (namespaces `a,b`)",
            "pods.v1 (namespace `a`)",
            "pods.v1",
            "nodes.v1"
        ]
    );
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    factory.shutdown().await;
    let lists = server
        .requests()
        .into_iter()
        .filter(|line| line.starts_with("LIST"));
    assert_eq!(
        lists.collect::<Vec<_>>(),
        [
            "LIST /api/v1/namespaces/a/pods",
            "LIST /api/v1/namespaces/a/pods",
            "LIST /api/v1/namespaces/b/pods",
            "LIST /api/v1/nodes",
            "LIST /api/v1/pods",
        ]
    );
}

/// F-20: an empty list is an error, and so is the empty namespace, which means all, beside others.
#[tokio::test(start_paused = true)]
async fn f20_lists_of_namespaces_that_mean_nothing_are_refused() {
    let server = Server::default();
    let faults: [(&[&str], _); 2] = [
        (&[], ConfigError::NoNamespace),
        (&["a", ""], ConfigError::EmptyNamespace),
    ];
    for (namespaces, fault) in faults {
        let names = || namespaces.iter().copied();
        let built = server.factory().namespaces(names()).build();
        assert_eq!(built.unwrap_err(), fault);
        let of_type = InformerOptions::<Pod>::new().namespaces(names());
        let built = server.factory().with_type(of_type.clone()).build();
        assert_eq!(built.unwrap_err(), fault);
        let factory = server.factory().build().unwrap();
        let pods = factory.informer_with(of_type);
        let SyncError::Refused(reason) = pods.wait_for_sync().await.unwrap_err() else {
            panic!("unexpected error")
        };
        assert_eq!(*reason, fault.to_string());
    }
    let all = server.factory().namespaces([""]).strict_namespace().build();
    assert_eq!(all.unwrap_err(), ConfigError::StrictWithoutNamespace);

    // A source of the user's covers what it covers.
    let source = crate::source::FakeControllerSource::new();
    let config = InformerConfig::new().namespaces(["a", "b"]);
    let own = crate::SharedInformer::<ConfigMap>::builder(source)
        .config(config)
        .build();
    assert_eq!(own.unwrap_err(), ConfigError::SettingOfSource("namespaces"));
}

/// F-22, E-11, E-10: a line of the log, a readiness probe, the error of a wait, the state and the error
/// handler name the namespace.
#[tokio::test(start_paused = true)]
async fn f22_what_is_said_about_a_namespace_names_it() {
    let server = Server::default();
    server.on("/api/v1/namespaces/a/pods", Answer::Silence);
    server.on("/api/v1/namespaces/b/pods", Answer::Status(403));
    let (sender, told) = std::sync::mpsc::channel();
    let handler = ErrorHandler::new(move |error| drop(sender.send(error.to_string())));
    let config = InformerConfig::new().error_handler(handler);
    let config = config.watch_list(WatchListMode::Never);
    let factory = server.factory().config(config).namespaces(["a", "b"]);
    let factory = factory.build().unwrap();
    let pods = factory.informer::<Pod>();
    let log = logged::capture(module_path!());
    factory.start().unwrap();
    tokio::time::sleep(5 * SECOND).await;
    let waiting = factory.check_ready().unwrap_err().to_string();
    let expected = "pods.v1 (namespaces `a,b`): degraded for 5 s: forbidden: grant `list` and \
                    `watch` on it: namespace `b`: ";
    assert!(waiting.starts_with(expected), "{waiting}");
    let InformerState::Degraded { cause } = pods.status().state else {
        panic!("{:?}", pods.status());
    };
    assert_eq!(cause.to_string(), "namespace `b`: list failed");
    let told: Vec<_> = told.try_iter().collect();
    assert_eq!(told[0], cause.to_string());

    server.on("/api/v1/namespaces/a/pods", Answer::List(&["x"]));
    pods.wait_for_sync().await.unwrap();
    factory.check_ready().unwrap();
    server.on("/api/v1/namespaces/b/pods", Answer::List(&["y"]));
    tokio::time::sleep(90 * SECOND).await;
    let lines = log
        .lines()
        .into_iter()
        .filter(|line| line.level <= tracing::Level::INFO);
    let lines: Vec<_> = lines.map(|line| line.to_string()).collect();
    let text = lines.join("\n");
    let about_b: Vec<_> = lines
        .iter()
        .filter(|line| line.contains("namespace=\"b\""))
        .collect();
    assert!(
        about_b[0].contains("retrying: forbidden: grant `list` and `watch` on it"),
        "{text}"
    );
    assert!(about_b.last().unwrap().contains("recovered"), "{text}");
    assert_eq!(text.matches("cache synced").count(), 1, "{text}");
    factory.shutdown().await;
}
