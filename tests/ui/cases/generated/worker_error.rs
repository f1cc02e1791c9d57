//! For a wrong error type of a worker, the message names the allowed types.

use informer::{ObjectKey, WorkQueue};

#[derive(Debug)]
enum Plain {
    Broken,
}

async fn work(_: ObjectKey) -> Result<(), Plain> {
    Err(Plain::Broken)
}

async fn run(queue: WorkQueue<ObjectKey>) {
    queue.run_workers(1, work).await;
}

fn main() {
    drop(run(WorkQueue::new("keys")));
}
