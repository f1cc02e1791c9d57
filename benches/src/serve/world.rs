//! Prepared world: objects and events with their offsets, in JSON and, for built-in kinds, in
//! protobuf.

mod body;
mod json;
mod lookups;
mod protobuf;

use kube::core::ApiResource;
use serde_json::Value;

use self::body::Body;

use self::lookups::Candidates;
use crate::Result;
use crate::objects::{self, Objects, Revision};
use crate::world;

/// Version of the first object. The other versions follow, with the same number of digits.
const FIRST_VERSION: u64 = 1_000_000_000;
/// Versions reserved for lists, between those of the objects and of the events.
const LISTS: u64 = 1_000;

/// Parameters of the paced events.
pub(crate) mod paced {
    /// Number of parts: for latency, and for readers.
    pub(crate) const PARTS: usize = 2;
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
    pub(super) resources: Vec<ApiResource>,
    objects: usize,
    /// Number of paced events in each part.
    part: usize,
    /// Number of times that the other events are sent.
    pub(super) rounds: usize,
    json: Body,
    /// `None` if the objects are custom resources.
    protobuf: Option<Body>,
    pub(super) lookups: Candidates,
}

// === impl World ===

impl World {
    /// Prepares objects, events to send at once, and `part` events for each paced part.
    pub(super) fn new(objects: &Objects, world: &world::World, part: usize) -> Result<Self> {
        let count = world.of_each_resource();
        let at_once = world.events / world.rounds();
        let resources = objects.resources.clone();
        let resource = resources.first().ok_or("the world has no resources")?;
        let types = objects::types(resource);
        let protobuf = objects
            .are_built_in()
            .then(|| Body::new(Form::Protobuf, at_once));
        let mut made = Self {
            objects: count,
            part,
            rounds: world.rounds(),
            json: Body::new(Form::Json, at_once),
            protobuf,
            lookups: Candidates::default(),
            resources,
        };
        for number in 0..count {
            let revision = Revision {
                version: FIRST_VERSION + number as u64,
                restarts: 0,
            };
            let item = objects.json(number, revision, "")?;
            let object = objects.json(number, revision, &types)?;
            made.add_object(&item, &object)?;
        }
        let paced_events = if world.kind.has_reads() {
            paced::PARTS * part
        } else {
            0
        };
        for number in 0..at_once + paced_events {
            let revision = Revision {
                version: FIRST_VERSION + count as u64 + LISTS + number as u64,
                restarts: 1 + (number / count.max(1)) as u64,
            };
            let object = objects.json(number % count.max(1), revision, &types)?;
            made.add_event(&object, revision.version)?;
        }
        Ok(made)
    }

    /// Adds an object, without its type and with it.
    fn add_object(&mut self, item: &[u8], object: &[u8]) -> Result<()> {
        self.json.add_item(item);
        let value: Value = serde_json::from_slice(object)?;
        self.lookups.add(&value);
        if let Some(body) = &mut self.protobuf {
            let (message, _) = protobuf::object(&value)?;
            body.add_item(&message);
        }
        Ok(())
    }

    /// Adds an event of an object with this version.
    fn add_event(&mut self, object: &[u8], version: u64) -> Result<()> {
        self.json
            .add_event(&json::event("MODIFIED", object), version);
        if let Some(body) = &mut self.protobuf {
            let value = serde_json::from_slice(object)?;
            let (_, envelope) = protobuf::object(&value)?;
            body.add_event(&protobuf::event("MODIFIED", &envelope), version);
        }
        Ok(())
    }

    /// Returns the resource of a collection's path.
    pub(super) fn resource(&self, path: &str) -> Option<&ApiResource> {
        self.resources
            .iter()
            .find(|resource| path_of(resource) == path)
    }

    /// Returns the best encoding that the client accepts.
    pub(super) fn form(&self, accepts_protobuf: bool) -> Form {
        if accepts_protobuf && self.protobuf.is_some() {
            Form::Protobuf
        } else {
            Form::Json
        }
    }

    /// Returns the body in the encoding `form`.
    pub(super) fn body(&self, form: Form) -> &Body {
        match (form, &self.protobuf) {
            (Form::Protobuf, Some(protobuf)) => protobuf,
            _ => &self.json,
        }
    }

    /// Returns the version of list `number`, starting at 1. The version grows, although the objects
    /// do not change.
    pub(super) fn list_version(&self, number: u64) -> u64 {
        FIRST_VERSION + self.objects as u64 + number.min(LISTS - 1)
    }

    /// Returns the events of one paced part.
    pub(super) fn paced(&self, form: Form, part: usize) -> impl Iterator<Item = &[u8]> {
        let skipped = part * self.part;
        self.body(form).paced().skip(skipped).take(self.part)
    }

    /// Returns the end of a watch whose version is too old.
    pub(super) fn expired(form: Form) -> Result<Vec<u8>> {
        let error = match form {
            Form::Json => json::event("ERROR", json::EXPIRED),
            Form::Protobuf => {
                let status = serde_json::from_slice(json::EXPIRED)?;
                let (_, envelope) = protobuf::object(&status)?;
                protobuf::event("ERROR", &envelope)
            }
        };
        let mut end = body::chunk(&error);
        end.extend(body::chunk(b""));
        Ok(end)
    }
}

/// Returns the path of a resource's collection.
fn path_of(resource: &ApiResource) -> String {
    let root = if resource.group.is_empty() {
        "api"
    } else {
        "apis"
    };
    format!("/{root}/{}/{}", resource.api_version, resource.plural)
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
