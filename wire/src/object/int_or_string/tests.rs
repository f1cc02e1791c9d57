use serde_json::{Value, json};

use super::*;

/// J-06.
#[test]
fn every_integer_and_string_comes_back_unchanged() {
    let values = [
        json!(0),
        json!(-1),
        json!(2_147_483_648_i64),
        json!(8_589_934_592_i64),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("8Gi"),
        json!("12"),
    ];
    for value in values {
        let decoded: IntOrString = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&decoded).unwrap(), value);
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        assert_eq!(decoded.to_string(), text);
        assert_eq!(decoded.to_quantity(), Quantity(text));
    }
}

#[test]
fn other_values_are_refused_with_what_is_expected() {
    let rejected = [
        (json!(1.5), "floating point `1.5`"),
        (json!(u64::MAX), "integer `18446744073709551615`"),
        (json!(true), "boolean `true`"),
        (Value::Null, "null"),
    ];
    for (value, found) in rejected {
        let error = serde_json::from_value::<IntOrString>(value).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(found), "{error}");
        assert!(
            error.ends_with("expected an integer of 64 bits or a string"),
            "{error}"
        );
    }
}

#[test]
fn values_of_k8s_openapi_convert_in_both_directions() {
    for value in [IntOrString32::Int(-5), IntOrString32::String("web".into())] {
        let wide = IntOrString::from(value.clone());
        assert_eq!(IntOrString32::try_from(wide).unwrap(), value);
    }
    assert!(IntOrString32::try_from(IntOrString::from(2_147_483_648_i64)).is_err());
    assert_eq!(IntOrString::default(), IntOrString::from(0));
}
