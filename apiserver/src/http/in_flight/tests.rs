use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use bytes::Bytes;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Body as _, Frame};

use super::{AnswerBody, bounded};

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Takes frames until none is ready; `None` at the end of the body.
fn take(body: &mut AnswerBody, waker: &Waker) -> Option<Vec<Bytes>> {
    let mut frames = Vec::new();
    loop {
        match Pin::new(&mut *body).poll_frame(&mut Context::from_waker(waker)) {
            Poll::Ready(Some(frame)) => frames.push(frame.unwrap().into_data().unwrap()),
            Poll::Ready(None) => return None,
            Poll::Pending => return Some(frames),
        }
    }
}

#[test]
fn frames_follow_when_previous_ones_are_written() {
    let count = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&count));
    let frames = (0..20).map(|number| Ok(Frame::data(Bytes::from(vec![number; 1_000]))));
    let body = StreamBody::new(futures::stream::iter(frames));
    let mut body = bounded(body.boxed_unsync());

    let mut unwritten = take(&mut body, &waker).unwrap();
    assert_eq!(unwritten.len(), 5);
    for number in 5..20 {
        let written = unwritten.remove(0);
        let rest = written.slice(500..);
        drop(written);
        assert!(
            take(&mut body, &waker).unwrap().is_empty(),
            "half is not written"
        );
        let before = count.0.load(Ordering::Relaxed);
        drop(rest);
        assert_eq!(count.0.load(Ordering::Relaxed), before + 1);
        let next = take(&mut body, &waker).unwrap();
        assert_eq!(next, [Bytes::from(vec![number; 1_000])]);
        unwritten.extend(next);
    }
    unwritten.clear();
    assert_eq!(take(&mut body, &waker), None);
}
