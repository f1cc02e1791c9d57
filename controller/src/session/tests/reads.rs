//! Writes of a session, and reads that have to show them.

use futures::FutureExt as _;
use informer_runtime::{InformerOptions, ObjectKey, Packed, ResourceInfo, SharedInformerFactory};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt as _};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::world::{World, child, map, object};
use crate::relations::OwnedObjects;
use crate::session::{Session, SessionError};
use crate::tests::server::{Lost, Server, Target};
use crate::tests::{secs, settled};

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("a", name)
}

/// Returns a config map whose name the server generates.
fn generated() -> ConfigMap {
    let mut generated = map("", "1");
    generated.metadata.name = None;
    generated.metadata.generate_name = Some("x-".to_owned());
    generated
}

/// Returns a patch of the label by which informers select.
fn label(value: &str) -> Value {
    json!({ "metadata": { "labels": { "app": value } } })
}

fn value_of(map: &ConfigMap) -> &str {
    map.data.as_ref().unwrap()["value"].as_str()
}

/// N-02. Each verb of the API is noted, and each read waits for it.
#[tokio::test(start_paused = true)]
async fn n02_a_read_shows_each_kind_of_write() {
    let (world, lister) = World::with_maps().await;
    world.server.delay(secs(2));
    let (api, session) = (&world.api, world.session.clone());
    let shown = async |name: &str| {
        let view = session.read(&lister).await.unwrap();
        view.get_by_key(&key(name)).map(|map| (*map).clone())
    };
    assert!(shown("x").await.is_none());

    world.create("x", "1").await;
    assert_eq!(value_of(&shown("x").await.unwrap()), "1");
    let generated = api.create(&generated()).await.unwrap();
    assert!(shown(&generated.name_any()).await.is_some());
    api.replace(&map("x", "2")).await.unwrap();
    assert_eq!(value_of(&shown("x").await.unwrap()), "2");
    let params = PatchParams::default();
    let patch = |value: &str| Patch::Merge(json!({ "data": { "value": value } }));
    api.patch("x", &params, &patch("3")).await.unwrap();
    assert_eq!(value_of(&shown("x").await.unwrap()), "3");
    let apply = Patch::Apply(json!({
        "apiVersion": "v1", "kind": "ConfigMap", "data": { "value": "4" },
    }));
    api.patch("x", &PatchParams::apply("test"), &apply)
        .await
        .unwrap();
    assert_eq!(value_of(&shown("x").await.unwrap()), "4");
    api.patch_status("x", &params, &patch("5")).await.unwrap();
    assert_eq!(value_of(&shown("x").await.unwrap()), "5");
    api.replace_status(&map("x", "6")).await.unwrap();
    assert_eq!(value_of(&shown("x").await.unwrap()), "6");
    api.patch_scale("x", &params, &patch("7")).await.unwrap();
    assert_eq!(value_of(&shown("x").await.unwrap()), "7");

    // With finalizers, a deletion is an update.
    let finalizers = |list: Value| json!({ "metadata": { "finalizers": list } });
    let held = finalizers(json!(["example.com/x"]));
    world.patch("x", held).await.unwrap();
    assert!(world.delete("x").await.unwrap().is_some());
    let remaining = shown("x").await.unwrap();
    assert!(remaining.metadata.deletion_timestamp.is_some());
    world.patch("x", finalizers(Value::Null)).await.unwrap();
    assert!(shown("x").await.is_none());
    world.create("x", "1").await;
    assert!(world.delete("x").await.unwrap().is_none());
    assert!(shown("x").await.is_none());

    world.create("y", "1").await;
    let all = (DeleteParams::default(), ListParams::default());
    api.delete_collection(&all.0, &all.1).await.unwrap();
    assert!(shown("y").await.is_none());
    assert_eq!(lister.len(), 0);
    assert_eq!(world.session.unseen().len(), 0);
}

/// Nothing waits for a write that changed nothing, was rejected, or was a dry run.
#[tokio::test(start_paused = true)]
async fn what_changed_nothing_is_not_noted() {
    let (world, lister) = World::with_maps().await;
    let api = &world.api;
    world.create("x", "1").await;
    world.session.read(&lister).await.unwrap();
    world.server.hold("configmaps");
    world.patch("x", json!({})).await.unwrap();
    api.create(&map("x", "1")).await.unwrap_err();
    world.delete("y").await.unwrap_err();
    let dry = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    let dry = api.clone().params(dry);
    dry.create(&map("z", "1")).await.unwrap();
    assert!(world.session.try_read(&lister).is_ok());
    // No informer of this type can be stale.
    let secret: Secret = object(json!({ "metadata": { "name": "x", "namespace": "a" } }));
    let secrets = world.session.api::<Secret>("a");
    secrets.create(&secret).await.unwrap();
    assert!(world.session.unseen().is_empty());
}

/// N-01. All readers of a type in all forms, each with its own watch.
#[tokio::test(start_paused = true)]
async fn n02_readers_of_each_form_and_storage_wait() {
    let world = World::new();
    let resource = ResourceInfo::of_type::<ConfigMap>();
    let typed = world.factory.informer::<ConfigMap>();
    let by_value = typed.add_index("value", |map: &ConfigMap| vec![value_of(map).to_owned()]);
    let by_value = by_value.unwrap();
    let packed = world.factory.stored_as::<Packed>().informer::<ConfigMap>();
    let dynamic = world.factory.dynamic(resource.clone()).lister();
    let metadata = world.factory.metadata(resource.clone()).lister();
    let several = InformerOptions::<ConfigMap>::new().namespaces(["a", "b"]);
    let several = world.factory.informer_with(several).lister();
    let children = OwnedObjects::<ConfigMap, Secret>::new(&resource, &world.factory);
    world.start().await;
    world.server.delay(secs(3));
    let session = &world.session;
    for number in 0..5 {
        let name = format!("x{number}");
        let owner = world.create(&name, &name).await;
        let meta = json!({ "generateName": "x-", "namespace": "a" });
        let secrets = session.api::<Secret>("a");
        secrets.create(&child(&owner, &meta)).await.unwrap();
        let (key, len) = (key(&name), number + 1);
        let lister = typed.lister();
        let of_namespace = lister.namespace("a");
        let view = session.read(&of_namespace).await.unwrap();
        assert!(view.get(&name).is_some());
        assert_eq!(session.read(&by_value).await.unwrap().get(&name).len(), 1);
        assert_eq!(session.read(&packed.lister()).await.unwrap().len(), len);
        let view = session.read(&dynamic).await.unwrap();
        assert!(view.get_by_key(&key).is_some());
        let view = session.read(&metadata).await.unwrap();
        assert!(view.snapshot().get(&key).is_some());
        let view = session.read(&several).await.unwrap();
        assert!(view.get_by_key(&key).is_some());
        assert_eq!(session.read(&children).await.unwrap().of(&owner).len(), 1);
        assert_eq!(session.read(&typed).await.unwrap().lister().len(), len);
    }
    assert!(session.unseen().is_empty());
}

/// A write that an informer leaves out never blocks: it is named, with its answer.
#[tokio::test(start_paused = true)]
async fn n02_what_selectors_and_scope_leave_out_does_not_block() {
    let (world, web) = World::with_web().await;
    let other = InformerOptions::<ConfigMap>::new().namespace("b");
    let other = world.factory.informer_with(other).lister();
    world.start().await;
    let session = &world.session;
    let created = world.create("x", "db").await;
    for lister in [&web, &other] {
        let view = session.read(lister).now_or_never();
        let view = view.expect("nothing to wait for").unwrap();
        assert_eq!(view.len(), 0);
        let [write] = view.left_out() else {
            panic!("{view:?}")
        };
        let uid = write.uid.as_ref().map(ToString::to_string);
        assert_eq!(uid, created.metadata.uid);
        assert_eq!(
            write.to_string(),
            "create of configmaps \"a/x\" at resourceVersion \"2\""
        );
    }
    // Into the selector: it has to be shown. Out of it: it has to go.
    world.server.hold("configmaps");
    world.patch("x", label("web")).await.unwrap();
    let missing = session.try_read(&web).unwrap_err();
    assert!(matches!(missing, SessionError::Unseen { .. }), "{missing}");
    world.server.release();
    assert_eq!(session.read(&web).await.unwrap().len(), 1);
    world.server.hold("configmaps");
    world.patch("x", label("db")).await.unwrap();
    session.try_read(&web).unwrap_err();
    world.server.release();
    assert_eq!(session.read(&web).await.unwrap().len(), 0);
    // The bookmarks of a watch that shows nothing bring the version.
    world.patch("x", label("other")).await.unwrap();
    assert_eq!(session.read(&web).await.unwrap().left_out().len(), 1);
    world.server.bookmark();
    settled().await;
    assert_eq!(session.read(&web).await.unwrap().left_out().len(), 0);
}

/// Without an answer, the object may match any selector.
#[tokio::test(start_paused = true)]
async fn n02_a_write_without_an_answer_may_match_a_selector() {
    let (world, web) = World::with_web().await;
    world.server.delay(secs(1));
    world.lost(world.api.create(&map("x", "web"))).await;
    assert_eq!(world.session.read(&web).await.unwrap().len(), 1);
    // A later write of an object that the cache will show: it has to go again.
    world.server.hold("configmaps");
    world.create("y", "web").await;
    world.delete("y").await.unwrap();
    world.session.try_read(&web).unwrap_err();
    world.server.release();
    assert_eq!(world.session.read(&web).await.unwrap().len(), 1);
}

/// The server's answer to the question tells that a selector leaves the object out: a watch that has
/// no event of the write is not waited for.
#[tokio::test(start_paused = true)]
async fn n02_what_was_lost_and_is_left_out_does_not_block() {
    let (world, web) = World::with_web().await;
    let unseen = async |count: usize| {
        let began = Instant::now();
        let view = world.session.read(&web).await.unwrap();
        assert_eq!(began.elapsed(), secs(0));
        assert_eq!((view.len(), view.left_out().len()), (0, count));
    };
    world.lost(world.api.create(&map("x", "db"))).await;
    unseen(1).await;
    let change = json!({ "data": { "value": "2" } });
    world.lost(world.patch("x", change)).await;
    unseen(1).await;
    world.lost(world.delete("x")).await;
    unseen(1).await;
    // Into the selector: the read waits, although later writes of the object are lost.
    world.create("y", "db").await;
    world.server.hold("configmaps");
    world.lost(world.patch("y", label("web"))).await;
    world.session.read(&web).await.unwrap_err();
    world.lost(world.delete("y")).await;
    world.session.read(&web).await.unwrap_err();
    world.server.release();
    assert_eq!(world.session.read(&web).await.unwrap().len(), 0);
}

/// A watch has no event of an object that takes the name of a deleted one outside of the selector.
#[tokio::test(start_paused = true)]
async fn n02_a_namesake_that_is_left_out_does_not_block() {
    let (world, web) = World::with_web().await;
    world.create("x", "web").await;
    assert_eq!(world.session.read(&web).await.unwrap().len(), 1);
    world.server.hold("configmaps");
    world.delete("x").await.unwrap();
    world.create("x", "db").await;
    world.session.try_read(&web).unwrap_err();
    world.server.release();
    let view = world.session.read(&web).await.unwrap();
    assert_eq!((view.len(), view.left_out().len()), (0, 1));
}

/// A deletion without an answer is shown when the object is gone, whatever the server's version is.
#[tokio::test(start_paused = true)]
async fn n02_a_lost_deletion_waits_for_no_bookmark() {
    let (world, lister) = World::with_maps().await;
    world.create("x", "1").await;
    world.lost(world.delete("x")).await;
    world.server.put("secrets", &key("other"), Some(json!({})));
    assert_eq!(world.session.read(&lister).await.unwrap().len(), 0);
    assert_eq!(world.session.unseen().len(), 0);
}

/// Of many writes without an answer, the server is asked once.
#[tokio::test(start_paused = true)]
async fn n02_many_lost_writes_are_one_question() {
    let (world, lister) = World::with_maps().await;
    for (count, questions) in [(3, 3), (20, 1)] {
        for number in 0..count {
            let map = map(&format!("x{count}-{number}"), "1");
            world.lost(world.api.create(&map)).await;
        }
        world.server.take_requests();
        world.session.read(&lister).await.unwrap();
        assert_eq!(world.server.take_requests().len(), questions);
    }
    assert_eq!(lister.len(), 23);
}

/// A field selector is evaluated on the answer.
#[tokio::test(start_paused = true)]
async fn what_a_field_selector_leaves_out_does_not_block() {
    let world = World::new();
    let field = |text: &str| InformerOptions::<Secret>::new().field_selector(text.parse().unwrap());
    let [one, opaque] = ["metadata.name=one", "type=Opaque"]
        .map(|selector| world.factory.informer_with(field(selector)).lister());
    world.start().await;
    let secret = |name: &str, kind: &str| -> Secret {
        object(json!({ "metadata": { "name": name, "namespace": "a" }, "type": kind }))
    };
    let api = world.session.api::<Secret>("a");
    api.create(&secret("two", "Opaque")).await.unwrap();
    world.server.hold("secrets");
    assert!(world.session.try_read(&one).is_ok());
    assert!(world.session.try_read(&opaque).is_err());
    api.create(&secret("one", "other")).await.unwrap();
    assert!(world.session.try_read(&one).is_err());
}

/// An error names what is missing where, after the time limit and not before.
#[tokio::test(start_paused = true)]
async fn n01_a_watch_that_never_delivers_is_an_error_by_name() {
    let (world, lister) = World::with_maps().await;
    world.server.hold("configmaps");
    world.create("x", "1").await;
    let began = Instant::now();
    let session = world.session.clone().within(secs(9));
    let error = session.read(&lister).await.unwrap_err();
    assert_eq!(began.elapsed(), secs(9));
    assert_eq!(
        error.to_string(),
        "writes of the session are not in the cache after 9 s: create of configmaps \"a/x\" at \
         resourceVersion \"2\" (informer \"configmaps.v1\" is at \"1\")"
    );
    let error = world.session.try_read(&lister).unwrap_err().to_string();
    assert!(error.starts_with("writes of the session are not in the cache yet: "));
    assert_eq!(world.session.unseen().len(), 1);
    // A read that was dropped has no effect.
    assert!(timeout(secs(1), world.session.read(&lister)).await.is_err());
    world.server.release();
    assert_eq!(world.session.read(&lister).await.unwrap().len(), 1);
    world.server.hold("configmaps");
    world.create("y", "1").await;
    let stop = async {
        settled().await;
        world.factory.shutdown().await;
    };
    let (read, ()) = tokio::join!(world.session.read(&lister), stop);
    assert!(
        matches!(read, Err(SessionError::Stopped { .. })),
        "{read:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn n01_versions_that_cannot_be_compared_are_an_error() {
    let (world, lister) = World::with_maps().await;
    world.server.hold("configmaps");
    world.server.use_opaque_versions();
    world.create("x", "1").await;
    let error = world.session.read(&lister).await.unwrap_err();
    assert!(
        matches!(error, SessionError::Incomparable { .. }),
        "{error}"
    );
}

/// A write without an answer is unknown: the server is asked, and its state is waited for.
#[tokio::test(start_paused = true)]
async fn n02_after_a_write_without_an_answer_the_server_is_asked() {
    for lost in [Lost::Request, Lost::Answer] {
        let (world, lister) = World::with_maps().await;
        let was_applied = lost == Lost::Answer;
        let unknown = async |write: &str| {
            world.server.hold("configmaps");
            world.server.lose(lost);
            let patch = json!({ "data": { "value": "2" } });
            let failed = match write {
                "create" => world.api.create(&map("x", "1")).await.map(drop),
                "patch" => world.patch("x", patch).await.map(drop),
                _ => world.delete("x").await.map(drop),
            };
            failed.unwrap_err();
            world.session.try_read(&lister).unwrap_err();
            world.server.take_requests();
            let read = world.session.read(&lister);
            let release = async {
                settled().await;
                world.server.release();
            };
            let (view, ()) = tokio::join!(read, release);
            let found = view.unwrap().get_by_key(&key("x"));
            let requests = world.server.take_requests();
            let asked =
                "GET /api/v1/namespaces/a/configmaps?&fieldSelector=metadata.name%3Dx&limit=1";
            assert_eq!(requests, [asked], "{write}");
            assert_eq!(world.session.unseen().len(), 0);
            found
        };
        assert_eq!(unknown("create").await.is_some(), was_applied);
        if !was_applied {
            world.create("x", "1").await;
            world.session.read(&lister).await.unwrap();
        }
        let patched = unknown("patch").await.unwrap();
        assert_eq!(value_of(&patched), if was_applied { "2" } else { "1" });
        assert_eq!(unknown("delete").await.is_none(), was_applied);
    }
}

/// A create with `generateName` has no name to ask for: the version of the whole list counts.
#[tokio::test(start_paused = true)]
async fn n02_a_generated_name_that_is_unknown_is_waited_for_by_version() {
    let (world, lister) = World::with_maps().await;
    world.server.delay(secs(1));
    world.lost(world.api.create(&generated())).await;
    assert_eq!(world.session.read(&lister).await.unwrap().len(), 1);
    // A future that is dropped leaves an unknown outcome too.
    world.server.delay(secs(100));
    let dropped = timeout(secs(0), world.api.create(&generated())).await;
    assert!(dropped.is_err());
    assert_eq!(world.session.unseen().len(), 1);
}

/// A cache of another factory is not known; its informer can be added.
#[tokio::test(start_paused = true)]
async fn an_informer_of_another_factory_can_be_added() {
    let world = World::new();
    let other = world.server.factory();
    let [own, foreign] = [&world.factory, &other].map(SharedInformerFactory::informer::<ConfigMap>);
    world.start().await;
    other.start().unwrap();
    other.wait_for_cache_sync().await.unwrap();
    world.server.hold("configmaps");
    world.create("x", "1").await;
    let error = world.session.try_read(&foreign).unwrap_err();
    assert!(matches!(error, SessionError::Foreign), "{error}");
    world.session.add_informer(&own);
    world.session.add_informer(&foreign);
    world.server.release();
    let view = world.session.read(&foreign).await.unwrap();
    assert_eq!(view.lister().len(), 1);
}

/// After a crash, the first list is not read from a watch cache that may lag.
#[tokio::test(start_paused = true)]
async fn n02_the_first_list_of_a_new_session_has_the_writes_of_the_dead_process() {
    let server = Server::new(0);
    server.freeze_watch_cache();
    let api: Api<ConfigMap> = Api::namespaced(server.client(), "a");
    let created = api.create(&PostParams::default(), &map("x", "1")).await;
    created.unwrap();
    let read = async |with_session: bool| {
        let factory = server.factory();
        let lister = factory.informer::<ConfigMap>().lister();
        server.take_requests();
        let session = with_session.then(|| Session::new(&factory));
        let early = factory.informer::<Secret>();
        factory.start().unwrap();
        factory.wait_for_cache_sync().await.unwrap();
        drop((session, early));
        let lists = server.take_requests();
        let at_zero = lists.iter().filter(|line| {
            line.contains("resourceVersion=0&") || line.ends_with("resourceVersion=0")
        });
        (lister.snapshot().get(&key("x")).is_some(), at_zero.count())
    };
    // The informer was created before the session.
    assert_eq!(read(true).await, (true, 0));
    assert_eq!(read(false).await, (false, 2));
}

/// A read that concerns no write looks at its caches once: whether they were listed.
#[tokio::test(start_paused = true)]
async fn a_read_without_unseen_writes_looks_only_whether_its_caches_were_listed() {
    let (world, lister) = World::with_maps().await;
    let reader = Counting(&lister, std::cell::Cell::new(0));
    world.create("x", "1").await;
    world.session.read(&reader).await.unwrap();
    let visits = reader.1.replace(0);
    assert!(visits > 1, "a write is unseen");
    // The read has found the write shown, which ends its note.
    for _ in 0..3 {
        world.session.read(&reader).await.unwrap();
        assert!(world.session.try_read(&reader).is_ok());
    }
    assert_eq!(reader.1.get(), 6, "one for each read");
}

/// Reader that counts the visits of its caches.
struct Counting<'a, R>(&'a R, std::cell::Cell<usize>);

impl<R: informer_runtime::lister::ReadsCaches> informer_runtime::lister::ReadsCaches
    for Counting<'_, R>
{
    fn visit_caches(&self, visit: &mut informer_runtime::lister::VisitCache<'_>) {
        self.1.set(self.1.get() + 1);
        self.0.visit_caches(visit);
    }
}

/// F-19. A cache that has not been listed seems to be empty, so a read waits for its list, or fails.
#[tokio::test(start_paused = true)]
async fn f19_a_read_waits_for_the_first_list() {
    let world = World::new();
    world.server.put(
        "configmaps",
        &key("x"),
        Some(serde_json::to_value(map("x", "1")).unwrap()),
    );
    let lister = world.factory.informer::<ConfigMap>().lister();
    let error = world.session.try_read(&lister).err().unwrap().to_string();
    let expected = "informer \"configmaps.v1\" has no first list yet: pending for 0 s";
    assert_eq!(error, expected);
    let refuses = |target: &Target| (target.resource == "configmaps").then_some((403, "Forbidden"));
    world.server.fail(refuses);
    world.factory.start().unwrap();
    let began = Instant::now();
    let error = world.session.read(&lister).await.err().unwrap().to_string();
    assert_eq!(began.elapsed(), secs(5));
    let expected = "informer \"configmaps.v1\" has no first list after 5 s: degraded for 5 s: \
                    forbidden: grant `list` and `watch` on it: ";
    assert!(error.starts_with(expected), "{error}");

    let later = async {
        tokio::time::sleep(secs(1)).await;
        world.server.fail(|_| None);
    };
    let patient = world.session.clone().within(secs(120));
    let (view, ()) = tokio::join!(patient.read(&lister), later);
    assert!(view.unwrap().get_by_key(&key("x")).is_some());
}
