//! Migration from client-side apply to server-side apply by kubectl. Managed fields are compared.

use serde_json::{Value, json};

use super::apply::{DEPLOYMENTS, MAPS, SPROCKETS, apply, map, steps};
use crate::call::Call;
use crate::session::Session;

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Field manager of client-side applies.
const CLIENT_SIDE: &str = "kubectl-client-side-apply";

pub(super) async fn run(session: &mut Session) {
    maps(session).await;
    annotations(session).await;
    texts(session).await;
    sprockets(session).await;
    deployments(session).await;
    upgrade(session).await;
}

fn annotated(document: &Value, last: &str) -> Value {
    let mut document = document.clone();
    document["metadata"]["annotations"][ANNOTATION] = last.into();
    document
}

/// Returns a client-side apply that creates the object.
fn created(collection: &str, document: &Value) -> Call {
    let body = annotated(document, &document.to_string());
    Call::post(format!("{collection}?fieldManager={CLIENT_SIDE}"), &body)
}

fn merge(path: &str, manager: &str, body: &Value) -> Call {
    Call::patch(format!("{path}?fieldManager={manager}"), "merge", body)
}

/// Ownership of the fields that the annotation lists.
async fn maps(session: &mut Session) {
    let path = &format!("{MAPS}/last");
    let of = |data: Value| map("last", &data);
    steps(
        session,
        [
            created(MAPS, &of(json!({ "a": "1", "b": "1", "c": "1" }))),
            // No other manager takes the fields over.
            apply(path, "other", &of(json!({ "a": "2" }))),
            apply(path, "kubectl-other", &of(json!({ "a": "2" }))),
            apply(path, "kubectl&dryRun=All", &of(json!({ "a": "2" }))),
            apply(path, "kubectl", &of(json!({ "a": "2", "b": "1" }))),
            apply(path, "kubectl", &of(json!({ "a": "2", "b": "1" }))),
            apply(path, "other", &of(json!({ "b": "1", "d": "1" }))),
            // An apply by another manager does not update the annotation.
            apply(path, "other", &of(json!({ "b": "1", "d": "2" }))),
            apply(path, "kubectl", &of(json!({ "b": "2" }))),
            Call::patch(
                format!("{path}?fieldManager=kubectl&force=true"),
                "apply",
                &of(json!({ "b": "2" })),
            ),
            Call::get(path.as_str()),
        ],
    )
    .await;
    // A field that has changed since no longer matches the annotation.
    let path = &format!("{MAPS}/changed");
    let of = |data: Value| map("changed", &data);
    steps(
        session,
        [
            created(MAPS, &of(json!({ "a": "1", "b": "1", "c": "1" }))),
            merge(
                path,
                "me",
                &json!({ "data": { "b": "2", "c": null, "e": "1" } }),
            ),
            apply(path, "kubectl", &of(json!({ "a": "2", "b": "3" }))),
            apply(path, "kubectl", &of(json!({ "b": "3", "e": "2" }))),
            apply(
                path,
                "kubectl",
                &of(json!({ "a": "2", "b": "2", "c": "1" })),
            ),
            Call::get(path.as_str()),
        ],
    )
    .await;
    // The object had no managers.
    let path = &format!("{MAPS}/unowned");
    let of = |data: Value| map("unowned", &data);
    let reset = json!({ "metadata": { "managedFields": [] } });
    steps(
        session,
        [
            created(MAPS, &of(json!({ "a": "1", "b": "1" }))),
            merge(path, "me", &reset),
            apply(path, "other", &of(json!({ "a": "2" }))),
            apply(path, "kubectl", &of(json!({ "a": "2" }))),
            Call::get(path.as_str()),
        ],
    )
    .await;
}

/// Valid and invalid annotations.
async fn annotations(session: &mut Session) {
    let good = map("text", &json!({ "a": "1" }));
    let mut other_version = good.clone();
    other_version["apiVersion"] = "v2".into();
    let mut malformed = good.clone();
    malformed["data"] = json!({ "a": 1 });
    let mut broken = good.clone();
    broken["data"] = json!([1]);
    let mut unknown = good.clone();
    unknown["bogus"] = json!({ "x": 1 });
    for (at, last) in [
        good.to_string(),
        String::new(),
        "{".to_owned(),
        "null".to_owned(),
        "[]".to_owned(),
        json!({ "data": { "a": "1" } }).to_string(),
        json!({ "apiVersion": "v1", "data": { "a": "1" } }).to_string(),
        other_version.to_string(),
        malformed.to_string(),
        broken.to_string(),
        unknown.to_string(),
        format!(" {good}\n"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("text-{at}");
        let path = format!("{MAPS}/{name}");
        let body = annotated(&map(&name, &json!({ "a": "1", "b": "1" })), &last);
        let body = Call::post(format!("{MAPS}?fieldManager={CLIENT_SIDE}"), &body);
        session.check(body).await;
        let next = map(&name, &json!({ "a": "2" }));
        session.check(apply(&path, "kubectl", &next)).await;
        session.get(path).await;
    }
}

/// Text that the server writes into the annotation.
async fn texts(session: &mut Session) {
    let path = &format!("{MAPS}/written");
    let mut body = map("written", &json!({ "a": "1" }));
    session.check(created(MAPS, &body)).await;
    body["data"] = json!({ "html": "<a href=\"x\">&amp;</a>", "odd": "é\u{2028}\u{1}\u{8}\t" });
    // In YAML, this character would end the line.
    let text = body.to_string().replace('\u{2028}', "\\u2028");
    session
        .check(apply(path, "kubectl", &body).text(&text))
        .await;
    body["data"]["odd"] = "é".into();
    body["metadata"]["namespace"] = "apply".into();
    body["metadata"]["labels"] = json!({ "z": "1", "a": "1" });
    session.check(apply(path, "kubectl", &body)).await;
    body["metadata"]["annotations"] = json!({ "note": "x" });
    session.check(apply(path, "kubectl", &body)).await;
    // The annotation itself may be applied, by kubectl or by a manager that keeps it.
    let own = annotated(&body, "mine");
    session.check(apply(path, "kubectl", &own)).await;
    let mut only = map("written", &json!({}));
    only = annotated(&only, "{}");
    session
        .check(apply(path, "kubectl-last-applied", &only))
        .await;
    let forced = "kubectl-last-applied&force=true";
    session.check(apply(path, forced, &only)).await;
    session.check(apply(path, "kubectl", &only)).await;
    session.check(apply(path, "kubectl", &body)).await;
    session.get(path.as_str()).await;
    let yaml = "# A comment\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: written}\ndata: {b: '1', a: '2'}\n";
    session
        .check(apply(path, "kubectl", &body).text(yaml))
        .await;
    // An object has 256 KiB of annotations at most.
    body["metadata"]["annotations"] = json!({ "long": "x".repeat(150_000) });
    body["data"] = json!({ "a": "x".repeat(100_000) });
    session.check(apply(path, "kubectl", &body)).await;
    body["data"] = json!({ "a": "x".repeat(120_000) });
    session.check(apply(path, "kubectl", &body)).await;
    body["data"] = json!({ "a": "1" });
    session.check(apply(path, "kubectl", &body)).await;
    session.get(path.as_str()).await;
}

async fn sprockets(session: &mut Session) {
    let path = &format!("{SPROCKETS}/last");
    let of = |spec: Value| {
        json!({
            "apiVersion": "example.com/v1", "kind": "Sprocket",
            "metadata": { "name": "last" }, "spec": spec,
        })
    };
    let item = |name: &str, value: &str| json!({ "name": name, "value": value });
    let first = of(json!({
        "color": "red", "replicas": 1, "inner": { "a": "1", "b": "1" },
        "items": [item("x", "1"), item("y", "1")], "set": ["a", "b"], "plain": ["a"],
        "atomic": { "a": "1" }, "any": { "deep": { "er": [1.5, 2] } },
    }));
    let second = of(json!({
        "color": "green", "replicas": 2, "inner": { "a": "2" },
        "items": [item("y", "2"), item("z", "1")], "set": ["b", "c"], "plain": ["b"],
        "atomic": { "b": "1" }, "any": { "deep": { "er": [2.5] } },
    }));
    steps(
        session,
        [
            created(SPROCKETS, &first),
            merge(path, "me", &json!({ "spec": { "replicas": 5 } })),
            apply(path, "kubectl", &second),
            apply(path, "kubectl", &of(json!({ "color": "blue" }))),
            Call::get(path.as_str()),
            Call::patch(
                format!("{path}/status?fieldManager=kubectl"),
                "apply",
                &of(json!({})),
            ),
            Call::patch(
                format!("{path}/scale?fieldManager=kubectl"),
                "apply",
                &json!({
                    "apiVersion": "autoscaling/v1", "kind": "Scale",
                    "metadata": { "name": "last" }, "spec": { "replicas": 3 },
                }),
            ),
        ],
    )
    .await;
}

async fn deployments(session: &mut Session) {
    let path = &format!("{DEPLOYMENTS}/last");
    let of = |image: &str, replicas: i64| {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "last" },
            "spec": {
                "replicas": replicas,
                "selector": { "matchLabels": { "app": "last" } },
                "template": {
                    "metadata": { "labels": { "app": "last" } },
                    "spec": { "containers": [{ "name": "main", "image": image }] },
                },
            },
        })
    };
    let rejected = apply(path, "kubectl", &of("x:2", 3));
    session.look(created(DEPLOYMENTS, &of("x:1", 1))).await;
    session
        .look(merge(path, "me", &json!({ "spec": { "replicas": 5 } })))
        .await;
    session.check(rejected).await;
}

/// kubectl converts the manager of client-side applies to one of server-side applies.
async fn upgrade(session: &mut Session) {
    let path = &format!("{MAPS}/upgraded");
    let of = |data: Value| map("upgraded", &data);
    let first = of(json!({ "a": "1", "b": "1" }));
    session.check(created(MAPS, &first).keep("upgraded")).await;
    let next = of(json!({ "a": "2" }));
    session
        .check(apply(path, "kubectl", &next).keep("upgraded"))
        .await;
    let fields = |data: Value| json!({ "f:data": data });
    let managers = json!([{
        "manager": "kubectl", "operation": "Apply", "apiVersion": "v1",
        "time": "2020-01-01T00:00:00Z", "fieldsType": "FieldsV1",
        "fieldsV1": fields(json!({ "f:a": {}, "f:b": {} })),
    }]);
    let upgrade = json!([
        { "op": "replace", "path": "/metadata/managedFields", "value": managers },
        { "op": "replace", "path": "/metadata/resourceVersion", "value": "$upgraded.rv$" },
    ]);
    let upgrade = Call::patch(path.as_str(), "json", &upgrade);
    steps(
        session,
        [
            upgrade.clone(),
            // The conversion has the resourceVersion as a precondition.
            upgrade,
            Call::get(path.as_str()),
            apply(path, "kubectl", &next),
            Call::get(path.as_str()),
        ],
    )
    .await;
}
