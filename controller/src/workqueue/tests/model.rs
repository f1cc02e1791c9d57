//! Comparison of the queue with a naive model: lists that are searched completely.

use std::pin::pin;
use std::task::Poll;

use proptest::prelude::*;

use super::super::{Item, WorkQueue};
use super::*;

#[derive(Debug, Clone, Copy)]
enum Op {
    Add(u8),
    AddAfter(u8, u64),
    /// A worker requests an item.
    Get,
    /// The n-th item in work is done.
    Done(usize),
    Advance(u64),
    /// The queue forgets an item.
    Forget(u8),
    ShutDown,
}

fn op() -> impl Strategy<Value = Op> {
    let item = || 0..5_u8;
    prop_oneof![
        6 => item().prop_map(Op::Add),
        4 => (item(), 0..6_u64).prop_map(|(item, delay)| Op::AddAfter(item, delay)),
        6 => Just(Op::Get),
        5 => (0..3_usize).prop_map(Op::Done),
        3 => (0..4_u64).prop_map(Op::Advance),
        2 => item().prop_map(Op::Forget),
        1 => Just(Op::ShutDown),
    ]
}

/// Naive model. Times are seconds.
#[derive(Debug, Default)]
struct Model {
    now: u64,
    queued: Vec<u8>,
    marked: Vec<u8>,
    working: Vec<u8>,
    /// Due time, number of the delayed add, and item.
    delayed: Vec<(u64, usize, u8)>,
    adds_after: usize,
    shut_down: bool,
}

impl Model {
    fn enqueue(&mut self, item: u8) {
        let list = if self.working.contains(&item) {
            &mut self.marked
        } else {
            &mut self.queued
        };
        if !list.contains(&item) {
            list.push(item);
        }
    }

    fn add_after(&mut self, item: u8, delay: u64) {
        if delay == 0 {
            return self.enqueue(item);
        }
        self.adds_after += 1;
        let due = self.now + delay;
        let known = self.delayed.iter().position(|(_, _, known)| *known == item);
        if let Some(position) = known {
            if self.delayed[position].0 <= due {
                return;
            }
            self.delayed.remove(position);
        }
        self.delayed.push((due, self.adds_after, item));
        self.delayed.sort_unstable();
    }

    fn advance(&mut self, seconds: u64) {
        self.now += seconds;
        while self
            .delayed
            .first()
            .is_some_and(|(due, _, _)| *due <= self.now)
        {
            let (_, _, item) = self.delayed.remove(0);
            self.enqueue(item);
        }
    }

    /// Returns the result of a worker's request: an item, the end, or pending.
    fn get(&mut self) -> Poll<Option<u8>> {
        if self.queued.is_empty() {
            let ended = self.shut_down && self.marked.is_empty();
            return if ended {
                Poll::Ready(None)
            } else {
                Poll::Pending
            };
        }
        let item = self.queued.remove(0);
        self.working.push(item);
        Poll::Ready(Some(item))
    }

    fn done(&mut self, position: usize) {
        let item = self.working.remove(position);
        if let Some(marked) = self.marked.iter().position(|marked| *marked == item) {
            self.marked.remove(marked);
            self.queued.push(item);
        }
    }
}

async fn run(ops: Vec<Op>) -> Result<(), TestCaseError> {
    let queue: WorkQueue<u8> = WorkQueue::new("test");
    let mut model = Model::default();
    let mut held: Vec<Item<u8>> = Vec::new();
    for op in ops {
        match op {
            Op::Add(item) => {
                queue.add(item);
                if !model.shut_down {
                    model.enqueue(item);
                }
            }
            Op::AddAfter(item, delay) => {
                queue.add_after(item, secs(delay));
                if !model.shut_down {
                    model.add_after(item, delay);
                }
            }
            Op::Get => {
                let got = futures::poll!(pin!(queue.get()));
                let expected = model.get();
                let actual = match &got {
                    Poll::Ready(item) => Poll::Ready(item.as_deref().copied()),
                    Poll::Pending => Poll::Pending,
                };
                prop_assert_eq!(actual, expected);
                if let Poll::Ready(Some(item)) = got {
                    held.push(item);
                }
            }
            Op::Done(position) if position < held.len() => {
                drop(held.remove(position));
                model.done(position);
            }
            Op::Done(_) => {}
            Op::Advance(seconds) => {
                advance(secs(seconds)).await;
                model.advance(seconds);
            }
            Op::Forget(item) => {
                queue.retain(|one| *one != item);
                model.queued.retain(|one| *one != item);
                model.marked.retain(|one| *one != item);
                model.delayed.retain(|(_, _, one)| *one != item);
            }
            Op::ShutDown => {
                queue.shut_down();
                model.shut_down = true;
                model.delayed.clear();
            }
        }
        let metrics = queue.metrics();
        prop_assert_eq!(queue.len(), model.queued.len());
        prop_assert_eq!(metrics.depth, model.queued.len() + model.marked.len());
        prop_assert_eq!(metrics.delayed, model.delayed.len());
        let idle = model.shut_down && model.queued.is_empty() && model.working.is_empty();
        if model.shut_down {
            let drained = queue.shut_down_with_drain().now_or_never();
            prop_assert_eq!(drained, idle.then_some(true));
        }
    }
    Ok(())
}

proptest! {
    /// K-01, K-02, K-04, K-05, K-06, K-09, K-10.
    #[test]
    fn k02_a_queue_does_as_the_plainest_one_would(ops in prop::collection::vec(op(), 1..60)) {
        on_paused_clock(run(ops))?;
    }
}
