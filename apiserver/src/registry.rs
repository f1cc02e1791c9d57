//! Served resources and their properties: kinds, definitions, schemas, discovery, OpenAPI.

pub(crate) mod builtin;
pub(crate) mod crd;
mod decodable;
mod defaults;
pub(crate) mod discovery;
pub(crate) mod events;
mod kinds;
pub(crate) mod models;
pub(crate) mod openapi;
mod priority;
mod resource;
mod rules;
pub(crate) mod scale;
pub(crate) mod schema;
pub(crate) mod subresource;
mod table;
pub(crate) mod target;
mod typing;

pub(crate) use self::priority::priority;
pub(crate) use self::resource::{PrinterColumn, Resource, Version, api_version, within};
pub(crate) use self::rules::{Generation, KeptByStatus};
pub(crate) use self::table::Registry;
