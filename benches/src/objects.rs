//! Objects of the measured worlds: generated, or of a file.

mod custom;
mod given;
mod mixed;
mod random;
mod small;
mod template;
mod uniform;

use std::path::Path;

use k8s_openapi::api::core::v1::Pod;
use kube::core::ApiResource;
use serde_json::Value;

use self::custom::Custom;
pub(crate) use self::custom::{Application, Certificate, HTTPRoute};
pub(crate) use self::given::Given;
use self::mixed::Mixed;
pub(crate) use self::random::Random;
use self::small::Small;
pub(crate) use self::small::{SmallSpec, SmallStatus};
use self::uniform::Uniform;
use crate::Result;
use crate::world::{Kind, World};

/// Source of the objects of a world.
pub(crate) trait Objects {
    /// Returns the resources that have these objects.
    fn resources(&self) -> Vec<ApiResource>;

    /// Writes object `number` as JSON from the member `metadata` to the closing brace, without
    /// `kind` and `apiVersion`.
    fn write_members(&self, number: usize, revision: Revision, out: &mut Vec<u8>);
}

/// Variable state of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Revision {
    pub(crate) version: u64,
    /// Restarts of the first container of a Pod.
    pub(crate) restarts: u64,
}

/// Returns the source of the objects of a world. `file` is the path of the list that
/// `--objects-from` names.
pub(crate) fn of(world: &World, file: Option<&Path>) -> Result<Box<dyn Objects>> {
    Ok(match world.kind {
        Kind::Uniform | Kind::Sustained => Box::new(Uniform::new()),
        Kind::Mixed => Box::new(Mixed::new()),
        Kind::File => Box::new(Given::read(file.ok_or("--objects-from is missing")?)?),
        Kind::Certificates => Box::new(Custom::certificates()),
        Kind::Routes => Box::new(Custom::routes()),
        Kind::Applications => Box::new(Custom::applications()),
        Kind::Types => Box::new(Small::new(world.objects)),
    })
}

/// Writes object `number` as JSON. `types` has the members kind and apiVersion, which objects in
/// watch events have, or is empty, as in items of lists.
pub(crate) fn write(
    objects: &dyn Objects,
    number: usize,
    revision: Revision,
    types: &str,
    out: &mut Vec<u8>,
) {
    out.push(b'{');
    out.extend_from_slice(types.as_bytes());
    objects.write_members(number, revision, out);
}

/// Returns Pod `number` of the uniform world.
pub(crate) fn pod_json(number: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let revision = Revision {
        version: 1000 + number as u64,
        restarts: 0,
    };
    let types = types(&ApiResource::erase::<Pod>(&()));
    write(&Uniform::new(), number, revision, &types, &mut out);
    out
}

/// Returns the members kind and apiVersion of the objects of a resource.
pub(crate) fn types(resource: &ApiResource) -> String {
    let ApiResource {
        kind, api_version, ..
    } = resource;
    format!(r#""kind":"{kind}","apiVersion":"{api_version}","#)
}

/// Writes the members of `object` and the closing brace, without kind and apiVersion.
fn write_value(mut object: Value, out: &mut Vec<u8>) {
    if let Some(members) = object.as_object_mut() {
        members.remove("kind");
        members.remove("apiVersion");
    }
    let text = object.to_string();
    out.extend_from_slice(text.strip_prefix('{').unwrap_or(&text).as_bytes());
}

/// Reports whether the objects of a resource are Pods.
pub(crate) fn is_pod(resource: &ApiResource) -> bool {
    resource.api_version == "v1" && resource.kind == "Pod"
}

fn pods() -> Vec<ApiResource> {
    vec![ApiResource::erase::<Pod>(&())]
}
