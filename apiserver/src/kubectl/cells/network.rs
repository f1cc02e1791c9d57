//! Services and what leads to them.

use serde_json::Value;

use super::lookup::{NONE, at, list, or, text};
use super::values::few;
use crate::document::{Members, list_of, str_of};

pub(super) fn service_external_ip(members: &Members) -> Value {
    let given = list(members, &["spec", "externalIPs"])
        .iter()
        .filter_map(Value::as_str);
    let (found, otherwise) = match text(members, &["spec", "type"]) {
        "ExternalName" => {
            return or(text(members, &["spec", "externalName"]), NONE).into();
        }
        "LoadBalancer" => {
            let mut found = addresses(members);
            found.extend(given);
            (found, "<pending>")
        }
        _ => (given.collect(), NONE),
    };
    if found.is_empty() {
        otherwise.into()
    } else {
        found.join(",").into()
    }
}

pub(super) fn service_ports(members: &Members) -> Value {
    let ports = list(members, &["spec", "ports"]).iter().map(|port| {
        let number = |field| port.get(field).and_then(Value::as_i64).unwrap_or(0);
        let protocol = or(str_of(port.get("protocol")), "TCP");
        match number("nodePort") {
            0 => format!("{}/{protocol}", number("port")),
            node => format!("{}:{node}/{protocol}", number("port")),
        }
    });
    or(&ports.collect::<Vec<_>>().join(","), NONE).into()
}

pub(super) fn ingress_address(members: &Members) -> Value {
    addresses(members).join(",").into()
}

pub(super) fn ingress_ports(members: &Members) -> Value {
    if list(members, &["spec", "tls"]).is_empty() {
        "80".into()
    } else {
        "80, 443".into()
    }
}

/// Returns the addresses that a load balancer has assigned.
fn addresses(members: &Members) -> Vec<&str> {
    list(members, &["status", "loadBalancer", "ingress"])
        .iter()
        .map(|address| or(str_of(address.get("ip")), str_of(address.get("hostname"))))
        .filter(|address| !address.is_empty())
        .collect()
}

pub(super) fn ingress_class_parameters(members: &Members) -> Value {
    let Some(parameters) = at(members, &["spec", "parameters"]) else {
        return NONE.into();
    };
    let kind = match str_of(parameters.get("apiGroup")) {
        "" => str_of(parameters.get("kind")).to_owned(),
        group => format!("{}.{group}", str_of(parameters.get("kind"))),
    };
    format!("{kind}/{}", str_of(parameters.get("name"))).into()
}

pub(super) fn endpoint_slice_ports(members: &Members) -> Value {
    let every = Value::from("*");
    let ports = list(members, &["ports"]).iter();
    let ports: Vec<&Value> = ports
        .map(|port| port.get("port").unwrap_or(&every))
        .collect();
    few(&ports).unwrap_or_else(|| "<unset>".into())
}

/// Writes `10.1.1.1:80,10.1.1.2:80`.
pub(super) fn endpoints(members: &Members) -> Value {
    let mut found: Vec<Value> = Vec::new();
    for subset in list(members, &["subsets"]) {
        let all = |field| list_of(subset.get(field));
        let addresses = all("addresses")
            .iter()
            .map(|address| str_of(address.get("ip")));
        let ports = all("ports");
        if ports.is_empty() {
            found.extend(addresses.map(Value::from));
            continue;
        }
        for port in ports {
            let number = port.get("port").and_then(Value::as_i64).unwrap_or(0);
            found.extend(addresses.clone().map(|ip| {
                let address = if ip.contains(':') {
                    format!("[{ip}]:{number}")
                } else {
                    format!("{ip}:{number}")
                };
                Value::from(address)
            }));
        }
    }
    few(&found.iter().collect::<Vec<_>>()).unwrap_or_else(|| NONE.into())
}
