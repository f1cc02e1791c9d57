//! `shardSelector` and `shardInfo`.

use informer_apiserver::Control;

use crate::call::Call;
use crate::cases::common;
use crate::session::Session;

const MAPS: &str = "/api/v1/configmaps";
/// Config map that the real server creates by itself.
const OWN_MAP: &str = "/api/v1/namespaces/kube-system/configmaps/\
                       kube-apiserver-legacy-service-account-token-tracking";
const GADGETS: &str = "/apis/example.com/v1/gadgets";
const UID: &str = "object.metadata.uid";
const NAMESPACE: &str = "object.metadata.namespace";
const START: &str = "0x0000000000000000";
const MIDDLE: &str = "0x8000000000000000";
const END: &str = "0x10000000000000000";

pub(crate) async fn run(session: &mut Session, control: &Control) {
    prepare(session, control).await;
    session.check_all(selectors()).await;
    session.check_all(forms()).await;
    pages(session).await;
    let upper = shard(NAMESPACE, MIDDLE, END);
    for path in ["/api/v1/namespaces/team-a/configmaps", MAPS] {
        let path = format!("{path}?shardSelector={upper}");
        session.delete(path).await;
    }
    session.get(MAPS).await;
}

fn shard(field: &str, start: &str, end: &str) -> String {
    encoded(&format!("shardRange({field}, '{start}', '{end}')"))
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Creates the same objects with the same uids on both servers.
async fn prepare(session: &mut Session, control: &Control) {
    let names = common();
    let body = names.document(
        "definition",
        [
            ("group", "example.com"),
            ("kind", "Gadget"),
            ("singular", "gadget"),
            ("short", "ga"),
            ("scope", "Cluster"),
        ],
    );
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    session.look(Call::post(path, &body)).await;
    session.await_served(&Call::get(GADGETS)).await;
    for letter in 'a'..='h' {
        let name = format!("team-{letter}");
        let path = "/api/v1/namespaces";
        session
            .post(path, &names.document("namespace", [("name", &name)]))
            .await;
        let path = format!("{path}/{name}/configmaps");
        for object in ["x", "y", "z"] {
            let body = names.document("map", [("name", object), ("data", "v")]);
            session.post(&path, &body).await;
        }
        session
            .post(GADGETS, &names.document("gadget", [("name", &name)]))
            .await;
    }
    // The real server creates it late on a busy machine.
    session.await_real(OWN_MAP).await;
    for path in [MAPS, GADGETS] {
        for object in session.real_items(path).await {
            let name = object["metadata"]["name"].as_str().unwrap();
            let path = match object["metadata"]["namespace"].as_str() {
                Some(namespace) => format!("/api/v1/namespaces/{namespace}/configmaps/{name}"),
                None => format!("{path}/{name}"),
            };
            control.put_raw(&path, object).unwrap();
        }
        session.look(Call::get(path)).await;
    }
}

fn selectors() -> Vec<Call> {
    let term = |field: &str, start: &str, end: &str| format!("shardRange({field}, {start}, {end})");
    let whole = term(UID, &format!("'{START}'"), &format!("'{END}'"));
    let lower = term(UID, &format!("'{START}'"), &format!("'{MIDDLE}'"));
    let teams = term(NAMESPACE, &format!("'{START}'"), &format!("'{MIDDLE}'"));
    let mut texts = vec![
        whole.clone(),
        lower.clone(),
        teams.clone(),
        format!("{lower} || {whole}"),
        format!("  {lower}\n"),
        lower.replace('\'', "\""),
        // Invalid selectors.
        format!("{lower} || {teams}"),
        format!("{lower} && {lower}"),
        format!("!{lower}"),
        format!("{lower} ||"),
        format!("{lower} {lower}"),
        format!("({lower}"),
        "x".into(),
        "x.y".into(),
        "1".into(),
        "'x'".into(),
        "[1]".into(),
        "true".into(),
        "f(1)".into(),
        "shardRange()".into(),
        "shardRange(object.metadata.uid)".into(),
        "shardRange".into(),
        "#".into(),
        " ".into(),
    ];
    for field in [
        "metadata.uid",
        "object.metadata.name",
        "'uid'",
        "f(x)",
        "uid",
    ] {
        texts.push(term(field, &format!("'{START}'"), &format!("'{END}'")));
    }
    for start in [
        "'0x0'",
        "'0'",
        "''",
        "'0x'",
        "'0xFF'",
        "'0xg'",
        "0",
        "0x00",
        "x",
        "true",
        "'0x8000000000000000'",
        "'0x10000000000000000'",
        "'0x20000000000000000'",
        "'0x000000000000000000'",
        "'0x0000000000000000\n'",
        "1.5",
    ] {
        texts.push(term(UID, start, &format!("'{MIDDLE}'")));
    }
    texts.push(term(UID, &format!("'{START}'"), "'0x1'"));
    let mut calls = Vec::new();
    for text in texts {
        let text = encoded(&text);
        for path in [MAPS, GADGETS] {
            calls.push(Call::get(format!("{path}?shardSelector={text}")));
        }
        let watch = "watch=true&timeoutSeconds=1";
        calls.push(Call::get(format!("{MAPS}?shardSelector={text}&{watch}")));
    }
    calls
}

/// Ranges with other parameters and in other forms.
fn forms() -> Vec<Call> {
    let mut calls = Vec::new();
    for step in 0..8_u64 {
        let bound = |step: u64| match step {
            8 => END.to_owned(),
            step => format!("{:#018x}", step << 61),
        };
        for field in [UID, NAMESPACE] {
            let text = shard(field, &bound(step), &bound(step + 1));
            for path in [MAPS, GADGETS] {
                for query in [
                    "",
                    "&labelSelector=app%3Dx",
                    "&fieldSelector=metadata.name%3Dy",
                    "&resourceVersion=0",
                    "&watch=true&timeoutSeconds=1&resourceVersion=0",
                    "&watch=true&timeoutSeconds=1&sendInitialEvents=true\
                     &resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
                ] {
                    calls.push(Call::get(format!("{path}?shardSelector={text}{query}")));
                }
                let accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
                let call = Call::get(format!("{path}?shardSelector={text}"));
                calls.push(call.accept(accept));
            }
        }
    }
    // Without rows, the table has no ages, which differ.
    let nothing = shard(UID, START, "0x0000000000000001");
    let table = Call::get(format!("{GADGETS}?shardSelector={nothing}"));
    calls.push(table.accept("application/json;as=Table;v=v1;g=meta.k8s.io"));
    calls.push(Call::get(format!("{MAPS}?shardSelector=")));
    calls
}

async fn pages(session: &mut Session) {
    for field in [UID, NAMESPACE] {
        let text = shard(field, START, MIDDLE);
        let mut call = Call::get(format!("{MAPS}?limit=2&shardSelector={text}")).keep("page");
        // Reads to the end, which depends on the uids of this run.
        for _ in 0..14 {
            session.check(call).await;
            let next = format!("{MAPS}?limit=2&shardSelector={text}&continue=$page.token$");
            call = Call::get(next).keep("page");
        }
    }
}
