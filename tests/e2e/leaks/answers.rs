//! Responses of a server, or of a proxy in front of it.

use bytes::Bytes;
use informer::ReflectorError;
use informer::source::Encoding;
use informer_apiserver::{Fault, Matcher, Verb};
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};

use super::evidence::{Evidence, MARKER, path, secret};
use crate::support::{Cluster, ENCODINGS, Failures, chain, quick, sync};

/// W-20, W-12, W-15, W-19: responses that contain the value, from the server or from a proxy in
/// front of it.
#[tokio::test]
async fn w20_a_bad_answer_shows_no_content() {
    for encoding in ENCODINGS {
        let mut evidence = Evidence::new();
        let cluster = Cluster::start_in(encoding).await;
        for name in ["good", "spoilt", "cut"] {
            cluster.control.create_direct(secret(name)).unwrap();
        }
        let spoil = |name: &str, data: Value| {
            let mut secret = secret(name);
            secret["data"] = data;
            cluster.control.put_raw(&path(name), secret).unwrap();
        };
        spoil("spoilt", json!({ "password": { MARKER: MARKER } }));
        spoil("cut", json!(MARKER));
        let failures = Failures::default();
        let config = quick().error_handler(failures.handler());
        let factory = cluster.builder().config(config).build().unwrap();
        let secrets = factory.informer::<Secret>();
        sync(&factory).await;

        let echo = secret("echo");
        let event = |object: &Value| json!({ "type": "MODIFIED", "object": object }).to_string();
        let error = |message: &str| json!({ "kind": "Error", "message": message });
        let nested = json!({ "error": { "kind": "Status", "message": MARKER } });
        let answers = [
            (502, echo.to_string(), "HTTP 502"),
            (503, error(MARKER).to_string(), "HTTP 503"),
            (500, nested.to_string(), "HTTP 500"),
            (504, format!("upstream said: {echo}"), "HTTP 504"),
            (200, echo.to_string(), "an event without a type"),
            (
                200,
                event(&json!({ "data": MARKER })),
                "invalid item or event",
            ),
            (200, event(&json!(MARKER)), "object without a key"),
            (
                200,
                event(&echo).replace("MODIFIED", "ERROR"),
                "without a Status",
            ),
            (200, event(&echo).replace('}', ""), "ended inside an object"),
        ];
        let watches = Matcher::any().verb(Verb::Watch).resource("secrets");
        for (code, body, expected) in answers {
            let is_expected = |failure: &ReflectorError| chain(failure).contains(expected);
            let before = failures.all().iter().filter(|one| is_expected(one)).count();
            let answer = Fault::Raw {
                code,
                content_type: "application/json".to_owned(),
                body: Bytes::from(body),
            };
            cluster.control.fail_next(1, watches.clone(), answer);
            cluster.control.disconnect_watches();
            failures
                .until_count_of(expected, before + 1, is_expected)
                .await;
            evidence.informer(&secrets);
        }
        for failure in failures.all() {
            evidence.error("error handler", &failure);
        }
        let lookup = secrets.lister().namespace("default").try_get("spoilt");
        evidence.error("lister", &lookup.unwrap_err());
        factory.shutdown().await;
        let place = if encoding == Encoding::Json {
            "data.password"
        } else {
            "malformed"
        };
        evidence.check(&[place]);
    }
}
