//! What can be set on a [`KubeListerWatcher`](super::KubeListerWatcher).

use std::time::Duration;

use kube::core::TypeMeta;

use crate::object::ResourceInfo;
use crate::wire::Encoding;

/// How much of each object the server sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// The whole object.
    #[default]
    Full,
    /// Its metadata only, as `meta.k8s.io/v1 PartialObjectMetadata`.
    Metadata,
}

/// For how long a server may be silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the head of an answer has arrived. Default: 60 s.
    pub headers: Duration,
    /// Between two frames of a list. Default: 30 s.
    pub list_progress: Duration,
    /// Between two frames of a watch, beyond the time after which the server should have closed
    /// it anyway. Default: 5 s.
    pub watch_grace: Duration,
    /// Between two frames of a watch that has shown a bookmark: servers that send bookmarks send
    /// one about every minute. Default: 3 min.
    pub watch_progress: Duration,
}

// === impl Form ===

impl Form {
    /// What to accept as the answer to a LIST, the best first.
    pub(super) fn list_media_types(self, encodings: &[Encoding]) -> String {
        self.media_types(
            encodings,
            ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        )
    }

    /// What to accept as the answer to a WATCH, the best first.
    pub(super) fn watch_media_types(self, encodings: &[Encoding]) -> String {
        self.media_types(encodings, ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
    }

    fn media_types(self, encodings: &[Encoding], metadata: &str) -> String {
        let parameters = match self {
            Self::Full => "",
            Self::Metadata => metadata,
        };
        let types = encodings.iter().map(|encoding| encoding.media_type());
        let types: Vec<String> = types.map(|it| format!("{it}{parameters}")).collect();
        types.join(",")
    }

    /// What the objects say they are.
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
