use super::*;

#[test]
fn quantiles_are_those_of_the_sorted_numbers() {
    let mut nanos: Vec<u64> = (1..=100).rev().collect();
    let quantiles = Quantiles::of(&mut nanos);
    assert!((quantiles.p50 - 51e-9).abs() < 1e-12, "{quantiles:?}");
    assert!((quantiles.p99 - 100e-9).abs() < 1e-12, "{quantiles:?}");
    assert_eq!(Quantiles::of(&mut []), Quantiles::default());
}
