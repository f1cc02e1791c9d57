//! Negotiated encodings, compared with the real server.

use http::Request;
use informer_apiserver::envtest::Environment;
use kube::Client;
use serde_json::Value;

use crate::assets::assets;
use crate::protobuf::{
    FOOS, JSON, MAPS, METADATA, METADATA_LIST, PROTOBUF, WATCH, definition, foo, get, map, post,
    send,
};
use crate::support::{server, soon};

/// A request, and whether it has a body.
struct Question {
    method: &'static str,
    path: String,
    accept: String,
    content_type: &'static str,
    body: Vec<u8>,
}

fn questions() -> Vec<Question> {
    let mut questions = Vec::new();
    let mut ask = |method, path: &str, accept: &str, content_type, body: &[u8]| {
        questions.push(Question {
            method,
            path: path.to_owned(),
            accept: accept.to_owned(),
            content_type,
            body: body.to_owned(),
        });
    };
    let accepts = [
        PROTOBUF.to_owned(),
        WATCH.to_owned(),
        format!("{PROTOBUF};stream=film"),
        format!("{PROTOBUF}, {JSON}"),
        format!("{PROTOBUF};q=0.5, {JSON};q=0.9"),
        format!("{JSON};q=0, {PROTOBUF};q=0.1"),
        format!("*/*, {PROTOBUF};q=0.1"),
        format!("application/*;q=0.3, {PROTOBUF};q=0.1"),
        "*/*".to_owned(),
        "text/html".to_owned(),
        format!("{JSON};g=meta.k8s.io, {PROTOBUF}"),
        format!("{PROTOBUF};as=Table;g=meta.k8s.io;v=v1"),
        format!("{PROTOBUF};as=Table;g=meta.k8s.io;v=v1, {JSON}"),
        format!("{PROTOBUF};as=Nonsense;g=meta.k8s.io;v=v1"),
    ];
    for path in [MAPS, FOOS] {
        let name = if path == MAPS { "a" } else { "f" };
        let object = format!("{path}/{name}");
        let watch = format!("{path}?watch=true");
        for accept in &accepts {
            for path in [path, &object, &watch, &format!("{path}/absent")] {
                ask("GET", path, accept, "", b"");
            }
        }
        let metadata = format!("{PROTOBUF};{METADATA}");
        let metadata_list = format!("{PROTOBUF};{METADATA_LIST}");
        ask("GET", &object, &metadata, "", b"");
        ask("GET", path, &metadata_list, "", b"");
        ask("GET", &watch, &format!("{WATCH};{METADATA}"), "", b"");
        ask("GET", &format!("{path}/absent"), &metadata, "", b"");
        let both = format!("{metadata}, {PROTOBUF}");
        ask("GET", &format!("{path}/absent"), &both, "", b"");
    }
    ask("GET", &format!("{FOOS}/f/scale"), PROTOBUF, "", b"");
    ask("GET", &format!("{FOOS}/f/scale"), JSON, "", b"");
    let body = |name: &str| informer_protobuf::encode(&map(name)).unwrap();
    ask("POST", MAPS, PROTOBUF, PROTOBUF, &body("b"));
    ask("POST", MAPS, PROTOBUF, PROTOBUF, &body("b"));
    ask("PUT", &format!("{MAPS}/b"), PROTOBUF, PROTOBUF, &body("b"));
    ask("POST", MAPS, PROTOBUF, PROTOBUF, b"nonsense");
    ask("POST", MAPS, PROTOBUF, PROTOBUF, b"k8s\0nonsense");
    ask("POST", MAPS, PROTOBUF, "text/html", &body("c"));
    ask(
        "PATCH",
        &format!("{MAPS}/b"),
        PROTOBUF,
        PROTOBUF,
        &body("b"),
    );
    let wrapped = informer_protobuf::wrap("example.com/v1", "Foo", b"\x0a\x03\x0a\x01g");
    ask("POST", FOOS, PROTOBUF, PROTOBUF, &wrapped);
    ask("POST", FOOS, PROTOBUF, PROTOBUF, &body("g"));
    ask("POST", MAPS, PROTOBUF, PROTOBUF, &wrapped);
    let either = format!("{PROTOBUF}, {JSON}");
    ask("PATCH", &format!("{FOOS}/f"), &either, PROTOBUF, &wrapped);
    ask("DELETE", &format!("{MAPS}/b"), PROTOBUF, "", b"");
    questions
}

/// Returns code, content type and, of a `Status`, the reason of the response to each question.
async fn interview(client: &Client) -> Vec<String> {
    for object in [definition(), map("a")] {
        let path = match object["kind"].as_str() {
            Some("ConfigMap") => MAPS,
            _ => "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        };
        let created = post(client, path, JSON, object.to_string().into()).await;
        assert_eq!(created.code, 201);
    }
    // Waits until the definition is established.
    soon(async { while get(client, FOOS, JSON).await.code != 200 {} }).await;
    let request = Request::post(FOOS).header("content-type", JSON);
    let request = request.body(foo().to_string().into()).unwrap();
    assert_eq!(send(client, request).await.code, 201);

    let mut answers = Vec::new();
    for question in questions() {
        let mut request = Request::builder()
            .method(question.method)
            .uri(&question.path)
            .header("accept", &question.accept);
        if !question.content_type.is_empty() {
            request = request.header("content-type", question.content_type);
        }
        let answer = send(client, request.body(question.body).unwrap()).await;
        let reason = match answer.content_type.as_str() {
            PROTOBUF | JSON if answer.code >= 400 => answer.value()["reason"].clone(),
            _ => Value::Null,
        };
        answers.push(format!(
            "{} {} as {}: {} {} {reason}",
            question.method, question.path, question.accept, answer.code, answer.content_type,
        ));
    }
    answers
}

/// Codes, content types and reasons are those of the real server for every request.
#[tokio::test]
async fn encodings_are_negotiated_as_by_the_real_server() {
    let Some(assets) = assets() else {
        return;
    };
    let environment = Environment::start(&assets).await.unwrap();
    let real = Client::try_from(environment.kube_config()).unwrap();
    let real = interview(&real).await;
    environment.stop().await;
    let server = server().await;
    let double = interview(&server.client().unwrap()).await;
    let differences: Vec<_> = real
        .iter()
        .zip(&double)
        .filter(|(real, double)| real != double)
        .map(|(real, double)| format!("real   {real}\ndouble {double}"))
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
