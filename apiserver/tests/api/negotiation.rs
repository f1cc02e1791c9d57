//! Negotiated encodings, compared with the real server.

use http::Request;
use informer_apiserver::envtest::Environment;
use kube::Client;
use serde::Deserialize;
use serde_json::Value;

use crate::assets::assets;
use crate::protobuf::{
    FOOS, JSON, MAPS, METADATA, METADATA_LIST, PROTOBUF, definition, foo, get, map, post, send,
};
use crate::support::{server, soon};

/// `negotiation.yaml` describes its members.
#[derive(Deserialize)]
struct Questions {
    accepts: Vec<String>,
    others: Vec<Vec<String>>,
}

/// Returns the requests: method, path, `Accept`, and the media type and the text of a body.
fn questions() -> Vec<Vec<String>> {
    let questions = informer_manifest::parse::<Questions>(include_str!("negotiation.yaml"));
    let questions = questions.unwrap().remove(0);
    let mut all = Vec::new();
    for [collection, name] in [["MAPS", "a"], ["FOOS", "f"]] {
        for accept in &questions.accepts {
            for place in ["", &format!("/{name}"), "?watch=true", "/absent"] {
                let path = format!("{collection}{place}");
                all.push(vec!["GET".to_owned(), path, accept.clone()]);
            }
        }
    }
    all.extend(questions.others);
    for part in all.iter_mut().flatten() {
        let words = [
            ("METALIST", METADATA_LIST),
            ("META", METADATA),
            ("PB", PROTOBUF),
            ("JSON", JSON),
            ("MAPS", MAPS),
            ("FOOS", FOOS),
        ];
        for (word, meaning) in words {
            *part = part.replace(word, meaning);
        }
    }
    all
}

fn body(text: &str) -> Vec<u8> {
    match text.strip_prefix("map ") {
        Some(name) => informer_protobuf::encode(&map(name)).unwrap(),
        None if text == "foo" => {
            informer_protobuf::wrap("example.com/v1", "Foo", b"\x0a\x03\x0a\x01g")
        }
        None => text.into(),
    }
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
        let part = |at: usize| question.get(at).map_or("", String::as_str);
        let mut request = Request::builder()
            .method(part(0))
            .uri(part(1))
            .header("accept", part(2));
        if !part(3).is_empty() {
            request = request.header("content-type", part(3));
        }
        let answer = send(client, request.body(body(part(4))).unwrap()).await;
        let reason = match answer.content_type.as_str() {
            PROTOBUF | JSON if answer.code >= 400 => answer.value()["reason"].clone(),
            _ => Value::Null,
        };
        let (code, content_type) = (answer.code, answer.content_type);
        answers.push(format!("{question:?}: {code} {content_type} {reason}"));
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
