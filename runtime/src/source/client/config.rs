//! Configuration of a [`KubeListerWatcher`](super::KubeListerWatcher).

use std::time::Duration;

use kube::core::TypeMeta;

use crate::object::ResourceInfo;
use crate::wire::Encoding;

/// Part of each object that the server sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// The whole object.
    #[default]
    Full,
    /// The metadata only, as `meta.k8s.io/v1 PartialObjectMetadata`.
    Metadata,
}

/// Maximum durations of silence of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Time until the response headers have arrived. Default: 60 s.
    pub headers: Duration,
    /// Time between two frames of a list. Default: 30 s.
    pub list_progress: Duration,
    /// Time between two frames of a watch, in addition to the timeout after which the server should
    /// close the watch. Default: 5 s.
    pub watch_grace: Duration,
    /// Time between two frames of a watch that has received a bookmark: servers with bookmarks send
    /// one about every minute. Default: 3 min.
    pub watch_progress: Duration,
}

// === impl Form ===

impl Form {
    /// Returns the media types to accept in response to a LIST, in order of preference.
    pub(super) fn list_media_types(self, encodings: &[Encoding]) -> String {
        self.media_types(
            encodings,
            ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        )
    }

    /// Returns the media types to accept in response to a WATCH, in order of preference.
    pub(super) fn watch_media_types(self, encodings: &[Encoding]) -> String {
        self.media_types(encodings, ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
    }

    fn media_types(self, encodings: &[Encoding], metadata: &str) -> String {
        let parameters = match self {
            Self::Full => "",
            Self::Metadata => metadata,
        };
        let types = encodings.iter().map(|encoding| encoding.media_type());
        let types: Vec<String> = types
            .map(|media_type| format!("{media_type}{parameters}"))
            .collect();
        types.join(",")
    }

    /// Returns the apiVersion and kind of the objects that the server sends.
    pub(super) fn object_type(self, resource: &ResourceInfo) -> TypeMeta {
        match self {
            Self::Full => TypeMeta {
                api_version: resource.api_resource.api_version.clone(),
                kind: resource.api_resource.kind.clone(),
            },
            Self::Metadata => TypeMeta {
                api_version: "meta.k8s.io/v1".to_owned(),
                kind: "PartialObjectMetadata".to_owned(),
            },
        }
    }
}

// === impl Timeouts ===

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            headers: Duration::from_secs(60),
            list_progress: Duration::from_secs(30),
            watch_grace: Duration::from_secs(5),
            watch_progress: Duration::from_secs(3 * 60),
        }
    }
}
