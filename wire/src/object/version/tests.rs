use super::*;

/// B-12: the order of versions.
#[test]
fn b12_versions_compare_as_numbers_of_any_length_or_not_at_all() {
    let compare = |a: &str, b: &str| ResourceVersion::new(a).compare(&ResourceVersion::new(b));
    let long = "123456789012345678901234567890";
    let longer = "1234567890123456789012345678901";
    assert_eq!(compare("9", "10"), Some(Ordering::Less));
    assert_eq!(compare("10", "10"), Some(Ordering::Equal));
    assert_eq!(compare(long, "10"), Some(Ordering::Greater));
    assert_eq!(compare("10", long), Some(Ordering::Less));
    assert_eq!(compare(long, longer), Some(Ordering::Less));
    assert_eq!(compare(long, long), Some(Ordering::Equal));
    for bad in ["", "0", "007", "abc", "-1", "1.5", "١", "+5"] {
        assert_eq!(compare(bad, "10"), None, "{bad}");
        assert_eq!(compare("10", bad), None, "{bad}");
    }
}

/// B-12: a version prints unchanged.
#[test]
fn b12_every_version_prints_unchanged() {
    for text in [
        "",
        "0",
        "1",
        "18446744073709551615",
        "18446744073709551616",
        "007",
        "abc",
        "+5",
    ] {
        assert_eq!(ResourceVersion::new(text).to_string(), text);
    }
    assert!(ResourceVersion::new("").is_unset());
    assert_eq!(ResourceVersion::new("0"), ResourceVersion::ANY);
    assert!(!ResourceVersion::ANY.is_exact() && !ResourceVersion::UNSET.is_exact());
    assert!(ResourceVersion::new("7").is_exact());
}

#[test]
fn uids_print_unchanged() {
    for text in [
        "00000000-0000-0000-0000-000000000000",
        "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9",
        "0A1B2C3D-4e5f-6071-8293-a4b5c6d7e8f9",
        "0a1b2c3d_4e5f-6071-8293-a4b5c6d7e8f9",
        "uid-1",
        "",
    ] {
        assert_eq!(Uid::new(text).to_string(), text);
    }
}

/// Each object of a store has both twice: beside its key, and in its packed form.
#[test]
fn versions_and_uids_are_small() {
    assert_eq!(size_of::<ResourceVersion>(), 16);
    assert_eq!(size_of::<Option<Uid>>(), 24);
    assert_eq!(align_of::<Uid>(), 8);
}
