//! Metrics of a factory cover only its own informers.

use k8s_openapi::api::core::v1::{ConfigMap, Node};

use super::support::{Answer, Server};
use crate::factory::SharedInformerFactory;
use crate::object::{GroupVersionResource, ResourceInfo};
use crate::shared_informer::InformerOptions;

/// O-02: two factories with informers of the same name, each with another server.
#[tokio::test(start_paused = true)]
async fn o02_two_factories_whose_informers_have_one_name_report_apart() {
    let (small, large) = (Server::default(), Server::default());
    small.on("/api/v1/configmaps", Answer::List(&["a"]));
    large.on("/api/v1/configmaps", Answer::List(&["a", "b", "c"]));
    let factories = [&small, &large].map(|server| server.factory().build().unwrap());
    for factory in &factories {
        let _requested = factory.informer::<ConfigMap>();
        factory.start().unwrap();
        factory.wait_for_cache_sync().await.unwrap();
    }
    let [one, other] = factories.each_ref().map(SharedInformerFactory::metrics);
    assert_eq!(one.informers[0].labels, other.informers[0].labels);
    let counts = [&one, &other].map(|metrics| {
        let informer = &metrics.informers[0];
        (
            metrics.informers.len(),
            informer.objects,
            informer.decoded_objects,
        )
    });
    assert_eq!(counts, [(1, 1, 1), (1, 3, 3)]);
    for factory in factories {
        factory.shutdown().await;
    }
}

/// O-01: labels distinguish forms and scopes of one resource.
#[tokio::test(start_paused = true)]
async fn o01_labels_say_resource_namespace_and_form() {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let configs = ResourceInfo::of_type::<ConfigMap>();
    let _informers = (
        factory.informer_with(InformerOptions::<ConfigMap>::new().namespace("ns")),
        factory.dynamic(configs.clone()),
        factory.metadata(configs),
        factory.informer::<Node>(),
    );
    let metrics = factory.metrics();
    let labels = metrics.informers.iter().map(|informer| {
        let labels = &informer.labels;
        let gvr = GroupVersionResource::new(&labels.group, &labels.version, &labels.resource);
        format!("{} {} {:?}", gvr.resource, labels.form, labels.namespace)
    });
    assert_eq!(
        labels.collect::<Vec<_>>(),
        [
            "configmaps dynamic \"\"",
            "configmaps metadata \"\"",
            "configmaps typed \"ns\"",
            "nodes typed \"\"",
        ]
    );
    assert!(
        metrics
            .informers
            .iter()
            .all(|informer| informer.objects == 0)
    );
}
