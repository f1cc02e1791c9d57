//! Services and what leads to them.

use serde_json::Value;

use super::lookup::{NONE, at, list, or, text};
use super::values::few;
use crate::document::{Members, list_of, str_of};

pub(super) fn service_external_ip(members: &Members) -> Value {
    let mut found = Vec::new();
    let mut otherwise = NONE;
    match text(members, "spec.type") {
        "ExternalName" => {
            let name = text(members, "spec.externalName");
            return or(name, NONE).into();
        }
        "LoadBalancer" => {
            found = addresses(members);
            otherwise = "<pending>";
        }
        _ => {}
    }
    for address in list(members, "spec.externalIPs") {
        found.extend(address.as_str());
    }
    if found.is_empty() {
        otherwise.into()
    } else {
        found.join(",").into()
    }
}

pub(super) fn service_ports(members: &Members) -> Value {
    let ports: Vec<String> = list(members, "spec.ports")
        .iter()
        .map(service_port)
        .collect();
    or(&ports.join(","), NONE).into()
}

/// Writes `80/TCP`, or `80:30080/TCP` with the port of the nodes.
fn service_port(port: &Value) -> String {
    let number = integer(port, "port");
    let protocol = or(str_of(port.get("protocol")), "TCP");
    match integer(port, "nodePort") {
        0 => format!("{number}/{protocol}"),
        node => format!("{number}:{node}/{protocol}"),
    }
}

fn integer(port: &Value, field: &str) -> i64 {
    port.get(field).and_then(Value::as_i64).unwrap_or(0)
}

pub(super) fn ingress_address(members: &Members) -> Value {
    addresses(members).join(",").into()
}

pub(super) fn ingress_ports(members: &Members) -> Value {
    if list(members, "spec.tls").is_empty() {
        "80".into()
    } else {
        "80, 443".into()
    }
}

/// Returns the addresses that a load balancer has assigned.
fn addresses(members: &Members) -> Vec<&str> {
    let mut found = Vec::new();
    for address in list(members, "status.loadBalancer.ingress") {
        let host = str_of(address.get("hostname"));
        let shown = or(str_of(address.get("ip")), host);
        if !shown.is_empty() {
            found.push(shown);
        }
    }
    found
}

pub(super) fn ingress_class_parameters(members: &Members) -> Value {
    let Some(parameters) = at(members, "spec.parameters") else {
        return NONE.into();
    };
    let kind = str_of(parameters.get("kind"));
    let name = str_of(parameters.get("name"));
    match str_of(parameters.get("apiGroup")) {
        "" => format!("{kind}/{name}").into(),
        group => format!("{kind}.{group}/{name}").into(),
    }
}

pub(super) fn endpoint_slice_ports(members: &Members) -> Value {
    let every = Value::from("*");
    let mut numbers = Vec::new();
    for port in list(members, "ports") {
        numbers.push(port.get("port").unwrap_or(&every));
    }
    few(&numbers).unwrap_or_else(|| "<unset>".into())
}

/// Writes `10.1.1.1:80,10.1.1.2:80`.
pub(super) fn endpoints(members: &Members) -> Value {
    let mut found: Vec<Value> = Vec::new();
    for subset in list(members, "subsets") {
        let addresses = list_of(subset.get("addresses"));
        let ports = list_of(subset.get("ports"));
        if ports.is_empty() {
            for address in addresses {
                found.push(str_of(address.get("ip")).into());
            }
        }
        for port in ports {
            let number = integer(port, "port");
            for address in addresses {
                let ip = str_of(address.get("ip"));
                found.push(endpoint(ip, number).into());
            }
        }
    }
    let shown: Vec<&Value> = found.iter().collect();
    few(&shown).unwrap_or_else(|| NONE.into())
}

fn endpoint(ip: &str, port: i64) -> String {
    if ip.contains(':') {
        format!("[{ip}]:{port}")
    } else {
        format!("{ip}:{port}")
    }
}
