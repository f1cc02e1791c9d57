//! Kubernetes protobuf through serde.
//!
//! API servers offer protobuf for every built-in kind; it is much cheaper than JSON for both sides.
//! This crate decodes it into existing types: one [`serde::Deserializer`](Deserializer), driven by
//! tables of Kubernetes' [messages](Message), gives every type the members that JSON would have. It
//! works with all types of `k8s-openapi` of any version, with dynamic types, and with a struct of
//! the three fields that a program needs. There is no generated code per type.
//!
//! | input or task | items |
//! |---|---|
//! | a response | [`from_slice`], or a [`Deserializer`] with options |
//! | an item of a list | [`from_message`] |
//! | bodies that arrive in frames | [`ListSplitter`], [`EventSplitter`], [`Envelope`] |
//! | key, labels and owners of an object | [`Header`]: read without decoding |
//! | fields to drop | [`Cut`]: removes fields from the bytes |
//! | servers and tests | [`to_vec`], [`encode`](encode()), [`wrap_list`], [`watch_frame`]: encoding, by the same tables |
//!
//! # Limits
//!
//! - Custom resources have no protobuf encoding: accept `application/vnd.kubernetes.protobuf` *and*
//!   `application/json`, and check the response's content type.
//! - The tables contain the kinds and fields of Kubernetes 1.37, which are those of all versions
//!   back to 1.33 except for removed alpha ones (for example, `PodSpec.workloadRef` of 1.35).
//!   Fields of a newer server are skipped, as usual in protobuf; a type that needs them does not
//!   get them.
//! - Fields are read in the order in which Kubernetes writes them. Bytes in any other order are
//!   rejected with an error that [reports this](Error::is_unusual); the object can then be
//!   requested as JSON.
//!
//! For any input bytes, the crate does not panic, does not recurse deeper than 128 levels, and does
//! not allocate memory because of a length alone.

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "each match handles few of many forms, and rejects the others"
)]
mod de;
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "each match handles few of many forms, and rejects the others"
)]
mod encode;
mod error;
#[expect(clippy::wildcard_enum_match_arm, reason = "most records are ignored")]
mod frame;
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
pub use self::wire::{Malformed, WireType, put_bytes, put_nested, put_tag, put_varint};
