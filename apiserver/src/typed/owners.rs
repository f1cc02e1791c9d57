//! Effects of a write on the managers of fields.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::compare::Comparison;
use super::conflict::Conflicts;
use super::context::Context;
use super::last_applied;
use super::managers::{Identity, Managers, Owned};
use super::set::Set;
use super::types::Types;

/// Manager of the fields that existed before the first manager was recorded.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// Fields that have no owner, because the server writes them or because they identify the object.
static UNOWNED: LazyLock<Set> = LazyLock::new(|| {
    Set::of_fields(&[
        &["apiVersion"],
        &["kind"],
        &["metadata"],
        &["metadata", "name"],
        &["metadata", "namespace"],
        &["metadata", "creationTimestamp"],
        &["metadata", "selfLink"],
        &["metadata", "uid"],
        &["metadata", "clusterName"],
        &["metadata", "generation"],
        &["metadata", "managedFields"],
        &["metadata", "resourceVersion"],
    ])
});

/// Result of an apply.
#[derive(Debug)]
pub(crate) struct ApplyOutcome {
    /// The next version, with the metadata of the live one.
    pub(crate) document: Value,
    pub(crate) managers: Managers,
}

/// Error of an apply.
#[derive(Debug)]
pub(crate) enum ApplyFailure {
    /// Other managers own fields that the apply would change.
    Conflicts(Conflicts),
    /// The applied document violates the schema.
    Applied(String),
    /// The live document violates the schema.
    Live(String),
}

/// Records a write other than an apply, from `before` to `after`. Skips the comparison if no
/// manager owns anything and `before` is an object, because managed fields of such an object are
/// not kept.
pub(crate) fn record(
    context: &Context<'_>,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    managers: Managers,
) -> Managers {
    let changes = Comparison::of(context.types, before, after).without(context.ignored);
    recorded(context, context.manager, changes, managers)
}

fn recorded(
    context: &Context<'_>,
    manager: &str,
    changes: Comparison,
    mut managers: Managers,
) -> Managers {
    managers.0.retain(|_, owned| context.serves(owned));
    let taken = changes.modified.union(&changes.added);
    managers.lose(&taken);
    managers.lose(&changes.removed);
    let own = taken.difference(&UNOWNED);
    if !own.is_empty() {
        let identity = Identity::updater(manager, context.api_version, context.subresource);
        let known = managers.0.remove(&identity);
        let set = match known {
            Some(known) => known.set.union(&own),
            None => own,
        };
        let owned = Owned {
            set,
            api_version: context.api_version.to_owned(),
            time: context.time(),
        };
        managers.0.insert(identity, owned);
    }
    managers.cap();
    managers
}

/// Applies `applied` to `live`, which is empty if the object does not exist.
///
/// # Errors
///
/// If other managers own fields that would change, unless `force`; if a document violates the
/// schema.
pub(crate) fn apply(
    context: &Context<'_>,
    live: &Value,
    applied: &Value,
    known: Managers,
    force: bool,
) -> Result<ApplyOutcome, ApplyFailure> {
    let types = context.types;
    types.check(applied, false).map_err(ApplyFailure::Applied)?;
    types.check(live, true).map_err(ApplyFailure::Live)?;
    let mut managers = known;
    if managers.is_empty() {
        let nothing = Map::new();
        let live_members = live.as_object().unwrap_or(&nothing);
        let changes = Comparison::of(types, &nothing, live_members).without(context.ignored);
        managers = recorded(context, BEFORE_FIRST_APPLY, changes, managers);
    }
    let identity = Identity::applier(context.manager, context.subresource);
    let fields = types.fields(applied).without(context.ignored);
    let last = managers.0.remove(&identity);
    let mut document = types.merge(live, applied);
    if let Some(last) = &last {
        let owned = fields.clone().union(&managers.all());
        document = prune(types, document, &last.set, &owned);
    }
    let mut changes = Comparison::default();
    if let Value::Object(before) = live
        && let Value::Object(after) = &document
    {
        changes = Comparison::of(types, before, after).without(context.ignored);
    }
    managers.0.retain(|_, owned| context.serves(owned));
    let taken = changes.modified.union(&changes.added);
    if !force {
        check_conflicts(context, live, &managers, &taken).map_err(ApplyFailure::Conflicts)?;
    }
    managers.lose(&taken);
    managers.lose(&changes.removed);
    let own = fields.difference(&UNOWNED);
    if !own.is_empty() {
        let mut time = context.time();
        if document == *live {
            time = last.and_then(|last| last.time);
        }
        let owned = Owned {
            set: own,
            api_version: context.api_version.to_owned(),
            time,
        };
        managers.0.insert(identity, owned);
    }
    last_applied::renew(context, &mut document, applied);
    Ok(ApplyOutcome { document, managers })
}

/// Returns the fields of other managers that the apply would change, except those that `kubectl`
/// may take over.
fn check_conflicts(
    context: &Context<'_>,
    live: &Value,
    managers: &Managers,
    taken: &Set,
) -> Result<(), Conflicts> {
    let mut lost = Vec::new();
    for (identity, owned) in &managers.0 {
        let fields = owned.set.intersection(taken);
        if !fields.is_empty() {
            lost.push((identity, fields));
        }
    }
    if lost.is_empty() {
        return Ok(());
    }
    let free = last_applied::taken_over(context, live);
    let mut conflicts = Conflicts::default();
    for (identity, fields) in lost {
        let contested = fields.difference(&free);
        if !contested.is_empty() {
            conflicts.add(identity, &contested);
        }
    }
    if conflicts.is_empty() {
        Ok(())
    } else {
        Err(conflicts)
    }
}

/// Removes the fields that the manager applied `last`, no longer applies, and no other manager
/// owns. `owned` are all fields with an owner after this apply.
fn prune(types: &Types, merged: Value, last: &Set, owned: &Set) -> Value {
    if last.is_empty() {
        return merged;
    }
    let named = |set: &Set| set.with_named_fields(types, types.root);
    let last = named(last);
    let pruned = types.remove(&merged, &last);
    // Restores the owned fields that were removed with their parents.
    let all = named(&types.fields(&merged));
    let kept = named(&types.fields(&pruned)).union(&named(owned));
    let pruned = types.remove(&merged, &all.clone().difference(&kept));
    // Restores the remaining removed fields that were never applied.
    let kept = named(&types.fields(&pruned));
    types.remove(&merged, &all.difference(&kept).intersection(&last))
}
