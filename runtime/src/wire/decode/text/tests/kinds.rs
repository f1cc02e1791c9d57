//! Every built-in kind, every field of it.

use k8s_openapi::Resource;
use k8s_openapi::api::*;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions;
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::{Refused, from_slice};
use super::generated::generate;

/// How many random objects there are of each kind, and how many damaged ones of each of these.
const OBJECTS: u64 = 4;
const DAMAGED: u64 = 16;

fn check<K: Resource + Serialize + DeserializeOwned>() {
    for seed in 0..OBJECTS {
        let object = generate::<K>(seed, (K::API_VERSION, K::KIND)).unwrap();
        let text = serde_json::to_vec(&object).unwrap();
        let ours = from_slice::<K>(&text).unwrap();
        let theirs = serde_json::from_slice::<K>(&text).unwrap();
        let theirs = serde_json::to_vec(&theirs).unwrap();
        assert!(serde_json::to_vec(&ours).unwrap() == theirs, "{seed}");
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..DAMAGED {
            let mut text = text.clone();
            let at = rng.usize(..text.len());
            text[at] = rng.choice(*b"\"\\{}[],:0e-nt \x00\xff").unwrap();
            let theirs = serde_json::from_slice::<K>(&text);
            match (from_slice::<K>(&text), theirs) {
                (Ok(ours), Ok(theirs)) => {
                    let theirs = serde_json::to_vec(&theirs).unwrap();
                    assert!(serde_json::to_vec(&ours).unwrap() == theirs, "{seed}: {at}");
                }
                (Err(Refused), _) => {}
                (Ok(_), Err(error)) => panic!("{seed}: {at}: {error}"),
            }
        }
    }
}

include!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/support/built_in_kinds.rs"
));

macro_rules! kinds {
    ($($kind:ty),+ $(,)?) => {
        [$((stringify!($kind), check::<$kind> as fn())),+]
    };
}

/// W-12: of every kind that is served in a stable version.
#[test]
fn w12_every_built_in_kind_decodes_as_serde_json_decodes_it() {
    let kinds = built_in_kinds!(kinds);
    for (kind, check) in kinds {
        println!("{kind}");
        check();
    }
}
