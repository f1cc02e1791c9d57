//! Objects that controllers write for themselves: finalizers and leases.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use informer::finalizer::{FinalizerError, FinalizerStep};
use informer::leader_election::LeaderElector;
use informer::source::Encoding;
use informer::{Action, Controller, InformerOptions, ObjectKey, Session, finalizer};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt as _};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{World, map, named, scenarios};
use crate::support::{quick, sync, within};

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

fn definition(kind: &str) -> CustomResourceDefinition {
    let schema = json!({ "openAPIV3Schema": { "type": "object" } });
    let version = json!({ "name": "v1", "served": true, "storage": true, "schema": schema });
    serde_json::from_value(json!({
        "metadata": { "name": format!("{kind}s.example.com") },
        "spec": {
            "group": "example.com", "scope": "Namespaced", "versions": [version],
            "names": { "plural": format!("{kind}s"), "singular": kind, "kind": format!("K{kind}") },
        },
    }))
    .unwrap()
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

    /// K-35. The object leaves the selector of the informer: its key is not in the cache, but it exists.
    #[tokio::test]
    async fn k35_an_object_that_left_the_selector_is_cleaned_up_and_loses_its_finalizer(world: World) {
        let api = world.maps();
        let factory = world.factory();
        let selector = "app=selected".parse().unwrap();
        let selected = InformerOptions::<ConfigMap>::new().label_selector(selector);
        let selected = factory.informer_with(selected);
        let lister = selected.lister();
        sync(&factory).await;
        let (steps, mut taken) = mpsc::channel(16);
        let ended = CancellationToken::new();
        let controller = Controller::new("selected", &selected);
        let controller = controller.shutdown_on(ended.clone().cancelled_owned());
        let context = Arc::new((api.clone(), lister, steps));
        let mut tasks = JoinSet::new();
        tasks.spawn(controller.run_keys(context, |key: ObjectKey, context| async move {
            let (api, lister, steps) = &*context;
            let step = async |step| {
                let name = match step {
                    FinalizerStep::Apply(_) => "apply",
                    FinalizerStep::Cleanup(_) => "cleanup",
                };
                steps.send(name).await.map_err(io::Error::other)
            };
            match lister.get_by_key(&key) {
                Some(object) => finalizer(api, NAME, object, step).await,
                None => finalizer::release(api, NAME, &key, step).await,
            }
        }));
        world.create("a", "1").await;
        let label = |app: Option<&str>| {
            Patch::Merge(json!({ "metadata": { "labels": { "app": app } } }))
        };
        api.patch("a", &PatchParams::default(), &label(Some("selected"))).await.unwrap();
        let first = within("the first step", taken.recv()).await;
        assert_eq!(first, Some("apply"));
        api.patch("a", &PatchParams::default(), &label(None)).await.unwrap();
        let cleaned = async { while taken.recv().await != Some("cleanup") {} };
        within("the clean-up", cleaned).await;
        ended.cancel();
        within("the controller", tasks.join_next()).await.unwrap().unwrap().unwrap();
        assert!(finalizers(&api, "a").await.is_empty());
        world.delete("a").await;
        assert!(api.get_opt("a").await.unwrap().is_none());

        // An object that is gone, and one without the finalizer, are left alone.
        let key = ObjectKey::namespaced(&world.namespace, "a");
        let unused = async |_: FinalizerStep<ConfigMap>| Err::<(), _>(io::Error::other("called"));
        let gone = finalizer::release(&api, NAME, &key, unused).await;
        assert_eq!(gone.unwrap(), Action::Done);
        world.create("a", "2").await;
        let foreign = finalizer::release(&api, NAME, &key, unused).await;
        assert_eq!(foreign.unwrap(), Action::Done);
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
            let mut left_out = view.left_out().iter().filter_map(|write| write.name.as_deref());
            assert!(left_out.any(|left_out| left_out == name));

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
        factory.shutdown().await;
    }

    /// N-12. Other resources move the version of the store, which the watch of the config maps
    /// reaches with its next bookmark.
    #[tokio::test]
    async fn n12_a_session_reads_after_the_deletion_of_a_collection(world: World) {
        let factory = world.factory();
        let all = factory.informer::<ConfigMap>().lister();
        let session = Session::new(&factory).within(Duration::from_secs(20));
        sync(&factory).await;
        let maps = session.api::<ConfigMap>(&world.namespace);
        for (name, app) in [("a", "web"), ("b", "web"), ("kept", "db")] {
            let mut map = map(name, "1");
            map.metadata.labels = Some([("app".to_owned(), app.to_owned())].into());
            if name == "b" {
                map.metadata.finalizers = Some(vec![NAME.to_owned()]);
            }
            maps.create(&map).await.unwrap();
        }
        let web = ListParams::default().labels("app=web");
        maps.delete_collection(&DeleteParams::default(), &web).await.unwrap();
        for _ in 0..3 {
            world.touch().await;
        }
        let view = session.read(&all).await.unwrap();
        let shown = view.namespace(&world.namespace);
        assert!(shown.get("a").is_none() && shown.get("kept").is_some());
        assert!(shown.get("b").unwrap().metadata.deletion_timestamp.is_some());
        let free = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
        maps.patch("b", &PatchParams::default(), &free).await.unwrap();
        let nothing = ListParams::default().labels("app=none");
        maps.delete_collection(&DeleteParams::default(), &nothing).await.unwrap();
        world.touch().await;
        let view = session.read(&all).await.unwrap();
        assert!(view.namespace(&world.namespace).get("b").is_none());
        factory.shutdown().await;
    }

    /// N-11. A namespace ends by finalizers of its specification, and a definition by rules of its own.
    #[tokio::test]
    async fn n11_a_session_reads_the_deletion_of_a_namespace_and_of_a_definition(world: World) {
        let factory = world.builder(quick()).build().unwrap();
        let namespaces = factory.informer::<Namespace>().lister();
        let definitions = factory.informer::<CustomResourceDefinition>().lister();
        let session = Session::new(&factory).within(Duration::from_secs(20));
        sync(&factory).await;
        let name = format!("{}-ends", world.namespace);
        let api = session.over(Api::<Namespace>::all(world.client.clone()));
        let namespace = Namespace { metadata: named(&name), ..Namespace::default() };
        api.create(&namespace).await.unwrap();
        let inside: Api<ConfigMap> = Api::namespaced(world.client.clone(), &name);
        let mut held = map("held", "1");
        held.metadata.finalizers = Some(vec![NAME.to_owned()]);
        inside.create(&PostParams::default(), &held).await.unwrap();
        assert!(api.delete(&name, &DeleteParams::default()).await.unwrap().is_some());
        let is_marked = |found: Option<Arc<Namespace>>| {
            found.is_some_and(|found| found.metadata.deletion_timestamp.is_some())
        };
        let key = ObjectKey::cluster(&name);
        let view = session.read(&namespaces).await.unwrap();
        assert!(is_marked(view.get_by_key(&key)));
        let label = Patch::Merge(json!({ "metadata": { "labels": { "a": "b" } } }));
        api.patch(&name, &PatchParams::default(), &label).await.unwrap();
        let view = session.read(&namespaces).await.unwrap();
        assert!(is_marked(view.get_by_key(&key)));

        let api = session.over(Api::<CustomResourceDefinition>::all(world.client.clone()));
        api.create(&definition(&world.namespace)).await.unwrap();
        let plural = format!("{}s.example.com", world.namespace);
        api.delete(&plural, &DeleteParams::default()).await.unwrap();
        let view = session.read(&definitions).await.unwrap();
        let found = view.get_by_key(&ObjectKey::cluster(&plural));
        assert!(found.is_none_or(|found| found.metadata.deletion_timestamp.is_some()));
        let free = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
        inside.patch("held", &PatchParams::default(), &free).await.unwrap();
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
