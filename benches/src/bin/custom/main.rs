//! Cost of an informer of custom resources: the first list, then an update of each object, in
//! processor time and memory. The bodies come from memory, in frames of 64 KiB.
//!
//! ```console
//! $ cargo run --release -p informer-benches --bin informer-benches-custom -- application 20000
//! ```

#![expect(clippy::cast_precision_loss, reason = "the figures have few digits")]

mod kinds;

use std::future::ready;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use informer_runtime::source::{
    ListOptions, ListPart, ListStream, ListerWatcher, SourceError, WatchOptions, WatchStream,
};
use informer_runtime::wire::{Encoding, SplitOptions};
use informer_runtime::{Object, SharedInformer};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::kinds::{Application, Certificate, HTTPRoute, application, certificate, http_route};

const FRAME: usize = 64 << 10;

/// Server of one list, and of one update of each object.
struct Bodies {
    list: Vec<Bytes>,
    events: Vec<Bytes>,
    /// `true` starts the events.
    go: tokio::sync::watch::Receiver<bool>,
}

impl ListerWatcher for Bodies {
    fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        let mut splitter = Some(Encoding::Json.list_splitter(&SplitOptions::default()));
        let frames = self.list.clone().into_iter().map(Some).chain([None]);
        let parts = stream::iter(frames).map(move |frame| match (frame, splitter.as_mut()) {
            (Some(frame), Some(splitter)) => {
                let mut items = Vec::new();
                splitter.push(&frame, &mut items)?;
                Ok(ListPart::Items(items))
            }
            _ => match splitter.take() {
                Some(splitter) => Ok(ListPart::End(splitter.finish()?)),
                None => Err(SourceError::Malformed("read twice".to_owned())),
            },
        });
        ready(Ok(parts.boxed())).boxed()
    }

    fn watch(&self, _: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        let mut splitter = Encoding::Json.event_splitter(&SplitOptions::default());
        let (frames, mut go) = (self.events.clone(), self.go.clone());
        let events = stream::once(async move {
            let _open = go.wait_for(|go| *go).await;
            stream::iter(frames)
        })
        .flatten()
        .flat_map(move |frame| {
            let mut events = Vec::new();
            let pushed = splitter.push(&frame, &mut events);
            let failed = pushed.err().map(|error| Err(error.into()));
            stream::iter(events.into_iter().map(Ok).chain(failed))
        });
        ready(Ok(events.chain(stream::pending()).boxed())).boxed()
    }

    fn supports_watch_list(&self) -> bool {
        false
    }
}

fn frames(body: &str) -> Vec<Bytes> {
    let chunks = body.as_bytes().chunks(FRAME);
    chunks.map(Bytes::copy_from_slice).collect()
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Returns the process's resident memory, in MiB.
fn resident() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0_f64) * 4096.0 / f64::from(1 << 20)
}

async fn measure<K: Object<DynamicType = ()>>(
    count: usize,
    make: fn(usize, usize) -> Value,
) -> Result<(), Box<dyn std::error::Error>> {
    let items: Vec<String> = (0..count).map(|n| make(n, n + 2).to_string()).collect();
    let bytes: usize = items.iter().map(String::len).sum();
    let body = format!(
        r#"{{"kind":"List","apiVersion":"v1","metadata":{{"resourceVersion":"{}"}},"items":[{}]}}"#,
        count + 1,
        items.join(",")
    );
    let list = frames(&body);
    drop((items, body));
    let events: Vec<String> = (0..count)
        .map(|n| {
            let object = make(n, count + n + 2);
            format!(r#"{{"type":"MODIFIED","object":{object}}}"#)
        })
        .collect();
    let events = frames(&events.join("\n"));
    let (start, go) = tokio::sync::watch::channel(false);
    let empty = resident();
    let source = Bodies { list, events, go };
    let informer = SharedInformer::<K>::builder(source).build()?;
    let (cancel, tasks) = (CancellationToken::new(), TaskTracker::new());
    let before = cpu_seconds();
    tasks.spawn(informer.run(cancel.clone()));
    informer.wait_for_sync().await?;
    let synced = cpu_seconds();
    let held = resident() - empty;
    start.send_replace(true);
    let end = (2 * count + 1).to_string();
    informer.indexer().wait_for(&end.as_str().into()).await?;
    let updated = cpu_seconds();
    assert_eq!(informer.metrics().undecodable_objects, 0);
    assert_eq!(informer.snapshot().len(), count);
    let each = |seconds: f64| seconds * 1e6 / count as f64;
    println!(
        "{} bytes each: sync {:.2} us, events {:.2} us, memory {:.2} KiB",
        bytes / count,
        each(synced - before),
        each(updated - synced),
        held * 1024.0 / count as f64,
    );
    cancel.cancel();
    tasks.close();
    tasks.wait().await;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap_or_default();
    let count = arguments.next().map_or(Ok(20_000), |count| count.parse())?;
    match kind.as_str() {
        "certificate" => measure::<Certificate>(count, certificate).await,
        "route" => measure::<HTTPRoute>(count, http_route).await,
        "application" => measure::<Application>(count, application).await,
        _ => Err("missing kind: pass certificate, route or application".into()),
    }
}
