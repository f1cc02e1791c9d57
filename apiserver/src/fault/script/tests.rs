use std::time::Duration;

use bytes::Bytes;

use crate::{Fault, FaultScript, Matcher, Verb};

fn parse_error(text: &str) -> String {
    text.parse::<FaultScript>().unwrap_err().to_string()
}

#[test]
fn scripts_survive_a_round_trip_through_text() {
    let request = Matcher::any()
        .verb(Verb::DeleteCollection)
        .resource("events.events.k8s.io")
        .namespace("a b")
        .name("c")
        .query("d=e")
        .query("f");
    let status = Fault::Status {
        code: 429,
        reason: "TooManyRequests".to_owned(),
        message: "slow \"down\"".to_owned(),
        retry_after: Some(3),
    };
    let raw = Fault::Raw {
        code: 502,
        content_type: "text/html".to_owned(),
        body: Bytes::from_static(b"<\xff"),
    };
    let slow = Fault::Slow {
        bytes: 4,
        pause: Duration::from_millis(2),
    };
    let script = FaultScript::new()
        .at(12, request, Fault::Stall)
        .at(1, Matcher::any().verb(Verb::List), status)
        .at(2, Matcher::any(), raw)
        .at(3, Matcher::any(), slow)
        .at(0, Matcher::any(), Fault::ClockSkew(-60));
    let text = r#"{"request":{"verb":"deletecollection","resource":"events.events.k8s.io","namespace":"a b","name":"c","query":["d=e","f"]},"nth":12,"fault":"stall"}
{"request":{"verb":"list"},"nth":1,"fault":{"status":{"code":429,"reason":"TooManyRequests","message":"slow \"down\"","retryAfter":3}}}
{"request":{},"nth":2,"fault":{"raw":{"code":502,"contentType":"text/html","body":[60,255]}}}
{"request":{},"nth":3,"fault":{"slow":{"bytes":4,"pause":{"secs":0,"nanos":2000000}}}}
{"request":{},"nth":1,"fault":{"clockSkew":-60}}
"#;
    assert_eq!(script.to_string(), text);
    assert_eq!(text.parse::<FaultScript>().unwrap(), script);
}

#[test]
fn equal_seeds_give_equal_scripts_and_other_seeds_others() {
    for seed in 0..200 {
        let script = FaultScript::seeded(seed, "pods", 30);
        assert_eq!(script.len(), 30);
        assert_eq!(script, FaultScript::seeded(seed, "pods", 30));
        assert_ne!(script, FaultScript::seeded(seed + 1, "pods", 30));
        assert_eq!(script.to_string().parse::<FaultScript>().unwrap(), script);
    }
}

#[test]
fn errors_name_the_line() {
    let good = r#"{"request":{},"nth":1,"fault":"stall"}"#;
    for (line, error) in [
        (r#"{"request":{},"nth":0,"fault":"stall"}"#, "nonzero usize"),
        (
            r#"{"request":{},"nth":1,"fault":"explode"}"#,
            "unknown variant `explode`",
        ),
        (
            r#"{"request":{"verb":"take"},"nth":1,"fault":"stall"}"#,
            "unknown variant `take`",
        ),
        (
            r#"{"request":{"x":1},"nth":1,"fault":"stall"}"#,
            "unknown field `x`",
        ),
        ("list pods #2: cut 700", "expected value"),
    ] {
        let found = parse_error(&format!("{good}\n\n{line}"));
        assert!(found.contains(error), "{found}");
        assert!(found.contains("at line 3 column"), "{found}");
    }
}
