use std::sync::Arc;

use super::*;

/// Returns a handle, and a function that returns `true` while the handle lives.
fn handle() -> (Arc<()>, impl Fn() -> bool) {
    let handle = Arc::new(());
    let weak = Arc::downgrade(&handle);
    (handle, move || weak.strong_count() > 0)
}

#[test]
fn closed_bins_drop_at_once() {
    let bins = HomeDrop::new();
    let (object, lives) = handle();
    bins.send(object, Home::current(), 1);
    assert!(!lives());
}

#[test]
fn an_object_waits_for_its_own_thread() {
    let bins = HomeDrop::new();
    bins.open();
    let (own, own_lives) = handle();
    let (foreign, foreign_lives) = handle();
    let elsewhere = std::thread::scope(|scope| scope.spawn(Home::current).join())
        .expect("the thread does not panic");
    assert_ne!(elsewhere, Home::current());
    bins.send(own, Home::current(), 1);
    bins.send(foreign, elsewhere, 1);
    assert!(own_lives() && foreign_lives());

    bins.drop_own();
    assert!(!own_lives() && foreign_lives());

    bins.close();
    assert!(!foreign_lives());
    let (late, late_lives) = handle();
    bins.send(late, elsewhere, 1);
    assert!(!late_lives());
}

#[test]
fn a_bin_is_bounded_by_number_and_by_bytes() {
    let bins = HomeDrop::new();
    bins.open();
    let home = Home::current();
    let (large, large_lives) = handle();
    bins.send(large, home, BIN_BYTES + 1);
    assert!(!large_lives());

    let object = Arc::new(());
    for _ in 0..2 * BIN_HANDLES {
        bins.send(Arc::clone(&object), home, 0);
    }
    assert_eq!(Arc::strong_count(&object), 1 + BIN_HANDLES);
    bins.drop_own();
    assert_eq!(Arc::strong_count(&object), 1);
}

#[test]
fn a_panic_in_a_drop_does_not_concern_other_objects() {
    struct Panics {
        panics: bool,
        #[expect(dead_code, reason = "counted")]
        object: Arc<()>,
    }
    impl Drop for Panics {
        fn drop(&mut self) {
            assert!(!self.panics, "user code");
        }
    }
    let bins = HomeDrop::new();
    bins.open();
    let object = Arc::new(());
    for panics in [false, true, true, false] {
        let object = Arc::clone(&object);
        bins.send(Panics { panics, object }, Home::current(), 0);
    }
    bins.drop_own();
    assert_eq!(Arc::strong_count(&object), 1);
    bins.close();
    let late = Arc::clone(&object);
    bins.send(
        Panics {
            panics: true,
            object: late,
        },
        Home::current(),
        0,
    );
    assert_eq!(Arc::strong_count(&object), 1);
}
