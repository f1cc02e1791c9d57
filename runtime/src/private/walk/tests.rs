use super::*;

/// Expands as generated code does for a path whose last field is `$value`.
macro_rules! values {
    ($value:expr) => {{
        let mut values: Vec<String> = Vec::new();
        for at_0 in ($value).__peel() {
            for at_1 in at_0.__peel() {
                for at_2 in at_1.__peel() {
                    values.push(index_value::<String, _>(at_2));
                }
            }
        }
        values
    }};
}

fn text(value: &str) -> String {
    value.to_owned()
}

#[test]
fn a_plain_value_is_taken_once() {
    assert_eq!(values!(&text("a")), ["a"]);
    assert_eq!(values!("a"), ["a"]);
    assert_eq!(values!(&Cow::Borrowed("a")), ["a"]);
}

#[test]
fn wrappers_are_removed_in_any_order() {
    assert_eq!(
        values!(&Some(vec![Box::new(text("a")), Box::new(text("b"))])),
        ["a", "b"]
    );
    assert_eq!(
        values!(&vec![Some(text("a")), None, Some(text("b"))]),
        ["a", "b"]
    );
    assert_eq!(values!(&Box::new(Some(Arc::<str>::from("a")))), ["a"]);
    assert_eq!(values!(&VecDeque::from([text("b")])), ["b"]);
    assert_eq!(values!(&BTreeSet::from([text("b"), text("a")])), ["a", "b"]);
    assert_eq!(values!(&Some(HashSet::from([text("a")]))), ["a"]);
    assert_eq!(values!(&None::<Vec<String>>), [""; 0]);
}

#[test]
fn a_map_returns_the_value_of_a_key() {
    let map = BTreeMap::from([(text("app"), 1)]);
    assert_eq!(map_value(&map, "app"), Some(&1));
    assert_eq!(map_value(&map, "tier"), None);
    let map = HashMap::from([(text("app"), 1)]);
    assert_eq!(map_value(&map, "app"), Some(&1));
}

#[test]
fn values_of_the_index_type_are_not_converted() {
    assert_eq!(index_value::<u16, _>(&7_u16), 7);
    assert_eq!(index_value::<Option<u16>, _>(&Some(7_u16)), Some(7));
}
