//! The properties hold for the committed corpora, and for random inputs that resemble their
//! entries.

use informer_fuzz_replay::check;

use super::*;

#[test]
fn any_attribute_yields_rust_or_errors_with_positions() {
    check("derive_attributes", derive_attributes);
}

#[test]
fn any_item_yields_rust_or_errors_with_positions() {
    check("derive_item", derive_item);
}
