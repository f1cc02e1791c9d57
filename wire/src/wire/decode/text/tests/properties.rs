//! Any value in any spelling, and any bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use super::decodes_equally;
use super::oracle::{Odd, is_decoded, is_decoded_leniently};

/// Generates any text, preferring characters with a meaning in JSON.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,12}",
        "[\"\\\\{}\\[\\],:nu0\u{e9}\u{1f600}\n]{0,12}",
        any::<String>(),
        "[a-z\u{e9}\"\t]{30,120}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-99_i64..1000).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((text(), inner), 0..6).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn w12_any_value_decodes_as_serde_json_decodes_it(value in value(), cut: prop::sample::Index) {
        let compact = serde_json::to_vec(&value).unwrap();
        prop_assert!(is_decoded::<Value>(&compact));
        prop_assert!(is_decoded::<Value>(&serde_json::to_vec_pretty(&value).unwrap()));
        decodes_equally::<Value>(&compact[..cut.index(compact.len())]);
        is_decoded_leniently::<Odd>(&compact);
    }

    #[test]
    fn w12_any_text_decodes_as_serde_json_decodes_it(
        text in "[\\[\\]{},:\"\\\\ \t\r\n0-9eE.+a-fl-u\u{0}\u{e9}-]{0,40}",
    ) {
        decodes_equally::<Value>(text.as_bytes());
        is_decoded_leniently::<Odd>(text.as_bytes());
        decodes_equally::<Vec<f64>>(format!("[{text}]").as_bytes());
        decodes_equally::<Value>(format!("[\"{text}\"]").as_bytes());
    }
}
