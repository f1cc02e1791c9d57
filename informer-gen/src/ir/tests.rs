use super::*;

fn runs(parts: &[(u8, u8, Option<&str>)], surrounding: &VersionGate) -> Vec<(String, String)> {
    let parts: Vec<VersionGate> = parts
        .iter()
        .map(|&(first, last, feature)| VersionGate::new(first, last, feature))
        .collect();
    let runs = VersionGate::union(&parts).within(surrounding);
    runs.into_iter()
        .map(|run| {
            let features: Vec<String> = run.features.into_iter().collect();
            (run.minors.join(" "), features.join(" or "))
        })
        .collect()
}

#[test]
fn a_gate_tests_only_what_the_surrounding_gate_does_not_imply() {
    let open = VersionGate::open();
    let newer = VersionGate::new(36, 37, None);
    for (parts, surrounding, expected) in [
        (&[(33, 37, None)][..], &open, &[("", "")][..]),
        (&[(36, 37, None)], &newer, &[("", "")]),
        (&[(37, 37, None)], &newer, &[("1_37", "")]),
        (&[(36, 37, None)], &open, &[("ge_1_36", "")]),
        (&[(34, 35, None)], &open, &[("ge_1_34 le_1_35", "")]),
        (
            &[(33, 33, None), (37, 37, None)],
            &open,
            &[("1_33", ""), ("1_37", "")],
        ),
        (&[(33, 37, Some("b"))], &open, &[("", "b")]),
        (
            &[(33, 37, Some("b")), (33, 37, Some("a"))],
            &open,
            &[("", "a or b")],
        ),
        (&[(33, 37, Some("b")), (33, 37, None)], &open, &[("", "")]),
        (
            // storagemigration.k8s.io: first alpha, then beta, finally stable.
            &[(37, 37, None), (35, 37, Some("b")), (33, 34, Some("a"))],
            &open,
            &[("le_1_34", "a"), ("ge_1_35 le_1_36", "b"), ("1_37", "")],
        ),
    ] {
        let expected: Vec<_> = expected
            .iter()
            .map(|&(minors, features)| (minors.to_owned(), features.to_owned()))
            .collect();
        assert_eq!(runs(parts, surrounding), expected, "{parts:?}");
    }
}

#[test]
fn a_feature_of_the_surrounding_gate_is_not_tested_again() {
    let beta = VersionGate::new(33, 37, Some("beta"));
    assert_eq!(
        VersionGate::new(35, 37, Some("beta")).within(&beta),
        [GateRun {
            minors: vec!["ge_1_35".to_owned()],
            features: BTreeSet::new()
        }]
    );
}
