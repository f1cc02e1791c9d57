use super::*;

/// I-12: a key prints, and the text parses back.
#[test]
fn i12_a_key_prints_and_parses_back() {
    for key in [ObjectKey::namespaced("a", "b"), ObjectKey::cluster("b")] {
        assert_eq!(key.to_string().parse::<ObjectKey>().as_ref(), Ok(&key));
    }
    assert_eq!(ObjectKey::new(Some(""), "b"), ObjectKey::cluster("b"));
    for bad in ["", "/", "a/", "/b", "a/b/c"] {
        let error = bad.parse::<ObjectKey>().unwrap_err();
        assert!(
            error.to_string().contains("expected `namespace/name`"),
            "{error}"
        );
    }
}

/// I-12: a map does not read the text of a key to find it.
#[test]
fn i12_the_text_of_a_key_is_hashed_once() {
    struct Written(Vec<u8>);

    impl Hasher for Written {
        fn write(&mut self, bytes: &[u8]) {
            self.0.extend_from_slice(bytes);
        }

        fn finish(&self) -> u64 {
            unreachable!("the bytes are compared")
        }
    }

    let written = |key: &str| {
        let mut written = Written(Vec::new());
        key.parse::<ObjectKey>().unwrap().hash(&mut written);
        written.0
    };
    assert_eq!(written("namespace/name").len(), 4);
    assert_eq!(written("namespace/name"), written("namespace/name"));
    assert_ne!(written("namespace/name"), written("namespace/other"));
}

/// I-12: keys of any length are joined correctly, also above the limits of an API server.
#[test]
fn i12_a_key_of_any_length_is_joined() {
    for length in [1, 63, 252, 253, 254, 1_000] {
        let (namespace, name) = ("n".repeat(63), "é".repeat(length));
        let key = ObjectKey::namespaced(&namespace, &name);
        assert_eq!(key.as_str(), format!("{namespace}/{name}"));
        assert_eq!((key.namespace(), key.name()), (Some(&*namespace), &*name));
    }
}

#[test]
fn is_of_agrees_with_the_key_of_the_object() {
    let object = |namespace: Option<&str>, name: &str| {
        let mut object = k8s_openapi::api::core::v1::ConfigMap::default();
        object.metadata.namespace = namespace.map(str::to_owned);
        object.metadata.name = Some(name.to_owned());
        object
    };
    let namespaces = [Some("a"), Some(""), None, Some("b")];
    for (namespace, other_namespace) in namespaces
        .iter()
        .flat_map(|a| namespaces.iter().map(move |b| (a, b)))
    {
        for name in ["x", "y"] {
            let (one, other) = (object(*namespace, "x"), object(*other_namespace, name));
            let same = ObjectKey::of(&one) == ObjectKey::of(&other);
            assert_eq!(ObjectKey::of(&one).is_of(other.meta()), same);
        }
    }
}

/// I-08: the order of keys.
#[test]
fn i08_keys_order_by_namespace_then_name() {
    let mut keys: Vec<ObjectKey> = ["b/a", "a-b/x", "a/z", "a/b", "z", "a.b/y"]
        .iter()
        .map(|k| k.parse().unwrap())
        .collect();
    keys.sort();
    let printed: Vec<_> = keys.iter().map(ObjectKey::as_str).collect();
    assert_eq!(printed, ["z", "a/b", "a/z", "a-b/x", "a.b/y", "b/a"]);
}

/// I-08: the order holds for any lengths, and for characters that sort before a slash.
#[test]
fn i08_keys_order_as_their_parts_do() {
    let namespaces = [
        None,
        Some("a"),
        Some("b"),
        Some("a-"),
        Some("a-b"),
        Some("ab"),
        Some("é"),
    ];
    let names = ["a", "b", "a-", "a.b", "ab", "é"];
    let keys = || {
        let of = |namespace| names.map(move |name| ObjectKey::new(namespace, name));
        namespaces.into_iter().flat_map(of)
    };
    for one in keys() {
        for other in keys() {
            let parts = (one.namespace(), one.name()).cmp(&(other.namespace(), other.name()));
            assert_eq!(one.cmp(&other), parts, "{one} and {other}");
            assert_eq!(parts.is_eq(), one == other);
            let (namespace, name) = (one.namespace(), one.name());
            let lookup = KeyRef { namespace, name };
            assert_eq!(lookup.compare(&other), parts);
            assert_eq!(lookup.key_hash(), one.key_hash());
            let parsed: ObjectKey = one.as_str().parse().unwrap();
            assert_eq!(parsed.key_hash(), one.key_hash());
        }
    }
}
