//! Of what a worker returns as an error, the message says what it may be.

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
