//! What the schemas of manifests say.

#[expect(dead_code, reason = "indices need a part of it")]
pub(crate) mod schema;
