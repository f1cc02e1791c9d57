use std::time::Duration;

use bytes::Bytes;

use crate::{Fault, FaultScript, Matcher, Verb};

fn parse_error(text: &str) -> String {
    text.parse::<FaultScript>().unwrap_err().to_string()
}

#[test]
fn every_fault_survives_a_round_trip_through_text() {
    let faults = [
        (
            Fault::Status {
                code: 429,
                reason: "TooManyRequests".to_owned(),
                message: "slow \"down\": #1".to_owned(),
                retry_after: Some(3),
            },
            r#"status 429 TooManyRequests retry-after=3 "slow \"down\": #1""#,
        ),
        (
            Fault::Raw {
                code: 502,
                content_type: "text/html; charset=utf-8".to_owned(),
                body: Bytes::from_static(b"<p> 7 %\xff"),
            },
            "raw 502 text/html;%20charset=utf-8 <p>%207%20%25%FF",
        ),
        (Fault::Stall, "stall"),
        (Fault::StallAfter(1), "stall-after 1"),
        (Fault::CutAfter(2), "cut 2"),
        (Fault::TruncateAfter(3), "truncate 3"),
        (Fault::Delay(Duration::from_millis(1500)), "delay 1500ms"),
        (
            Fault::Slow {
                bytes: 4,
                pause: Duration::from_secs(2),
            },
            "slow 4 2s",
        ),
        (Fault::LoseBookmarks(5), "lose-bookmarks 5"),
        (Fault::DuplicateEvents(6), "duplicate 6"),
        (Fault::CloseAfter(7), "close-after 7"),
        (Fault::ExpireAfter(8), "expire-after 8"),
        (Fault::Undecodable(9), "undecodable 9"),
        (Fault::Compact, "compact"),
        (Fault::Rewind(10), "rewind 10"),
        (Fault::DisconnectWatches, "disconnect-watches"),
        (Fault::CloseWatches, "close-watches"),
        (Fault::ClockSkew(-60), "clock-skew -60"),
    ];
    for (fault, text) in faults {
        assert_eq!(fault.to_string(), text);
        assert_eq!(text.parse::<Fault>().unwrap(), fault);
    }
}

#[test]
fn matchers_survive_a_round_trip_through_text() {
    let text = "\
        deletecollection events.events.k8s.io namespace=a b name=c query=d=e query=f #12: stall\n";
    let text = text.replace("a b", "a%20b");
    let matcher = Matcher::any()
        .verb(Verb::DeleteCollection)
        .resource("events.events.k8s.io")
        .namespace("a b")
        .name("c")
        .query("d=e")
        .query("f");
    let script = FaultScript::new().at(12, matcher, Fault::Stall);
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
    assert_eq!(
        parse_error("# a remark\n\nlist pods: stall"),
        "line 3: not of the form `list pods #2: cut 700`"
    );
    assert_eq!(
        parse_error("get pods #1: explode"),
        "line 1: unknown fault \"explode\""
    );
    assert_eq!(
        parse_error("take pods #1: stall"),
        "line 1: unknown verb \"take\""
    );
    assert_eq!(
        parse_error("get pods #1: cut"),
        "line 1: the number of bytes is missing"
    );
    assert_eq!(
        parse_error("get pods #1: cut x"),
        "line 1: the number of bytes cannot be \"x\""
    );
    assert_eq!(
        parse_error("get pods #1: stall 7"),
        "line 1: unexpected \"7\" at the end"
    );
    assert_eq!(
        parse_error("get pods #1: delay 5"),
        "line 1: the time is \"5\" instead of, for example, 5ms or 2s"
    );
    assert_eq!(
        parse_error("get pods x=1 #1: stall"),
        "line 1: \"x=1\" is neither namespace=, name= nor query="
    );
    assert_eq!(
        parse_error("get pods #1: status 500 A boom"),
        "line 1: the message boom is not in quotes"
    );
}
