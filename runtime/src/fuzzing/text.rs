//! Texts that users and servers write: a valid text survives a round trip.

use std::hash::{BuildHasher, RandomState};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use crate::object::{FieldSelector, ObjectKey, ResourceVersion, Selector, Uid};
use crate::wire::{DropFields, DropFieldsError, FieldPath};

/// Maximum number of lines of an input.
const MAX_LINES: usize = 16;

/// Returns the first lines of an input that are UTF-8.
fn lines(input: &[u8]) -> Vec<&str> {
    let lines = input.split(|&byte| byte == b'\n');
    let lines = lines.filter_map(|line| str::from_utf8(line).ok());
    lines.take(MAX_LINES).collect()
}

/// Checks object keys, one per line: only `namespace/name` is accepted, and keys are ordered by
/// their parts.
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
        // Servers send the parts, which no parser has checked.
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

/// Checks versions and uids, one per line: they print unchanged, and decimals compare as numbers.
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

/// Checks field paths, one per line: all spellings of a path are equal, and an error gives advice.
pub fn field_path(input: &[u8]) {
    for line in lines(input) {
        match line.parse::<FieldPath>() {
            Ok(path) => {
                let names: Vec<&str> = path.names().collect();
                assert!(!names.is_empty() && names.iter().all(|name| !name.is_empty()));
                let reparsed: FieldPath = path.as_str().parse().expect("a printed path parses");
                assert_eq!((reparsed.as_str(), &reparsed), (path.as_str(), &path));
                assert_eq!(path.to_string(), path.as_str());
                assert!(path.contains(&reparsed));
            }
            Err(error) => {
                let text = error.to_string();
                let advice = ["write", "is missing", "leave"];
                assert!(advice.iter().any(|word| text.contains(word)), "{text}");
            }
        }
    }
}

/// Checks sets of paths, one per line: order and spelling do not matter, and the identity of
/// objects is kept.
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
    let parsed = parsed.expect("all lines are paths");
    let reversed = DropFields::new(lines.iter().rev()).expect("all paths are droppable");
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

/// Checks label selectors, as text or in JSON: the printed form is canonical.
pub fn label_selector(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else {
        return;
    };
    let object = serde_json::from_str::<LabelSelector>(text).ok();
    let object = object.and_then(|selector| Selector::try_from(selector).ok());
    let selectors = object.into_iter().chain(text.parse::<Selector>());
    for selector in selectors {
        let printed = selector.to_string();
        let reparsed: Selector = printed.parse().expect("a printed selector parses");
        assert_eq!(reparsed, selector);
        assert_eq!(reparsed.to_string(), printed);
        assert_eq!(selector.is_nothing(), selector.requirements().is_none());
    }
}

/// Checks field selectors: the printed form is canonical.
pub fn field_selector(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else {
        return;
    };
    if let Ok(selector) = text.parse::<FieldSelector>() {
        let printed = selector.to_string();
        let reparsed: FieldSelector = printed.parse().expect("a printed selector parses");
        assert_eq!(reparsed, selector);
        assert_eq!(reparsed.to_string(), printed);
    }
    // Any text can be a value.
    let selector = FieldSelector::everything()
        .equals("spec.a", text)
        .expect("a path");
    assert_eq!(selector.to_string().parse(), Ok(selector));
}
