//! Built-in kinds, from a table.
//!
//! The generator does not scan the sources of `k8s-openapi` in the user's build, because the
//! version to be compiled is unknown there. Each kind has the Kubernetes versions that define it,
//! and the generated code tests them with the macros of `k8s-openapi`.

mod relations;
mod table;
mod wanted;

use informer_codegen::names;
use proc_macro2::Span;

pub(crate) use self::relations::{pod_spec, relations};
use self::wanted::{NOT_LISTABLE, Wanted};
use super::Loaded;
use crate::config::Config;
use crate::error::{Error, OptionName};
use crate::ir::{
    Gate, Gvk, Manifest, NEWEST_MINOR, OLDEST_MINOR, Origin, Resource, Scope, Skipped,
};
use crate::paths;

/// Kinds of one group and version.
pub(crate) struct GroupVersion {
    /// Module path below the root of `k8s-openapi`.
    module: &'static str,
    group: &'static str,
    version: &'static str,
    kinds: &'static [Kind],
}

/// Kind that can be listed.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    name: &'static str,
    plural: &'static str,
    scope: Scope,
    first_minor: u8,
    last_minor: u8,
    /// Reason why the kind cannot be watched, if so.
    unwatchable: Option<&'static str>,
}

/// Adds the kinds that `config` selects to `loaded`, and the others as skipped.
pub(crate) fn load(config: &Config, loaded: &mut Loaded) -> Result<(), Error> {
    let wanted = Wanted::new(&config.built_in)?;
    let root = paths::absolute(config.k8s_openapi(), OptionName::K8sOpenapiPath)?;
    for (place, kind) in rows() {
        let gvk = place.gvk(kind.name);
        match wanted.refuses(&gvk, kind) {
            None => {
                let feature = config.feature_of(&gvk.version);
                let resource = resource(gvk, place, kind, &root, feature);
                loaded.resources.push(resource);
            }
            Some(reason) => loaded.skipped.push(Skipped {
                gvk,
                plural: Some(kind.plural.to_owned()),
                scope: Some(kind.scope),
                origin: Origin::BuiltIn,
                reason,
            }),
        }
    }
    let unlisted = NOT_LISTABLE
        .iter()
        .map(|&(group, version, kind, why)| Skipped {
            gvk: Gvk::new(group, version, kind),
            plural: None,
            scope: None,
            origin: Origin::BuiltIn,
            reason: format!("not watchable: {why}"),
        });
    loaded.skipped.extend(unlisted);
    Ok(())
}

/// Returns a watchable built-in kind, optionally behind a feature.
pub(crate) fn find(gvk: &Gvk, root: &syn::Path, feature: Option<&str>) -> Option<Resource> {
    let (place, kind) = rows().find(|(place, kind)| place.gvk(kind.name) == *gvk)?;
    kind.unwatchable.is_none().then(|| {
        let gvk = gvk.clone();
        resource(gvk, place, kind, root, feature)
    })
}

/// Returns all watchable built-in kinds.
pub(crate) fn kinds() -> impl Iterator<Item = Gvk> {
    let rows = rows().filter(|(_, kind)| kind.unwatchable.is_none());
    rows.map(|(place, kind)| place.gvk(kind.name))
}

fn rows() -> impl Iterator<Item = (&'static GroupVersion, &'static Kind)> {
    let places = table::CATALOGUE.iter();
    places.flat_map(|place| place.kinds.iter().map(move |kind| (place, kind)))
}

fn resource(
    gvk: Gvk,
    place: &GroupVersion,
    kind: &Kind,
    root: &syn::Path,
    feature: Option<&str>,
) -> Resource {
    let mut rust_type = root.clone();
    for segment in place.module.split("::").chain([kind.name]) {
        rust_type
            .segments
            .push(names::identifier(segment, Span::call_site()).into());
    }
    Resource {
        gvk,
        plural: kind.plural.to_owned(),
        scope: kind.scope,
        rust_type,
        gate: Gate::new(kind.first_minor, kind.last_minor, feature),
        deprecated: None,
        dynamic: false,
        origin: Origin::BuiltIn,
        manifest: Manifest::default(),
        schema: None,
    }
}

// === impl GroupVersion ===

impl GroupVersion {
    fn gvk(&self, kind: &str) -> Gvk {
        Gvk::new(self.group, self.version, kind)
    }
}

// === impl Kind ===

const fn namespaced(name: &'static str, plural: &'static str) -> Kind {
    Kind {
        name,
        plural,
        scope: Scope::Namespaced,
        first_minor: OLDEST_MINOR,
        last_minor: NEWEST_MINOR,
        unwatchable: None,
    }
}

const fn cluster(name: &'static str, plural: &'static str) -> Kind {
    Kind {
        scope: Scope::Cluster,
        ..namespaced(name, plural)
    }
}

impl Kind {
    const fn since(self, minor: u8) -> Self {
        Self {
            first_minor: minor,
            ..self
        }
    }

    const fn until(self, minor: u8) -> Self {
        Self {
            last_minor: minor,
            ..self
        }
    }

    const fn only(self, minor: u8) -> Self {
        self.since(minor).until(minor)
    }

    const fn unwatchable(self, reason: &'static str) -> Self {
        Self {
            unwatchable: Some(reason),
            ..self
        }
    }
}
