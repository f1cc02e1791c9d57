//! Caches of only what is referenced.

use std::collections::BTreeMap;

use informer::relations::{Reference, ReferencedCache, ReferencedError, RelatedError};
use informer::{ObjectKey, SharedInformer, SharedInformerFactory};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, PostParams};
use kube::{Api, ResourceExt as _};

use super::{World, named, scenarios};
use crate::support::{ENCODINGS, Recorder, cause_of, quick, within};

/// Secrets that a config map names, separated by dots, as its label permits.
fn mentioned(map: &ConfigMap) -> Vec<ObjectKey> {
    let namespace = map.namespace().unwrap_or_default();
    let names = map.data.iter().filter_map(|data| data.get("v"));
    let names = names
        .flat_map(|names| names.split('.'))
        .filter(|name| !name.is_empty());
    names
        .map(|name| ObjectKey::namespaced(&namespace, name))
        .collect()
}

const SECRETS: Reference<ConfigMap, Secret> = Reference::new("secrets", mentioned);

impl World {
    fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    fn key(&self, name: &str) -> ObjectKey {
        ObjectKey::namespaced(&self.namespace, name)
    }

    async fn put_secret(&self, name: &str, value: &str) {
        let mut secret = Secret {
            metadata: named(name),
            string_data: Some([("v".to_owned(), value.to_owned())].into()),
            ..Secret::default()
        };
        let (secrets, params) = (self.secrets(), PostParams::default());
        if secrets.get_opt(name).await.unwrap().is_none() {
            secrets.create(&params, &secret).await.unwrap();
        } else {
            secret.metadata.resource_version = None;
            secrets.replace(name, &params, &secret).await.unwrap();
        }
    }

    /// Creates or replaces a referrer.
    async fn refer(&self, name: &str, secrets: &str) {
        if self.maps().get_opt(name).await.unwrap().is_some() {
            self.update(name, secrets).await;
        } else {
            self.create(name, secrets).await;
        }
    }
}

/// Returns versions by key.
fn versions<'s>(secrets: impl Iterator<Item = &'s Secret>) -> BTreeMap<ObjectKey, String> {
    secrets
        .map(|secret| (ObjectKey::of(secret), secret.resource_version().unwrap()))
        .collect()
}

/// Waits until a condition holds, which is evaluated after each change of an informer.
async fn until(what: &str, informer: &SharedInformer<Secret>, condition: impl Fn() -> bool) {
    crate::support::until_any_changed(what, [&informer.clone().into()], condition).await;
}

scenarios! {
    #[tokio::test]
    async fn a_client_that_may_read_only_two_secrets_reads_these(world: World) {
        for name in ["mine", "yours", "other"] {
            world.put_secret(name, "1").await;
        }
        world.create("site", "mine.yours.other").await;
        world.grant_nobody_names("secrets", &["list", "watch"], &["mine", "yours"]).await;
        let factory = world.factory();
        let sites = factory.informer::<ConfigMap>();
        let restricted = SharedInformerFactory::builder(world.nobody.clone());
        let restricted = restricted.config(quick()).encoding(world.encoding).build().unwrap();
        // The namespace is tried first, and refused.
        let cache = ReferencedCache::builder(&restricted, &sites, SECRETS).promote_at(2).build().unwrap();
        let seen = Recorder::new();
        cache.add_event_handler(seen.handler()).unwrap();
        factory.start().unwrap();
        restricted.start().unwrap();
        within("sync of the cache", cache.wait_for_sync()).await.unwrap();
        assert!(cache.try_get(&world.key("mine")).is_ok());
        assert!(cache.try_get(&world.key("yours")).is_ok());
        let refused = cache.try_get(&world.key("other")).unwrap_err();
        assert!(matches!(refused, ReferencedError::Related(RelatedError::Forbidden { .. })), "{refused:?}");
        assert!(cause_of::<informer::ReflectorError>(&refused).is_some());
        let unknown = cache.try_get(&world.key("unmentioned")).unwrap_err();
        assert!(matches!(unknown, ReferencedError::NotReferenced { .. }), "{unknown:?}");
        assert_eq!(cache.status().namespace_watches, 0);

        seen.until_events(2).await;
        world.put_secret("mine", "2").await;
        seen.until_events(3).await;
        seen.read(|notes| assert!(notes.illegal.is_empty(), "{:?}", notes.illegal));
        restricted.shutdown().await;
        factory.shutdown().await;
    }

    #[tokio::test]
    async fn the_cache_equals_a_full_cache_on_the_referenced_names(world: World) {
        let factory = world.factory();
        let sites = factory.informer::<ConfigMap>();
        let all = factory.informer::<Secret>();
        let cache = ReferencedCache::builder(&factory, &sites, SECRETS)
            .promote_at(3)
            .grace_period(std::time::Duration::ZERO)
            .build()
            .unwrap();
        let seen = Recorder::new();
        cache.add_event_handler(seen.handler()).unwrap();
        factory.start().unwrap();
        within("sync of the cache", cache.wait_for_sync()).await.unwrap();

        let mut random = fastrand::Rng::with_seed(7);
        let names = ["a", "b", "c", "d", "e", "f"];
        let mut mentions: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for round in 0..8 {
            for _ in 0..6 {
                let name = names[random.usize(..names.len())];
                if random.bool() {
                    world.put_secret(name, &random.u32(..).to_string()).await;
                } else if world.secrets().get_opt(name).await.unwrap().is_some() {
                    world.secrets().delete(name, &DeleteParams::default()).await.unwrap();
                }
            }
            let site = format!("site-{}", random.usize(..3));
            let picked: Vec<&str> = names.into_iter().filter(|_| random.bool()).collect();
            world.refer(&site, &picked.join(".")).await;
            mentions.insert(site, picked);
            if round == 4 {
                world.restart().await;
            }
            let stored = within("a list", world.secrets().list(&kube::api::ListParams::default())).await.unwrap();
            let referenced = |name: &str| mentions.values().flatten().any(|mention| *mention == name);
            let expected: BTreeMap<ObjectKey, String> = stored.items.iter()
                .filter(|secret| referenced(&secret.name_any()))
                .map(|secret| (world.key(&secret.name_any()), secret.resource_version().unwrap()))
                .collect();
            let what = format!("the referenced secrets in round {round}");
            seen.until(&what, |notes| versions(notes.objects.values().map(|secret| &**secret)) == expected).await;
            seen.read(|notes| assert!(notes.illegal.is_empty(), "{:?}", notes.illegal));
            let snapshot = cache.snapshot();
            let cached = versions(snapshot.iter());
            assert_eq!(cached, expected, "{what}");
            until("the full cache", &all, || {
                let snapshot = all.snapshot();
                let full = snapshot.iter();
                versions(full.filter(|secret| referenced(&secret.name_any()))) == expected
            })
            .await;
        }
        factory.shutdown().await;
    }
}
