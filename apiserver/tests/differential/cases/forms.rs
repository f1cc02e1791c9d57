//! Content negotiation.

use http::Method;

use crate::call::Call;
use crate::cases::{GADGETS, MAPS, WIDGETS};
use crate::session::Session;

const ACCEPTS: &[&str] = &[
    "application/json",
    "*/*",
    "application/*",
    "text/html",
    "text/html, application/json",
    "application/json;q=0.5",
    "application/json;charset=utf-8",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
    "application/json;as=Table;v=v2;g=meta.k8s.io",
    "application/json;as=Table",
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
    "application/json;as=Bogus;v=v1;g=meta.k8s.io",
    "application/json;as=Bogus;v=v1;g=meta.k8s.io,application/json",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io",
    "application/yaml",
    "application/cbor",
    "application/cbor, application/json",
    "application/x-bogus",
    "",
    "garbage",
];

pub(super) async fn run(session: &mut Session) {
    for path in [MAPS, WIDGETS, GADGETS] {
        let object = match path {
            MAPS => "/m1",
            WIDGETS => "/w1",
            _ => "/g1",
        };
        let mut calls = Vec::new();
        for accept in ACCEPTS {
            calls.push(Call::get(path).accept(accept));
            calls.push(Call::get(format!("{path}{object}")).accept(accept));
            calls.push(Call::get(format!("{path}/none")).accept(accept));
            let query = "?watch=true&timeoutSeconds=1&resourceVersion=0";
            calls.push(Call::get(format!("{path}{query}")).accept(accept));
        }
        let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
        for include in ["None", "Metadata", "Object", "Bogus", "none"] {
            let query = format!("{path}?includeObject={include}");
            calls.push(Call::get(query).accept(table));
        }
        calls.push(Call::get(format!("{path}?limit=2")).accept(table));
        session.check_all(calls).await;
    }
    for accept in [
        "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        "application/json;as=Table;v=v1;g=meta.k8s.io",
    ] {
        for path in [MAPS, WIDGETS] {
            let name = format!("{path}/form");
            let body = match path {
                MAPS => super::map("form", "1"),
                _ => super::widget("form", 1),
            };
            session.check(Call::post(path, &body).accept(accept)).await;
            let patch = serde_json::json!({ "metadata": { "labels": { "x": "y" } } });
            let call = Call::patch(&name, "merge", &patch).accept(accept);
            session.check(call).await;
            let call = Call::new(Method::DELETE, &name).accept(accept);
            session.check(call).await;
        }
    }
}
