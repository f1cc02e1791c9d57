//! The compared requests: the files in `cases/`, in their order.

use informer_apiserver::Control;
use tokio::task::JoinSet;

use crate::call::Call;
use crate::script::{Action, Scope, parse};
use crate::session::{Session, Watched};

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
    ("statuses", include_str!("cases/statuses.yaml")),
    ("contents", include_str!("cases/contents.yaml")),
    ("paths", include_str!("cases/paths.yaml")),
    ("discovery", include_str!("cases/discovery.yaml")),
    ("last", include_str!("cases/last.yaml")),
];

/// Returns the actions of a file, which may use the names that all files share.
fn actions(text: &str) -> Vec<Action> {
    let mut scope = Scope::default();
    scope.actions(&parse(include_str!("cases/common.yaml")));
    scope.actions(&parse(text))
}

pub(crate) async fn run(session: &mut Session) {
    let mut watches = JoinSet::new();
    for (name, text) in FILES {
        let actions = actions(text);
        assert!(!actions.is_empty(), "{name}.yaml sends nothing");
        play(session, actions, &mut watches).await;
    }
}

/// Compares shards of the same objects with the same uids.
pub(crate) async fn run_shards(session: &mut Session, control: &Control) {
    let mut watches = JoinSet::new();
    let prepare = actions(include_str!("cases/shards-prepare.yaml"));
    play(session, prepare, &mut watches).await;
    // The real server creates it late on a busy machine.
    let own = "kube-apiserver-legacy-service-account-token-tracking";
    let own = format!("/api/v1/namespaces/kube-system/configmaps/{own}");
    session.await_real(&own).await;
    for path in ["/api/v1/configmaps", "/apis/example.com/v1/gadgets"] {
        for object in session.real_items(path).await {
            let name = object["metadata"]["name"].as_str().unwrap();
            let path = match object["metadata"]["namespace"].as_str() {
                Some(namespace) => format!("/api/v1/namespaces/{namespace}/configmaps/{name}"),
                None => format!("{path}/{name}"),
            };
            control.put_raw(&path, object).unwrap();
        }
        session.look(Call::get(path)).await;
    }
    let compare = actions(include_str!("cases/shards.yaml"));
    play(session, compare, &mut watches).await;
}

async fn play(session: &mut Session, actions: Vec<Action>, watches: &mut JoinSet<Watched>) {
    for action in actions {
        match action {
            Action::Check(call) => session.check(call).await,
            Action::Look(call) => session.look(call).await,
            Action::Together(calls) => session.check_all(calls).await,
            Action::Await(call) => session.await_served(&call).await,
            Action::Watch(paths) => *watches = session.watch(&paths),
            Action::CompareWatches => session.compare_watched(std::mem::take(watches)).await,
        }
    }
}
