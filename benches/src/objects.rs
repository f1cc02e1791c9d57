//! Objects of the measured worlds: from the templates in `templates/`, or of a file.

mod fields;
mod given;
mod random;
mod template;
mod types;
mod values;

use std::path::Path;

use kube::core::{ApiResource, GroupVersionKind};

use self::given::Given;
pub(crate) use self::random::Random;
use self::template::Template;
pub(crate) use self::types::{Application, Certificate, HttpRoute, SmallSpec, SmallStatus};
use self::values::Values;
use crate::Result;
use crate::world::{Kind, World};

/// Objects of a world.
#[derive(Debug)]
pub(crate) struct Objects {
    /// Resources that have these objects.
    pub(crate) resources: Vec<ApiResource>,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Template(Template),
    File(Given),
}

/// Variable state of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Revision {
    pub(crate) version: u64,
    /// Restarts of the containers of a Pod.
    pub(crate) restarts: u64,
}

// === impl Objects ===

impl Objects {
    /// Returns the objects of a world. `file` is the path of the list that `--objects-from` names.
    pub(crate) fn of(world: &World, file: Option<&Path>) -> Result<Self> {
        let text = match world.kind {
            Kind::Uniform | Kind::Sustained => include_str!("../templates/uniform.yaml"),
            Kind::Mixed => include_str!("../templates/mixed.yaml"),
            Kind::ConfigMaps => include_str!("../templates/configmaps.yaml"),
            Kind::Secrets => include_str!("../templates/secrets.yaml"),
            Kind::Certificates => include_str!("../templates/certificates.yaml"),
            Kind::Routes => include_str!("../templates/routes.yaml"),
            Kind::Applications => include_str!("../templates/applications.yaml"),
            Kind::Types => include_str!("../templates/things.yaml"),
            Kind::File => return Self::of_file(file.ok_or("--objects-from is missing")?),
        };
        let template = Template::parse(text)?;
        let resources = if world.kind == Kind::Types {
            (0..world.objects).map(small_type).collect()
        } else {
            vec![template.first.resource.clone()]
        };
        Ok(Self {
            resources,
            source: Source::Template(template),
        })
    }

    /// Reads the objects of a file.
    pub(crate) fn of_file(path: &Path) -> Result<Self> {
        let given = Given::read(path)?;
        Ok(Self {
            resources: vec![given.resource()],
            source: Source::File(given),
        })
    }

    /// Returns the number of the objects of a file. Templates have no end.
    pub(crate) fn len(&self) -> Option<usize> {
        match &self.source {
            Source::Template(_) => None,
            Source::File(given) => Some(given.len()),
        }
    }

    /// Reports whether the objects are of a built-in kind, which has protobuf and a type in every
    /// peer.
    pub(crate) fn are_built_in(&self) -> bool {
        match self.resources.first() {
            Some(resource) => !resource.group.contains('.') && is_known(resource),
            None => false,
        }
    }

    /// Returns object `number` as JSON. `types` has the members kind and apiVersion, which objects
    /// in watch events have, or is empty, as in items of lists.
    pub(crate) fn json(&self, number: usize, revision: Revision, types: &str) -> Result<Vec<u8>> {
        let members = match &self.source {
            Source::Template(template) => template.members(&Values { number, revision })?,
            Source::File(given) => given.members(number, revision.version),
        };
        Ok(format!("{{{types}{members}").into_bytes())
    }
}

/// Returns resource `number` of the world of many types.
fn small_type(number: usize) -> ApiResource {
    let group = format!("type-{number:03}.example.com");
    let kind = GroupVersionKind::gvk(&group, "v1", "Thing");
    ApiResource::from_gvk_with_plural(&kind, "things")
}

/// Reports whether `informer-protobuf` knows the kind.
fn is_known(resource: &ApiResource) -> bool {
    informer_protobuf::Message::of(&resource.api_version, &resource.kind).is_some()
}

/// Returns the members kind and apiVersion of the objects of a resource.
pub(crate) fn types(resource: &ApiResource) -> String {
    let ApiResource {
        kind, api_version, ..
    } = resource;
    format!(r#""kind":"{kind}","apiVersion":"{api_version}","#)
}

#[cfg(test)]
mod tests;
