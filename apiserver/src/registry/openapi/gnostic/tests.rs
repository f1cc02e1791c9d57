use serde_json::json;

use super::{MESSAGES, Message, encode};

#[test]
fn every_line_of_the_table_is_a_message_of_known_types() {
    let scalars = ["string", "bool", "int64", "double", "Any"];
    for line in include_str!("../gnostic.jsonl").lines() {
        let message: Message = serde_json::from_str(line).unwrap();
        for field in &message.fields {
            let kind = field.kind.as_str();
            let known = scalars.contains(&kind) || MESSAGES.contains_key(kind);
            assert!(known, "{} has a field of type {kind}", message.name);
        }
    }
    assert!(MESSAGES.contains_key("Document"));
}

/// `minLength` has no presence in protobuf, and the alternative of a oneof has it.
#[test]
fn a_zero_is_left_out_unless_it_is_an_alternative() {
    let schema = json!({ "type": "string", "minLength": 0, "additionalProperties": false });
    let document = json!({ "definitions": { "A": schema }, "unknown": 1 });
    let mut expected = vec![0x4a, 23, 0x0a, 21, 0x0a, 1, b'A', 0x12, 16];
    expected.extend([0xaa, 0x01, 2, 0x10, 0]); // additionalProperties = 21, boolean = 2
    expected.extend([0xb2, 0x01, 8, 0x0a, 6]); // type = 22, value = 1
    expected.extend(b"string");
    assert_eq!(encode(&document), expected);
}
