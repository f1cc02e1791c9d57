//! Measured worlds: objects, and what happens to them.

use std::fmt;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

/// Number of events of the sustained world, per event of the other worlds.
const SUSTAINED: usize = 20;
const SUSTAINED_PODS: usize = 5_000;
/// Number of objects of each of many types.
const OF_EACH_TYPE: usize = 5;

/// Measured world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Args, Serialize, Deserialize)]
pub(crate) struct World {
    /// Contents of the world
    #[arg(long = "world")]
    pub(crate) kind: Kind,
    /// Number of objects; in a world of many types, the number of types
    #[arg(long)]
    pub(crate) objects: usize,
    /// Number of events to send as fast as the client reads
    #[arg(long, default_value_t = 0)]
    pub(crate) events: usize,
}

/// Contents of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lower")]
pub(crate) enum Kind {
    /// Pods of one template.
    Uniform,
    /// Pods of hundreds of templates.
    Mixed,
    /// Objects of a file.
    File,
    /// Few Pods of one template, and many events.
    Sustained,
    /// `ConfigMap`s with settings or files.
    ConfigMaps,
    /// Secrets of several types.
    Secrets,
    /// cert-manager's Certificates.
    Certificates,
    /// Gateway API's `HTTPRoutes`.
    Routes,
    /// Argo CD's Applications.
    Applications,
    /// Many resources with few small objects.
    Types,
}

// === impl World ===

impl World {
    /// Returns the worlds of this kind. Kinds whose sizes do not vary ignore `objects`.
    pub(crate) fn of(kind: Kind, objects: &[usize], events: usize) -> Vec<Self> {
        let (sizes, events) = match kind {
            Kind::Mixed | Kind::File => (objects, events),
            Kind::Uniform => (objects.get(..1).unwrap_or_default(), events),
            Kind::Sustained => (&[SUSTAINED_PODS][..], SUSTAINED * events),
            Kind::Types => (&[1, 20, 200][..], 0),
            // One event for each object.
            Kind::ConfigMaps
            | Kind::Secrets
            | Kind::Certificates
            | Kind::Routes
            | Kind::Applications => (&[events][..], events),
        };
        sizes
            .iter()
            .map(|objects| Self {
                kind,
                objects: *objects,
                events,
            })
            .collect()
    }

    /// Returns the world as arguments of another process.
    pub(crate) fn to_arguments(self) -> [String; 3] {
        [
            format!("--world={}", self.kind),
            format!("--objects={}", self.objects),
            format!("--events={}", self.events),
        ]
    }

    /// Returns the number of times that the prepared events are sent, each time with new versions.
    pub(crate) fn rounds(&self) -> usize {
        if self.kind == Kind::Sustained {
            SUSTAINED
        } else {
            1
        }
    }

    /// Returns the number of objects in each resource.
    pub(crate) fn of_each_resource(&self) -> usize {
        if self.kind == Kind::Types {
            OF_EACH_TYPE
        } else {
            self.objects
        }
    }
}

// === impl Kind ===

impl Kind {
    /// Reports whether the command line sets the number of objects.
    pub(crate) fn is_sized(self) -> bool {
        matches!(self, Self::Uniform | Self::Mixed | Self::File)
    }

    /// Reports whether relists are measured.
    pub(crate) fn has_relist(self) -> bool {
        !matches!(self, Self::Sustained | Self::Types)
    }

    /// Reports whether latency and reads are measured, during events at a fixed rate.
    pub(crate) fn has_reads(self) -> bool {
        self.is_sized()
    }
}

impl fmt::Display for Kind {
    /// Writes the name on the command line and in docs/performance.csv.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
