//! What is served, prepared: Pods, events, and where each begins, in both encodings.

mod body;
mod json;
mod protobuf;

use self::body::Body;
pub(super) use self::body::Page;
use crate::Result;
use crate::pod::{Revision, Template};

/// The version of the first Pod; the others count on.
const FIRST_VERSION: u64 = 1_000;
/// Versions left free for lists between the Pods' and the events'.
const LISTS: u64 = 1_000;

/// How the paced events are sent.
pub(crate) mod paced {
    /// Parts that can be ordered: for latency, and for one and two readers.
    pub(crate) const PARTS: usize = 3;
    /// Events of each part.
    pub(crate) const EVENTS: usize = 1_000;
    /// Events per second: one that every peer can follow.
    pub(crate) const RATE: u64 = 1_000;
}

/// How bodies are spelt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Protobuf,
}

#[derive(Debug)]
pub(super) struct World {
    objects: usize,
    /// Events of each part of the paced ones.
    part: usize,
    json: Body,
    protobuf: Body,
}

// === impl World ===

impl World {
    /// Prepares Pods, events to be sent at once, and so many in each part of the paced ones.
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

    /// What is sent to those who read this.
    fn body(&self, form: Form) -> &Body {
        match form {
            Form::Json => &self.json,
            Form::Protobuf => &self.protobuf,
        }
    }

    /// The version of the list that is the `number`th to be asked for, from 1 on: the world goes
    /// on though these Pods do not change.
    pub(super) fn list_version(&self, number: u64) -> u64 {
        FIRST_VERSION + self.objects as u64 + number.min(LISTS - 1)
    }

    /// At most `limit` Pods from `from` on; 0 is no limit.
    pub(super) fn page(&self, form: Form, from: usize, limit: usize, version: u64) -> Page<'_> {
        self.body(form).page(from, limit, version)
    }

    /// All Pods as ADDED events, and the bookmark that ends a streaming list.
    pub(super) fn initial(&self, form: Form, version: u64) -> Result<(&[u8], Vec<u8>)> {
        let bookmark = json::bookmark(version);
        let event = match form {
            Form::Json => json::event("BOOKMARK", &bookmark),
            Form::Protobuf => protobuf::event("BOOKMARK", &protobuf::object(&bookmark)?.1),
        };
        Ok((self.body(form).initial(), body::chunk(&event)))
    }

    /// The MODIFIED events.
    pub(super) fn events(&self, form: Form) -> &[u8] {
        self.body(form).events()
    }

    /// The events of a part of the paced ones.
    pub(super) fn paced(&self, form: Form, part: usize) -> impl Iterator<Item = &[u8]> {
        let skipped = part * self.part;
        self.body(form).paced().skip(skipped).take(self.part)
    }

    /// The end of a watch whose version is too old.
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
    /// The content type of a list.
    pub(super) fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => informer_protobuf::MEDIA_TYPE,
        }
    }

    /// The content type of a watch.
    pub(super) fn watch_media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => informer_protobuf::WATCH_MEDIA_TYPE,
        }
    }
}
