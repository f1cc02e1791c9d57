use std::sync::Arc;

use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::super::{PriorityOrder, QueueOrder, default_controller};
use super::*;

/// Order that hands out the latest item first, and records the calls of the queue.
#[derive(Default, Clone)]
struct Lifo {
    items: Vec<&'static str>,
    calls: Arc<Mutex<Vec<String>>>,
}

impl QueueOrder<&'static str> for Lifo {
    fn touch(&mut self, item: &&'static str, _: i32, _: Instant) {
        self.calls.lock().push(format!("touch {item}"));
    }

    fn push(&mut self, item: &'static str, _: i32, _: Instant) {
        self.calls.lock().push(format!("push {item}"));
        self.items.push(item);
    }

    fn pop(&mut self, _: Instant) -> Option<&'static str> {
        self.items.pop()
    }

    fn len(&self) -> usize {
        self.items.len()
    }
}

#[tokio::test]
async fn k01_adding_a_queued_item_touches_it_and_adding_one_in_work_does_not() {
    let order = Lifo::default();
    let calls = Arc::clone(&order.calls);
    let queue = Queue::builder("test").order(order).build();
    queue.add("a");
    queue.add("a");
    let item = take(&queue);
    queue.add("a");
    queue.add("a");
    drop(item);
    queue.add("a");
    assert_eq!(*calls.lock(), ["push a", "touch a", "push a", "touch a"]);
}

/// `Debug` forms of an item in work and of its queue.
#[tokio::test]
async fn an_item_in_work_prints_what_was_added_and_a_queue_what_it_holds() {
    let queue = Queue::new("test");
    queue.add("a");
    queue.add("b");
    let item = take(&queue).unwrap();
    assert_eq!(format!("{item:?}"), r#"Item("a")"#);
    let items = r#"Dedup { queued: 1, waiting: {"b": "#;
    assert!(format!("{queue:?}").contains(items), "{queue:?}");
    let builder = Queue::builder("test");
    assert_eq!(
        format!("{builder:?}"),
        r#"WorkQueueBuilder { name: "test", .. }"#
    );
    let order = PriorityOrder::<&str>::new();
    assert_eq!(
        format!("{order:?}"),
        "PriorityOrder { len: 0, ageing: 10s, share: 5, .. }"
    );
    let limiter = default_controller::<&str>();
    assert_eq!(format!("{limiter:?}"), "MaxOf { limiters: 2 }");
}

/// K-02. The end of the work wakes a waiting worker.
#[tokio::test]
async fn k02_a_waiting_worker_gets_the_marked_item() {
    let queue = Queue::new("test");
    queue.add("a");
    let first = take(&queue).unwrap();
    queue.add("a");
    let (second, ()) = tokio::join!(queue.get(), async {
        tokio::task::yield_now().await;
        first.done();
    });
    assert_eq!(second.as_deref(), Some(&"a"));
}

#[tokio::test]
async fn k18_the_order_can_be_replaced() {
    let queue = Queue::builder("test").order(Lifo::default()).build();
    for item in ["a", "b", "c"] {
        queue.add(item);
    }
    assert_eq!(drain(&queue), ["c", "b", "a"]);
}

/// Faulty order that pushes each item twice.
#[derive(Default)]
struct Twice(Vec<&'static str>);

impl QueueOrder<&'static str> for Twice {
    fn push(&mut self, item: &'static str, _: i32, _: Instant) {
        self.0.extend([item, item]);
    }

    fn pop(&mut self, _: Instant) -> Option<&'static str> {
        self.0.pop()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// K-02, K-18.
#[tokio::test]
async fn k18_a_faulty_order_does_not_give_an_item_to_two_workers() {
    let queue = Queue::builder("test").order(Twice::default()).build();
    queue.add("a");
    let first = take(&queue).unwrap();
    queue.add("a");
    assert!(would_wait(&queue), "in work and marked");
    first.done();
    assert_eq!(drain(&queue), ["a"]);
}

/// Faulty order that keeps one item and loses all later ones.
#[derive(Default)]
struct Loses {
    item: Option<&'static str>,
    is_full: bool,
}

impl QueueOrder<&'static str> for Loses {
    fn push(&mut self, item: &'static str, _: i32, _: Instant) {
        if !std::mem::replace(&mut self.is_full, true) {
            self.item = Some(item);
        }
    }

    fn pop(&mut self, _: Instant) -> Option<&'static str> {
        self.item.take()
    }

    fn len(&self) -> usize {
        usize::from(self.item.is_some())
    }
}

/// K-06, K-18: workers that wait for a marked item end if the order loses it.
#[tokio::test]
async fn k18_a_faulty_order_does_not_leave_workers_waiting_after_shutdown() {
    let queue = Queue::builder("test").order(Loses::default()).build();
    queue.add("a");
    let first = take(&queue).unwrap();
    queue.add("a");
    queue.shut_down();
    let mut workers = JoinSet::new();
    for _ in 0..2 {
        let queue = queue.clone();
        workers.spawn(async move { queue.get().await.is_none() });
    }
    tokio::task::yield_now().await;
    assert!(workers.try_join_next().is_none(), "a may come again");
    first.done();
    tokio::task::yield_now().await;
    for _ in 0..2 {
        assert!(workers.try_join_next().unwrap().unwrap());
    }
}
