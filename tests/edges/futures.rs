//! Public futures are small.
//!
//! A function of a user that awaits a future holds it, often twice, and a debug build copies it from
//! frame to frame on a stack of 2 MiB. Types tell the sizes: no future is made here.

#![expect(
    clippy::large_futures,
    clippy::large_stack_arrays,
    reason = "the subject of these tests"
)]

use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use informer_controller::finalizer::FinalizerStep;
use informer_controller::leader_election::{LeaderElector, Leadership};
use informer_controller::relations::ReferencedCache;
use informer_controller::session::SessionApi;
use informer_controller::shards::{Shards, ShardsBuilder};
use informer_controller::{
    Action, Controller, ControllerHandle, ControllerState, Manager, Session, WorkQueue, finalizer,
    shutdown_signal,
};
use informer_debug::Service;
use informer_runtime::cache::{Cache, CacheListOptions, CacheReader};
use informer_runtime::factory::SharedInformerFactory;
use informer_runtime::indexer::Indexer;
use informer_runtime::object::GroupVersionResource;
use informer_runtime::shared_informer::GenericInformer;
use informer_runtime::source::{
    AnswerController, FakeControllerSource, ScriptedListerWatcher, SourceError,
};
use informer_runtime::status::StatusChanges;
use informer_runtime::storage::TieredObject;
use informer_runtime::{
    HandlerRegistration, Index, Lister, ObjectKey, ResourceVersion, SharedInformer, Uid,
};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use syn::visit::{self, Visit};
use syn::{
    Attribute, ImplItemFn, ItemFn, ItemImpl, Meta, ReturnType, Signature, Type, TypeParamBound,
    Visibility,
};
use tokio_util::sync::CancellationToken;

use crate::sources;

/// Largest size of a public future, in bytes.
const LIMIT: usize = 4 << 10;

/// Modules whose functions users do not call, or await only inside ours.
const NOT_FOR_USERS: [&str; 5] = [
    "runtime/src/base/",
    "runtime/src/delta_fifo/",
    "runtime/src/engine.rs",
    "runtime/src/private/",
    "controller/src/base/",
];

/// Returns the size of what `f` returns.
const fn returned<A, R>(_: fn(A) -> R) -> usize {
    size_of::<R>()
}

type Map = ConfigMap;
type Maps = Controller<Map, kube::Error>;
type Informer = SharedInformer<Map>;
type MapsApi = SessionApi<Map>;
type Patched = (&'static MapsApi, &'static PatchParams, &'static Patch<Map>);
type Failed = Result<Action, kube::Error>;

/// A future of the user that holds 256 KiB.
async fn large() -> Failed {
    let held = black_box([0_u8; 256 << 10]);
    tokio::task::yield_now().await;
    black_box(&held);
    Ok(Action::Done)
}

async fn reconcile(_: Arc<Map>, _: Arc<()>) -> Failed {
    large().await
}

async fn reconcile_key(_: ObjectKey, _: Arc<()>) -> Failed {
    large().await
}

async fn work(_: u32) -> Failed {
    large().await
}

async fn apply(_: FinalizerStep<Map>) -> Failed {
    large().await
}

/// Sizes of the public futures, by type and function.
#[rustfmt::skip]
fn sizes() -> Vec<(&'static str, usize)> {
    vec![
        ("AnswerController::send", returned(|(a, e): (&'static AnswerController<u8>, u8)| a.send(e))),
        ("AnswerController::fail", returned(|(a, e): (AnswerController<u8>, SourceError)| a.fail(e))),
        ("AnswerController::dropped", returned(|a: &'static AnswerController<u8>| a.dropped())),
        ("Cache::get", returned(|(c, k): (&'static Cache, &'static ObjectKey)| c.get::<Map>(k))),
        ("Cache::list", returned(|(c, o): (&'static Cache, &'static CacheListOptions)| c.list::<Map>(o))),
        ("CacheReader::get", returned(|(c, k): (&'static CacheReader<Map>, &'static ObjectKey)| c.get(k))),
        ("CacheReader::list", returned(|(c, o): (&'static CacheReader<Map>, &'static CacheListOptions)| c.list(o))),
        ("CacheReader::list_by_index", returned(|(c, o): (&'static CacheReader<Map>, &'static CacheListOptions)| c.list_by_index("", "", o))),
        ("CacheReader::remove", returned(|c: &'static CacheReader<Map>| c.remove())),
        ("Controller::run", returned(|(c, x): (Maps, Arc<()>)| c.run(x, reconcile))),
        ("Controller::run_keys", returned(|(c, x): (Maps, Arc<()>)| c.run_keys(x, reconcile_key))),
        ("ControllerHandle::wait_until", returned(|(c, s): (&'static ControllerHandle, ControllerState)| c.wait_until(s))),
        ("FakeControllerSource::wait_for_requests", returned(|s: &'static FakeControllerSource| s.wait_for_requests(1))),
        ("finalizer", returned(|(a, o): (&'static Api<Map>, Arc<Map>)| finalizer(a, "", o, apply))),
        ("GenericInformer::run", returned(|(i, c): (&'static GenericInformer, CancellationToken)| i.run(c))),
        ("GenericInformer::wait_for_sync", returned(|i: &'static GenericInformer| i.wait_for_sync())),
        ("GenericInformer::wait_until_served", returned(|i: &'static GenericInformer| i.wait_until_served())),
        ("GenericInformer::wait_until_stopped", returned(|i: &'static GenericInformer| i.wait_until_stopped())),
        ("HandlerRegistration::remove", returned(|h: &'static HandlerRegistration| h.remove())),
        ("HandlerRegistration::wait_for_sync", returned(|h: &'static HandlerRegistration| h.wait_for_sync())),
        ("Index::wait_complete", returned(|i: &'static Index<Map, String>| i.wait_complete())),
        ("Indexer::wait_until", returned(|i: &'static Indexer<Map>| i.wait_until(|_| true))),
        ("LeaderElector::acquire", returned(|e: &'static LeaderElector| e.acquire())),
        ("Leadership::lost", returned(|l: &'static Leadership| l.lost())),
        ("Leadership::release", returned(|l: Leadership| l.release())),
        ("Manager::run", returned(|m: Manager| m.run())),
        ("ReferencedCache::wait_for_sync", returned(|c: &'static ReferencedCache<Map>| c.wait_for_sync())),
        ("ScriptedListerWatcher::wait_for_requests", returned(|s: &'static ScriptedListerWatcher| s.wait_for_requests(1))),
        ("Service::serve", returned(|s: &'static Service| s.serve("localhost:1"))),
        ("Session::read", returned(|(s, l): (&'static Session, &'static Lister<Map>)| s.read(l))),
        ("SessionApi::create", returned(|(a, o): (&'static MapsApi, &'static Map)| a.create(o))),
        ("SessionApi::delete", returned(|(a, p): (&'static MapsApi, &'static DeleteParams)| a.delete("", p))),
        ("SessionApi::delete_collection", returned(|(a, p, l): (&'static MapsApi, &'static DeleteParams, &'static ListParams)| a.delete_collection(p, l))),
        ("SessionApi::patch", returned(|(a, p, b): Patched| a.patch("", p, b))),
        ("SessionApi::patch_scale", returned(|(a, p, b): Patched| a.patch_scale("", p, b))),
        ("SessionApi::patch_status", returned(|(a, p, b): Patched| a.patch_status("", p, b))),
        ("SessionApi::patch_subresource", returned(|(a, p, b): Patched| a.patch_subresource("", "", p, b))),
        ("SessionApi::replace", returned(|(a, o): (&'static MapsApi, &'static Map)| a.replace(o))),
        ("SessionApi::replace_status", returned(|(a, o): (&'static MapsApi, &'static Map)| a.replace_status(o))),
        ("Shards::leave", returned(|s: &'static Shards| s.leave())),
        ("ShardsBuilder::join", returned(|s: ShardsBuilder| s.join())),
        ("SharedInformer::wait_for_deletion", returned(|(i, k, u, d): (&'static Informer, &'static ObjectKey, &'static Uid, Duration)| i.wait_for_deletion(k, u, d))),
        ("SharedInformer::wait_for_resource_version", returned(|(i, v, d): (&'static Informer, &'static ResourceVersion, Duration)| i.wait_for_resource_version(v, d))),
        ("SharedInformer::wait_for_resource_version_in", returned(|(i, v, d): (&'static Informer, &'static ResourceVersion, Duration)| i.wait_for_resource_version_in("", v, d))),
        ("SharedInformerFactory::discover", returned(|(f, r): (&'static SharedInformerFactory, &'static GroupVersionResource)| f.discover(r))),
        ("SharedInformerFactory::discover_kind", returned(|f: &'static SharedInformerFactory| f.discover_kind("", ""))),
        ("SharedInformerFactory::shutdown", returned(|f: &'static SharedInformerFactory| f.shutdown())),
        ("SharedInformerFactory::shutdown_within", returned(|(f, d): (&'static SharedInformerFactory, Duration)| f.shutdown_within(d))),
        ("SharedInformerFactory::wait_for_cache_sync", returned(|f: &'static SharedInformerFactory| f.wait_for_cache_sync())),
        ("SharedInformerFactory::wait_for_cache_sync_until", returned(|f: &'static SharedInformerFactory| f.wait_for_cache_sync_until(std::future::pending::<&str>()))),
        ("StatusChanges::next", returned(|s: &'static mut StatusChanges| s.next())),
        ("StatusChanges::wait_for", returned(|s: &'static mut StatusChanges| s.wait_for(|_| true))),
        ("TieredObject::load", returned(|o: &'static Arc<TieredObject<Map>>| o.load())),
        ("WorkQueue::get", returned(|q: &'static WorkQueue<u32>| q.get())),
        ("WorkQueue::run_workers", returned(|q: &'static WorkQueue<u32>| q.run_workers(1, work))),
        ("WorkQueue::shut_down_with_drain", returned(|q: &'static WorkQueue<u32>| q.shut_down_with_drain())),
        ("release", returned(|(a, k): (&'static Api<Map>, &'static ObjectKey)| finalizer::release(a, "", k, apply))),
        ("shutdown_signal", returned(|()| shutdown_signal())),
    ]
}

/// Public functions that return futures, by type and name.
#[derive(Default)]
struct Found {
    implementing: String,
    names: BTreeSet<String>,
}

impl Found {
    fn note(&mut self, attrs: &[Attribute], visibility: &Visibility, signature: &Signature) {
        let is_public = matches!(visibility, Visibility::Public(_)) && !is_hidden(attrs);
        if is_public && (signature.asyncness.is_some() || is_future(&signature.output)) {
            let name = if self.implementing.is_empty() {
                signature.ident.to_string()
            } else {
                format!("{}::{}", self.implementing, signature.ident)
            };
            self.names.insert(name);
        }
    }
}

fn is_hidden(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| match &attr.meta {
        Meta::List(list) => list.path.is_ident("doc") && list.tokens.to_string() == "hidden",
        Meta::Path(_) | Meta::NameValue(_) => false,
    })
}

fn is_future(output: &ReturnType) -> bool {
    let ReturnType::Type(_, output) = output else {
        return false;
    };
    let Type::ImplTrait(output) = &**output else {
        return false;
    };
    output.bounds.iter().any(|bound| {
        matches!(bound, TypeParamBound::Trait(of)
            if of.path.segments.last().is_some_and(|last| last.ident == "Future"))
    })
}

impl<'ast> Visit<'ast> for Found {
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if let Type::Path(of) = &*item.self_ty
            && let Some(last) = of.path.segments.last()
        {
            self.implementing = last.ident.to_string();
        }
        visit::visit_item_impl(self, item);
        self.implementing.clear();
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.note(&item.attrs, &item.vis, &item.sig);
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.note(&item.attrs, &item.vis, &item.sig);
    }
}

/// Seen to fail with `ShardsBuilder::join`, which held that of `acquire` twice.
#[test]
fn k40_each_public_future_is_small_whatever_future_of_the_user_it_awaits() {
    let mut found = Found::default();
    for package in ["runtime", "controller", "debug"] {
        for (name, file) in sources(package).unwrap() {
            let name = format!("{package}/src/{name}");
            if !NOT_FOR_USERS.iter().any(|module| name.starts_with(module)) {
                found.visit_file(&file);
            }
        }
    }
    let sizes = sizes();
    let listed: BTreeSet<String> = sizes.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(
        found.names, listed,
        "public functions and those of the list"
    );
    let large: Vec<_> = sizes.iter().filter(|(_, size)| *size > LIMIT).collect();
    assert!(large.is_empty(), "larger than {LIMIT} bytes: {large:?}");
}
