//! Plays bugs of controllers whose cache is behind, without a session and with one.
//!
//! ```console
//! $ cargo run --example stale_reads
//! ```
//!
//! The API server delivers the events of Secrets late, and a user changes config maps meanwhile. The
//! exit status is 0 if the session has prevented each bug. docs/consistency.md explains them.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use informer::k8s::SharedInformerFactoryExt as _;
use informer::relations::OwnedObjects;
use informer::session::SessionApi;
use informer::{Controller, Session, SharedInformerFactory};
use informer_apiserver::{ApiServer, Fault, Matcher, Verb};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::DeleteParams;
use kube::{Resource as _, ResourceExt as _};
use serde_json::json;
use tokio::sync::oneshot;

const MAPS: usize = 5;
const CHANGES: usize = 4;
/// Time by which each event of a Secret is late, and time between two changes of a config map.
const LATE: Duration = Duration::from_millis(50);

/// Caches, writes, and the numbers of the bugs.
struct Context {
    secrets: OwnedObjects<ConfigMap, Secret>,
    api: SessionApi<Secret>,
    made: AtomicUsize,
    refused: AtomicUsize,
    missing: AtomicUsize,
}

/// Creates the Secrets of a config map that the cache does not show, and deletes an old one.
async fn reconcile(map: Arc<ConfigMap>, context: Arc<Context>) -> Result<(), kube::Error> {
    let secrets = context.secrets.of(&map);
    let has = |prefix: &str| {
        secrets
            .iter()
            .any(|secret| secret.name_any().starts_with(prefix))
    };
    if !has("token-") {
        let mut token = secret(&map);
        token.metadata.generate_name = Some("token-".to_owned());
        context.api.create(&token).await?;
        context.made.fetch_add(1, Ordering::Relaxed);
    }
    if !has("fixed-") {
        let mut fixed = secret(&map);
        fixed.metadata.name = Some(format!("fixed-{}", map.name_any()));
        let created = context.api.create(&fixed).await;
        refused(created, 409, &context.refused)?;
    }
    if has("old-") {
        let old = format!("old-{}", map.name_any());
        let deleted = context.api.delete(&old, &DeleteParams::default()).await;
        refused(deleted, 404, &context.missing)?;
    }
    Ok(())
}

/// Counts an answer with this status code, which is not an error then.
fn refused<T>(answer: kube::Result<T>, code: u16, count: &AtomicUsize) -> kube::Result<()> {
    match answer {
        Err(kube::Error::Api(status)) if status.code == code => {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
        answer => answer.map(drop),
    }
}

/// Returns a Secret that the config map controls.
fn secret(map: &ConfigMap) -> Secret {
    let mut secret = Secret::default();
    secret.metadata.namespace = map.namespace();
    secret.metadata.owner_references = map.controller_owner_ref(&()).map(|owner| vec![owner]);
    secret
}

/// Numbers of what a controller did.
#[derive(PartialEq, Eq)]
struct Counts {
    /// Secrets with a generated name.
    made: usize,
    /// Creates of what exists already.
    refused: usize,
    /// Deletions of what is gone already.
    missing: usize,
}

async fn play(has_session: bool) -> Result<Counts, Box<dyn Error>> {
    let server = ApiServer::builder().start().await?;
    let control = server.control();
    for number in 0..MAPS {
        let created = control.create_direct(json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": { "namespace": "default", "name": format!("map-{number}") },
        }))?;
        let map: ConfigMap = serde_json::from_value(created)?;
        let mut old = secret(&map);
        old.metadata.name = Some(format!("old-{}", map.name_any()));
        control.create_direct(serde_json::to_value(old)?)?;
    }
    let late = Fault::Slow {
        bytes: usize::MAX,
        pause: LATE,
    };
    let watches = Matcher::any().verb(Verb::Watch).resource("secrets");
    control.fail_next(usize::MAX, watches, late);

    let client = informer::connect(server.kube_config())?;
    let factory = SharedInformerFactory::builder(client).build()?;
    let maps = factory.core().v1().config_maps();
    let session = Session::new(&factory).within(Duration::from_secs(30));
    let context = Arc::new(Context {
        secrets: OwnedObjects::new(maps.resource(), &factory),
        api: session.api("default"),
        made: AtomicUsize::new(0),
        refused: AtomicUsize::new(0),
        missing: AtomicUsize::new(0),
    });
    let (stop, stopped) = oneshot::channel::<()>();
    let mut controller = Controller::new("configmaps", &maps)
        .relations(&context.secrets)
        .shutdown_on(async { drop(stopped.await) });
    if has_session {
        controller = controller.session(&session);
    }
    factory.start()?;
    factory.wait_for_cache_sync().await?;
    let user = async {
        for change in 0..CHANGES {
            tokio::time::sleep(LATE).await;
            for number in 0..MAPS {
                let path = format!("/api/v1/namespaces/default/configmaps/map-{number}");
                control.modify(&path, |map| {
                    map["data"] = json!({ "n": change.to_string() });
                })?;
            }
        }
        // The writes are noted with and without the controller's session.
        session.read(&context.secrets).await?;
        drop(stop);
        Ok::<_, Box<dyn Error>>(())
    };
    let (ended, played) = tokio::join!(controller.run(Arc::clone(&context), reconcile), user);
    ended?;
    played?;
    factory.shutdown().await;
    server.shutdown().await;
    Ok(Counts {
        made: context.made.load(Ordering::Relaxed),
        refused: context.refused.load(Ordering::Relaxed),
        missing: context.missing.load(Ordering::Relaxed),
    })
}

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let without = play(false).await?;
    let with = play(true).await?;
    println!("{:50}{:>8}{:>8}", "session:", "without", "with");
    print(
        "Secrets with generated names, for 5 config maps",
        without.made,
        with.made,
    );
    print(
        "creates of what exists already (409)",
        without.refused,
        with.refused,
    );
    print(
        "deletions of what is gone already (404)",
        without.missing,
        with.missing,
    );
    let wanted = Counts {
        made: MAPS,
        refused: 0,
        missing: 0,
    };
    if with == wanted {
        Ok(ExitCode::SUCCESS)
    } else {
        Ok(ExitCode::FAILURE)
    }
}

fn print(bug: &str, without: usize, with: usize) {
    println!("{bug:50}{without:>8}{with:>8}");
}
