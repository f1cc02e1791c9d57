//! The same objects give the same tables on both servers, with all columns.

use informer_apiserver::envtest::Environment;

use crate::assets::assets;
use crate::shell::{Kubectl, replay};
use crate::transcript::Session;
use crate::{in_process, normalise};

const OBJECTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kubectl/objects.yaml");

/// By kind and name, because the real server has objects of its own.
const SHOWN: [&str; 37] = [
    "horizontalpodautoscaler/hpa",
    "horizontalpodautoscaler/more",
    "endpoints/e",
    "endpoints/f",
    "endpointslice/es",
    "endpointslice/et",
    "service/s",
    "service/out",
    "secret/sec",
    "deployment/web",
    "daemonset/ds",
    "statefulset/sts",
    "replicationcontroller/rc",
    "job/job",
    "cronjob/cj",
    "ingress/i",
    "ingress/many",
    "ingressclass/ic",
    "networkpolicy/np",
    "event/ev",
    "node/n1",
    "persistentvolume/pv",
    "persistentvolumeclaim/pvc",
    "storageclass/sc",
    "lease/l",
    "priorityclass/pc",
    "poddisruptionbudget/pdb",
    "role/r",
    "rolebinding/rb",
    "clusterrole/cr",
    "clusterrolebinding/crb",
    "limitrange/lr",
    "serviceaccount/sa",
    "namespace/default",
    "pod/p",
    "pod/run",
    "crd/gadgets.example.com",
];

/// Statuses that a kubelet, a scheduler and controllers would have written.
const STATUSES: [(&str, &str); 9] = [
    (
        "horizontalpodautoscaler/hpa",
        r#"{"currentReplicas":2,"desiredReplicas":2,"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":40,"averageValue":"4"}}}]}"#,
    ),
    (
        "pod/run",
        r#"{"phase":"Running","podIP":"10.1.1.1","containerStatuses":[
            {"name":"c","image":"","imageID":"","ready":true,"restartCount":2,"state":{"running":{}}},
            {"name":"d","image":"","imageID":"","ready":false,"restartCount":1,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}"#,
    ),
    (
        "pod/p",
        r#"{"phase":"Pending","nominatedNodeName":"n2","conditions":[{"type":"a.b/c","status":"True"}]}"#,
    ),
    (
        "deployment/web",
        r#"{"replicas":2,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1}"#,
    ),
    (
        "statefulset/sts",
        r#"{"replicas":1,"readyReplicas":1,"updatedReplicas":1}"#,
    ),
    (
        "daemonset/ds",
        r#"{"desiredNumberScheduled":3,"currentNumberScheduled":2,"numberReady":1,"updatedNumberScheduled":2,"numberAvailable":1,"numberMisscheduled":0}"#,
    ),
    (
        "replicationcontroller/rc",
        r#"{"replicas":1,"readyReplicas":1,"availableReplicas":1}"#,
    ),
    (
        "node/n1",
        r#"{"conditions":[{"type":"Ready","status":"True"}],"addresses":[{"type":"InternalIP","address":"10.0.0.9"}],"nodeInfo":{"kubeletVersion":"v1.37.0","osImage":"os","kernelVersion":"k","containerRuntimeVersion":"c"}}"#,
    ),
    (
        "persistentvolumeclaim/pvc",
        r#"{"phase":"Bound","accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"}}"#,
    ),
];

fn session() -> Session {
    let apply = format!("kubectl apply -f {OBJECTS}");
    let statuses = STATUSES.iter().map(|(object, status)| {
        let status = status.replace('\n', "");
        format!(
            "kubectl patch {object} --subresource=status --type=merge -p '{{\"status\":{status}}}'"
        )
    });
    let shown = SHOWN
        .iter()
        .map(|object| format!("kubectl get {object} -o wide"));
    Session::of(std::iter::once(apply).chain(statuses).chain(shown))
}

#[tokio::test]
async fn tables_match_the_real_server() {
    let Some(kubectl) = Kubectl::find() else {
        return;
    };
    let Some(assets) = assets() else {
        return;
    };
    let session = session();
    let server = in_process().await;
    let ours = replay(&kubectl, &session, &server.kubeconfig(), "our-tables").await;
    server.shutdown().await;
    let real = Environment::start(&assets).await.unwrap();
    let kubeconfig = std::fs::read_to_string(real.write_kubeconfig().unwrap()).unwrap();
    let theirs = replay(&kubectl, &session, &kubeconfig, "real-tables").await;
    real.stop().await;

    let mut mismatches = Vec::new();
    for (step, (ours, theirs)) in session.steps.iter().zip(ours.iter().zip(&theirs)) {
        let (ours, theirs) = (normalise::text(ours), normalise::text(theirs));
        if ours != theirs {
            mismatches.push(format!(
                "$ {}--- ours:\n{ours}\n--- real:\n{theirs}\n",
                step.command
            ));
        }
        let is_refused = theirs.contains("Error") || theirs.contains("invalid");
        assert!(!is_refused, "$ {}{theirs}", step.command);
    }
    assert!(
        mismatches.is_empty(),
        "{} differ\n{}",
        mismatches.len(),
        mismatches.join("\n")
    );
}
