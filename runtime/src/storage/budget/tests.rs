//! Evictions of an account.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::core::DynamicObject;
use proptest::prelude::*;

use super::{Account, Budget, Evict, Level, Part, decoded_bytes};

/// Body of an object.
struct Fake {
    account: Arc<Account>,
    part: Part,
    bytes: AtomicUsize,
    was_read: AtomicBool,
}

impl Fake {
    fn kept(account: &Arc<Account>, part: Part, bytes: usize) -> Arc<Self> {
        let fake = Arc::new(Self {
            account: Arc::clone(account),
            part,
            bytes: AtomicUsize::new(bytes),
            was_read: AtomicBool::new(false),
        });
        let weak: Weak<Self> = Arc::downgrade(&fake);
        account.keep(part, vec![(bytes, weak)]);
        fake
    }

    fn is_kept(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) > 0
    }
}

impl Evict for Fake {
    fn take_read(&self) -> bool {
        self.was_read.swap(false, Ordering::Relaxed)
    }

    fn evict(&self, part: Part) {
        assert_eq!(part, self.part);
        let bytes = self.bytes.swap(0, Ordering::Relaxed);
        if bytes > 0 {
            self.account.release(part, bytes);
        }
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.evict(self.part);
    }
}

fn account(bytes: usize) -> Arc<Account> {
    Arc::new(Account::new(Budget::bytes(bytes)))
}

fn kept(fakes: &[Arc<Fake>]) -> Vec<bool> {
    fakes.iter().map(|fake| fake.is_kept()).collect()
}

#[test]
fn nothing_is_evicted_below_the_mark_or_without_a_budget() {
    let account = account(1000);
    let fakes: Vec<_> = (0..8)
        .map(|_| Fake::kept(&account, Part::Body, 100))
        .collect();
    assert_eq!((account.used(), account.soft_mark()), (800, 800));
    assert_eq!(kept(&fakes), [true; 8]);
    let unbounded = Arc::new(Account::default());
    let huge = Fake::kept(&unbounded, Part::Body, usize::MAX / 2);
    assert!(huge.is_kept() && unbounded.budget().is_none());
}

#[test]
fn of_the_size_that_holds_most_the_oldest_unread_body_goes() {
    let account = account(1000);
    let small: Vec<_> = (0..20)
        .map(|_| Fake::kept(&account, Part::Body, 10))
        .collect();
    let large: Vec<_> = (0..2)
        .map(|_| Fake::kept(&account, Part::Body, 300))
        .collect();
    assert_eq!(account.used(), 800);
    large[0].was_read.store(true, Ordering::Relaxed);
    let late = Fake::kept(&account, Part::Body, 10);
    assert_eq!(kept(&large), [true, false], "the first one was read");
    assert!(kept(&small).iter().all(|kept| *kept) && late.is_kept());
    assert_eq!(account.used(), 510);
}

#[test]
fn what_cannot_be_evicted_takes_the_place_of_bodies() {
    let account = account(1000);
    let first = Fake::kept(&account, Part::Body, 300);
    account.set_others(600);
    let second = Fake::kept(&account, Part::Body, 100);
    assert_eq!((first.is_kept(), second.is_kept()), (false, true));
    account.set_others(0);
    drop((first, second));
    assert_eq!(account.used(), 0);
}

#[test]
fn decoded_objects_have_a_share() {
    let account = account(1000);
    assert!(account.keeps_decoded(50) && !account.keeps_decoded(51));
    let decoded: Vec<_> = (0..5)
        .map(|_| Fake::kept(&account, Part::Decoded, 50))
        .collect();
    assert_eq!(kept(&decoded), [false, true, true, true, true]);
    assert!(!Account::default().keeps_decoded(1), "without a budget");
}

/// Twice its text is what a `ConfigMap` takes at most. A Pod of 4,295 bytes took 22,160 bytes, and 35,030
/// bytes as a `DynamicObject`.
#[test]
fn a_decoded_object_is_estimated_by_its_type() {
    let config_map = decoded_bytes::<ConfigMap>(1, 900_000);
    assert!((900_000..1_800_000).contains(&config_map), "{config_map}");
    let pod = decoded_bytes::<Pod>(1, 4295);
    assert!((20_000..28_000).contains(&pod), "{pod}");
    let dynamic = decoded_bytes::<DynamicObject>(1, 4295);
    assert!((30_000..40_000).contains(&dynamic), "{dynamic}");
}

proptest! {
    /// The account is exact, and never above the mark if headers leave room, whatever happens.
    #[test]
    fn the_mark_holds(steps in prop::collection::vec((0_u8..4, 1_usize..400), 1..200)) {
        let account = account(1000);
        let mut fakes: Vec<Arc<Fake>> = Vec::new();
        for (step, size) in steps {
            match step {
                0 if !fakes.is_empty() => drop(fakes.swap_remove(size % fakes.len())),
                1 if !fakes.is_empty() => {
                    fakes[size % fakes.len()].was_read.store(true, Ordering::Relaxed);
                }
                2 => fakes.push(Fake::kept(&account, Part::Decoded, size)),
                _ => fakes.push(Fake::kept(&account, Part::Body, size)),
            }
            let sizes = fakes.iter().map(|fake| fake.bytes.load(Ordering::Relaxed));
            prop_assert_eq!(account.used(), sizes.sum::<usize>());
            prop_assert!(account.used() <= account.soft_mark());
        }
        drop(fakes);
        prop_assert_eq!(account.used(), 0);
    }
}

#[test]
fn a_level_begins_at_its_mark_and_ends_below_it() {
    use Level::{Below, Evicting, Over};
    let account = account(1000);
    let mut level = Level::Below;
    let mut levels = Vec::new();
    for others in [700, 760, 700, 640, 990, 1010, 960, 940, 0] {
        account.set_others(others);
        level = account.level(level);
        levels.push(level);
    }

    let expected = [
        Below, Evicting, Evicting, Below, Evicting, Over, Over, Evicting, Below,
    ];
    assert_eq!(levels, expected);
}
