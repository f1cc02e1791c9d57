//! Kubernetes protobuf through serde.
//!
//! API servers answer in protobuf for every built-in kind, at a fraction of what JSON costs both
//! sides. This crate decodes it into the types that programs have already: one
//! [`serde::Deserializer`](Deserializer) driven by tables of Kubernetes' [messages](Message) gives
//! every type the members that it would find in JSON. It works with all types of `k8s-openapi`, of
//! any version, with dynamic ones, and with a struct of the three fields that are needed; there is
//! no code per type.
//!
//! | for | there is |
//! |---|---|
//! | an answer | [`from_slice`], or a [`Deserializer`] with options |
//! | an item of a list | [`from_message`] |
//! | bodies that arrive in frames | [`ListSplitter`], [`EventSplitter`], [`Envelope`] |
//! | what is needed of every object | [`Header`]: read without decoding |
//! | what nobody needs | [`Cut`]: takes fields out of the bytes |
//! | servers and tests | [`to_vec`], [`encode`](encode()), [`wrap_list`], [`watch_frame`]: the same tables, the other way |
//!
//! # Limits
//!
//! - Custom resources have no protobuf: ask for `application/vnd.kubernetes.protobuf` *and*
//!   `application/json`, and look at the answer's content type.
//! - The tables know the kinds and fields of Kubernetes 1.37, which are those of all versions back to
//!   1.33 but for alpha ones that were removed (`PodSpec.workloadRef` of 1.35, for one). Fields of a newer server are skipped, as protobuf
//!   does; a type that asks for them does not get them.
//! - Fields are read in the order in which Kubernetes writes them. Bytes in any other order are
//!   refused by an error that [says so](Error::is_unusual), and can be asked for in JSON.
//!
//! Nothing here panics on any bytes, recurses deeper than 128 levels, or allocates what only a
//! length asks for.

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "each place takes a few forms of many, and refuses the others"
)]
mod de;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "each place takes a few forms of many, and refuses the others"
)]
mod encode;
mod error;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all records but a few are of no interest"
)]
mod frame;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
mod tables;
mod time;
mod wire;

pub use self::de::{Deserializer, from_message, from_slice};
pub use self::encode::{
    encode, encode_members, encode_message, to_vec, watch_frame, wrap, wrap_list,
};
pub use self::error::{Error, ErrorKind};
pub use self::frame::{
    BadFrame, Cut, Entries, Envelope, Event, EventSplitter, Header, ListMeta, ListSplitter,
    MEDIA_TYPE, OwnerReference, OwnerReferences, PREFIX, SplitError, WATCH_MEDIA_TYPE,
};
pub use self::tables::{Field, Message};
pub use self::wire::Malformed;
