//! Any sequence of writes, ends, faults, refusals and restores: each read ends, and is never stale.
//!
//! A read is stale if a cache shows a state of an object that is older than the session's last
//! write of it, and the view does not name the write. The server's history tells which states came
//! after the write.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

use informer_runtime::{InformerOptions, Lister, Object, ObjectKey};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PropagationPolicy};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::runs::{run_seed, runs};
use super::world::{World, object};
use crate::session::write::Concern;
use crate::session::{OwnWrite, Session, SessionApi};
use crate::tests::secs;
use crate::tests::server::{Lost, Server};

/// Time limit of a read.
const WITHIN: Duration = secs(5);
const NAMES: [&str; 3] = ["x0", "x1", "x2"];

/// Kind of objects, and their specification.
struct Kind {
    resource: &'static str,
    namespaces: &'static [&'static str],
    spec: Value,
}

/// Reader, and the part of the objects that it shows.
struct Reader<K: Object> {
    lister: Lister<K>,
    shows: fn(&Value) -> bool,
}

/// Session with its caches, and what it has written.
struct Run<K: Object> {
    world: World,
    kind: Kind,
    apis: BTreeMap<String, SessionApi<K>>,
    readers: Vec<Reader<K>>,
    /// Last change of each object by the session, in the server's history.
    own: BTreeMap<ObjectKey, Own>,
    rng: fastrand::Rng,
    /// Number of the next value.
    next: u32,
    /// Time until which no read is refused: a restored server is found first.
    calm: Instant,
    /// Number of objects that were compared with the history.
    compared: usize,
}

/// Last write of an object: its version, and later states that a restore has lost.
#[derive(Debug)]
struct Own {
    version: usize,
    lost: Vec<State>,
}

/// State of an object: uid, version and value. `None` if it does not exist, or is not shown.
type State = Option<(String, String, String)>;

fn key_of(object: &Value) -> ObjectKey {
    let meta = &object["metadata"];
    ObjectKey::new(meta["namespace"].as_str(), meta["name"].as_str().unwrap())
}

fn state_of(object: &Value) -> (String, String, String) {
    let meta = &object["metadata"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (
        text(&meta["uid"]),
        text(&meta["resourceVersion"]),
        text(&meta["labels"]["value"]),
    )
}

fn is_web(object: &Value) -> bool {
    object["metadata"]["labels"]["app"] == "web"
}

// === impl Run ===

impl<K> Run<K>
where
    K: Object<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned,
{
    async fn new(seed: usize, kind: Kind, api: impl Fn(&World, &str) -> Api<K>) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed as u64);
        let world = World::over(Server::new(rng.u64(..)));
        let factory = &world.factory;
        let with = |options: InformerOptions<K>, shows| Reader {
            lister: factory.informer_with(options).lister(),
            shows,
        };
        let of = InformerOptions::<K>::new;
        let mut readers = vec![
            with(of(), |_| true),
            with(of().label_selector("app=web".parse().unwrap()), is_web),
            with(
                of().field_selector("metadata.name=x0".parse().unwrap()),
                |object| object["metadata"]["name"] == "x0",
            ),
        ];
        if kind.namespaces != [""] {
            readers.push(with(of().namespaces(["a", "b"]), |_| true));
            readers.push(with(of().namespace("b"), |object| {
                object["metadata"]["namespace"] == "b"
            }));
        }
        world.start().await;
        world.server.delay(Duration::from_millis(rng.u64(0..1500)));
        let apis = kind.namespaces.iter().map(|namespace| {
            let api = world.session.over(api(&world, namespace));
            ((*namespace).to_owned(), api)
        });
        Self {
            apis: apis.collect(),
            calm: Instant::now(),
            own: BTreeMap::new(),
            compared: 0,
            next: 0,
            readers,
            world,
            kind,
            rng,
        }
    }

    fn session(&self) -> Session {
        self.world.session.clone().within(WITHIN)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.rng.usize(0..from.len())]
    }

    fn labels(&mut self) -> Value {
        self.next += 1;
        json!({ "app": self.pick(&["web", "db"]), "value": self.next.to_string() })
    }

    fn made(&mut self, name: Option<&str>) -> K {
        let mut meta = json!({ "labels": self.labels() });
        match name {
            Some(name) => meta["name"] = json!(name),
            None => meta["generateName"] = json!("g-"),
        }
        if self.rng.u8(0..4) == 0 {
            meta["finalizers"] = json!(["example.com/x"]);
        }
        object(json!({ "metadata": meta, "spec": self.kind.spec }))
    }

    fn deletion(&mut self) -> DeleteParams {
        let policy = match self.rng.u8(0..6) {
            0 => Some(PropagationPolicy::Foreground),
            1 => Some(PropagationPolicy::Orphan),
            2 => Some(PropagationPolicy::Background),
            _ => None,
        };
        DeleteParams {
            propagation_policy: policy,
            grace_period_seconds: (self.rng.u8(0..4) == 0).then_some(0),
            ..DeleteParams::default()
        }
    }

    /// Makes a write of the session, and notes what it has changed.
    async fn write(&mut self) {
        let (namespace, name) = (self.pick(self.kind.namespaces), self.pick(&NAMES));
        let api = self.apis[namespace].clone();
        let before = self.world.server.version();
        match self.rng.u8(0..12) {
            0 => self.world.server.lose(Lost::Request),
            1 => self.world.server.lose(Lost::Answer),
            _ => {}
        }
        let params = PatchParams::default();
        // The answers tell nothing that the history does not.
        match self.rng.u8(0..14) {
            0..=3 => drop(api.create(&self.made(Some(name))).await),
            4 => drop(api.create(&self.made(None)).await),
            5 | 6 => {
                let labels = json!({ "metadata": { "labels": self.labels() } });
                drop(api.patch(name, &params, &Patch::Merge(labels)).await);
            }
            7 => drop(api.patch(name, &params, &Patch::Merge(json!({}))).await),
            8 => {
                let none = json!({ "metadata": { "finalizers": null, "deletionGracePeriodSeconds": null } });
                drop(api.patch(name, &params, &Patch::Merge(none)).await);
            }
            9..=11 => drop(api.delete(name, &self.deletion()).await),
            _ => {
                let selector = self.pick(&["app=web", "app=db", "app"]);
                let list = ListParams::default().labels(selector);
                drop(api.delete_collection(&self.deletion(), &list).await);
            }
        }
        self.world.server.lose_nothing();
        for (version, _, changed) in self.world.server.changes_of(self.kind.resource) {
            if version > before {
                let lost = Vec::new();
                self.own.insert(key_of(&changed), Own { version, lost });
            }
        }
    }

    /// Makes a change of another client: the garbage collector, kubelet, a finalizer, a user.
    fn change(&mut self) {
        let resource = self.kind.resource;
        let objects = self.world.server.objects(resource);
        if objects.is_empty() {
            return;
        }
        let mut object = objects[self.rng.usize(0..objects.len())].clone();
        let key = key_of(&object);
        if !object["metadata"]["deletionTimestamp"].is_null() && self.rng.u8(0..3) > 0 {
            self.world.server.put(resource, &key, None);
            return;
        }
        if self.rng.u8(0..4) == 0 {
            self.world.server.put(resource, &key, None);
            object["metadata"] = json!({});
        }
        object["metadata"]["labels"] = self.labels();
        self.world.server.put(resource, &key, Some(object));
    }

    async fn disturb(&mut self) {
        let server = self.world.server.clone();
        match self.rng.u8(0..10) {
            0 | 1 => server.hold(self.kind.resource),
            2 | 3 => server.release(),
            4 => server.disconnect(),
            5 => server.compact(),
            6 => server.bookmark(),
            7 if Instant::now() < self.calm => {}
            7 => {
                let code = self.pick(&[401_u16, 403, 404, 503]);
                let of = self.pick(&[None, Some("b")]);
                let resource = self.kind.resource;
                server.fail(move |target| {
                    let is_named = target.selected_name().is_some_and(|name| name != "x0");
                    let fails = target.resource == resource && !is_named;
                    let fails = fails && (of.is_none() || target.namespace() == of);
                    fails.then_some((code, "Refused"))
                });
            }
            8 => server.fail(|_| None),
            _ => {
                server.fail(|_| None);
                server.release();
                let version = server.version();
                // More is lost than is written until the informers have found out.
                for number in 0..100 {
                    let key = ObjectKey::namespaced("a", &format!("noise{number}"));
                    server.put("leases", &key, Some(json!({})));
                }
                // An informer that has a watch asks at once whether the server is behind.
                sleep(secs(90)).await;
                server.bookmark();
                sleep(Duration::from_millis(self.rng.u64(0..3000))).await;
                let kept = version - self.rng.usize(0..version.min(20));
                let lost = server.changes_of(self.kind.resource);
                server.rewind_to(kept);
                self.own.retain(|_, own| own.version <= kept);
                for (version, verb, object) in lost {
                    if let Some(own) = self.own.get_mut(&key_of(&object))
                        && version > kept
                    {
                        own.lost
                            .push((verb != "DELETED").then(|| state_of(&object)));
                    }
                }
                self.calm = Instant::now() + secs(90);
            }
        }
    }

    /// Reads, and checks what is shown.
    async fn read(&mut self, must_succeed: bool) {
        let session = self.session();
        for number in 0..self.readers.len() {
            if !must_succeed && self.rng.bool() {
                continue;
            }
            let Reader { lister, shows } = &self.readers[number];
            let read = timeout(2 * WITHIN, session.read(lister)).await;
            let view = match read.expect("the read ends") {
                Ok(view) => view,
                Err(error) if must_succeed => {
                    let notes = session.shared.notes();
                    panic!("reader {number}: {error}: {notes:#?}")
                }
                Err(_) => continue,
            };
            let left_out = view.left_out();
            let history = self.world.server.changes_of(self.kind.resource);
            for (key, own) in &self.own {
                let is_named = |write: &OwnWrite| {
                    *write.namespace == *key.namespace().unwrap_or_default()
                        && write.name.as_deref().is_none_or(|name| name == key.name())
                };
                if left_out.iter().any(is_named) {
                    continue;
                }
                let entry = view.get_by_key(key);
                let found: State =
                    entry.map(|found| state_of(&serde_json::to_value(&*found).unwrap()));
                let later = history.iter().filter(|(version, _, object)| {
                    *version >= own.version && key_of(object) == *key
                });
                let later = later.map(|(_, verb, object)| -> State {
                    let is_shown = *verb != "DELETED" && shows(object);
                    is_shown.then(|| state_of(object))
                });
                let mut later = later.chain(own.lost.iter().cloned());
                let is_outside =
                    self.kind.namespaces != [""] && number == 4 && key.namespace() != Some("b");
                self.compared += 1;
                // What a selector showed in the lost history is not told.
                let may_be_lost = !own.lost.is_empty() && found.is_none();
                assert!(
                    is_outside || may_be_lost || later.any(|state| state == found),
                    "reader {number} shows {found:?} of {key}, after {own:?}: {:?}",
                    session.shared.notes()
                );
            }
        }
    }

    /// Ends all faults, and waits until everything is shown.
    async fn settle(&mut self) {
        let server = self.world.server.clone();
        server.fail(|_| None);
        server.release();
        server.delay(Duration::ZERO);
        for _ in 0..60 {
            sleep(secs(3)).await;
            server.bookmark();
        }
        self.read(true).await;
        // The server was asked about what was open until now.
        server.bookmark();
        sleep(secs(1)).await;
        self.read(true).await;
        let session = self.session();
        assert_eq!(session.unseen().len(), 0, "{session:?}");
        let concerns = self.own.keys().map(|key| Concern {
            of: self.kind.resource.into(),
            key: key.clone(),
        });
        let concerns: Vec<Concern> = concerns.collect();
        assert_eq!(
            session.shared.concerning(&concerns).len(),
            0,
            "keys are held"
        );
        assert_eq!(session.shared.notes(), [""; 0]);
    }
}

/// Plays a history, and returns the number of objects that were compared.
async fn any<K>(seed: usize, kind: Kind, api: impl Fn(&World, &str) -> Api<K>) -> usize
where
    K: Object<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned,
{
    let mut run = Run::new(seed, kind, api).await;
    for _ in 0..run.rng.usize(10..60) {
        match run.rng.u8(0..10) {
            0..=4 => run.write().await,
            5 => run.change(),
            6 => run.disturb().await,
            7 => sleep(Duration::from_millis(run.rng.u64(0..4000))).await,
            _ => run.read(false).await,
        }
    }
    run.settle().await;
    run.world.factory.shutdown().await;
    run.compared
}

fn namespaced<K>(world: &World, namespace: &str) -> Api<K>
where
    K: Object<DynamicType = (), Scope = NamespaceResourceScope>,
{
    Api::namespaced(world.server.client(), namespace)
}

fn cluster_wide<K: Object<DynamicType = ()>>(world: &World, _: &str) -> Api<K> {
    Api::all(world.server.client())
}

fn kind(resource: &'static str, namespaces: &'static [&'static str], spec: Value) -> Kind {
    Kind {
        resource,
        namespaces,
        spec,
    }
}

/// N-02, N-13, N-10, N-11, N-12.
#[test]
fn n02_no_read_is_stale_whatever_ends_or_fails() {
    let mut compared = 0;
    for seed in 0..runs() {
        run_seed(seed, async {
            compared += match seed % 4 {
                0 => {
                    let kind = kind("configmaps", &["a", "b"], Value::Null);
                    any::<ConfigMap>(seed, kind, namespaced).await
                }
                1 => {
                    let spec = json!({ "containers": [], "terminationGracePeriodSeconds": 30 });
                    any::<Pod>(seed, kind("pods", &["a", "b"], spec), namespaced).await
                }
                2 => {
                    let spec = json!({ "finalizers": ["kubernetes"] });
                    any::<Namespace>(seed, kind("namespaces", &[""], spec), cluster_wide).await
                }
                _ => {
                    let names = json!({ "plural": "things", "kind": "Thing" });
                    let spec = json!({ "group": "example.com", "names": names, "scope": "Namespaced", "versions": [] });
                    let kind = kind("customresourcedefinitions", &[""], spec);
                    any::<CustomResourceDefinition>(seed, kind, cluster_wide).await
                }
            };
        });
    }
    assert!(compared > 20 * runs(), "{compared} comparisons");
}
