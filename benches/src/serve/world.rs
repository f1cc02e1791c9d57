//! Prepared world: Pods and events with their offsets, in both encodings.

mod body;
mod json;
mod protobuf;

use self::body::Body;
pub(super) use self::body::Page;
use crate::Result;
use crate::pod::{Revision, Template};

/// Version of the first Pod. The other versions follow.
const FIRST_VERSION: u64 = 1_000;
/// Versions reserved for lists, between those of the Pods and of the events.
const LISTS: u64 = 1_000;

/// Parameters of the paced events.
pub(crate) mod paced {
    /// Number of parts: for latency, and for one and two readers.
    pub(crate) const PARTS: usize = 3;
    /// Number of events in each part.
    pub(crate) const EVENTS: usize = 1_000;
    /// Events per second. Every peer can follow this rate.
    pub(crate) const RATE: u64 = 1_000;
}

/// Encoding of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Protobuf,
}

#[derive(Debug)]
pub(super) struct World {
    objects: usize,
    /// Number of paced events in each part.
    part: usize,
    json: Body,
    protobuf: Body,
}

// === impl World ===

impl World {
    /// Prepares Pods, events to send at once, and `part` events for each paced part.
    pub(super) fn new(objects: usize, events: usize, part: usize) -> Result<Self> {
        let template = Template::new();
        let (mut json, mut protobuf) = (
            Body::new(Form::Json, events),
            Body::new(Form::Protobuf, events),
        );
        let (mut bare, mut typed) = (Vec::new(), Vec::new());
        for number in 0..objects {
            let revision = Revision {
                version: FIRST_VERSION + number as u64,
                restarts: 0,
            };
            bare.clear();
            template.write(number, revision, false, &mut bare);
            typed.clear();
            template.write(number, revision, true, &mut typed);
            json.add_item(&bare, &json::event("ADDED", &typed));
            let (message, object) = protobuf::object(&typed)?;
            protobuf.add_item(&message, &protobuf::event("ADDED", &object));
        }
        for number in 0..events + paced::PARTS * part {
            let revision = Revision {
                version: FIRST_VERSION + objects as u64 + LISTS + number as u64,
                restarts: 1 + (number / objects.max(1)) as u64,
            };
            typed.clear();
            template.write(number % objects.max(1), revision, true, &mut typed);
            json.add_event(&json::event("MODIFIED", &typed));
            protobuf.add_event(&protobuf::event("MODIFIED", &protobuf::object(&typed)?.1));
        }
        Ok(Self {
            objects,
            part,
            json,
            protobuf,
        })
    }

    /// Returns the body in the encoding `form`.
    fn body(&self, form: Form) -> &Body {
        match form {
            Form::Json => &self.json,
            Form::Protobuf => &self.protobuf,
        }
    }

    /// Returns the version of list `number`, starting at 1. The version grows, although the Pods do
    /// not change.
    pub(super) fn list_version(&self, number: u64) -> u64 {
        FIRST_VERSION + self.objects as u64 + number.min(LISTS - 1)
    }

    /// Returns at most `limit` Pods, starting at `from`. A limit of 0 means no limit.
    pub(super) fn page(&self, form: Form, from: usize, limit: usize, version: u64) -> Page<'_> {
        self.body(form).page(from, limit, version)
    }

    /// Returns all Pods as ADDED events, and the bookmark that ends a streaming list.
    pub(super) fn initial(&self, form: Form, version: u64) -> Result<(&[u8], Vec<u8>)> {
        let bookmark = json::bookmark(version);
        let event = match form {
            Form::Json => json::event("BOOKMARK", &bookmark),
            Form::Protobuf => protobuf::event("BOOKMARK", &protobuf::object(&bookmark)?.1),
        };
        Ok((self.body(form).initial(), body::chunk(&event)))
    }

    /// Returns the MODIFIED events.
    pub(super) fn events(&self, form: Form) -> &[u8] {
        self.body(form).events()
    }

    /// Returns the events of one paced part.
    pub(super) fn paced(&self, form: Form, part: usize) -> impl Iterator<Item = &[u8]> {
        let skipped = part * self.part;
        self.body(form).paced().skip(skipped).take(self.part)
    }

    /// Returns the end of a watch whose version is too old.
    pub(super) fn expired(form: Form) -> Result<Vec<u8>> {
        let event = match form {
            Form::Json => json::event("ERROR", json::EXPIRED),
            Form::Protobuf => protobuf::event("ERROR", &protobuf::object(json::EXPIRED)?.1),
        };
        let mut end = body::chunk(&event);
        end.extend(body::chunk(b""));
        Ok(end)
    }
}

// === impl Form ===

impl Form {
    /// Returns the content type of a list.
    pub(super) fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => informer_protobuf::MEDIA_TYPE,
        }
    }

    /// Returns the content type of a watch.
    pub(super) fn watch_media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => informer_protobuf::WATCH_MEDIA_TYPE,
        }
    }
}
