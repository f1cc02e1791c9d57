//! Texts that users and servers write: what parses prints back.

use std::hash::{BuildHasher, RandomState};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use crate::object::{FieldSelector, ObjectKey, ResourceVersion, Selector, Uid};
use crate::wire::{DropFields, DropFieldsError, FieldPath};

/// How many lines of an input count.
const MAX_LINES: usize = 16;

/// The first lines of an input that are UTF-8.
fn lines(input: &[u8]) -> Vec<&str> {
    let lines = input.split(|&byte| byte == b'\n');
    let lines = lines.filter_map(|line| str::from_utf8(line).ok());
    lines.take(MAX_LINES).collect()
}

/// Keys of objects, one a line: `namespace/name` and nothing else, in the order of their parts.
pub fn object_key(input: &[u8]) {
    let mut keys = Vec::new();
    for line in lines(input) {
        let parts: Vec<&str> = line.split('/').collect();
        let is_key = parts.len() <= 2 && parts.iter().all(|part| !part.is_empty());
        match line.parse::<ObjectKey>() {
            Ok(key) => {
                assert!(is_key, "{line}");
                assert_eq!(key.to_string(), line);
                assert_eq!(key, ObjectKey::new(key.namespace(), key.name()));
                keys.push(key);
            }
            Err(error) => assert!(!is_key, "{error}"),
        }
        // Servers give parts, which no parser has seen.
        let (namespace, name) = line.split_once(' ').unwrap_or(("", line));
        keys.push(ObjectKey::new(Some(namespace), name));
    }
    let parts = |key: &ObjectKey| (key.namespace().map(str::to_owned), key.name().to_owned());
    let hasher = RandomState::new();
    for one in &keys {
        for other in &keys {
            let order = parts(one).cmp(&parts(other));
            assert_eq!(one.cmp(other), order, "{one:?} {other:?}");
            assert_eq!(one == other, order.is_eq(), "{one:?} {other:?}");
            if one == other {
                assert_eq!(hasher.hash_one(one), hasher.hash_one(other));
            }
        }
    }
}

/// Versions and uids, one a line: they print as they came, and decimals compare as numbers.
pub fn versions(input: &[u8]) {
    let lines = lines(input);
    let decimal = |text: &str| {
        let is_decimal = !text.is_empty()
            && !text.starts_with('0')
            && text.bytes().all(|byte| byte.is_ascii_digit());
        is_decimal.then(|| (text.len(), text.to_owned()))
    };
    for one in &lines {
        assert_eq!(Uid::new(one).to_string(), *one);
        let version = ResourceVersion::new(one);
        assert_eq!(version.to_string(), *one);
        for other in &lines {
            let order = decimal(one).zip(decimal(other)).map(|(a, b)| a.cmp(&b));
            assert_eq!(version.compare(&ResourceVersion::new(other)), order);
            assert_eq!(version == ResourceVersion::new(other), one == other);
            assert_eq!(Uid::new(one) == Uid::new(other), one == other);
        }
    }
}

/// Paths of fields, one a line: all spellings of one are equal, and an error says what to write.
pub fn field_path(input: &[u8]) {
    for line in lines(input) {
        match line.parse::<FieldPath>() {
            Ok(path) => {
                let names: Vec<&str> = path.names().collect();
                assert!(!names.is_empty() && names.iter().all(|name| !name.is_empty()));
                let again: FieldPath = path.as_str().parse().expect("it prints a path");
                assert_eq!((again.as_str(), &again), (path.as_str(), &path));
                assert_eq!(path.to_string(), path.as_str());
                assert!(path.contains(&again));
            }
            Err(error) => {
                let text = error.to_string();
                let advice = ["write", "is missing", "leave"];
                assert!(advice.iter().any(|word| text.contains(word)), "{text}");
            }
        }
    }
}

/// Sets of paths, one a line: their order and spelling do not matter, and objects keep their names.
pub fn drop_fields(input: &[u8]) {
    let lines = lines(input);
    let parsed: Result<Vec<FieldPath>, _> = lines.iter().map(|line| line.parse()).collect();
    let drop = match DropFields::new(&lines) {
        Ok(drop) => drop,
        Err(DropFieldsError::Path(error)) => return assert!(parsed.is_err(), "{error}"),
        Err(DropFieldsError::Identity(path)) => {
            let identity = ["name", "namespace", "uid", "resourceVersion"];
            let identity = identity.map(|name| format!("metadata.{name}"));
            let mut identity = identity.iter().filter_map(|path| path.parse().ok());
            return assert!(identity.any(|needed| path.contains(&needed)), "{path}");
        }
    };
    let parsed = parsed.expect("they are paths");
    let reversed = DropFields::new(lines.iter().rev()).expect("they are droppable");
    let hasher = RandomState::new();
    assert_eq!(drop, reversed);
    assert_eq!(hasher.hash_one(&drop), hasher.hash_one(&reversed));
    assert_eq!(
        DropFields::of_paths(drop.paths().to_vec()).ok(),
        Some(drop.clone())
    );
    assert!(drop.paths().is_sorted());
    for path in &parsed {
        let mut containing = drop.paths().iter().filter(|kept| kept.contains(path));
        assert!(
            containing.next().is_some() && containing.next().is_none(),
            "{path}"
        );
    }
}

/// Label selectors, in a text or in JSON: what parses prints canonically.
pub fn label_selector(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else {
        return;
    };
    let object = serde_json::from_str::<LabelSelector>(text).ok();
    let object = object.and_then(|selector| Selector::try_from(selector).ok());
    let selectors = object.into_iter().chain(text.parse::<Selector>());
    for selector in selectors {
        let printed = selector.to_string();
        let again: Selector = printed.parse().expect("it prints a selector");
        assert_eq!(again, selector);
        assert_eq!(again.to_string(), printed);
        assert_eq!(selector.is_nothing(), selector.requirements().is_none());
    }
}

/// Field selectors: what parses prints canonically.
pub fn field_selector(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else {
        return;
    };
    if let Ok(selector) = text.parse::<FieldSelector>() {
        let printed = selector.to_string();
        let again: FieldSelector = printed.parse().expect("it prints a selector");
        assert_eq!(again, selector);
        assert_eq!(again.to_string(), printed);
    }
    // Any text can be a value.
    let selector = FieldSelector::everything()
        .equals("spec.a", text)
        .expect("a path");
    assert_eq!(selector.to_string().parse(), Ok(selector));
}
