//! Functions that make cells, by the names under which `columns.jsonl` has them.

mod age;
mod autoscaling;
mod cluster;
mod lookup;
mod network;
mod pods;
mod values;
mod workloads;

use serde::Deserialize;
use serde_json::Value;

use crate::document::Members;

/// A function that makes a cell.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(super) enum Function {
    OfObject(fn(&Members) -> Value),
    /// Takes the values at the paths of the column. Returns `None` if they say nothing.
    OfValues(fn(&[&Value]) -> Option<Value>),
}

// === impl Function ===

impl Function {
    /// Returns the function of a column of this type that a definition declares.
    pub(super) fn declared(kind: &str) -> Self {
        Self::OfValues(match kind {
            "boolean" => values::boolean,
            "date" => values::date,
            "integer" => values::integer,
            "number" => values::number,
            "string" => values::string,
            _ => |_| None,
        })
    }
}

impl Default for Function {
    fn default() -> Self {
        Self::OfValues(values::first)
    }
}

impl TryFrom<String> for Function {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        use Function::{OfObject, OfValues};
        Ok(match name.as_str() {
            "access_modes" => OfValues(values::access_modes),
            "count" => OfValues(values::count),
            "few" => OfValues(values::few),
            "flag" => OfValues(values::flag),
            "join" => OfValues(values::join),
            "lowercase" => OfValues(values::lowercase),
            "reference" => OfValues(values::reference),
            "selector" => OfValues(values::selector),
            "since" => OfValues(values::since),
            "subjects" => OfValues(values::subjects),
            "text" => OfValues(values::text),
            "trimmed" => OfValues(values::trimmed),
            "autoscaler_targets" => OfObject(autoscaling::targets),
            "definition_versions" => OfObject(cluster::definition_versions),
            "endpoint_slice_ports" => OfObject(network::endpoint_slice_ports),
            "endpoints" => OfObject(network::endpoints),
            "event_count" => OfObject(cluster::event_count),
            "event_object" => OfObject(cluster::event_object),
            "event_source" => OfObject(cluster::event_source),
            "ingress_address" => OfObject(network::ingress_address),
            "ingress_class_parameters" => OfObject(network::ingress_class_parameters),
            "ingress_ports" => OfObject(network::ingress_ports),
            "job_completions" => OfObject(workloads::job_completions),
            "job_duration" => OfObject(workloads::job_duration),
            "job_status" => OfObject(workloads::job_status),
            "node_roles" => OfObject(cluster::node_roles),
            "node_status" => OfObject(cluster::node_status),
            "phase" => OfObject(cluster::phase),
            "pod_readiness_gates" => OfObject(pods::readiness_gates),
            "pod_ready" => OfObject(pods::ready),
            "pod_restarts" => OfObject(pods::restarts),
            "pod_status" => OfObject(pods::status),
            "replicas_ready" => OfObject(workloads::replicas_ready),
            "service_external_ip" => OfObject(network::service_external_ip),
            "service_ports" => OfObject(network::service_ports),
            _ => return Err(format!("unknown function of a cell: {name}")),
        })
    }
}
