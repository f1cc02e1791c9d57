//! Types that are not enums of unit variants, and names that two variants have.

use informer_derive::IndexValue;
use stub::Deserialize;

#[derive(IndexValue, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[informer(crate = stub)]
struct Zone(String);

#[derive(IndexValue, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[informer(crate = stub)]
enum Phase {
    Ready,
    Failed { reason: String },
}

#[derive(IndexValue, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[informer(crate = stub)]
#[serde(rename_all = "lowercase")]
enum Size {
    Small,
    #[serde(alias = "small")]
    Tiny,
}

#[derive(IndexValue, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[informer(crate = stub, index = "spec.x")]
#[serde(from = "String")]
enum Colour {
    Red,
}

#[derive(IndexValue, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[informer(crate = stub)]
enum Nothing {}

fn main() {}
