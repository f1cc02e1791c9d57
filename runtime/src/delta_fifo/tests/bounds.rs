//! Waiting for room, for deltas, and for the end.

use std::sync::Arc;

use futures::FutureExt as _;

use super::support::{Known, batch_text, delta};
use crate::delta_fifo::{Capacity, Closed, Delta, DeltaFifo, Order};
use crate::storage::Entry;

fn fifo(order: Order, capacity: usize) -> DeltaFifo {
    DeltaFifo::new(order, capacity, Arc::new(Known::default()))
}

async fn pop(fifo: &DeltaFifo) -> String {
    batch_text(&fifo.pop().await.unwrap())
}

#[tokio::test(start_paused = true)]
async fn q11_a_full_queue_makes_the_producer_wait() {
    for order in [Order::Global, Order::PerKey] {
        let fifo = fifo(order, 2);
        fifo.push(delta("+a@1")).await.unwrap();
        fifo.push(delta("~a@2")).await.unwrap();
        for text in ["~a@3", "b@3", "[3]"] {
            assert_eq!(fifo.push(delta(text)).now_or_never(), None, "{text}");
        }
        // A sync comes from the consumer, which cannot wait for itself.
        assert_eq!(fifo.push(delta("sync")).now_or_never(), Some(Ok(())));
        assert_eq!(fifo.len(), 3);
        let waiting = fifo.clone();
        let (pushed, ()) = tokio::join!(waiting.push(delta("+b@3")), async {
            while !fifo.is_empty() {
                fifo.pop().await.unwrap();
            }
        });
        pushed.unwrap();
        assert_eq!(pop(&fifo).await, "+b@3");
    }
}

/// several deltas take the lock once, and wait for room in their order.
#[tokio::test(start_paused = true)]
async fn q11_deltas_that_arrive_together_wait_for_room_in_order() {
    for order in [Order::Global, Order::PerKey] {
        let fifo = fifo(order, 2);
        let deltas = ["+a@1", "+b@2", "+c@3", "+d@4", "+e@5"].map(delta);
        let producer = fifo.clone();
        let (pushed, popped) = tokio::join!(producer.push_all(deltas.into()), async {
            [pop(&fifo).await, pop(&fifo).await, pop(&fifo).await]
        });
        pushed.unwrap();
        assert_eq!(popped, ["+a@1 +b@2", "+c@3 +d@4", "+e@5"]);
        fifo.close();
        assert_eq!(fifo.push_all(["+a@6"].map(delta).into()).await, Err(Closed));
    }
}

/// the capacity counts bytes, too; one object of any size fits, and a list of any size.
#[tokio::test(start_paused = true)]
async fn q11_a_queue_is_full_by_bytes() {
    for order in [Order::Global, Order::PerKey] {
        let capacity = Capacity {
            deltas: 100,
            bytes: 10,
        };
        let fifo: DeltaFifo = DeltaFifo::new(order, capacity, Arc::new(Known::default()));
        assert_eq!(fifo.capacity(), capacity);
        fifo.push(delta("+a@4")).await.unwrap();
        fifo.push(delta("~b@5")).await.unwrap();
        fifo.push(delta("b@9")).await.unwrap();
        assert_eq!(fifo.bytes(), 9, "a bookmark costs nothing");
        fifo.push(delta("~c@900")).await.unwrap();
        assert_eq!(fifo.bytes(), 909);
        for text in ["~a@1", "-b@1", "b@10", "[3]"] {
            assert_eq!(fifo.push(delta(text)).now_or_never(), None, "{text}");
        }
        assert_eq!(fifo.push(delta("sync")).now_or_never(), Some(Ok(())));
        let waiting = fifo.clone();
        let (pushed, ()) = tokio::join!(waiting.push(delta("[20,a@500,b@600]")), async {
            while fifo.bytes() > 0 {
                fifo.pop().await.unwrap();
            }
        });
        pushed.unwrap();
        while fifo.bytes() == 0 {
            fifo.pop().await.unwrap();
        }
        assert_eq!(fifo.bytes(), 1100, "{order:?}");
        assert_eq!(fifo.push(delta("+d@1")).now_or_never(), None);
        while !fifo.is_empty() {
            fifo.pop().await.unwrap();
        }
        assert_eq!((fifo.bytes(), fifo.capacity().deltas), (0, 100));
    }
}

/// deltas that a compression removes no longer count.
#[tokio::test(start_paused = true)]
async fn q11_merged_deltas_free_their_bytes() {
    let fifo = fifo(Order::PerKey, 10);
    for text in ["+a@100", "-a@30", "-a@20"] {
        fifo.push(delta(text)).await.unwrap();
    }
    assert_eq!(
        (fifo.len(), fifo.bytes()),
        (2, 130),
        "the older deletion is kept"
    );
    pop(&fifo).await;
    assert_eq!(fifo.bytes(), 0);
}

/// the capacity counts deltas; a list that is accepted is accepted as a whole.
#[tokio::test(start_paused = true)]
async fn q11_a_list_is_let_in_whatever_its_size() {
    let list = "[9,a@1,b@2,c@3,d@4,e@5]";
    let global = fifo(Order::Global, 2);
    global.push(delta(list)).await.unwrap();
    assert_eq!(global.len(), 1);
    global.push(delta("+f@10")).await.unwrap();

    let per_key = fifo(Order::PerKey, 2);
    per_key.push(delta(list)).await.unwrap();
    assert_eq!(per_key.len(), 6, "five objects and the list's end");
    assert_eq!(per_key.push(delta("+f@10")).now_or_never(), None);
    pop(&per_key).await;
    assert!(per_key.is_empty());
    per_key.push(delta("+f@10")).await.unwrap();
}

/// closing a queue drops its content.
#[tokio::test(start_paused = true)]
async fn q13_closing_drops_what_is_queued() {
    let object = Arc::new(());
    let fifo = fifo(Order::Global, 10);
    let entry = Entry {
        object: Arc::clone(&object) as _,
        ..super::support::entry("a@1")
    };
    fifo.push(Delta::Added(entry.into())).await.unwrap();
    assert_eq!(Arc::strong_count(&object), 2);
    fifo.close();
    assert_eq!(Arc::strong_count(&object), 1);
    assert!(fifo.pop().await.is_none());
    assert_eq!(fifo.push(delta("+c@3")).await, Err(Closed));
}

/// N-05: pushed deltas count as processed once the consumer asks for the next batch.
#[tokio::test(start_paused = true)]
async fn n05_what_was_pushed_is_processed_once_the_consumer_asks_for_more() {
    for order in [Order::Global, Order::PerKey] {
        let fifo = fifo(order, 10);
        assert_eq!(fifo.processed().now_or_never(), Some(Ok(())));
        fifo.push(delta("+a@1")).await.unwrap();
        assert_eq!(fifo.processed().now_or_never(), None, "the delta is queued");
        pop(&fifo).await;
        assert_eq!(
            fifo.processed().now_or_never(),
            None,
            "the delta is being processed"
        );
        let (processed, popped) = tokio::join!(fifo.processed(), async {
            fifo.pop().now_or_never().flatten()
        });
        assert_eq!((processed, popped.is_some()), (Ok(()), false));
        fifo.close();
        assert_eq!(fifo.processed().await, Err(Closed));
    }
}

/// Cancel safety: a push or pop that is dropped before it completes has no effect.
#[tokio::test(start_paused = true)]
async fn a_dropped_push_or_pop_has_no_effect() {
    let fifo = fifo(Order::Global, 1);
    assert!(fifo.pop().now_or_never().is_none());
    fifo.push(delta("+a@1")).await.unwrap();
    assert!(fifo.push(delta("+b@2")).now_or_never().is_none());
    assert_eq!(pop(&fifo).await, "+a@1");
    assert!(fifo.pop().now_or_never().is_none(), "b was not pushed");
    fifo.push(delta("+c@3")).await.unwrap();
    assert_eq!(pop(&fifo).await, "+c@3");
}
