//! Selects a fifth of a thousand Pods by their labels.

use std::sync::Arc;

use divan::Bencher;
use informer_runtime::Selector;
use k8s_openapi::api::core::v1::Pod;

use super::RAW;

fn pods() -> Vec<Arc<Pod>> {
    let pods = RAW.iter().map(|raw| Arc::new(raw.decode().unwrap()));
    pods.collect()
}

#[divan::bench(args = ["app.kubernetes.io/name=web", "app.kubernetes.io/name in (web,ledger),pod-template-hash"])]
fn by_selector(bencher: Bencher<'_, '_>, selector: &str) {
    let pods = pods();
    let selector: Selector = selector.parse().unwrap();
    bencher.bench_local(|| {
        let selected = pods
            .iter()
            .filter(|pod| selector.matches(&pod.metadata.labels));
        selected.cloned().collect::<Vec<_>>()
    });
}

#[divan::bench]
fn naive_by_one_label(bencher: Bencher<'_, '_>) {
    let pods = pods();
    bencher.bench_local(|| {
        let selected = pods.iter().filter(|pod| {
            let labels = pod.metadata.labels.as_ref();
            labels
                .and_then(|labels| labels.get("app.kubernetes.io/name"))
                .is_some_and(|app| app == "web")
        });
        selected.cloned().collect::<Vec<_>>()
    });
}
