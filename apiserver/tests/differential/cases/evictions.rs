//! Evictions of Pods, with and without budgets.

use serde_json::{Value, json};

use crate::call::Call;
use crate::session::Session;

const PODS: &str = "/api/v1/namespaces/diff/pods";
const BUDGETS: &str = "/apis/policy/v1/namespaces/diff/poddisruptionbudgets";

fn pod(name: &str, app: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name, "labels": { "app": app } },
        "spec": { "containers": [{ "name": "main", "image": "x" }] },
    })
}

fn budget(name: &str, selector: &Value) -> Value {
    json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": { "name": name },
        "spec": { "minAvailable": 1, "selector": selector },
    })
}

fn eviction(name: &str) -> Value {
    json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": name } })
}

fn evict(name: &str, body: &Value) -> Call {
    Call::post(format!("{PODS}/{name}/eviction"), body)
}

fn running(name: &str, ready: &str) -> Call {
    let conditions = [json!({ "type": "Ready", "status": ready })];
    let status = json!({ "status": { "phase": "Running", "conditions": conditions } });
    Call::patch(format!("{PODS}/{name}/status"), "merge", &status)
}

fn allowed(disruptions: i64, healthy: i64) -> Call {
    let status = json!({
        "observedGeneration": 1, "disruptionsAllowed": disruptions,
        "currentHealthy": healthy, "desiredHealthy": 1, "expectedPods": 2,
    });
    let patch = json!({ "status": status });
    Call::patch(format!("{BUDGETS}/budget/status"), "merge", &patch)
}

pub(super) async fn run(session: &mut Session) {
    for name in ["e1", "e2", "e3", "e4", "e5", "e6"] {
        let app = if name == "e6" { "free" } else { "evicted" };
        session
            .check(Call::post(PODS, &pod(name, app)).keep(name))
            .await;
    }
    rejected(session).await;

    // Budgets do not protect Pods that do not run yet, or no longer.
    let dry = Call::post(format!("{PODS}/e1/eviction?dryRun=All"), &eviction("e1"));
    session.check(dry).await;
    session.check(evict("e1", &eviction("e1"))).await;
    session.check(evict("e1", &eviction("e1"))).await;

    let selector =
        json!({ "matchExpressions": [{ "key": "app", "operator": "In", "values": ["evicted"] }] });
    session
        .check(Call::post(BUDGETS, &budget("budget", &selector)))
        .await;
    for name in ["e2", "e3"] {
        session.check(running(name, "True")).await;
    }
    session.check(running("e4", "False")).await;
    session.check(running("e6", "True")).await;
    // The budget's controller has not observed it.
    session.check(evict("e2", &eviction("e2"))).await;
    for healthy in [1, 3] {
        session.check(allowed(0, healthy)).await;
        session.check(evict("e2", &eviction("e2"))).await;
    }
    session.check(allowed(1, 2)).await;
    let dry = Call::post(format!("{PODS}/e2/eviction?dryRun=All"), &eviction("e2"));
    session.check(dry).await;
    session.check(Call::get(format!("{BUDGETS}/budget"))).await;
    session.check(evict("e2", &eviction("e2"))).await;
    session.check(Call::get(format!("{BUDGETS}/budget"))).await;
    // No disruption is left, but e4 is not ready: it may be evicted while enough Pods are healthy.
    session.check(evict("e3", &eviction("e3"))).await;
    session.check(allowed(0, 0)).await;
    session.check(evict("e4", &eviction("e4"))).await;
    session.check(allowed(0, 1)).await;
    session.check(evict("e4", &eviction("e4"))).await;
    session.check(evict("e6", &eviction("e6"))).await;
    // A second budget for one Pod is an error.
    session
        .check(Call::post(BUDGETS, &budget("other", &json!({}))))
        .await;
    session.check(evict("e3", &eviction("e3"))).await;
    let history = format!("{PODS}?watch=true&timeoutSeconds=2&resourceVersion=$e6.rv$");
    session.check(Call::get(history)).await;
    for name in ["budget", "other"] {
        session
            .check(Call::delete(format!("{BUDGETS}/{name}")))
            .await;
    }
}

/// Documents that are not an eviction, or an eviction of another Pod.
async fn rejected(session: &mut Session) {
    session.check(evict("none", &eviction("none"))).await;
    session.check(evict("e1", &eviction("other"))).await;
    session.check(evict("e1", &pod("e1", "x"))).await;
    session.check(evict("e1", &json!({}))).await;
    session
        .check(evict("e1", &eviction("e1")).by_nobody())
        .await;
    session
        .check(Call::get(format!("{PODS}/e1/eviction")))
        .await;
    session
        .check(Call::delete(format!("{PODS}/e1/eviction")))
        .await;
    for options in [
        json!({ "preconditions": { "uid": "x" } }),
        json!({ "preconditions": { "resourceVersion": "1" } }),
        json!({ "dryRun": ["All"] }),
        json!({ "dryRun": ["Bogus"] }),
    ] {
        let mut body = eviction("e1");
        body["deleteOptions"] = options;
        session.check(evict("e1", &body)).await;
    }
    let mut old = eviction("e5");
    old["apiVersion"] = "policy/v1beta1".into();
    old["deleteOptions"] =
        json!({ "preconditions": { "uid": "$e5.uid$", "resourceVersion": "$e5.rv$" } });
    session.check(evict("e5", &old)).await;
}
