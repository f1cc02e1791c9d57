use std::collections::{BTreeMap, HashSet};

use k8s_openapi::api::core::v1::Pod;

use super::super::write;
use super::*;

const REVISION: Revision = Revision {
    version: 1000,
    restarts: 3,
};

fn texts(numbers: impl Iterator<Item = usize>) -> Vec<String> {
    let mixed = Mixed::new();
    let text = |number| {
        let mut out = Vec::new();
        write(&mixed, number, REVISION, "", &mut out);
        String::from_utf8(out).unwrap()
    };
    numbers.map(text).collect()
}

#[test]
fn pods_are_valid_and_the_same_in_every_run() {
    let first = texts(0..600);
    assert_eq!(first, texts(0..600));
    let mut names = HashSet::new();
    for text in &first {
        assert!(!text.contains('\u{0}'), "a placeholder is unknown: {text}");
        let pod: Pod = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let meta = &pod.metadata;
        assert_eq!(meta.resource_version.as_deref(), Some("1000"));
        assert_eq!(meta.managed_fields.as_ref().unwrap().len(), 3);
        assert!(names.insert((meta.namespace.clone(), meta.name.clone())));
        let statuses = pod.status.unwrap().container_statuses.unwrap();
        assert_eq!(statuses[0].restart_count, 3);
        assert_eq!(statuses.len(), pod.spec.unwrap().containers.len());
    }
}

#[test]
fn hundreds_of_templates_are_in_use_and_few_of_them_often() {
    let mixed = Mixed::new();
    let mut uses = BTreeMap::new();
    for workload in 0..20_000 / PODS_PER_WORKLOAD {
        let pod = std::ptr::from_ref(mixed.template_of(workload).unwrap());
        *uses.entry(pod).or_insert(0) += 1;
    }
    let mut uses: Vec<usize> = uses.into_values().collect();
    uses.sort_unstable_by(|one, other| other.cmp(one));
    assert!(uses.len() >= 200, "{}", uses.len());
    let (all, first_ten): (usize, usize) = (uses.iter().sum(), uses[..10].iter().sum());
    assert!(
        (15..35).contains(&(100 * first_ten / all)),
        "{first_ten} of {all}"
    );
}

/// docs/performance.md has the sizes and the ratios of both lists.
#[test]
fn pods_are_as_large_and_as_compressible_as_those_of_public_manifests() {
    let texts = texts((0..6000).step_by(2));
    let mut sizes: Vec<usize> = texts.iter().map(String::len).collect();
    sizes.sort_unstable();
    let mean = sizes.iter().sum::<usize>() / sizes.len();
    let at = |percent: usize| sizes[sizes.len() * percent / 100];
    let [p10, median, p90, p99] = [10, 50, 90, 99].map(at);

    // Every tenth Pod trains the dictionary, and the others are compressed.
    let (train, test): (Vec<_>, Vec<_>) =
        texts.iter().enumerate().partition(|(at, _)| at % 10 == 0);
    let train: Vec<&[u8]> = train.iter().map(|(_, text)| text.as_bytes()).collect();
    let dictionary = zstd::dict::from_samples(&train, 112 << 10).unwrap();
    let mut alone = zstd::bulk::Compressor::new(3).unwrap();
    let mut trained = zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap();
    let ratio = |compressor: &mut zstd::bulk::Compressor<'_>| {
        let compressed: usize = test
            .iter()
            .map(|(_, text)| compressor.compress(text.as_bytes()).unwrap().len())
            .sum();
        let raw: usize = test.iter().map(|(_, text)| text.len()).sum();
        10 * raw / compressed
    };
    let ratios = [ratio(&mut alone), ratio(&mut trained)];
    let found = format!("{mean} bytes ({p10}, {median}, {p90}, {p99}), ratios * 10 {ratios:?}");
    println!("{found}");
    assert!((11_000..12_500).contains(&mean), "{found}");
    assert!((9_000..11_000).contains(&median), "{found}");
    assert!((32..37).contains(&ratios[0]), "{found}");
    assert!((80..92).contains(&ratios[1]), "{found}");
}
