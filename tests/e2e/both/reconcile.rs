//! Objects that controllers write for themselves: finalizers and leases.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use informer::finalizer::{FinalizerError, FinalizerStep};
use informer::leader_election::LeaderElector;
use informer::session::OwnWrite;
use informer::source::Encoding;
use informer::{Action, InformerOptions, ObjectKey, Session, finalizer};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use kube::{Api, ResourceExt as _};
use serde_json::json;

use super::{World, scenarios};
use crate::support::{sync, within};

/// These objects are written in JSON.
const ENCODINGS: [Encoding; 1] = [Encoding::Json];

const NAME: &str = "example.com/cleanup";

/// Calls the finalizer for the object on the server. Returns the action, and the callback that was
/// called.
async fn step(api: &Api<ConfigMap>, name: &str) -> (Action, &'static str) {
    let object = Arc::new(api.get(name).await.unwrap());
    let mut called = "nothing";
    let action = finalizer(api, NAME, object, async |step| {
        called = match step {
            FinalizerStep::Apply(_) => "apply",
            FinalizerStep::Cleanup(_) => "cleanup",
        };
        Ok::<_, Infallible>(Action::RequeueAfter(Duration::from_secs(60)))
    });
    let action = within("the finalizer", action).await.unwrap();
    (action, called)
}

async fn finalizers(api: &Api<ConfigMap>, name: &str) -> Vec<String> {
    let object = api.get(name).await.unwrap();
    object.metadata.finalizers.unwrap_or_default()
}

fn elector(world: &World, identity: &str) -> LeaderElector {
    let (client, namespace) = (world.client.clone(), &world.namespace);
    LeaderElector::new(client, namespace, "operator", identity)
        .lease_duration(Duration::from_secs(60))
        .renew_deadline(Duration::from_secs(30))
        .retry_period(Duration::from_millis(20))
}

async fn holder(leases: &Api<Lease>) -> String {
    let lease = leases.get("operator").await.unwrap();
    lease.spec.unwrap().holder_identity.unwrap_or_default()
}

scenarios! {
    #[tokio::test]
    async fn a_finalizer_precedes_apply_and_is_removed_after_cleanup(world: World) {
        let api = world.maps();
        for others in [vec![], vec!["example.com/other"]] {
            world.create("a", "1").await;
            let patch = Patch::Merge(json!({ "metadata": { "finalizers": others } }));
            api.patch("a", &PatchParams::default(), &patch).await.unwrap();
            let again = Action::RequeueAfter(Duration::from_secs(60));
            assert_eq!(step(&api, "a").await, (again, "apply"));
            let with_ours = [others.clone(), vec![NAME]].concat();
            assert_eq!(finalizers(&api, "a").await, with_ours);
            assert_eq!(step(&api, "a").await, (again, "apply"));

            world.delete("a").await;
            let object = Arc::new(api.get("a").await.unwrap());
            let failed = finalizer(&api, NAME, Arc::clone(&object), async |_| {
                Err::<(), _>(io::Error::other("not yet"))
            });
            let error = failed.await.unwrap_err();
            assert!(matches!(error, FinalizerError::Cleanup(_)), "{error}");
            assert_eq!(finalizers(&api, "a").await, with_ours, "it stays");
            assert_eq!(step(&api, "a").await, (Action::Done, "cleanup"));
            if others.is_empty() {
                assert!(api.get_opt("a").await.unwrap().is_none());
            } else {
                assert_eq!(finalizers(&api, "a").await, others);
                assert_eq!(step(&api, "a").await, (Action::Done, "nothing"));
                let none = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
                api.patch("a", &PatchParams::default(), &none).await.unwrap();
            }
            // The clean-up of a deleted object is not an error.
            let gone = finalizer(&api, NAME, object, async |_| Ok::<_, Infallible>(()));
            assert_eq!(gone.await.unwrap(), Action::Done);
        }
    }

    #[tokio::test]
    async fn a_finalizer_is_not_added_to_a_stale_list(world: World) {
        let api = world.maps();
        let old = Arc::new(world.create("a", "1").await);
        let patch = Patch::Merge(json!({ "metadata": { "finalizers": ["example.com/other"] } }));
        api.patch("a", &PatchParams::default(), &patch).await.unwrap();
        let stale = finalizer(&api, NAME, old, async |_| Ok::<_, Infallible>(()));
        let error = stale.await.unwrap_err();
        assert!(matches!(error, FinalizerError::Add { .. }), "{error}");
        assert_eq!(finalizers(&api, "a").await, ["example.com/other"]);
    }

    #[tokio::test]
    async fn a_finalizer_of_a_deleted_object_does_not_touch_its_namesake(world: World) {
        let api = world.maps();
        for is_deleted in [false, true] {
            let mut old = world.create("a", "1").await;
            if is_deleted {
                old.metadata.finalizers = Some(vec![NAME.to_owned()]);
                old.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
            }
            world.delete("a").await;
            world.create("a", "2").await;
            let expected: &[String] = old.metadata.finalizers.as_deref().unwrap_or_default();
            let patch = Patch::Merge(json!({ "metadata": { "finalizers": expected } }));
            api.patch("a", &PatchParams::default(), &patch).await.unwrap();
            let expected = expected.to_vec();
            let stale = finalizer(&api, NAME, Arc::new(old), async |_| Ok::<_, Infallible>(()));
            let error = stale.await.unwrap_err();
            let is_refused = matches!(
                error,
                FinalizerError::Add { .. } | FinalizerError::Remove { .. }
            );
            assert!(is_refused, "{error}");
            assert_eq!(finalizers(&api, "a").await, expected);
            let none = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
            api.patch("a", &PatchParams::default(), &none).await.unwrap();
            world.delete("a").await;
        }
    }

    /// N-02.
    #[tokio::test]
    async fn n02_a_session_reads_what_it_has_written(world: World) {
        let factory = world.factory();
        let all = factory.informer::<ConfigMap>().lister();
        let selector = "app=selected".parse().unwrap();
        let selected = InformerOptions::<ConfigMap>::new().label_selector(selector);
        let selected = factory.informer_with(selected).lister();
        let session = Session::new(&factory).within(Duration::from_secs(60));
        sync(&factory).await;
        let maps = session.api::<ConfigMap>(&world.namespace);
        let mut map = ConfigMap::default();
        map.metadata.generate_name = Some("made-".to_owned());
        for round in 1..6 {
            let name = maps.create(&map).await.unwrap().name_any();
            let key = ObjectKey::namespaced(&world.namespace, &name);
            assert_eq!(session.read(&all).await.unwrap().len(), round);
            let view = session.read(&selected).await.unwrap();
            let left_out = view.left_out().iter().filter_map(OwnWrite::object::<ConfigMap>);
            assert!(left_out.map(|map| map.name_any()).any(|left_out| left_out == name));

            let params = PatchParams::apply("e2e").force();
            let patch = json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "labels": { "app": "selected" } },
            });
            maps.patch(&name, &params, &Patch::Apply(patch)).await.unwrap();
            assert!(session.read(&selected).await.unwrap().get_by_key(&key).is_some());
            let mut replaced = maps.kube().get(&name).await.unwrap();
            replaced.metadata.labels = None;
            replaced.metadata.finalizers = Some(vec![NAME.to_owned()]);
            maps.replace(&replaced).await.unwrap();
            assert!(session.read(&selected).await.unwrap().get_by_key(&key).is_none());
            let remaining = maps.delete(&name, &DeleteParams::default()).await.unwrap();
            assert!(remaining.is_some());
            let shown = session.read(&all).await.unwrap().get_by_key(&key).unwrap();
            assert!(shown.metadata.deletion_timestamp.is_some());
            let free = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
            maps.patch(&name, &PatchParams::default(), &free).await.unwrap();

            let kept = maps.create(&map).await.unwrap().name_any();
            let again = maps.create(&map).await.unwrap().name_any();
            let gone = maps.delete(&again, &DeleteParams::default()).await.unwrap();
            assert!(gone.is_none());
            let view = session.read(&all).await.unwrap();
            assert!(view.namespace(&world.namespace).get(&kept).is_some());
            assert!(view.namespace(&world.namespace).get(&again).is_none());
        }
        let everything = (DeleteParams::default(), ListParams::default().labels("app!=kept"));
        maps.delete_collection(&everything.0, &everything.1).await.unwrap();
        world.touch().await;
        factory.shutdown().await;
    }

    #[tokio::test]
    async fn a_lease_has_one_holder_and_passes_on_when_released(world: World) {
        let leases: Api<Lease> = Api::namespaced(world.client.clone(), &world.namespace);
        let first = within("the first", elector(&world, "first").acquire()).await.unwrap();
        let second = elector(&world, "second");
        let mut waiting = Box::pin(second.acquire());
        // Long enough for many attempts of both candidates.
        let many = tokio::time::timeout(Duration::from_millis(300), &mut waiting).await;
        assert!(many.is_err(), "two candidates lead");
        assert!(!first.is_lost());
        assert_eq!(holder(&leases).await, "first");

        let lost = first.lost();
        first.release().await;
        within("the end of the first", lost).await;
        let second = within("the second", waiting).await.unwrap();
        assert_eq!(holder(&leases).await, "second");
        let transitions = leases.get("operator").await.unwrap().spec.unwrap().lease_transitions;
        assert_eq!(transitions, Some(1));
        second.release().await;
        assert_eq!(holder(&leases).await, "");
    }

    #[tokio::test]
    async fn a_lease_taken_by_another_candidate_is_lost_and_left_alone(world: World) {
        let leases: Api<Lease> = Api::namespaced(world.client.clone(), &world.namespace);
        let ours = within("the lease", elector(&world, "ours").acquire()).await.unwrap();
        let patch = Patch::Merge(json!({ "spec": { "holderIdentity": "theirs" } }));
        leases.patch("operator", &PatchParams::default(), &patch).await.unwrap();
        within("the loss", ours.lost()).await;
        ours.release().await;
        assert_eq!(holder(&leases).await, "theirs");
    }

    /// K-26.
    #[tokio::test]
    async fn k26_a_candidate_without_permissions_waits_for_them(world: World) {
        let elector = LeaderElector::new(world.nobody.clone(), &world.namespace, "operator", "x")
            .retry_period(Duration::from_millis(20));
        let mut waiting = Box::pin(elector.acquire());
        let many = tokio::time::timeout(Duration::from_millis(300), &mut waiting).await;
        assert!(many.is_err(), "no right, and no lease");
        world.grant_nobody_names("leases", &["get", "create", "update"], &[]).await;
        let leadership = within("the lease", waiting).await.unwrap();
        leadership.release().await;
    }
}
