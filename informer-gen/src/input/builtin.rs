//! Built-in kinds, from a table.
//!
//! The generator does not scan the sources of `k8s-openapi` in the user's build, because the
//! version to be compiled is unknown there. Each kind has the Kubernetes versions that define it,
//! and the generated code tests them with the macros of `k8s-openapi`.

mod kind;
mod relations;
mod table;
mod wanted;

use self::kind::kinds;
pub(crate) use self::kind::{Kind, watchable};
pub(crate) use self::relations::{declaration, pod_spec, pod_spec_of};
use self::wanted::{Wanted, not_listable};
use super::loaded::Loaded;
use crate::config::Config;
use crate::error::{OptionName, Result};
use crate::gvk::Gvk;
use crate::ir::{Origin, Resource, Skipped};
use crate::paths;

/// Adds the kinds that `config` selects to `loaded`, and the others as skipped.
pub(crate) fn load(config: &Config, loaded: &mut Loaded) -> Result<()> {
    let wanted = Wanted::new(&config.inputs.built_in)?;
    let root = paths::absolute(config.k8s_openapi(), OptionName::K8S_OPENAPI_PATH)?;
    for kind in kinds() {
        let gvk = kind.gvk();
        match wanted.refuses(&gvk, &kind) {
            None => {
                let feature = config.feature_of(&gvk.version);
                loaded.resources.push(kind.resource(&root, feature));
            }
            Some(reason) => {
                let skipped = kind.resource(&root, None).skipped(reason);
                loaded.skipped.push(skipped);
            }
        }
    }
    for (gvk, why) in not_listable() {
        loaded.skipped.push(Skipped {
            gvk,
            plural: None,
            scope: None,
            origin: Origin::BuiltIn,
            reason: format!("not watchable: {why}"),
        });
    }
    Ok(())
}

/// Returns a watchable built-in kind.
pub(crate) fn find(gvk: &Gvk, root: &syn::Path) -> Option<Resource> {
    let kind = watchable().find(|kind| kind.gvk() == *gvk)?;
    Some(kind.resource(root, None))
}
