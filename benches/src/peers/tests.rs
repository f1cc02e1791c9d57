use clap::ValueEnum as _;

use super::*;

/// Returns the peers that are measured in worlds of this kind.
fn measured(kind: Kind, are_built_in: bool) -> Vec<Peer> {
    let mut peers = Peer::ALL.to_vec();
    peers.retain(|peer| peer.measures(kind, are_built_in));
    peers
}

/// Returns each kind, and whether its objects are of a built-in kind.
fn kinds() -> Vec<(Kind, bool)> {
    let custom = [
        Kind::Certificates,
        Kind::Routes,
        Kind::Applications,
        Kind::Types,
    ];
    let kinds = Kind::value_variants().iter();
    let kinds = kinds.map(|&kind| (kind, !custom.contains(&kind)));
    kinds.chain([(Kind::File, false)]).collect()
}

#[test]
fn every_informer_has_a_peer_that_does_the_same_work() {
    for (kind, are_built_in) in kinds() {
        // The amounts of a sustained world are not divided by those of others.
        if kind == Kind::Sustained {
            continue;
        }
        let peers = measured(kind, are_built_in);
        let (own, others): (Vec<Peer>, Vec<Peer>) = peers.into_iter().partition(Peer::is_informer);
        for peer in own {
            let is_base = |base: &Peer| base.program != Program::Bytes && peer.is_like(base);
            assert!(others.iter().any(is_base), "{kind}: {peer}");
        }
    }
}

#[test]
fn peers_are_alike_that_keep_the_same_fields_and_have_the_same_types() {
    let pairs = Peer::ALL.map(|own| Peer::ALL.map(|base| (own, base)));
    for (own, base) in pairs.into_iter().flatten() {
        let is_alike = own.is_like(&base);
        let of = |it: &Peer| (it.options.whole, it.options.dynamic, it.options.streaming);
        assert!(!is_alike || of(&own) == of(&base), "{own} and {base}");
        let are_defaults = own.has_defaults_beside(&base);
        assert!(!(is_alike && are_defaults), "{own} and {base}");
    }
}

#[test]
fn custom_resources_are_read_with_types_and_without_by_each_library() {
    for kind in [
        Kind::Certificates,
        Kind::Routes,
        Kind::Applications,
        Kind::Types,
    ] {
        let peers = measured(kind, false);
        for program in [Program::Typed, Program::Kube, Program::ClientGo] {
            for dynamic in [false, true] {
                let is_it = |it: &Peer| it.program == program && it.options.dynamic == dynamic;
                assert!(peers.iter().any(is_it), "{kind}: {program:?} {dynamic}");
            }
        }
        assert!(
            peers
                .iter()
                .all(|it| !it.options.protobuf && !it.options.whole)
        );
    }
}

#[test]
fn tiered_storage_is_measured_with_all_built_in_kinds() {
    for kind in [Kind::Uniform, Kind::Mixed, Kind::ConfigMaps, Kind::Secrets] {
        let names: Vec<_> = measured(kind, true).iter().map(|peer| peer.name).collect();
        for name in ["tiered", "tiered/protobuf"] {
            assert!(names.contains(&name), "{kind}: {names:?}");
        }
    }
}
