//! Choice of victims.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::{CHANCES, Clock, Look};

/// Looks of items that are not unread. A look at a read item takes one read.
#[derive(Default)]
struct Looks(RefCell<BTreeMap<u32, (Look, usize)>>);

impl Looks {
    fn set(&self, item: u32, look: Look, times: usize) {
        self.0.borrow_mut().insert(item, (look, times));
    }

    fn look(&self, item: u32) -> Look {
        match self.0.borrow_mut().get_mut(&item) {
            Some((look, times)) if *times > 0 => {
                *times -= 1;
                *look
            }
            _ => Look::Unread,
        }
    }
}

fn clock_of(items: u32) -> Clock<u32> {
    let mut clock = Clock::new(2);
    for (item, live) in (0..items).zip(1..) {
        let gone = clock.push(0, item, live, |_| panic!("all are live"));
        assert!(gone.is_empty());
    }
    clock
}

/// Returns all victims, in order.
fn victims(clock: &mut Clock<u32>, looks: &Looks) -> Vec<u32> {
    std::iter::from_fn(|| clock.victim(0, |item| looks.look(*item))).collect()
}

#[test]
fn unread_items_leave_in_the_order_in_which_they_came() {
    let mut clock = clock_of(4);
    assert_eq!(clock.victim(1, |_| Look::Unread), None, "another class");
    assert_eq!(victims(&mut clock, &Looks::default()), [0, 1, 2, 3]);
}

#[test]
fn each_read_is_a_second_chance() {
    let (mut clock, looks) = (clock_of(4), Looks::default());
    looks.set(0, Look::Read, 2);
    looks.set(1, Look::Read, 1);
    assert_eq!(victims(&mut clock, &looks), [2, 3, 1, 0]);
}

#[test]
fn a_search_ends_although_all_items_are_read_all_the_time() {
    let mut clock = clock_of(2 * u32::try_from(CHANCES).unwrap());
    let looked = RefCell::new(0);
    let victim = clock.victim(0, |_| {
        *looked.borrow_mut() += 1;
        Look::Read
    });
    assert_eq!(victim, u32::try_from(CHANCES).ok());
    assert_eq!(looked.into_inner(), CHANCES + 1);
}

#[test]
fn items_that_are_gone_are_no_victims_and_do_not_accumulate() {
    let (mut clock, looks) = (clock_of(4), Looks::default());
    looks.set(0, Look::Gone, 1);
    assert_eq!(victims(&mut clock, &looks), [1, 2, 3]);
    let mut clock = Clock::new(1);
    let mut swept = 0;
    for item in 0..1000 {
        swept += clock.push(0, item, 1, |other| *other != item).len();
    }
    assert!(swept > 900, "{swept}");
}
