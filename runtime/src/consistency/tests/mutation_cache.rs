use std::num::NonZeroUsize;

use tokio::time::advance;

use super::super::{MutationCache, MutationCacheOptions, NotOverlaid};
use super::*;
use crate::event::{Added, Deleted, Event, Origin, Updated};
use crate::indexer::Indexer;
use crate::object::{Footprint, Scope};
use crate::processor::EventHandler;

/// Store and overlay; the test acts as the informer.
struct Case {
    store: Indexer<Handle>,
    cache: MutationCache<ConfigMap>,
}

impl Case {
    fn new(options: MutationCacheOptions) -> Self {
        let store = Indexer::new(Scope::Namespaced);
        let cache = MutationCache::new(store.clone(), options);
        Self { store, cache }
    }

    fn with_adds() -> Self {
        Self::new(MutationCacheOptions {
            include_adds: true,
            ..MutationCacheOptions::default()
        })
    }

    /// Stores this version, and sends its event.
    async fn seen(&mut self, text: &str) {
        let entry = entry(text);
        let (key, new) = (entry.key.clone(), Arc::clone(&entry.handle));
        let origin = Origin::Live;
        let event = match self.store.add(entry) {
            Some(old) => Event::Updated(Updated {
                key,
                old: old.handle,
                old_footprint: Footprint::default(),
                new,
                origin,
            }),
            None => Event::Added(Added {
                key,
                object: new,
                origin,
            }),
        };
        self.cache.on_event(event).await;
    }

    /// Deletes the object with this final state, and sends the event.
    async fn gone(&mut self, text: &str) {
        let entry = entry(text);
        self.store.delete(&entry.key);
        let event = Event::Deleted(Deleted {
            key: entry.key,
            object: entry.handle,
            footprint: Footprint::default(),
            final_state_unknown: false,
            origin: Origin::Live,
        });
        self.cache.on_event(event).await;
    }

    fn write(&self, text: &str) -> Result<(), NotOverlaid> {
        self.cache.mutation(config(text))
    }

    fn get(&self, name: &str) -> Option<String> {
        self.cache.get(&key(name)).as_ref().map(super::text)
    }

    fn list(&self) -> Vec<String> {
        self.cache.list().iter().map(super::text).collect()
    }
}

/// Z-03.
#[tokio::test(start_paused = true)]
async fn z03_the_newer_of_a_write_and_what_is_stored_is_read() {
    let mut case = Case::new(MutationCacheOptions::default());
    case.seen("a@9").await;
    case.seen("b@3").await;
    assert_eq!(case.write("a@10"), Ok(()));
    assert_eq!(
        case.get("a").as_deref(),
        Some("a@10"),
        "10 is greater than 9"
    );
    assert_eq!(case.list(), ["a@10", "b@3"]);
    case.seen("a@11").await;
    assert_eq!(case.get("a").as_deref(), Some("a@11"));
    assert_eq!(case.list(), ["a@11", "b@3"]);
}

/// Z-03: the store has the version, but its event has not arrived.
#[tokio::test(start_paused = true)]
async fn z03_a_store_that_has_caught_up_is_read_without_its_event() {
    let mut case = Case::new(MutationCacheOptions::default());
    case.seen("a@1").await;
    case.write("a@2").unwrap();
    case.store.add(entry("a@3"));
    assert_eq!(case.get("a").as_deref(), Some("a@3"));
    assert_eq!(case.list(), ["a@3"]);
}

/// Z-03.
#[tokio::test(start_paused = true)]
async fn z03_equal_or_older_writes_are_ignored() {
    let mut case = Case::new(MutationCacheOptions::default());
    case.seen("a@5").await;
    assert_eq!(case.write("a@4"), Err(NotOverlaid::Older));
    assert_eq!(case.write("a@5"), Err(NotOverlaid::Older));
    case.write("a@8").unwrap();
    assert_eq!(case.write("a@7"), Err(NotOverlaid::Older));
    assert_eq!(case.write("a@8"), Err(NotOverlaid::Older));
    assert_eq!(case.get("a").as_deref(), Some("a@8"));
}

/// Z-03. (client-go panics.)
#[tokio::test(start_paused = true)]
async fn z03_versions_that_cannot_be_compared_are_an_error_value() {
    let mut case = Case::with_adds();
    for text in ["a@", "a@0", "a@abc"] {
        assert_eq!(case.write(text), Err(NotOverlaid::Incomparable), "{text}");
    }
    case.seen("a@abc").await;
    assert_eq!(case.write("a@7"), Err(NotOverlaid::Incomparable));
    assert_eq!(case.get("a").as_deref(), Some("a@abc"));
}

/// Z-03.
#[tokio::test(start_paused = true)]
async fn z03_an_object_that_is_not_stored_is_read_only_if_adds_are_included() {
    let without = Case::new(MutationCacheOptions::default());
    without.write("b@2").unwrap();
    assert_eq!((without.get("b"), without.list()), (None, Vec::new()));

    let mut with = Case::with_adds();
    with.seen("a@1").await;
    with.seen("c@1").await;
    with.write("b@2").unwrap();
    assert_eq!(with.get("b").as_deref(), Some("b@2"));
    assert_eq!(with.list(), ["a@1", "b@2", "c@1"], "ordered by key");
}

/// Z-03.
#[tokio::test(start_paused = true)]
async fn z03_a_deleted_uid_never_returns() {
    let mut case = Case::with_adds();
    case.seen("a@1/one").await;
    case.write("a@2/one").unwrap();
    case.gone("a@3/one").await;
    assert_eq!(case.get("a"), None, "the write is dropped");
    assert_eq!(
        case.write("a@9/one"),
        Err(NotOverlaid::Deleted),
        "a late write"
    );
    assert_eq!((case.get("a"), case.list()), (None, Vec::new()));

    // Another uid is another object, but versions before the deletion are older.
    assert_eq!(case.write("a@2/two"), Err(NotOverlaid::Older));
    assert_eq!(case.write("a@5/two"), Ok(()));
    assert_eq!(case.get("a").as_deref(), Some("a@5"));
    assert_eq!(case.write("a@9/one"), Err(NotOverlaid::Deleted));
    case.seen("a@5/two").await;
    assert_eq!(case.write("a@4/one"), Err(NotOverlaid::Older));
    assert_eq!(case.get("a").as_deref(), Some("a@5"));
}

/// Z-03: a tombstone from a relist has the last known version, which can be older than the own
/// write.
#[tokio::test(start_paused = true)]
async fn z03_a_write_goes_with_its_uid_whatever_version_the_deletion_has() {
    let mut case = Case::with_adds();
    case.seen("a@1/one").await;
    case.write("a@4/one").unwrap();
    case.gone("a@1/one").await;
    assert_eq!(case.get("a"), None);
}

/// Z-03: the program deletes and recreates the object before the informer sees the deletion.
#[tokio::test(start_paused = true)]
async fn z03_the_deletion_of_an_older_object_leaves_the_write_of_its_successor() {
    let mut case = Case::with_adds();
    case.seen("a@1/one").await;
    case.write("a@4/two").unwrap();
    case.gone("a@3/one").await;
    assert_eq!(case.get("a").as_deref(), Some("a@4"));
    // A later deletion of any uid drops the write.
    case.gone("a@7/three").await;
    assert_eq!(case.get("a"), None);
}

/// Z-03.
#[tokio::test(start_paused = true)]
async fn z03_writes_are_bounded_in_number_and_the_least_used_goes_first() {
    let mut case = Case::new(MutationCacheOptions {
        size: NonZeroUsize::new(2).unwrap(),
        include_adds: true,
        ..MutationCacheOptions::default()
    });
    case.write("a@1").unwrap();
    case.write("b@1").unwrap();
    assert!(case.get("a").is_some(), "the read counts as a use");
    // Deletions by others do not count.
    for other in ["x@1", "y@1", "z@1"] {
        case.gone(other).await;
    }
    case.write("c@1").unwrap();
    assert_eq!(case.list(), ["a@1", "c@1"]);
    case.write("a@2").unwrap();
    assert_eq!(
        case.list(),
        ["a@2", "c@1"],
        "the same key needs no further slot"
    );
}

/// Z-03.
#[tokio::test(start_paused = true)]
async fn z03_writes_and_deletions_are_remembered_for_a_time() {
    let mut case = Case::with_adds();
    case.gone("gone@1").await;
    case.write("a@1").unwrap();
    advance(secs(300)).await;
    assert_eq!(case.list(), ["a@1"]);
    assert_eq!(case.write("gone@2"), Err(NotOverlaid::Deleted));
    advance(secs(1)).await;
    assert_eq!((case.get("a"), case.list()), (None, Vec::new()));
    assert_eq!(case.write("gone@2"), Ok(()), "forgotten");
}

/// Z-03.
#[tokio::test(start_paused = true)]
async fn z03_an_index_finds_the_newest_versions() {
    let mut case = Case::with_adds();
    case.seen("a@1").await;
    case.seen("b@1").await;
    case.write("b@2").unwrap();
    case.write("c@2").unwrap();
    let found = case.cache.by_index("namespace", "ns").unwrap();
    let found: Vec<String> = found.iter().map(super::text).collect();
    assert_eq!(
        found,
        ["a@1", "b@2"],
        "objects that are not stored are left out"
    );
    assert!(case.cache.by_index("missing", "ns").is_err());
}
