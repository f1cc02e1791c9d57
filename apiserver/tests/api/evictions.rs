//! Evictions, as a controller that drains a node makes them.

use informer_apiserver::ApiServer;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube::Api;
use kube::api::{EvictParams, ListParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::support::{pod, pods, server};

/// Creates running Pods, and one budget for those with the label `app=a`.
async fn with_budget(server: &ApiServer, allowed: i64) -> Api<PodDisruptionBudget> {
    for name in ["a", "b"] {
        let created = pods(server)
            .create(&PostParams::default(), &pod(name))
            .await;
        assert!(created.is_ok());
        let running = json!({ "status": {
            "phase": "Running", "conditions": [{ "type": "Ready", "status": "True" }],
        } });
        status(&pods(server), name, running).await;
    }
    let budgets: Api<PodDisruptionBudget> = Api::namespaced(server.client().unwrap(), "default");
    let budget = serde_json::from_value(json!({
        "metadata": { "name": "budget" },
        "spec": { "minAvailable": 1, "selector": { "matchLabels": { "app": "a" } } },
    }));
    budgets
        .create(&PostParams::default(), &budget.unwrap())
        .await
        .unwrap();
    let seen = json!({ "status": {
        "observedGeneration": 1, "disruptionsAllowed": allowed, "currentHealthy": 1,
        "desiredHealthy": 1, "expectedPods": 1,
    } });
    status(&budgets, "budget", seen).await;
    budgets
}

async fn status<K>(api: &Api<K>, name: &str, patch: Value)
where
    K: Clone + serde::de::DeserializeOwned,
{
    let params = PatchParams::default();
    let patched = api.patch_status(name, &params, &Patch::Merge(patch)).await;
    assert!(patched.is_ok());
}

async fn names(server: &ApiServer) -> Vec<String> {
    let list = pods(server).list(&ListParams::default()).await.unwrap();
    list.items
        .into_iter()
        .filter_map(|pod| pod.metadata.name)
        .collect()
}

#[tokio::test]
async fn a_budget_without_disruptions_protects_its_pods_only() {
    let server = server().await;
    let budgets = with_budget(&server, 0).await;
    let params = EvictParams::default();
    let Err(kube::Error::Api(rejected)) = pods(&server).evict("a", &params).await else {
        panic!("should have been rejected")
    };
    assert_eq!(
        (rejected.code, rejected.reason.as_str()),
        (429, "TooManyRequests")
    );
    let causes = rejected.details.unwrap().causes;
    assert_eq!(causes[0].reason, "DisruptionBudget");
    assert_eq!(
        causes[0].message,
        "The disruption budget budget needs 1 healthy pods and has 1 currently"
    );
    pods(&server).evict("b", &params).await.unwrap();
    assert_eq!(names(&server).await, ["a"]);
    let budget = budgets.get("budget").await.unwrap();
    assert_eq!(budget.status.unwrap().disrupted_pods, None);
}

#[tokio::test]
async fn an_eviction_consumes_one_disruption_and_sets_a_condition() {
    let server = server().await;
    let budgets = with_budget(&server, 1).await;
    let dry = EvictParams {
        post_options: PostParams {
            dry_run: true,
            ..PostParams::default()
        },
        ..EvictParams::default()
    };
    pods(&server).evict("a", &dry).await.unwrap();
    assert_eq!(names(&server).await, ["a", "b"]);
    let before = server.control().current_resource_version();
    pods(&server)
        .evict("a", &EvictParams::default())
        .await
        .unwrap();
    assert_eq!(names(&server).await, ["b"]);

    let budget = budgets.get("budget").await.unwrap().status.unwrap();
    assert_eq!(budget.disruptions_allowed, Some(0));
    assert!(budget.disrupted_pods.unwrap().contains_key("a"));
    // One change of the budget, one of the Pod, and the Pod's deletion.
    assert_eq!(server.control().current_resource_version(), before + 3);
    let path = format!("/api/v1/namespaces/default/pods?watch=true&resourceVersion={before}");
    let mut watch = crate::support::Lines::open(&server, &path).await;
    let (kind, last) = watch.next().await.unwrap();
    assert_eq!(kind, "MODIFIED");
    let conditions = last["status"]["conditions"].as_array().unwrap();
    assert_eq!(conditions[1]["type"], "DisruptionTarget");
    assert_eq!(conditions[1]["reason"], "EvictionByEvictionAPI");
    assert_eq!(watch.short().await, "DELETED a");
}
