//! Valid and invalid selectors.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::call::Call;
use crate::cases::{GADGETS, MAPS, WIDGETS};
use crate::session::Session;

const LABELS: &[&str] = &[
    "app",
    "!app",
    "app=m1",
    "app==m1",
    "app!=m1",
    "app in (m1,m2)",
    "app in (m1, m2 )",
    "app notin (m1,m2)",
    "app in ()",
    "app in (m1",
    "app in m1",
    "app=m1,tier=a",
    "app=m1, tier=a",
    "tier>1",
    "tier<1",
    "tier>a",
    "app=",
    "app=,tier",
    "=m1",
    "app===m1",
    "app=m1=m2",
    "app m1",
    ",",
    "app,",
    ",app",
    " ",
    "app = m1",
    "! app",
    "!app=m1",
    "a/b/c",
    "/b",
    "a/",
    "a/b",
    "-a",
    "a-",
    "a_b",
    "Ä",
    "app=Ä",
    "app=-x",
    "app=a b",
    "app in (a b)",
    "(app)",
    "app in (,)",
    "app in (m1,)",
    "app notin ()",
    "in in (in)",
    "notin",
    "app=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "app=m1;tier=a",
    "app = m1 , !none",
    "app exists",
    "app~m1",
];

const FIELDS: &[&str] = &[
    "metadata.name=m1",
    "metadata.name==m1",
    "metadata.name!=m1",
    "metadata.name=",
    "metadata.name=m1,metadata.namespace=diff",
    "metadata.namespace=other",
    "metadata.name=m1,",
    ",",
    "metadata.name",
    "metadata.name in (m1)",
    "metadata.uid=x",
    "metadata.labels.app=m1",
    "data.key=1",
    "spec.color=red",
    "spec.color!=red",
    "spec.size=1",
    "status.phase=x",
    "name=m1",
    "bogus=1",
    "=m1",
    "metadata.name=m\\,1",
    "metadata.name=m\\=1",
    "metadata.name=m1=x",
    "metadata.name=m\\x",
    "metadata.name= m1",
    " metadata.name=m1",
    "metadata.name>m1",
];

pub(super) async fn run(session: &mut Session) {
    let quoted = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    for path in [MAPS, WIDGETS] {
        let labels = LABELS
            .iter()
            .map(|text| format!("{path}?labelSelector={}", quoted(text)));
        session.check_all(labels.map(Call::get)).await;
    }
    let namespaces = "/api/v1/namespaces";
    let pods = "/api/v1/pods";
    for path in [MAPS, WIDGETS, GADGETS, pods] {
        let fields = FIELDS
            .iter()
            .map(|text| format!("{path}?fieldSelector={}", quoted(text)));
        session.check_all(fields.map(Call::get)).await;
    }
    // Selectable fields of each kind.
    let known = [
        (pods, "spec.nodeName"),
        (pods, "spec.restartPolicy"),
        (pods, "spec.schedulerName"),
        (pods, "spec.serviceAccountName"),
        (pods, "spec.hostNetwork"),
        (pods, "status.podIP"),
        (pods, "status.podIPs"),
        (pods, "status.nominatedNodeName"),
        (pods, "spec.nodeSelector"),
        (namespaces, "status.phase"),
        (namespaces, "spec.finalizers"),
        ("/api/v1/secrets", "type"),
        ("/api/v1/nodes", "spec.unschedulable"),
        ("/api/v1/events", "involvedObject.kind"),
        ("/api/v1/events", "involvedObject.name"),
        ("/api/v1/events", "involvedObject.namespace"),
        ("/api/v1/events", "involvedObject.uid"),
        ("/api/v1/events", "involvedObject.apiVersion"),
        ("/api/v1/events", "involvedObject.resourceVersion"),
        ("/api/v1/events", "involvedObject.fieldPath"),
        ("/api/v1/events", "reason"),
        ("/api/v1/events", "reportingComponent"),
        ("/api/v1/events", "source"),
        ("/api/v1/events", "type"),
        ("/api/v1/events", "count"),
        ("/apis/events.k8s.io/v1/events", "regarding.name"),
        ("/apis/events.k8s.io/v1/events", "reportingController"),
        ("/apis/events.k8s.io/v1/events", "involvedObject.name"),
        ("/apis/events.k8s.io/v1/events", "type"),
        ("/api/v1/replicationcontrollers", "status.replicas"),
        ("/api/v1/services", "spec.clusterIP"),
        ("/api/v1/services", "spec.type"),
        ("/api/v1/services", "spec.ports"),
        ("/apis/apps/v1/replicasets", "status.replicas"),
        ("/apis/apps/v1/deployments", "status.replicas"),
        ("/apis/apps/v1/statefulsets", "status.successful"),
        ("/apis/batch/v1/jobs", "status.successful"),
        ("/apis/batch/v1/jobs", "status.failed"),
        (
            "/apis/certificates.k8s.io/v1/certificatesigningrequests",
            "spec.signerName",
        ),
        ("/apis/resource.k8s.io/v1/resourceslices", "spec.nodeName"),
        ("/apis/resource.k8s.io/v1/resourceslices", "spec.driver"),
        ("/apis/resource.k8s.io/v1/resourceslices", "spec.pool"),
        ("/api/v1/persistentvolumes", "name"),
        ("/api/v1/persistentvolumes", "spec.storageClassName"),
        ("/api/v1/persistentvolumeclaims", "name"),
        ("/api/v1/nodes", "spec.podCIDR"),
        ("/api/v1/serviceaccounts", "secrets"),
        (
            "/apis/rbac.authorization.k8s.io/v1/roles",
            "metadata.namespace",
        ),
        (
            "/apis/storage.k8s.io/v1/storageclasses",
            "metadata.namespace",
        ),
        ("/api/v1/nodes", "metadata.namespace"),
        (GADGETS, "metadata.namespace"),
        (CRDS, "spec.group"),
        (CRDS, "metadata.name"),
    ];
    let calls =
        known.map(|(path, field)| Call::get(format!("{path}?fieldSelector={field}%3Dbogus-value")));
    session.check_all(calls).await;
}

const CRDS: &str = super::CRDS;
