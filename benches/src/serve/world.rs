//! What is served, prepared: Pods, events, and where each begins.

use crate::pod::{Revision, Template};

/// The version of the first Pod; the others count on.
const FIRST_VERSION: u64 = 1_000;
/// Versions left free for lists between the Pods' and the events'.
const LISTS: u64 = 1_000;

#[derive(Debug)]
pub(super) struct World {
    /// All Pods as items of a list, with commas between them.
    items: Vec<u8>,
    /// Where each Pod begins in `items`, and where one more would.
    starts: Vec<usize>,
    /// All Pods as ADDED events in chunks.
    initial: Vec<u8>,
    /// The MODIFIED events in chunks.
    events: Vec<u8>,
}

/// A page of a list: its parts, to be sent one after the other.
#[derive(Debug)]
pub(super) struct Page<'a> {
    pub(super) head: String,
    pub(super) items: &'a [u8],
    pub(super) tail: &'static str,
}

// === impl World ===

impl World {
    pub(super) fn new(objects: usize, events: usize) -> Self {
        let template = Template::new();
        let (mut items, mut starts, mut initial) = (Vec::new(), vec![0], Vec::new());
        let mut event = Vec::new();
        for number in 0..objects {
            let revision = Revision {
                version: FIRST_VERSION + number as u64,
                restarts: 0,
            };
            if number > 0 {
                items.push(b',');
            }
            template.write(number, revision, false, &mut items);
            starts.push(items.len() + 1);
            event.clear();
            event.extend_from_slice(br#"{"type":"ADDED","object":"#);
            template.write(number, revision, true, &mut event);
            event.extend_from_slice(b"}\n");
            chunk(&event, &mut initial);
        }
        let mut modified = Vec::new();
        for number in 0..events {
            let revision = Revision {
                version: FIRST_VERSION + objects as u64 + LISTS + number as u64,
                restarts: 1 + (number / objects.max(1)) as u64,
            };
            event.clear();
            event.extend_from_slice(br#"{"type":"MODIFIED","object":"#);
            template.write(number % objects.max(1), revision, true, &mut event);
            event.extend_from_slice(b"}\n");
            chunk(&event, &mut modified);
        }
        Self {
            items,
            starts,
            initial,
            events: modified,
        }
    }

    /// How many Pods there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The version of the list that is the `number`th to be asked for, from 1 on: the world goes
    /// on though these Pods do not change.
    pub(super) fn list_version(&self, number: u64) -> u64 {
        FIRST_VERSION + self.len() as u64 + number.min(LISTS - 1)
    }

    /// At most `limit` Pods from `from` on; 0 is no limit.
    pub(super) fn page(&self, from: usize, limit: usize, version: u64) -> Page<'_> {
        let from = from.min(self.len());
        let until = match limit {
            0 => self.len(),
            limit => self.len().min(from.saturating_add(limit)),
        };
        let left = self.len() - until;
        let more = match left {
            0 => String::new(),
            _ => format!(r#","continue":"{until}","remainingItemCount":{left}"#),
        };
        let start = self.starts.get(from).copied().unwrap_or_default();
        let end = self.starts.get(until).map_or(start, |next| next - 1);
        Page {
            head: format!(
                r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{version}"{more}}},"items":["#
            ),
            items: self.items.get(start..end).unwrap_or_default(),
            tail: "]}\n",
        }
    }

    /// All Pods as ADDED events, and the bookmark that ends a streaming list.
    pub(super) fn initial(&self, version: u64) -> (&[u8], Vec<u8>) {
        let bookmark = format!(
            r#"{{"type":"BOOKMARK","object":{{"kind":"Pod","apiVersion":"v1","metadata":{{"resourceVersion":"{version}","annotations":{{"k8s.io/initial-events-end":"true"}}}},"spec":{{"containers":null}},"status":{{}}}}}}{}"#,
            '\n'
        );
        let mut end = Vec::new();
        chunk(bookmark.as_bytes(), &mut end);
        (&self.initial, end)
    }

    /// The MODIFIED events.
    pub(super) fn events(&self) -> &[u8] {
        &self.events
    }

    /// The end of a watch whose version is too old.
    pub(super) fn expired() -> Vec<u8> {
        let error = r#"{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version","reason":"Expired","code":410}}"#;
        let mut end = Vec::new();
        chunk(format!("{error}\n").as_bytes(), &mut end);
        chunk(b"", &mut end);
        end
    }
}

/// Adds `data` as one chunk of HTTP's chunked coding; no data ends the body.
fn chunk(data: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{:x}\r\n", data.len()).as_bytes());
    out.extend_from_slice(data);
    out.extend_from_slice(b"\r\n");
}
