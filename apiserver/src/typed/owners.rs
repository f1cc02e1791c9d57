//! What a write does to the owners of fields.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::compare::Comparison;
use super::conflict::Conflicts;
use super::context::Context;
use super::last_applied;
use super::managers::{Identity, Managers, Owned};
use super::set::Set;
use super::types::Types;

/// Who owns what was there before anybody was recorded.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

const SCALE: &str = "scale";

/// What nobody owns, as the server writes it or it names the object.
static NOBODYS: LazyLock<Set> = LazyLock::new(|| {
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

/// What an apply comes to.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The next version, with the metadata of the live one.
    pub(crate) document: Value,
    pub(crate) managers: Managers,
}

/// Why an apply fails.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Others own what it would change.
    Conflicts(Conflicts),
    /// What is applied breaks the schema.
    Applied(String),
    /// What is there breaks the schema.
    Live(String),
}

/// Records a write that is no apply, from `before` to `after`. Nothing is compared where nobody owns
/// anything and `before` is an object: such an object is not followed.
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
    let own = taken.difference(&NOBODYS);
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
            // The real server loses that of a scale on its way to the object.
            time: (context.subresource != SCALE).then(|| context.now.to_owned()),
        };
        managers.0.insert(identity, owned);
    }
    managers.cap();
    managers
}

/// Applies `applied` to `live`, which is empty if there is no object yet.
///
/// # Errors
///
/// Without `force`, if others own what would change; if a document breaks the schema.
pub(crate) fn apply(
    context: &Context<'_>,
    live: &Value,
    applied: &Value,
    managers: Managers,
    force: bool,
) -> Result<Outcome, Failure> {
    let types = context.types;
    types.check(applied, false).map_err(Failure::Applied)?;
    types.check(live, true).map_err(Failure::Live)?;
    let mut managers = if managers.is_empty() {
        let nothing = Map::new();
        let there = live.as_object().unwrap_or(&nothing);
        let changes = Comparison::of(types, &nothing, there).without(context.ignored);
        recorded(context, BEFORE_FIRST_APPLY, changes, managers)
    } else {
        managers
    };
    let identity = Identity::applier(context.manager, context.subresource);
    let set = types.fields(applied).without(context.ignored);
    let last = managers.0.remove(&identity);
    let merged = types.merge(live, applied);
    let mut document = match &last {
        Some(last) => {
            let owned = set.clone().union(&managers.all());
            prune(types, merged, &last.set, &owned)
        }
        None => merged,
    };
    let changes = match (live, &document) {
        (Value::Object(before), Value::Object(after)) => {
            Comparison::of(types, before, after).without(context.ignored)
        }
        _ => Comparison::default(),
    };
    managers.0.retain(|_, owned| context.serves(owned));
    let taken = changes.modified.union(&changes.added);
    if !force {
        check_conflicts(context, live, &managers, &taken).map_err(Failure::Conflicts)?;
    }
    managers.lose(&taken);
    managers.lose(&changes.removed);
    let set = set.difference(&NOBODYS);
    if !set.is_empty() {
        let time = if document == *live {
            last.and_then(|last| last.time)
        } else {
            Some(context.now.to_owned())
        };
        let owned = Owned {
            set,
            api_version: context.api_version.to_owned(),
            time,
        };
        managers.0.insert(identity, owned);
    }
    last_applied::renew(context, &mut document, applied);
    Ok(Outcome { document, managers })
}

/// Refuses to take fields from their owners, but for what `kubectl` may.
fn check_conflicts(
    context: &Context<'_>,
    live: &Value,
    managers: &Managers,
    taken: &Set,
) -> Result<(), Conflicts> {
    let found = || {
        let owned = managers.0.iter();
        owned.map(|(identity, owned)| (identity, owned.set.intersection(taken)))
    };
    if found().all(|(_, fields)| fields.is_empty()) {
        return Ok(());
    }
    let free = last_applied::taken_over(context, live);
    let mut conflicts = Conflicts::default();
    for (identity, fields) in found() {
        let fields = fields.difference(&free);
        if !fields.is_empty() {
            conflicts.add(identity, &fields);
        }
    }
    if conflicts.is_empty() {
        Ok(())
    } else {
        Err(conflicts)
    }
}

/// Removes what the manager applied `last`, does not apply any more, and nobody else owns. `owned`
/// is what somebody owns now.
fn prune(types: &Types, merged: Value, last: &Set, owned: &Set) -> Value {
    if last.is_empty() {
        return merged;
    }
    let named = |set: &Set| set.with_named_fields(types, types.root);
    let last = named(last);
    let pruned = types.remove(&merged, &last);
    // What somebody owns comes back ...
    let all = named(&types.fields(&merged));
    let kept = named(&types.fields(&pruned)).union(&named(owned));
    let pruned = types.remove(&merged, &all.clone().difference(&kept));
    // ... and what went with it, but was never applied.
    let kept = named(&types.fields(&pruned));
    types.remove(&merged, &all.difference(&kept).intersection(&last))
}
