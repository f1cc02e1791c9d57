//! Identity of informers: requests that share one, and requests that do not.

use std::sync::Arc;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use kube::core::PartialObjectMeta;

use super::support::{Answer, SECOND, Server};
use crate::base::chain::Chain;
use crate::event::{Event, Origin};
use crate::factory::{DiscoverError, SharedInformerFactory};
use crate::logged;
use crate::object::{GroupVersionResource, ResourceInfo, Scope, Selector};
use crate::processor::HandlerOptions;
use crate::shared_informer::{ConfigError, InformerOptions};
use crate::storage::{Packed, Transform};

fn labels(text: &str) -> InformerOptions<Pod> {
    InformerOptions::new().label_selector(text.parse().unwrap())
}

/// F-01, F-15: any number of requests cause one LIST and one WATCH.
#[tokio::test(start_paused = true)]
async fn f01_however_many_ask_it_is_listed_and_watched_once() {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let first = factory.informer::<Pod>();
    factory.start().unwrap();
    let others: Vec<_> = (0..10).map(|_| factory.clone().informer::<Pod>()).collect();
    assert!(others.iter().all(|other| first.is_same(other)));
    factory.wait_for_cache_sync().await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!(
        server.requests(),
        ["LIST /api/v1/pods", "WATCH /api/v1/pods"]
    );
    factory.shutdown().await;
}

/// F-01: a second informer of the same objects is logged with the differing settings. Informers of
/// different objects are not logged.
#[tokio::test(start_paused = true)]
async fn f01_settings_that_differ_are_said() {
    let log = logged::capture(module_path!());
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let _first = factory.informer::<Pod>();
    let _same = factory.informer::<Pod>();
    let _other_objects = factory.informer_with(labels("app=web"));
    let _other_form = factory.informer::<Node>();
    let twins = || {
        let lines = log.lines().into_iter().map(|line| line.text);
        let twins: Vec<_> = lines
            .filter(|line| line.contains("two informers"))
            .collect();
        twins
    };
    assert_eq!(twins(), [""; 0]);
    let transform = Transform::new("slim", |_: &mut Pod| Ok(()));
    let _transformed = factory.informer_with(InformerOptions::new().transform(transform));
    let _packed = factory.stored_as::<Packed>().informer::<Pod>();
    let twins = twins();
    let expected = [
        "informer=\"pods.v1 (transform `slim`)\" other=\"pods.v1\" differences=\"transform\"",
        "informer=\"pods.v1 (storage `Packed`)\" other=\"pods.v1\" differences=\"storage\"",
    ];
    assert_eq!(twins.len(), expected.len(), "{twins:?}");
    for (line, expected) in twins.iter().zip(expected) {
        assert!(line.ends_with(expected), "{line}");
    }
}

/// F-01: identity is data, and does not depend on how it was written.
#[tokio::test(start_paused = true)]
async fn f01_equal_settings_are_one_informer() {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let plain = factory.informer::<Pod>();
    let all = InformerOptions::<Pod>::new().label_selector(Selector::everything());
    assert!(plain.is_same(&factory.informer_with(all)));
    let everywhere = InformerOptions::<Pod>::new()
        .namespace("")
        .field_selector("".parse().unwrap());
    assert!(plain.is_same(&factory.informer_with(everywhere)));
    let slower = InformerOptions::<Pod>::new().resync_period(SECOND);
    assert!(
        plain.is_same(&factory.informer_with(slower)),
        "not part of the identity"
    );

    let web = factory.informer_with(labels("app=web,tier in (b,a)"));
    assert!(!plain.is_same(&web));
    assert!(web.is_same(&factory.informer_with(labels("tier in (a, b),app==web"))));
    let transformed = |name: &str| {
        InformerOptions::<Pod>::new().transform(Transform::new(name, |_: &mut Pod| Ok(())))
    };
    let smaller = factory.informer_with(transformed("shrink"));
    assert!(!plain.is_same(&smaller));
    assert!(smaller.is_same(&factory.informer_with(transformed("shrink"))));
    assert!(!smaller.is_same(&factory.informer_with(transformed("other"))));
}

/// F-02, F-15: informers with different settings coexist, each with its own requests.
#[tokio::test(start_paused = true)]
async fn f02_settings_of_one_type_live_side_by_side() {
    let server = Server::default();
    server.on("/api/v1/namespaces/ns/pods", Answer::List(&["a", "b"]));
    let factory = server.factory().build().unwrap();
    let all = factory.informer::<Pod>();
    let one = factory.informer_with(InformerOptions::<Pod>::new().namespace("ns"));
    let web =
        factory.informer_with(labels("app=web").field_selector("spec.nodeName=n".parse().unwrap()));
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!((all.lister().len(), one.lister().len()), (1, 2));
    assert_eq!(one.namespaces(), [Arc::from("ns")]);
    assert!(all.namespaces().is_empty());
    assert_eq!(
        [all.name(), one.name(), web.name()],
        [
            "pods.v1",
            "pods.v1 (namespace `ns`)",
            "pods.v1 (labels `app=web`, fields `spec.nodeName=n`)"
        ]
    );
    let selected = "/api/v1/pods?labelSelector=app%3Dweb&fieldSelector=spec.nodeName%3Dn";
    let paths = ["/api/v1/namespaces/ns/pods", "/api/v1/pods", selected];
    let of = |verb: &str| paths.map(|path| format!("{verb} {path}"));
    assert_eq!(server.requests(), [of("LIST"), of("WATCH")].concat());
    factory.shutdown().await;
}

/// F-07, M-01: forms of one resource are distinguished, including by name.
#[tokio::test(start_paused = true)]
async fn f07_outcomes_of_all_forms_are_told_apart() {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let pods = || ResourceInfo::of::<Pod>(&()).unwrap();
    let keep = Transform::new("keep", |_: &mut Pod| Ok(()));
    let names = [
        factory.informer::<Pod>().name().to_owned(),
        factory.dynamic(pods()).name().to_owned(),
        factory.metadata(pods()).name().to_owned(),
        factory
            .informer_with(InformerOptions::new().transform(keep))
            .name()
            .to_owned(),
        factory
            .informer::<PartialObjectMeta<Pod>>()
            .name()
            .to_owned(),
    ];
    let expected = [
        "pods.v1",
        "pods.v1 (dynamic)",
        "pods.v1 (metadata)",
        "pods.v1 (transform `keep`)",
        "pods.v1 #2",
    ];
    assert_eq!(names, expected);
    factory.start().unwrap();
    let result = factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(result.iter().count(), 5);
    let listed = factory.dynamic(pods()).lister();
    assert_eq!(
        listed
            .try_namespace("ns")
            .unwrap()
            .list(&Selector::everything())
            .len(),
        1
    );
    assert!(listed.get_cluster_scoped("x").is_err());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn f16_a_namespace_binds_namespaced_resources_only() {
    let server = Server::default();
    let factory = server.factory().namespace("ns").build().unwrap();
    let (pods, nodes) = (factory.informer::<Pod>(), factory.informer::<Node>());
    assert_eq!(pods.namespaces(), [Arc::from("ns")]);
    assert!(nodes.namespaces().is_empty());
    let everywhere = factory.informer_with(InformerOptions::<Pod>::new().namespace(""));
    assert!(everywhere.namespaces().is_empty());
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    let lists: Vec<_> = server
        .requests()
        .into_iter()
        .filter(|line| line.starts_with("LIST"))
        .collect();
    assert_eq!(
        lists,
        [
            "LIST /api/v1/namespaces/ns/pods",
            "LIST /api/v1/nodes",
            "LIST /api/v1/pods"
        ]
    );
    factory.shutdown().await;
}

/// F-16: with the strict option.
#[tokio::test(start_paused = true)]
async fn f16_a_strict_namespace_refuses_cluster_scoped_resources() {
    let server = Server::default();
    let factory = server
        .factory()
        .namespace("ns")
        .strict_namespace()
        .build()
        .unwrap();
    let (pods, nodes) = (factory.informer::<Pod>(), factory.informer::<Node>());
    factory.start().unwrap();
    let error = factory.wait_for_cache_sync().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to sync all caches; nodes.v1: cannot run: the resource is cluster-scoped, but the factory is \
         strict about its namespace"
    );
    assert!(pods.has_synced() && !nodes.has_synced());
    assert!(nodes.add_event_handler(|_| {}).is_err());
    assert!(!server.requests().iter().any(|line| line.contains("nodes")));
    factory.shutdown().await;
}

/// F-17, Y-04: for each setting, the type overrides the factory, and the request overrides the
/// type.
#[tokio::test(start_paused = true)]
async fn f17_settings_of_a_type_win_over_the_factorys() {
    let server = Server::default();
    let mark = |mark: &'static str| {
        Transform::new(mark, move |object: &mut ConfigMap| {
            object.data = Some([("mark".to_owned(), mark.to_owned())].into());
            Ok(())
        })
    };
    let factory = server
        .factory()
        .resync_period(5 * SECOND)
        .label_selector("of=factory".parse().unwrap())
        .with_type(
            InformerOptions::<ConfigMap>::new()
                .resync_period(2 * SECOND)
                .transform(mark("type")),
        )
        .with_type(labels("of=type"))
        .build()
        .unwrap();
    let configs = factory.informer::<ConfigMap>();
    let requested = factory.informer_with(InformerOptions::new().transform(mark("request")));
    let pods = factory.informer::<Pod>();
    let mut configs_seen = configs.events(HandlerOptions::default()).unwrap();
    let mut pods_seen = pods.events(HandlerOptions::default()).unwrap();
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    let started = tokio::time::Instant::now();
    assert_eq!(pods.name(), "pods.v1 (labels `of=type`)");
    assert_eq!(
        configs.name(),
        "configmaps.v1 (labels `of=factory`, transform `type`)"
    );
    for (informer, marked) in [(&configs, "type"), (&requested, "request")] {
        let object = informer.lister().namespace("ns").get("x").unwrap();
        assert_eq!(object.data.as_ref().unwrap()["mark"], marked);
    }
    let mut resync_at = async |times: u32| {
        for _ in 0..times {
            configs_seen.next().await.unwrap();
        }
        started.elapsed()
    };
    assert_eq!(resync_at(2).await, 2 * SECOND);
    let first: Event<Pod> = pods_seen.next().await.unwrap();
    assert_eq!(first.origin(), Origin::Initial);
    assert_eq!(pods_seen.next().await.unwrap().origin(), Origin::Resync);
    assert_eq!(started.elapsed(), 5 * SECOND);
    factory.shutdown().await;
}

/// F-02: the tweaked selectors are part of the identity.
#[tokio::test(start_paused = true)]
async fn f02_tweaked_list_options_are_part_of_the_identity() {
    let server = Server::default();
    let factory = server
        .factory()
        .tweak_list_options(|resource, selectors| {
            if resource.api_resource.plural == "pods" {
                selectors.label = Some("tweaked".parse().unwrap());
            }
        })
        .build()
        .unwrap();
    let pods = factory.informer::<Pod>();
    assert_eq!(pods.name(), "pods.v1 (labels `tweaked`)");
    assert!(pods.is_same(&factory.informer_with(labels("other"))));
    assert_eq!(factory.informer::<Node>().name(), "nodes.v1");
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    tokio::time::sleep(SECOND).await;
    let tweaked = server
        .requests()
        .into_iter()
        .filter(|line| line.contains("?labelSelector=tweaked"));
    assert_eq!(tweaked.count(), 2, "LIST and WATCH");
    factory.shutdown().await;
}

/// F-20, Q-17.
#[test]
fn f20_conflicts_are_values_when_the_factory_is_built() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let guard = runtime.enter();
    let builder = || Server::default().factory();
    let twice = builder()
        .with_type(labels("a"))
        .with_type(labels("b"))
        .build();
    let type_name = std::any::type_name::<Pod>();
    assert_eq!(twice.err(), Some(ConfigError::TypeTwice(type_name)));
    let strict = builder().strict_namespace().build();
    assert_eq!(strict.err(), Some(ConfigError::StrictWithoutNamespace));
    let strict = builder().namespace("").strict_namespace().build();
    assert_eq!(strict.err(), Some(ConfigError::StrictWithoutNamespace));
    let client = Server::default().client();
    drop(guard);
    let outside = SharedInformerFactory::builder(client).build();
    assert_eq!(outside.err(), Some(ConfigError::NoRuntime));
}

/// M-06: a resource that is not served, or cannot be watched, is an error value.
#[tokio::test(start_paused = true)]
async fn m06_discovery_finds_kind_and_scope_or_says_why_not() {
    let server = Server::default();
    let resources = serde_json::json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": [
        {"name": "pods/status", "singularName": "", "namespaced": true, "kind": "Pod", "verbs": ["get"]},
        {"name": "pods", "singularName": "pod", "namespaced": true, "kind": "Pod", "verbs": ["list", "watch"]},
        {"name": "nodes", "singularName": "", "namespaced": false, "kind": "Node", "verbs": ["list", "watch"]},
        {"name": "componentstatuses", "singularName": "", "namespaced": false, "kind": "ComponentStatus", "verbs": ["list"]},
    ]});
    server.on("/api/v1", Answer::Text(resources.to_string()));
    server.on("/apis/example.com/v1", Answer::Status(404));
    let factory = server.factory().build().unwrap();
    let find = async |group: &str, name: &str| {
        factory
            .discover(&GroupVersionResource::new(group, "v1", name))
            .await
    };
    assert_eq!(
        find("", "pods").await.unwrap(),
        ResourceInfo::of::<Pod>(&()).unwrap()
    );
    assert_eq!(
        find("", "nodes").await.unwrap(),
        ResourceInfo::of::<Node>(&()).unwrap()
    );
    let error = find("", "componentstatuses").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`componentstatuses.v1` cannot be watched: the server allows only list"
    );
    for (group, name) in [("", "foos"), ("example.com", "foos")] {
        let error = find(group, name).await.unwrap_err();
        assert!(matches!(error, DiscoverError::NotServed(_)), "{error}");
    }
    let pods = factory.discover_kind("v1", "Pod").await.unwrap();
    assert_eq!(pods, ResourceInfo::of::<Pod>(&()).unwrap());
    let error = factory
        .discover_kind("v1", "ComponentStatus")
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`componentstatuses.v1` cannot be watched: the server allows only list"
    );
    server.on("/apis/a/../../api/v1", Answer::Text(resources.to_string()));
    for (version, kind) in [
        ("v1", "pods"),
        ("example.com/v1", "Pod"),
        ("a/../../api/v1", "Pod"),
    ] {
        let error = factory.discover_kind(version, kind).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "the server does not serve `{version}/{kind}`: is its CustomResourceDefinition installed?"
            )
        );
    }
}

/// W-20, W-21: a proxy's response is neither buffered completely nor quoted, and silence ends in a
/// timeout.
#[tokio::test(start_paused = true)]
async fn w21_discovery_takes_no_other_answer_and_does_not_wait_for_ever() {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let answers = [
        (Answer::Text("{\"hunter2\"".to_owned()), "of another form"),
        (Answer::Text(" ".repeat(5 << 20)), "larger than"),
        (Answer::Status(503), "the server says 503"),
        (Answer::Silence, "no response headers within 60 s"),
    ];
    for (answer, expected) in answers {
        server.on("/api/v1", answer);
        let pods = GroupVersionResource::new("", "v1", "pods");
        let error = factory.discover(&pods).await.unwrap_err();
        let text = Chain(&error).to_string();
        assert!(text.starts_with("discovery failed: "), "{text}");
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

/// F-01, F-18: a kind that was deleted and defined again with another scope is another informer, and who
/// holds the old one is told.
#[tokio::test(start_paused = true)]
async fn f01_a_kind_that_changed_its_scope_is_another_informer() {
    let log = logged::capture(module_path!());
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let namespaced = ResourceInfo {
        scope: Scope::Namespaced,
        ..ResourceInfo::of::<Pod>(&()).unwrap()
    };
    let cluster_scoped = ResourceInfo {
        scope: Scope::Cluster,
        ..ResourceInfo::of::<Pod>(&()).unwrap()
    };
    let old = factory.dynamic(namespaced.clone());
    let typed = factory.informer::<Pod>();
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    assert!(factory.dynamic(namespaced).is_same(&old));

    let new = factory.dynamic(cluster_scoped.clone());
    assert!(!new.is_same(&old) && factory.dynamic(cluster_scoped).is_same(&new));
    assert_eq!(new.resource().scope, Scope::Cluster);
    new.wait_for_sync().await.unwrap();
    assert!(
        new.lister().get_cluster_scoped("x").is_ok(),
        "it may be asked"
    );
    old.wait_until_stopped().await;
    let told = "stopped: pods.v1 is cluster-scoped now: request it again";
    assert_eq!(old.status().state.to_string(), told);
    let is_told = |line: &logged::Line| line.text.contains("cluster-scoped now");
    assert_eq!(log.lines().iter().filter(|line| is_told(line)).count(), 1);
    assert!(!typed.is_stopped(), "the type says the scope");
    factory.shutdown().await;
}
