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

pub(crate) use self::relations::{declaration, pod_spec, pod_spec_of};
use self::wanted::{Wanted, not_listable};
use super::Loaded;
use crate::config::Config;
use crate::error::{Error, OptionName};
use crate::ir::{
    Gate, Gvk, Manifest, NEWEST_MINOR, OLDEST_MINOR, Origin, Resource, Scope, Skipped,
};
use crate::paths;

/// Kind that can be listed.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    group: &'static str,
    version: &'static str,
    /// Module path below the root of `k8s-openapi`.
    module: &'static str,
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
    for kind in kinds() {
        let gvk = kind.gvk();
        match wanted.refuses(&gvk, &kind) {
            None => {
                let feature = config.feature_of(&gvk.version);
                loaded.resources.push(kind.resource(&root, feature));
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
    let unlisted = not_listable().map(|(gvk, why)| Skipped {
        gvk,
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
    let kind = watchable().find(|kind| kind.gvk() == *gvk)?;
    Some(kind.resource(root, feature))
}

/// Returns all kinds that can be watched.
pub(crate) fn watchable() -> impl Iterator<Item = Kind> {
    kinds().filter(|kind| kind.unwatchable.is_none())
}

fn kinds() -> impl Iterator<Item = Kind> {
    let places = table::TABLE.trim().split("\n\n");
    let places = places.filter_map(|place| place.split_once('\n'));
    places.flat_map(|(place, kinds)| kinds.lines().filter_map(|kind| Kind::parse(place, kind)))
}

// === impl Kind ===

impl Kind {
    /// Parses a row of the table below its heading.
    fn parse(place: &'static str, row: &'static str) -> Option<Self> {
        let (group_version, module) = place.split_once(' ')?;
        let (group, version) = group_version.split_once('/').unwrap_or(("", group_version));
        let mut words = row.splitn(4, ' ');
        let (name, plural, scope) = (words.next()?, words.next()?, words.next()?);
        let rest = words.next().unwrap_or("-");
        let minors = rest.split_once('-');
        let (first, last) = minors.unwrap_or_default();
        Some(Self {
            group,
            version,
            module,
            name,
            plural,
            scope: Scope::new(scope == "namespaced"),
            first_minor: first.parse().unwrap_or(OLDEST_MINOR),
            last_minor: last.parse().unwrap_or(NEWEST_MINOR),
            unwatchable: minors.is_none().then_some(rest),
        })
    }

    pub(crate) fn gvk(&self) -> Gvk {
        Gvk::new(self.group, self.version, self.name)
    }

    fn resource(&self, root: &syn::Path, feature: Option<&str>) -> Resource {
        let mut rust_type = root.clone();
        for segment in self.module.split("::").chain([self.name]) {
            let segment = names::identifier(segment, Span::call_site());
            rust_type.segments.push(segment.into());
        }
        Resource {
            gvk: self.gvk(),
            plural: self.plural.to_owned(),
            scope: self.scope,
            rust_type,
            gate: Gate::new(self.first_minor, self.last_minor, feature),
            deprecated: None,
            dynamic: false,
            origin: Origin::BuiltIn,
            manifest: Manifest::default(),
            schema: None,
        }
    }
}
