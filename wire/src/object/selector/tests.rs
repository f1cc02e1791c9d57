use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;
use proptest::prelude::*;

use super::*;

type Labels = BTreeMap<String, String>;

/// Parses labels such as `a=1,b=2`.
fn labels(text: &str) -> Labels {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs.map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
}

/// Splits a line of a table.
fn parts<const N: usize>(line: &'static str) -> [&'static str; N] {
    let parts: Vec<_> = line.split(" | ").collect();
    parts.try_into().unwrap()
}

fn parse(text: &str) -> Selector {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// S-01: the cases of apimachinery's `TestSelectorMatches`, and cases of missing labels.
#[test]
fn s01_a_selector_matches_as_the_api_server_judges() {
    for line in include_str!("matches.txt").lines() {
        let [selector, on, expected] = parts(line);
        let found = parse(selector).matches(&labels(on));
        assert_eq!(found.to_string(), expected, "`{selector}` on `{on}`");
    }
}

/// S-01: an object without labels is treated like one with empty labels.
#[test]
fn s01_no_labels_at_all_are_empty_labels() {
    assert!(Selector::everything().matches(None));
    assert!(parse("!a,b!=c").matches(None));
    assert!(!parse("a").matches(None));
    let some = labels("a=1");
    assert!(parse("a").matches(Some(&some)));
}

/// S-01: the selectors of everything and of nothing.
#[test]
fn s01_everything_is_the_default_and_nothing_is_known_to_select_nothing() {
    let everything = Selector::default();
    assert_eq!(everything, Selector::everything());
    assert_eq!(everything, parse("  "));
    assert!(everything.is_empty());
    assert_eq!(everything.requirements(), Some(&[][..]));
    assert_eq!(everything.to_string(), "");

    let nothing = Selector::nothing();
    assert!(!nothing.is_empty());
    assert!(!nothing.matches(&labels("a=1")) && !nothing.matches(None));
    assert_eq!(nothing.requirements(), None);
    let narrower = nothing
        .clone()
        .and(Requirement::new("a", Operator::Exists, [""; 0]).unwrap());
    assert_eq!(narrower, nothing);
    // The server must not read the printed form of `nothing` as everything.
    assert_eq!(parse(&nothing.to_string()), nothing);
    assert_eq!(parse("b=1,!a,a"), nothing);
}

/// S-01: the canonical form.
#[test]
fn s01_equal_selections_are_equal_and_print_equal() {
    for line in include_str!("canonical.txt").lines() {
        let [text, canonical] = parts(line);
        let text = text.replace("\\t", "\t").replace("\\n", "\n");
        let selector = parse(&text);
        assert_eq!(selector.to_string(), canonical, "{text}");
        assert_eq!(selector, parse(canonical), "{text}");
    }
}

/// S-01: the errors of malformed selectors.
#[test]
fn s01_an_error_quotes_the_requirement_and_the_expected_syntax() {
    for line in include_str!("errors.txt").lines() {
        let [text, requirement, expected] = parts(line);
        let error = text.parse::<Selector>().unwrap_err().to_string();
        let expected = format!("`{requirement}` is not a label requirement: {expected}");
        assert_eq!(error, expected, "{text}");
    }
}

/// S-01: the validation of keys and values.
#[test]
fn s01_keys_and_values_are_checked_as_the_api_server_does() {
    let long = "a".repeat(64);
    let longest = "a".repeat(63);
    let prefix = format!("{}.{}", "b".repeat(126), "c".repeat(126));
    assert_eq!(prefix.len(), 253);
    let prefixed = format!("{prefix}/{longest}");
    for key in ["a", "A.b-c_d", "1", "example.com/a", &longest, &prefixed] {
        let requirement = Requirement::new(key, Operator::Exists, [""; 0]);
        assert!(requirement.is_ok(), "{key}");
    }
    let too_long = format!("x{prefix}/a");
    let bad_keys = "-a a- a$ ä /a a/ a/b/c A.com/a a..b/c -a/b a_b/c".split(' ');
    for key in bad_keys.chain(["", &long, &too_long]) {
        let error = Requirement::new(key, Operator::Exists, [""; 0]).unwrap_err();
        let is_of_key = matches!(error, RequirementError::Key { .. });
        assert!(is_of_key, "{key}: {error}");
        assert!(error.to_string().contains(": expected "), "{error}");
    }
    for value in ["", "a", "1.2_3-4", &longest] {
        assert!(Requirement::equals("a", value).is_ok(), "{value}");
    }
    for value in ["-a", "a.", "a/b", "ä", "a b", &long] {
        let error = Requirement::new("a", Operator::In, ["fine", value]).unwrap_err();
        let is_of_value = matches!(error, RequirementError::Value { .. });
        assert!(is_of_value, "{value}: {error}");
        assert!(error.to_string().contains(value), "{error}");
    }
    let none = Requirement::new("a", Operator::NotIn, [""; 0]).unwrap_err();
    assert_eq!(
        none.to_string(),
        "`a` has 0 values: `notin` expects at least one"
    );
    let two = Requirement::new("a", Operator::Equals, ["b", "c"]).unwrap_err();
    assert_eq!(two.to_string(), "`a` has 2 values: `=` expects exactly one");
    let one = Requirement::new("a", Operator::Exists, ["b"]).unwrap_err();
    assert_eq!(one.to_string(), "`a` has 1 values: `exists` expects none");
}

/// S-01: the conversion from a `LabelSelector`.
#[test]
fn s01_the_selector_of_an_object_is_its_labels_and_expressions_together() {
    let expression = |key: &str, operator: &str, values: &[&str]| meta::LabelSelectorRequirement {
        key: key.to_owned(),
        operator: operator.to_owned(),
        values: (!values.is_empty()).then(|| values.iter().map(|v| (*v).to_owned()).collect()),
    };
    let selector = meta::LabelSelector {
        match_labels: Some(labels("app=web")),
        match_expressions: Some(vec![
            expression("tier", "In", &["b", "a"]),
            expression("env", "NotIn", &["prod"]),
            expression("owner", "Exists", &[]),
            expression("legacy", "DoesNotExist", &[]),
        ]),
    };
    let selector = Selector::try_from(selector).unwrap();
    assert_eq!(
        selector,
        parse("app=web,tier in (a,b),env notin (prod),owner,!legacy")
    );
    let empty = Selector::try_from(meta::LabelSelector::default()).unwrap();
    assert_eq!(empty, Selector::everything());

    let bad = |expression| {
        let selector = meta::LabelSelector {
            match_labels: None,
            match_expressions: Some(vec![expression]),
        };
        Selector::try_from(selector).unwrap_err().to_string()
    };
    assert_eq!(
        bad(expression("a", "Gt", &["1"])),
        "`Gt` is not an operator: expected In, NotIn, Exists or DoesNotExist"
    );
    assert!(bad(expression("a", "In", &[])).contains("expects at least one"));
    assert!(bad(expression("a", "Exists", &["b"])).contains("expects none"));
    assert!(bad(expression("-", "Exists", &[])).contains("not a label key"));
}

/// S-01: the conversion from labels.
#[test]
fn s01_a_set_of_labels_is_a_selector() {
    let selector = Selector::from_labels([("b", "2"), ("a", "1")]).unwrap();
    assert_eq!(selector, parse("a=1,b=2"));
    assert!(Selector::from_labels([("a", "not a value")]).is_err());
}

/// `fields.txt` has field selectors with their canonical form.
#[test]
fn field_selectors_print_canonically_and_parse_back() {
    for line in include_str!("fields.txt").lines() {
        let [text, canonical] = parts(line);
        let selector: FieldSelector = text.parse().unwrap();
        assert_eq!(selector.to_string(), canonical, "{text}");
        assert_eq!(canonical.parse(), Ok(selector), "{text}");
    }
    assert_eq!("".parse(), Ok(FieldSelector::default()));
    assert!(FieldSelector::default().is_empty());
    let built = FieldSelector::everything().equals("a", r"x,y=z\");
    assert_eq!(built.unwrap().to_string(), r"a=x\,y\=z\\");
}

/// `field_errors.txt` has malformed field selectors with their errors.
#[test]
fn a_wrong_field_selector_is_quoted_with_the_expected_syntax() {
    for line in include_str!("field_errors.txt").lines() {
        let [text, expected] = parts(line);
        let error = text.parse::<FieldSelector>().unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

/// A requirement in a naive form, as an oracle.
#[derive(Debug, Clone)]
enum Rule {
    OneOf(&'static str, BTreeSet<&'static str>, bool),
    Exists(&'static str, bool),
    Above(&'static str, i64),
    Below(&'static str, i64),
}

const KEYS: [&str; 4] = ["a", "in", "example.com/b", "notin"];
const VALUES: [&str; 6] = ["", "1", "2", "10", "in", "x-y"];

impl Rule {
    /// Returns the rule as text, in one of its possible spellings.
    fn text(&self, spelling: bool) -> String {
        let list = |values: &BTreeSet<&str>| values.iter().copied().collect::<Vec<_>>().join(" ,");
        match self {
            Self::OneOf(key, values, true) if values.len() == 1 && spelling => {
                format!("{key}=={}", list(values))
            }
            Self::OneOf(key, values, false) if values.len() == 1 && spelling => {
                format!("{key} != {}", list(values))
            }
            Self::OneOf(key, values, true) => format!("{key} in ({})", list(values)),
            Self::OneOf(key, values, false) => format!(" {key} notin( {})", list(values)),
            Self::Exists(key, true) => (*key).to_owned(),
            Self::Exists(key, false) => format!("! {key}"),
            Self::Above(key, bound) => format!("{key}>{bound}"),
            Self::Below(key, bound) => format!("{key} < {bound}"),
        }
    }

    fn holds(&self, labels: &Labels) -> bool {
        let value = |key: &str| labels.get(key).map(String::as_str);
        let number = |key: &str| value(key).and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::OneOf(key, values, true) => value(key).is_some_and(|v| values.contains(v)),
            Self::OneOf(key, values, false) => match value(key) {
                None => true,
                Some(value) => !values.contains(value),
            },
            Self::Exists(key, exists) => labels.contains_key(*key) == *exists,
            Self::Above(key, bound) => number(key).is_some_and(|number| number > *bound),
            Self::Below(key, bound) => number(key).is_some_and(|number| number < *bound),
        }
    }
}

fn rule() -> impl Strategy<Value = Rule> {
    let key = || prop::sample::select(&KEYS[..]);
    let values = prop::collection::btree_set(prop::sample::select(&VALUES[..]), 1..4);
    prop_oneof![
        3 => (key(), values, any::<bool>()).prop_map(|(k, v, yes)| Rule::OneOf(k, v, yes)),
        2 => (key(), any::<bool>()).prop_map(|(k, yes)| Rule::Exists(k, yes)),
        1 => (key(), 0..12_i64).prop_map(|(k, bound)| Rule::Above(k, bound)),
        1 => (key(), 0..12_i64).prop_map(|(k, bound)| Rule::Below(k, bound)),
    ]
}

fn any_labels() -> impl Strategy<Value = Labels> {
    let pair = (
        prop::sample::select(&KEYS[..]),
        prop::sample::select(&VALUES[..]),
    );
    prop::collection::vec(pair, 0..5).prop_map(|pairs| {
        pairs
            .into_iter()
            .map(|(k, v)| (k.into(), v.into()))
            .collect()
    })
}

proptest! {
    /// S-01: a selector agrees with the oracle, and its printed form parses back.
    #[test]
    fn s01_a_selector_judges_as_its_rules_do_and_parses_back(
        rules in prop::collection::vec((rule(), any::<bool>()), 0..5),
        on in prop::collection::vec(any_labels(), 1..8),
    ) {
        let text = rules.iter().map(|(rule, spelling)| rule.text(*spelling)).collect::<Vec<_>>();
        let selector = parse(&text.join(","));
        for labels in &on {
            let expected = rules.iter().all(|(rule, _)| rule.holds(labels));
            prop_assert_eq!(selector.matches(labels), expected, "{} on {:?}", selector, labels);
        }
        prop_assert_eq!(&parse(&selector.to_string()), &selector);
    }

    /// S-01: no text panics, and the printed form of a selector parses back.
    #[test]
    fn s01_no_text_panics_and_a_valid_one_prints_canonically(text in "[a1=!<>(), in./ä-]{0,20}") {
        if let Ok(selector) = text.parse::<Selector>() {
            prop_assert_eq!(parse(&selector.to_string()), selector);
        }
    }

    #[test]
    fn field_selectors_hold_any_value(value in "[a,=!\\\\ ä]{0,8}", equal in any::<bool>()) {
        let all = FieldSelector::everything();
        let selector = if equal { all.equals("a.b", value) } else { all.not_equals("a.b", value) };
        let selector = selector.unwrap();
        prop_assert_eq!(selector.to_string().parse(), Ok(selector));
    }

    #[test]
    fn no_field_selector_panics(text in "[a.,=!\\\\ ä]{0,12}") {
        if let Ok(selector) = text.parse::<FieldSelector>() {
            prop_assert_eq!(selector.to_string().parse(), Ok(selector));
        }
    }
}
