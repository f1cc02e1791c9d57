//! Global order, as the server sent the deltas.

use std::sync::Arc;

use super::support::{Known, delta, run};
use crate::delta_fifo::Order;

fn check(script: &str, taken: &str) {
    assert_eq!(run(Order::Global, script), taken, "{script}");
}

/// no delta is merged or dropped, not even deletions of unknown keys.
#[test]
fn q01_deltas_leave_as_they_came() {
    check(
        "+a@1 ~a@2 ~a@3 -a@4 -x@5 pop pop pop pop pop",
        "+a@1 | ~a@2 | ~a@3 | -a@4 -x@5 | ",
    );
}

/// deltas do not overtake each other.
#[test]
fn q01_a_later_delta_does_not_move_an_earlier_one() {
    check("+a@1 +b@2 ~a@3 +c@4 pop pop", "+a@1 +b@2 | ~a@3 +c@4");
}

///
#[test]
fn q07_a_list_is_one_entry_behind_the_deltas_before_it() {
    check(
        "+a@1 [5,b@2,c@3] ~b@6 [7,b@6] pop pop pop pop",
        "+a@1 | [5,b@2,c@3] | ~b@6 | [7,b@6]",
    );
}

/// an empty first list is delivered.
#[test]
fn q08_an_empty_first_list_is_one() {
    check("[5] pop [6] pop", "[5] | [6]");
}

/// a batch has distinct keys, up to the maximum. Deltas for the whole store are alone.
#[test]
fn q15_a_batch_ends_at_a_repeated_key_a_list_a_sync_and_a_bookmark() {
    check("+a@1 +b@2 ~a@3 pop pop", "+a@1 +b@2 | ~a@3");
    check("+a@1 [5] +b@6 pop pop pop", "+a@1 | [5] | +b@6");
    check(
        "+a@1 sync sync +b@6 pop pop pop pop",
        "+a@1 | sync | sync | +b@6",
    );
    check(
        "+a@1 b@5 b@6 !b@7 pop pop pop pop",
        "+a@1 | b@5 | b@6 | !b@7",
    );
    check("+a@1 +b@2 +c@3 pop:2 pop:2", "+a@1 +b@2 | +c@3");
}

/// a batch has at most the requested number of deltas.
#[test]
fn q15_a_batch_holds_as_many_as_asked_for() {
    let mut queue = Order::Global.queue(Arc::new(Known::default()));
    for number in 0..1500 {
        queue.push(delta(&format!("+a{number}@1")));
    }
    assert_eq!(queue.pop(1000).unwrap().deltas.len(), 1000);
    assert_eq!(queue.pop(1000).unwrap().deltas.len(), 500);
    assert!(queue.pop(1000).is_none());
}
