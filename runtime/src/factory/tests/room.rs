//! Bound on the bytes of lists that are not decoded yet. The server counts the bytes of its frames
//! that the client keeps.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use fastrand::Rng;
use futures::stream::{self, BoxStream, StreamExt as _};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::client::Body;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::support::SECOND;
use crate::factory::SharedInformerFactory;
use crate::reflector::WatchListMode;
use crate::shared_informer::{InformerConfig, InformerOptions};

const LISTS: usize = 60;
/// The first lists stop in the middle, and never end.
const STALLED: usize = 20;
const OBJECTS: usize = 200;
const ROOM: usize = 64 << 10;
/// Maximum size of a frame, but for those of [`LARGE`].
const FRAME: usize = 8 << 10;
/// Size of an object that is larger than the room. Each list has one.
const LARGE: usize = 80 << 10;

/// Bytes of frames that are not dropped.
#[derive(Default)]
struct Kept {
    now: AtomicUsize,
    most: AtomicUsize,
}

/// Content of a frame.
struct Counted(Vec<u8>, Arc<Kept>);

impl Counted {
    fn frame(text: String, kept: &Arc<Kept>) -> Frame<Bytes> {
        let now = kept.now.fetch_add(text.len(), Ordering::SeqCst) + text.len();
        kept.most.fetch_max(now, Ordering::SeqCst);
        Frame::data(Bytes::from_owner(Self(text.into(), Arc::clone(kept))))
    }
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.1.now.fetch_sub(self.0.len(), Ordering::SeqCst);
    }
}

/// Returns the objects of a list as texts of several objects each, of which every one fits a frame.
fn parts(rng: &mut Rng, is_streamed: bool) -> Vec<String> {
    let large = rng.usize(..OBJECTS);
    let mut parts = vec![String::new()];
    for number in 0..OBJECTS {
        let size = if number == large {
            LARGE
        } else {
            rng.usize(100..2000)
        };
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"namespace": "n", "name": format!("o{number}"), "resourceVersion": "1"},
            "data": {"value": "x".repeat(size)},
        });
        let text = match (is_streamed, number) {
            (true, _) => format!("{}\n", json!({"type": "ADDED", "object": object})),
            (false, 0) => object.to_string(),
            (false, _) => format!(",{object}"),
        };
        if parts.last().unwrap().len() + text.len() > FRAME {
            parts.push(String::new());
        }
        parts.last_mut().unwrap().push_str(&text);
    }
    parts
}

/// Returns the body of a list, of which a stalled one has the first half.
fn body(
    mut rng: Rng,
    is_streamed: bool,
    stalls: bool,
    kept: Arc<Kept>,
) -> BoxStream<'static, io::Result<Frame<Bytes>>> {
    let mut texts = parts(&mut rng, is_streamed);
    if stalls {
        texts.truncate(texts.len() / 2);
    }
    let bookmark = json!({"type": "BOOKMARK", "object": {"metadata": {
        "resourceVersion": "1", "annotations": {"k8s.io/initial-events-end": "true"},
    }}});
    if is_streamed {
        texts.push(format!("{bookmark}\n"));
    } else {
        let head = r#"{"metadata":{"resourceVersion":"1"},"items":["#;
        texts.insert(0, head.to_owned());
        texts.push("]}".to_owned());
    }
    if stalls {
        texts.pop();
    }
    let frames = stream::iter(texts).then(move |text| {
        let (delay, kept) = (rng.u64(..20), Arc::clone(&kept));
        async move {
            sleep(Duration::from_millis(delay)).await;
            Ok(Counted::frame(text, &kept))
        }
    });
    if stalls || is_streamed {
        frames.chain(stream::pending()).boxed()
    } else {
        frames.boxed()
    }
}

/// Lists many namespaces with little room. Returns the largest number of bytes that were kept.
async fn list(seed: u64, mode: WatchListMode, room: usize) -> usize {
    let kept = Arc::<Kept>::default();
    let service = tower::service_fn({
        let kept = Arc::clone(&kept);
        move |request: Request<Body>| {
            let query = request.uri().query().unwrap_or_default();
            let is_streamed = query.contains("sendInitialEvents");
            let number = request
                .uri()
                .path()
                .split(['n', '/'])
                .find_map(|part| part.parse().ok());
            let number: usize = number.unwrap();
            let body = if query.contains("watch=true") && !is_streamed {
                stream::pending().boxed()
            } else {
                let rng = Rng::with_seed(seed + number as u64);
                body(rng, is_streamed, number < STALLED, Arc::clone(&kept))
            };
            async { Ok::<_, Infallible>(Response::new(StreamBody::new(body))) }
        }
    });
    let factory = SharedInformerFactory::builder(Client::new(service, "default"))
        .config(InformerConfig::new().watch_list(mode))
        .max_first_lists(0)
        .max_list_bytes(room)
        .build()
        .unwrap();
    let informers: Vec<_> = (0..LISTS)
        .map(|number| {
            let options = InformerOptions::<ConfigMap>::new().namespace(format!("n{number}"));
            factory.informer_with(options)
        })
        .collect();
    factory.start().unwrap();
    for informer in informers.iter().skip(STALLED) {
        // Earlier than the end of stalled lists.
        let synced = timeout(25 * SECOND, informer.wait_for_sync()).await;
        synced.expect("no list waits for stalled ones").unwrap();
        assert_eq!(informer.snapshot().len(), OBJECTS);
    }
    factory.shutdown().await;
    kept.most.load(Ordering::SeqCst)
}

/// W-01: the undecoded objects of all lists together are bounded, but for a frame of each list. No
/// list waits for ever, neither with an object that is larger than the bound, nor while other lists
/// have stopped in the middle.
#[tokio::test(start_paused = true)]
async fn w01_the_undecoded_objects_of_all_lists_are_bounded() {
    for mode in [WatchListMode::Never, WatchListMode::Auto] {
        for seed in 0..2 {
            let most = list(1000 * seed, mode, ROOM).await;
            let bound = ROOM + LISTS * FRAME;
            assert!(most <= bound, "{seed}: {most} bytes, not {bound}");
        }
    }
}

/// W-01: with the smallest bound, lists decode an object at a time, and all of them end.
#[tokio::test(start_paused = true)]
async fn w01_no_list_waits_for_ever_with_the_smallest_bound() {
    for mode in [WatchListMode::Never, WatchListMode::Auto] {
        let most = list(7, mode, 1).await;
        assert!(most <= LISTS * FRAME, "{most} bytes");
    }
}
