//! Served resources and their properties: kinds, definitions, schemas, discovery, OpenAPI.

pub(crate) mod builtin;
pub(crate) mod crd;
mod defaults;
mod deprecation;
pub(crate) mod discovery;
pub(crate) mod forms;
mod kinds;
#[cfg(feature = "openapi")]
pub(crate) mod models;
#[cfg(feature = "openapi")]
pub(crate) mod openapi;
pub(crate) mod part;
mod priority;
mod resource;
pub(crate) mod scale;
pub(crate) mod schema;
mod table;
pub(crate) mod target;
mod typing;

pub(crate) use self::priority::priority;
pub(crate) use self::resource::{PrinterColumn, Resource, Version, api_version, within};
pub(crate) use self::table::Registry;
