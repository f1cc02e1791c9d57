//! Patterns, formats, defaults and printer columns of a definition with the shape of real ones.

use serde_json::{Value, json};

use super::CRDS;
use crate::call::Call;
use crate::session::Session;

const HOSTS: &str = "/apis/schemas.example.com/v1/namespaces/diff/hosts";

/// Each format, with valid and invalid strings.
const FORMATS: [(&str, &[&str]); 27] = [
    (
        "bsonobjectid",
        &["5f1f1f1f1f1f1f1f1f1f1f1f", "5f", "5g1f1f1f1f1f1f1f1f1f1f1f"],
    ),
    (
        "uri",
        &[
            "/a",
            "https://a.b:80/c?d#e",
            "urn:a:b",
            "http://[::1]:1/",
            "http://u@h",
            "http:///a b",
            "*",
            "",
            "a",
            "a/b",
            "http://a b/",
            "http://a:x/",
            "/%zz",
            "://a",
            "http://h%41/",
            "mailto:x",
            "http://a/b?%zz",
            "1a:b",
        ],
    ),
    (
        "email",
        &[
            "a@b",
            "a.b+c@d.e",
            "A B <a@b.c>",
            "<a@b>",
            "\"a b\"@c",
            "a@[127.0.0.1]",
            "",
            "a",
            "a@",
            "@b",
            "a b@c",
            "a@b>",
            "a@b c",
            "a..b@c",
            " a@b ",
            "a@b, c@d",
            "ü@b.de",
            "\"x\" <a@b>",
        ],
    ),
    (
        "hostname",
        &[
            "a",
            "a.example",
            "1.example.com",
            "ü.de",
            "a-b",
            "",
            "a_b",
            "-a.de",
            "a..b",
            ".",
            "a.b.1",
            "a-",
            "a.b.",
        ],
    ),
    (
        "ipv4",
        &[
            "1.2.3.4",
            "01.2.3.4",
            "::ffff:1.2.3.4",
            "1.2.3",
            "1.2.3.256",
            "::1",
            "",
        ],
    ),
    (
        "ipv6",
        &[
            "::1",
            "fe80::1",
            "::ffff:1.2.3.4",
            "1.2.3.4",
            "::g",
            "fe80::1%eth0",
        ],
    ),
    (
        "cidr",
        &[
            "10.0.0.0/8",
            "::/0",
            "fe80::/128",
            "10.0.0.0",
            "10.0.0.0/33",
            "::/129",
            "x/1",
            "1.2.3.4/+1",
            "1.2.3.4/08",
        ],
    ),
    (
        "mac",
        &[
            "00:00:5e:00:53:01",
            "00-00-5E-00-53-01",
            "0000.5e00.5301",
            "02:00:5e:10:00:00:00:01",
            "00:00:5e:00:53",
            "00:00:5e:00:53:0g",
            "00005e005301",
            "",
        ],
    ),
    (
        "uuid",
        &[
            "0ab12c34-1234-1234-1234-0123456789AB",
            "0ab12c34123412341234012345678900",
            "x",
            "0ab12c34",
        ],
    ),
    (
        "uuid3",
        &[
            "0ab12c34-1234-3234-1234-0123456789ab",
            "0ab12c34-1234-1234-1234-0123456789ab",
        ],
    ),
    (
        "uuid4",
        &[
            "0ab12c34-1234-4234-8234-0123456789ab",
            "0ab12c34-1234-4234-1234-0123456789ab",
        ],
    ),
    (
        "uuid5",
        &[
            "0ab12c34-1234-5234-8234-0123456789ab",
            "0ab12c34-1234-4234-8234-0123456789ab",
        ],
    ),
    ("isbn", &["0321751043", "978-0321751041", "0321751044", "1"]),
    (
        "isbn10",
        &[
            "0-321-75104-3",
            "080442957X",
            "978-0321751041",
            "X321751043",
        ],
    ),
    (
        "isbn13",
        &["978-0321751041", "0321751043", "978-0321751042"],
    ),
    (
        "creditcard",
        &[
            "4111 1111 1111 1111",
            "378282246310005",
            "4111111111111112",
            "1",
            "",
        ],
    ),
    ("ssn", &["123-45-6789", "123456789", "123-45-678x"]),
    ("hexcolor", &["#FFF", "ffffff", "#ffff", "red"]),
    ("rgbcolor", &["rgb(0, 255,7)", "rgb(0,256,0)", "rgb(1,2)"]),
    ("byte", &["Zm9v", "Zg==", "", "Zg=", "Z g="]),
    ("password", &["", "x"]),
    (
        "date",
        &[
            "2024-02-29",
            "2023-02-29",
            "2024-2-29",
            "24-02-29",
            "2024-02-29T",
            "",
        ],
    ),
    (
        "duration",
        &[
            "1h30m",
            "0",
            "-1.5s",
            "22 ns",
            "3 days",
            "1w",
            "in 5 minutes",
            "",
            "1",
            "1x",
            "h",
            "5 parsecs",
            "1dx",
            "2 HOURS",
            "3ss",
        ],
    ),
    (
        "date-time",
        &[
            "2014-12-15T19:30:20.000Z",
            "2014-12-15t19:30:20+01:00",
            "2014-12-15",
            "2014-12-15T24:00:00Z",
            "2014-12-15T19:30:20",
            "2014-13-15T19:30:20Z",
            "",
            "2014-12-15T19:30:60Z",
        ],
    ),
    ("k8s-short-name", &["a-1", "A", "a.b", "-a", ""]),
    ("k8s-long-name", &["a.b-c.1", "a..b", "A", ""]),
    ("hair", &["x"]),
];

/// Each pattern, with matching and other strings.
const PATTERNS: [(&str, &[&str]); 18] = [
    (
        r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
        &["a-b", "a_b", "", "a-"],
    ),
    ("b", &["abc", "ac"]),
    ("^$|x", &["", "yx", "y"]),
    (r"^\d+$", &["12", "\u{661}", ""]),
    (r"^\D$", &["ü", "1"]),
    (r"^[\w.-]+$", &["a.b-c", "ü"]),
    (r"^[^\s]+$", &["a\u{a0}b", "a b"]),
    (r"\bfoo\b", &["a foo", "üfooü", "afoo"]),
    ("^.$", &["ü", "\n", "ab"]),
    ("^[[a]$", &["[", "a", "b"]),
    ("^[]a]$", &["]", "b"]),
    ("^[a&&b]$", &["&", "a", "c"]),
    ("^[[:alpha:]_]$", &["a", ":", "1"]),
    ("a{,2}", &["a{,2}", "aa"]),
    (r"^\Qa.b(\E+$", &["a.b((", "axb("]),
    (r"^\<\/\>$", &["</>", "x"]),
    (
        r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$",
        &["1.5Gi", "1 Gi"],
    ),
    (r"^\pL\p{Greek}$", &["xα", "αx"]),
];

pub(super) async fn run(session: &mut Session) {
    session.check(Call::post(CRDS, &definition())).await;
    session.await_served(HOSTS).await;
    for (index, (_, texts)) in FORMATS.iter().enumerate() {
        for text in *texts {
            dry(session, json!({ format!("f{index}"): text })).await;
        }
    }
    for (index, (_, texts)) in PATTERNS.iter().enumerate() {
        for text in *texts {
            dry(session, json!({ format!("p{index}"): text })).await;
        }
    }
    for spec in [
        json!({ "port": "x" }),
        json!({ "port": "1" }),
        json!({ "port": 7 }),
        json!({ "names": ["a", "1"] }),
        json!({ "labels": { "a": "1" } }),
        json!({ "either": "ab" }),
        json!({ "either": "b" }),
        json!({ "either": "c" }),
        json!({ "choice": {} }),
        json!({ "choice": { "a": 1, "b": 1 } }),
        json!({ "choice": { "c": 1 } }),
        json!({ "several": {} }),
        json!({ "every": "x" }),
        json!({ "every": "ax" }),
        json!({ "every": "" }),
        json!({ "typed": "x" }),
        json!({ "typed": "a" }),
        json!({ "typed": -1 }),
        json!({ "not": "a" }),
        json!({ "short": "toolong1" }),
        json!({ "f0": null }),
        json!({ "any": "1.2.3.4" }),
        json!({ "any": 1 }),
    ] {
        dry(session, spec).await;
    }
    for pattern in ["(", "[a", "(?=a)", "*"] {
        let mut definition = definition();
        definition["metadata"]["name"] = "others.schemas.example.com".into();
        definition["spec"]["names"] =
            json!({ "plural": "others", "singular": "other", "kind": "Other" });
        definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"] =
            json!({ "x": { "type": "string", "pattern": pattern } });
        let call = Call::post(format!("{CRDS}?dryRun=All"), &definition);
        session.check(call).await;
    }
    let status = json!({ "conditions": [
        { "type": "Other", "status": "False" }, { "type": "Ready", "status": "True", "reason": "Fine" },
    ]});
    let mut whole = host(
        "whole",
        &json!({ "size": 3, "ratio": 1.5, "on": true, "names": ["a", "b"] }),
    );
    whole["status"] = status;
    for object in [
        host("empty", &json!({})),
        whole,
        host("nested", &json!({ "nested": { "list": [{}, { "a": 5 }] } })),
    ] {
        session.check(Call::post(HOSTS, &object)).await;
    }
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    session.check(Call::get(HOSTS).accept(table)).await;
    session.check(Call::get(HOSTS)).await;
}

async fn dry(session: &mut Session, spec: Value) {
    let call = Call::post(format!("{HOSTS}?dryRun=All"), &host("a", &spec));
    session.check(call).await;
}

fn host(name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "schemas.example.com/v1", "kind": "Host",
        "metadata": { "name": name }, "spec": spec,
    })
}

fn definition() -> Value {
    let mut properties = json!({
        "port": {
            "x-kubernetes-int-or-string": true, "anyOf": [{ "type": "integer" }, { "type": "string" }],
            "pattern": "^[0-9]+$",
        },
        "names": { "type": "array", "items": { "type": "string", "pattern": "^[a-z]$" } },
        "labels": { "type": "object", "additionalProperties": { "type": "string", "pattern": "^[a-z]$" } },
        "either": { "type": "string", "oneOf": [{ "pattern": "^a" }, { "pattern": "b$" }] },
        "choice": {
            "type": "object",
            "properties": { "a": { "type": "integer" }, "b": { "type": "integer" }, "c": { "type": "integer" } },
            "oneOf": [{ "required": ["a"] }, { "required": ["b"] }],
        },
        "several": {
            "type": "object", "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } },
            "anyOf": [{ "required": ["a"] }, { "required": ["b"] }],
        },
        "every": { "type": "string", "allOf": [{ "pattern": "^a" }, { "pattern": "b$" }] },
        "typed": {
            "x-kubernetes-int-or-string": true,
            "anyOf": [{ "type": "integer" }, { "type": "string" }],
            "allOf": [{ "anyOf": [{ "minimum": 0 }, { "pattern": "^a" }] }],
        },
        "not": { "type": "string", "not": { "pattern": "^a" } },
        "short": { "type": "string", "maxLength": 5, "pattern": "^[a-z]+$", "format": "ipv4" },
        "any": { "format": "cidr", "x-kubernetes-preserve-unknown-fields": true },
        "size": { "type": "integer", "format": "int32", "default": 1 },
        "ratio": { "type": "number" },
        "on": { "type": "boolean", "default": false },
        "nested": {
            "type": "object", "default": {},
            "properties": {
                "mode": { "type": "string", "default": "auto", "enum": ["auto", "off"] },
                "list": { "type": "array", "items": {
                    "type": "object", "properties": { "a": { "type": "integer", "default": 2 } },
                }},
                "map": { "type": "object", "additionalProperties": { "type": "string" }, "default": { "k": "v" } },
            },
        },
    });
    for (index, (format, _)) in FORMATS.iter().enumerate() {
        properties[format!("f{index}")] = json!({ "type": "string", "format": format });
    }
    for (index, (pattern, _)) in PATTERNS.iter().enumerate() {
        properties[format!("p{index}")] = json!({ "type": "string", "pattern": pattern });
    }
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "hosts.schemas.example.com" },
        "spec": {
            "group": "schemas.example.com", "scope": "Namespaced",
            "names": { "plural": "hosts", "singular": "host", "kind": "Host" },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "additionalPrinterColumns": [
                    { "name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status" },
                    { "name": "Reason", "type": "string", "priority": 1, "description": "Why.",
                      "jsonPath": ".status.conditions[?(@.type=='Ready')].reason" },
                    { "name": "Size", "type": "integer", "format": "int32", "jsonPath": ".spec.size" },
                    { "name": "Ratio", "type": "number", "jsonPath": ".spec.ratio" },
                    { "name": "On", "type": "boolean", "jsonPath": ".spec.on" },
                    { "name": "Names", "type": "string", "jsonPath": ".spec.names" },
                    { "name": "First", "type": "string", "jsonPath": ".spec.names[0]" },
                    { "name": "All", "type": "string", "jsonPath": ".spec.names[*]" },
                    { "name": "Mode", "type": "string", "jsonPath": ".spec.nested.mode" },
                    { "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" },
                ],
                "schema": { "openAPIV3Schema": {
                    "type": "object",
                    "properties": {
                        "spec": { "type": "object", "properties": properties },
                        "status": { "type": "object", "properties": { "conditions": {
                            "type": "array", "items": { "type": "object", "properties": {
                                "type": { "type": "string" }, "status": { "type": "string" },
                                "reason": { "type": "string" },
                            }},
                        }}},
                    },
                } },
            }],
        },
    })
}
