//! Deletions of each kind, informers that cannot show a write, and servers that were restored.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use informer_runtime::{InformerOptions, Lister, Object, ObjectKey, Typed};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PropagationPolicy};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::world::{World, map, object};
use crate::controller::Controller;
use crate::session::{Session, SessionApi, SessionError, View};
use crate::tests::{secs, settled};
use crate::workqueue::Action;

type Versions = BTreeMap<ObjectKey, String>;

/// Returns the view of a read that does not wait: the paused clock stands still.
async fn at_once<'l, K: Object>(
    session: &Session,
    lister: &'l Lister<K, Typed>,
) -> View<'l, Lister<K, Typed>> {
    let began = Instant::now();
    let view = session.read(lister).await.unwrap();
    assert_eq!(began.elapsed(), secs(0), "the read has waited");
    view
}

fn shown<K: Object>(lister: &Lister<K, Typed>) -> Versions {
    let snapshot = lister.snapshot();
    let versions = snapshot
        .entries()
        .map(|entry| (entry.key.clone(), entry.resource_version.to_string()));
    versions.collect()
}

fn stored(world: &World, resource: &str) -> Versions {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let objects = world.server.objects(resource).into_iter();
    let versions = objects.map(|object| {
        let meta = &object["metadata"];
        let key = ObjectKey::new(meta["namespace"].as_str(), &text(&meta["name"]));
        (key, text(&meta["resourceVersion"]))
    });
    versions.collect()
}

/// Way to delete an object, and whether it remains for now.
struct End {
    object: Value,
    params: DeleteParams,
    remains: bool,
}

/// Returns each end of an object of a kind, whose `spec` is given.
fn ends(spec: &Value, remains: bool) -> Vec<End> {
    let of = |finalizers: &[&str], policy: Option<PropagationPolicy>, grace| End {
        object: json!({ "metadata": { "name": "x", "finalizers": finalizers }, "spec": spec }),
        remains: remains && grace != Some(0) || !finalizers.is_empty() || keeps(policy.as_ref()),
        params: DeleteParams {
            propagation_policy: policy,
            grace_period_seconds: grace,
            ..DeleteParams::default()
        },
    };
    vec![
        of(&[], None, None),
        of(&[], None, Some(0)),
        of(&["example.com/x"], None, None),
        of(&[], Some(PropagationPolicy::Background), None),
        of(&[], Some(PropagationPolicy::Foreground), None),
        of(&[], Some(PropagationPolicy::Orphan), None),
    ]
}

/// Reports whether the object of a deletion remains until the garbage collector has worked.
fn keeps(policy: Option<&PropagationPolicy>) -> bool {
    matches!(
        policy,
        Some(PropagationPolicy::Foreground | PropagationPolicy::Orphan)
    )
}

/// Deletes an object in each way, by its name and with its collection, and reads after each step.
async fn each_end<K>(resource: &str, ends: Vec<End>, api: impl Fn(&World) -> SessionApi<K>)
where
    K: Object<DynamicType = ()> + Clone + std::fmt::Debug + Serialize + DeserializeOwned,
{
    for (
        number,
        End {
            object: made,
            params,
            remains,
        },
    ) in ends.into_iter().enumerate()
    {
        for of_collection in [false, true] {
            let world = World::new();
            let lister = world.factory.informer::<K>().lister();
            world.start().await;
            let (session, api) = (&world.session, api(&world));
            let what = format!("{resource} {number} {of_collection}");
            api.create(&object(made.clone())).await.unwrap();
            at_once(session, &lister).await;
            if of_collection {
                api.delete_collection(&params, &ListParams::default())
                    .await
                    .unwrap();
            } else {
                let answer = api.delete("x", &params).await.unwrap();
                assert_eq!(answer.is_some(), remains, "{what}");
            }
            // What is deleted by rules of its own, with others, is asked for when it does not end.
            let of_its_own = of_collection && resource == "customresourcedefinitions";
            let began = Instant::now();
            let view = session.read(&lister).await.unwrap();
            assert!(began.elapsed() == secs(0) || of_its_own, "{what}");
            assert_eq!(view.len(), usize::from(remains), "{what}");
            assert_eq!(shown(&view), stored(&world, resource), "{what}");
            if remains {
                let label = Patch::Merge(json!({ "metadata": { "labels": { "a": "b" } } }));
                api.patch("x", &PatchParams::default(), &label)
                    .await
                    .unwrap();
                let view = at_once(session, &lister).await;
                assert_eq!(shown(&view), stored(&world, resource), "{what}");
                let end = json!({ "metadata": { "finalizers": null, "deletionGracePeriodSeconds": null }, "spec": { "finalizers": null } });
                api.patch("x", &PatchParams::default(), &Patch::Merge(end))
                    .await
                    .unwrap();
                assert_eq!(at_once(session, &lister).await.len(), 0, "{what}");
            }
            assert_eq!(session.unseen().len(), 0, "{what}");
        }
    }
}

fn namespaced<K>(world: &World) -> SessionApi<K>
where
    K: Object<DynamicType = (), Scope = NamespaceResourceScope>,
{
    world.session.api("a")
}

fn cluster_wide<K: Object<DynamicType = ()>>(world: &World) -> SessionApi<K> {
    world.session.over(Api::all(world.server.client()))
}

#[tokio::test(start_paused = true)]
async fn n11_a_read_shows_each_end_of_a_config_map() {
    each_end::<ConfigMap>("configmaps", ends(&Value::Null, false), namespaced).await;
}

#[tokio::test(start_paused = true)]
async fn n11_a_read_shows_each_end_of_a_pod_with_a_grace_period() {
    let spec = json!({ "containers": [], "terminationGracePeriodSeconds": 30 });
    each_end::<Pod>("pods", ends(&spec, true), namespaced).await;
}

/// A namespace remains until its finalizers of the specification are removed.
#[tokio::test(start_paused = true)]
async fn n11_a_read_shows_each_end_of_a_namespace() {
    let mut ends = ends(&json!({ "finalizers": ["kubernetes"] }), true);
    for end in &mut ends {
        end.remains = true;
    }
    each_end::<Namespace>("namespaces", ends, cluster_wide).await;
}

#[tokio::test(start_paused = true)]
async fn n11_a_read_shows_each_end_of_a_definition() {
    let names = json!({ "plural": "things", "kind": "Thing" });
    let spec =
        json!({ "group": "example.com", "names": names, "scope": "Namespaced", "versions": [] });
    let mut ends = ends(&spec, true);
    for end in &mut ends {
        end.remains = true;
    }
    each_end::<CustomResourceDefinition>("customresourcedefinitions", ends, cluster_wide).await;
}

/// Something else is written to the store all the time, so that the resource never reaches its version.
async fn busy(world: &World) {
    for number in 0..3 {
        let key = ObjectKey::namespaced("a", &format!("noise{number}"));
        world.server.put("leases", &key, Some(json!({})));
    }
    settled().await;
}

/// N-12. Whatever the answer to the deletion of a collection is.
#[tokio::test(start_paused = true)]
async fn n12_the_deletion_of_a_collection_waits_for_no_version_of_the_store() {
    for answer in ["list", "status", "none"] {
        let (world, lister) = World::with_maps().await;
        for (name, value) in [("x", "web"), ("y", "web"), ("z", "db")] {
            world.create(name, value).await;
        }
        at_once(&world.session, &lister).await;
        if answer == "status" {
            world.server.answer_with_status();
        }
        let selected = ListParams::default().labels("app=web");
        let params = DeleteParams::default();
        let deletion = world.api.delete_collection(&params, &selected);
        if answer == "none" {
            world.lost(deletion).await;
        } else {
            deletion.await.unwrap();
        }
        busy(&world).await;
        let view = at_once(&world.session, &lister).await;
        assert_eq!(view.len(), 1, "{answer}");
        // An event of the watch ends what is noted.
        world.create("after", "1").await;
        busy(&world).await;
        at_once(&world.session, &lister).await;
        assert_eq!(world.session.unseen().len(), 0, "{answer}");
    }
}

/// N-12. The deletion is waited for, by each cache, whatever it holds.
#[tokio::test(start_paused = true)]
async fn n12_a_cache_that_lags_shows_the_deletion_of_a_collection() {
    for answer in ["list", "status", "none"] {
        let (world, lister) = World::with_maps().await;
        let selector = "app=web".parse().unwrap();
        let web = InformerOptions::<ConfigMap>::new().label_selector(selector);
        let web = world.factory.informer_with(web).lister();
        world.start().await;
        world.create("x", "web").await;
        world.create("y", "db").await;
        world.session.read(&lister).await.unwrap();
        world.session.read(&web).await.unwrap();
        world.server.hold("configmaps");
        world.create("late", "web").await;
        if answer == "status" {
            world.server.answer_with_status();
        }
        let params = DeleteParams::default();
        let everything = ListParams::default();
        let deletion = world.api.delete_collection(&params, &everything);
        if answer == "none" {
            world.lost(deletion).await;
        } else {
            deletion.await.unwrap();
        }
        for lister in [&lister, &web] {
            world.session.try_read(lister).unwrap_err();
        }
        let release = async {
            settled().await;
            busy(&world).await;
            world.server.release();
        };
        let (all, selected, ()) = tokio::join!(
            world.session.read(&lister),
            world.session.read(&web),
            release
        );
        assert_eq!(
            (all.unwrap().len(), selected.unwrap().len()),
            (0, 0),
            "{answer}"
        );
    }
}

/// N-12. A create whose generated name is not known.
#[tokio::test(start_paused = true)]
async fn n12_a_lost_create_with_a_generated_name_waits_for_no_version_of_the_store() {
    let (world, lister) = World::with_maps().await;
    let mut generated = map("", "1");
    generated.metadata.name = None;
    generated.metadata.generate_name = Some("x-".to_owned());
    for round in 1..4 {
        world.lost(world.api.create(&generated)).await;
        busy(&world).await;
        assert_eq!(at_once(&world.session, &lister).await.len(), round);
        assert_eq!(world.session.unseen().len(), 0);
    }
    // Many at once are one question for each page of the list.
    for _ in 0..20 {
        world.lost(world.api.create(&generated)).await;
    }
    world.server.take_requests();
    assert_eq!(at_once(&world.session, &lister).await.len(), 23);
    assert_eq!(world.server.take_requests().len(), 1);
}

/// N-12. A deletion without an answer of an object that no cache has shown.
#[tokio::test(start_paused = true)]
async fn n12_a_lost_deletion_of_an_unknown_object_waits_for_no_version_of_the_store() {
    let (world, lister) = World::with_maps().await;
    world.server.hold("configmaps");
    let key = ObjectKey::namespaced("a", "x");
    world.server.put("configmaps", &key, Some(json!({})));
    world.lost(world.delete("x")).await;
    busy(&world).await;
    assert_eq!(at_once(&world.session, &lister).await.len(), 0);
    world.server.release();
    busy(&world).await;
    assert_eq!(at_once(&world.session, &lister).await.len(), 0);
}

/// Refuses reads of config maps in a namespace.
fn refuse(world: &World, namespace: &'static str, code: u16) {
    world.server.fail(move |target| {
        let is_refused = target.resource == "configmaps" && target.namespace() == Some(namespace);
        is_refused.then_some((code, "Refused"))
    });
}

/// N-13, F-22. A namespace that an informer may not list delays neither reads nor keys.
#[tokio::test(start_paused = true)]
async fn n13_a_write_into_a_forbidden_namespace_is_left_out() {
    for code in [403, 404] {
        let world = World::new();
        refuse(&world, "b", code);
        let both = InformerOptions::<ConfigMap>::new().namespaces(["a", "b"]);
        let both = world.factory.informer_with(both).lister();
        world.factory.start().unwrap();
        tokio::time::sleep(secs(5)).await;
        let api = world.session.api::<ConfigMap>("b");
        let mut other = map("x", "1");
        other.metadata.namespace = None;
        api.create(&other).await.unwrap();
        world.create("x", "1").await;
        let view = at_once(&world.session, &both).await;
        let left_out: Vec<_> = view.left_out().iter().map(ToString::to_string).collect();
        assert_eq!(
            left_out,
            ["create of configmaps \"b/x\" at resourceVersion \"2\""],
            "{code}"
        );
        assert_eq!(view.len(), 1);
        assert_eq!(world.session.unseen().len(), 0);
        // When it is granted, the cache shows what was left out.
        world.server.fail(|_| None);
        tokio::time::sleep(secs(90)).await;
        let view = at_once(&world.session, &both).await;
        assert_eq!((view.len(), view.left_out().len()), (2, 0));
    }
}

/// N-13. An informer that may not list holds no key of a controller over another one.
#[tokio::test(start_paused = true)]
async fn n13_an_informer_that_cannot_show_a_write_holds_no_key() {
    let world = World::new();
    let maps = world.factory.informer::<ConfigMap>();
    refuse(&world, "a", 403);
    let refused = world
        .factory
        .informer_with(InformerOptions::<ConfigMap>::new().namespace("a"));
    world.create("x", "none").await;
    world.factory.start().unwrap();
    maps.wait_for_sync().await.unwrap();
    // Neither does one that was never started.
    let other = world.server.factory();
    let idle = other.informer::<ConfigMap>();
    world.session.add_informer(&idle);
    let calls = Arc::new(AtomicUsize::new(0));
    let api = world.api.clone();
    let controller = Controller::new("maps", &maps)
        .starts_without(&refused)
        .starts_without(&idle);
    let run = controller.session(&world.session).run(
        Arc::clone(&calls),
        move |_, calls: Arc<AtomicUsize>| {
            let api = api.clone();
            async move {
                tokio::time::sleep(secs(1)).await;
                let value = calls.fetch_add(1, Ordering::Relaxed).to_string();
                let patch = Patch::Merge(json!({ "data": { "value": value } }));
                let patched = api.patch("x", &PatchParams::default(), &patch).await;
                patched.map_err(io::Error::other)?;
                Ok::<_, io::Error>(Action::Done)
            }
        },
    );
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { run.await.unwrap() });
    tokio::time::sleep(secs(20)).await;
    let calls = calls.load(Ordering::Relaxed);
    assert!(calls >= 19, "{calls} calls");
    tasks.shutdown().await;
}

/// N-13. A right that is revoked: within the time limit, the read waits for it to come back.
#[tokio::test(start_paused = true)]
async fn n13_a_cache_whose_right_was_revoked_is_waited_for_once() {
    let (world, lister) = World::with_maps().await;
    world.create("x", "1").await;
    at_once(&world.session, &lister).await;
    world
        .server
        .fail(|target| (target.resource == "configmaps").then_some((403, "Forbidden")));
    world.server.compact();
    tokio::time::sleep(secs(5)).await;
    let patch = async |value: &str| {
        let patch = json!({ "data": { "value": value } });
        world.patch("x", patch).await.unwrap();
    };
    patch("2").await;
    let began = Instant::now();
    let view = world.session.read(&lister).await.unwrap();
    assert_eq!((began.elapsed(), view.left_out().len()), (secs(5), 1));
    patch("3").await;
    assert_eq!(at_once(&world.session, &lister).await.left_out().len(), 1);
    // A refusal of a moment, such as that of a server which has not loaded its roles yet.
    world.server.fail(|_| None);
    tokio::time::sleep(secs(90)).await;
    assert_eq!(at_once(&world.session, &lister).await.left_out().len(), 0);
    world
        .server
        .fail(|target| (target.resource == "configmaps").then_some((403, "Forbidden")));
    world.server.compact();
    tokio::time::sleep(secs(5)).await;
    patch("4").await;
    let session = world.session.clone().within(secs(120));
    let grant = async {
        settled().await;
        world.server.fail(|_| None);
    };
    let (view, ()) = tokio::join!(session.read(&lister), grant);
    let view = view.unwrap();
    let found = view.get_by_key(&ObjectKey::namespaced("a", "x")).unwrap();
    assert_eq!(found.data.as_ref().unwrap()["value"], "4");
    assert_eq!(view.left_out().len(), 0);
}

/// N-10. The server does not know of the writes any more, and its version is far behind them.
#[tokio::test(start_paused = true)]
async fn n10_writes_that_a_restore_has_lost_are_not_waited_for() {
    for is_deletion in [false, true] {
        let (world, lister) = World::with_maps().await;
        world.create("x", "1").await;
        world.create("y", "1").await;
        at_once(&world.session, &lister).await;
        let backup = world.server.version();
        world.server.hold("configmaps");
        for value in 2..30 {
            let patch = json!({ "data": { "value": value.to_string() } });
            world.patch("x", patch).await.unwrap();
        }
        world.create("z", "1").await;
        if is_deletion {
            world.delete("x").await.unwrap();
            world.delete("y").await.unwrap();
        }
        world.server.rewind_to(backup);
        world.server.release();
        tokio::time::sleep(secs(60)).await;
        let view = world.session.read(&lister).await.unwrap();
        assert_eq!(shown(&view), stored(&world, "configmaps"));
        at_once(&world.session, &lister).await;
        assert_eq!(world.session.unseen().len(), 0);
    }
}

/// N-10. A cache of the history that was lost has a later version than the writes after the restore.
#[tokio::test(start_paused = true)]
async fn n10_a_read_shows_the_writes_after_a_restore() {
    let (world, lister) = World::with_maps().await;
    world.create("x", "1").await;
    let backup = world.server.version();
    for name in 0..20 {
        world.create(&format!("lost{name}"), "1").await;
    }
    at_once(&world.session, &lister).await;
    world.server.rewind_to(backup);
    world.create("y", "1").await;
    let patch = json!({ "data": { "value": "2" } });
    world.patch("x", patch).await.unwrap();
    world.lost(world.api.create(&map("z", "1"))).await;
    let session = world.session.clone().within(secs(120));
    let view = session.read(&lister).await.unwrap();
    assert_eq!(shown(&view), stored(&world, "configmaps"));
    assert_eq!(world.session.unseen().len(), 0);
}

/// A patch that changed nothing has an old version, in any cache.
#[tokio::test(start_paused = true)]
async fn n10_a_write_that_changed_nothing_is_no_sign_of_a_restore() {
    let (world, lister) = World::with_maps().await;
    world.create("x", "1").await;
    world.create("y", "1").await;
    at_once(&world.session, &lister).await;
    world.patch("x", json!({})).await.unwrap();
    at_once(&world.session, &lister).await;
    assert_eq!(world.session.unseen().len(), 0);
}

/// Notes without an informer that could show them are bounded.
#[tokio::test(start_paused = true)]
async fn n13_what_no_cache_can_show_takes_no_memory_for_each_write() {
    let world = World::new();
    refuse(&world, "a", 403);
    let selector = "app=web".parse().unwrap();
    let web = InformerOptions::<ConfigMap>::new()
        .namespace("a")
        .label_selector(selector);
    let web = world.factory.informer_with(web).lister();
    world.factory.start().unwrap();
    tokio::time::sleep(secs(5)).await;
    for number in 0..10_000 {
        let name = format!("x{number}");
        world
            .create(&name, if number % 2 == 0 { "web" } else { "db" })
            .await;
        world
            .server
            .put("configmaps", &ObjectKey::namespaced("a", &name), None);
        if number % 100 == 0 {
            world.server.forget();
        }
    }
    // A cache that was never listed is not read, and keeps no note for each write.
    let error = world.session.try_read(&web).err().unwrap();
    assert!(matches!(error, SessionError::NotListed { .. }), "{error}");
    let notes = world.session.shared.notes().len();
    assert!(notes < 5_000, "{notes} notes");
    assert_eq!(world.session.unseen().len(), 0);
    // What is granted later is read as it is.
    world.server.fail(|_| None);
    world.create("last", "web").await;
    tokio::time::sleep(secs(90)).await;
    let view = at_once(&world.session, &web).await;
    assert_eq!(shown(&view).len(), 1);
    world.server.bookmark();
    settled().await;
    assert_eq!(at_once(&world.session, &web).await.left_out().len(), 0);
}

/// The path of a selectable field is not always that of the JSON.
#[tokio::test(start_paused = true)]
async fn n02_a_field_that_json_has_under_another_name_is_asked_for() {
    let world = World::new();
    let of = |text: &str| InformerOptions::<Job>::new().field_selector(text.parse().unwrap());
    let [done, open] = ["status.successful=1", "status.successful=0"]
        .map(|selector| world.factory.informer_with(of(selector)).lister());
    world.start().await;
    let api = world.session.api::<Job>("a");
    let job = |succeeded: u32| -> Job {
        let meta = json!({ "name": "x", "namespace": "a" });
        object(json!({ "metadata": meta, "status": { "succeeded": succeeded } }))
    };
    world.server.hold("jobs");
    api.create(&job(1)).await.unwrap();
    let release = async {
        settled().await;
        world.server.release();
    };
    let (view, ()) = tokio::join!(world.session.read(&done), release);
    assert_eq!(view.unwrap().len(), 1);
    let view = at_once(&world.session, &open).await;
    assert_eq!((view.len(), view.left_out().len()), (0, 1));
    api.replace(&job(0)).await.unwrap();
    assert_eq!(at_once(&world.session, &done).await.len(), 0);
    assert_eq!(at_once(&world.session, &open).await.len(), 1);
}

/// N-01. One version that cannot be compared does not make the read of another write succeed.
#[tokio::test(start_paused = true)]
async fn n01_versions_that_cannot_be_compared_stay_an_error_at_the_time_limit() {
    let (world, lister) = World::with_maps().await;
    world.server.hold("configmaps");
    world.create("x", "1").await;
    world.server.use_opaque_versions();
    world.create("y", "1").await;
    let error = world.session.read(&lister).await.unwrap_err();
    assert!(
        matches!(
            error,
            SessionError::Unseen { .. } | SessionError::Incomparable { .. }
        ),
        "{error}"
    );
}
