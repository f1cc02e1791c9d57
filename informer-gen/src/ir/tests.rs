use super::*;

fn runs(parts: &[(u8, u8, Option<&str>)], surrounding: &Gate) -> Vec<(Minors, String)> {
    let parts: Vec<Gate> = parts
        .iter()
        .map(|&(first, last, feature)| Gate::new(first, last, feature))
        .collect();
    let runs = Gate::union(&parts).within(surrounding);
    runs.into_iter()
        .map(|run| {
            let features: Vec<String> = run.features.into_iter().collect();
            (run.minors, features.join(" or "))
        })
        .collect()
}

#[test]
fn a_gate_tests_only_what_the_surrounding_gate_does_not_imply() {
    let open = Gate::open();
    let newer = Gate::new(36, 37, None);
    for (parts, surrounding, expected) in [
        (&[(33, 37, None)][..], &open, &[(Minors::All, "")][..]),
        (&[(36, 37, None)], &newer, &[(Minors::All, "")]),
        (&[(37, 37, None)], &newer, &[(Minors::Only(37), "")]),
        (
            &[(36, 37, None)],
            &open,
            &[(Minors::Range(Some(36), None), "")],
        ),
        (
            &[(34, 35, None)],
            &open,
            &[(Minors::Range(Some(34), Some(35)), "")],
        ),
        (
            &[(33, 33, None), (37, 37, None)],
            &open,
            &[(Minors::Only(33), ""), (Minors::Only(37), "")],
        ),
        (&[(33, 37, Some("b"))], &open, &[(Minors::All, "b")]),
        (
            &[(33, 37, Some("b")), (33, 37, Some("a"))],
            &open,
            &[(Minors::All, "a or b")],
        ),
        (
            &[(33, 37, Some("b")), (33, 37, None)],
            &open,
            &[(Minors::All, "")],
        ),
        (
            // storagemigration.k8s.io: first alpha, then beta, finally stable.
            &[(37, 37, None), (35, 37, Some("b")), (33, 34, Some("a"))],
            &open,
            &[
                (Minors::Range(None, Some(34)), "a"),
                (Minors::Range(Some(35), Some(36)), "b"),
                (Minors::Only(37), ""),
            ],
        ),
    ] {
        let expected: Vec<_> = expected
            .iter()
            .map(|&(minors, features)| (minors, features.to_owned()))
            .collect();
        assert_eq!(runs(parts, surrounding), expected, "{parts:?}");
    }
}

#[test]
fn a_feature_of_the_surrounding_gate_is_not_tested_again() {
    let beta = Gate::new(33, 37, Some("beta"));
    assert_eq!(
        Gate::new(35, 37, Some("beta")).within(&beta),
        [Run {
            minors: Minors::Range(Some(35), None),
            features: BTreeSet::new()
        }]
    );
}
