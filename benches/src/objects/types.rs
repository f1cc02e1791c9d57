//! Types of the measured custom resources.

use serde::{Deserialize, Serialize};

pub(crate) use self::generated::{
    argoproj::v1alpha1::application::Application, cert_manager::v1::certificate::Certificate,
    gateway::v1::http_route::HttpRoute,
};

mod generated {
    //! Output of `build.rs`.
    informer::include_informers!();
}

/// Spec of one of many types.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SmallSpec {
    replicas: i32,
    image: String,
    paused: Option<bool>,
}

/// Status of one of many types.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct SmallStatus {
    ready: i32,
    phase: String,
}
