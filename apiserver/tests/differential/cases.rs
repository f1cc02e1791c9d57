//! The compared requests: the files in `cases/`, in their order.

use tokio::task::JoinSet;

use crate::script::{Action, Scope, parse};
use crate::session::Session;

/// Files of the session, after `common.yaml`, whose names they share.
const FILES: &[(&str, &str)] = &[
    ("prepare", include_str!("cases/prepare.yaml")),
    ("objects", include_str!("cases/objects.yaml")),
    ("lists", include_str!("cases/lists.yaml")),
    ("watches", include_str!("cases/watches.yaml")),
    ("selectors", include_str!("cases/selectors.yaml")),
    ("forms", include_str!("cases/forms.yaml")),
    ("writes", include_str!("cases/writes.yaml")),
    ("schemas", include_str!("cases/schemas.yaml")),
    ("updates", include_str!("cases/updates.yaml")),
    ("apply", include_str!("cases/apply.yaml")),
    ("migration", include_str!("cases/migration.yaml")),
    ("warnings", include_str!("cases/warnings.yaml")),
    ("rights", include_str!("cases/rights.yaml")),
    ("clients", include_str!("cases/clients.yaml")),
    ("defaults", include_str!("cases/defaults.yaml")),
    ("paths", include_str!("cases/paths.yaml")),
    ("discovery", include_str!("cases/discovery.yaml")),
    ("last", include_str!("cases/last.yaml")),
];

/// Returns the names and templates that all files share.
pub(crate) fn common() -> Scope {
    let mut scope = Scope::default();
    scope.actions(&parse(include_str!("cases/common.yaml")));
    scope
}

pub(crate) async fn run(session: &mut Session) {
    let common = common();
    let mut watches = JoinSet::new();
    for (name, text) in FILES {
        let actions = common.clone().actions(&parse(text));
        assert!(!actions.is_empty(), "{name}.yaml sends nothing");
        for action in actions {
            match action {
                Action::Check(call) => session.check(call).await,
                Action::Look(call) => session.look(call).await,
                Action::Together(calls) => session.check_all(calls).await,
                Action::Await(call) => session.await_served(&call).await,
                Action::Watch(paths) => watches = session.watch(&paths),
                Action::CompareWatches => {
                    session.compare_watched(std::mem::take(&mut watches)).await;
                }
            }
        }
    }
}
