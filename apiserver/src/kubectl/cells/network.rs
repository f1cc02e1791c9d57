//! Services and what leads to them.

use serde_json::Value;

use super::printed::{
    AGE, NONE, Printed, at, column, labels, list, selector, str_of, text_or, wide,
};
use crate::document::Members;

const UNSET: &str = "<unset>";

pub(super) const SERVICES: &[Printed] = &[
    column("Type", |m| text_or(m, &["spec", "type"], "ClusterIP")),
    column("Cluster-IP", |m| text_or(m, &["spec", "clusterIP"], NONE)),
    column("External-IP", external_ip),
    column("Port(s)", ports),
    AGE,
    wide("Selector", |m| labels(at(m, &["spec", "selector"])).into()),
];

pub(super) const ENDPOINTS: &[Printed] = &[column("Endpoints", endpoints), AGE];

pub(super) const ENDPOINT_SLICES: &[Printed] = &[
    column("AddressType", |m| text_or(m, &["addressType"], "")),
    column("Ports", |m| {
        let ports = list(m, &["ports"]).iter();
        let ports = ports.map(|port| port.get("port").map_or("*".to_owned(), Value::to_string));
        few(ports, UNSET)
    }),
    column("Endpoints", |m| {
        let endpoints = list(m, &["endpoints"]).iter();
        let addresses = endpoints.filter_map(|endpoint| endpoint.get("addresses")?.as_array());
        let addresses = addresses.flatten().filter_map(Value::as_str);
        few(addresses.map(str::to_owned), UNSET)
    }),
    AGE,
];

pub(super) const INGRESSES: &[Printed] = &[
    column("Class", |m| text_or(m, &["spec", "ingressClassName"], NONE)),
    column("Hosts", hosts),
    column("Address", |m| addresses(m).join(",").into()),
    column("Ports", |m| {
        if list(m, &["spec", "tls"]).is_empty() {
            "80".into()
        } else {
            "80, 443".into()
        }
    }),
    AGE,
];

pub(super) const INGRESS_CLASSES: &[Printed] = &[
    column("Controller", |m| text_or(m, &["spec", "controller"], "")),
    column("Parameters", |m| {
        let Some(parameters) = at(m, &["spec", "parameters"]) else {
            return NONE.into();
        };
        let kind = match str_of(parameters, "apiGroup") {
            "" => str_of(parameters, "kind").to_owned(),
            group => format!("{}.{group}", str_of(parameters, "kind")),
        };
        format!("{kind}/{}", str_of(parameters, "name")).into()
    }),
    AGE,
];

pub(super) const NETWORK_POLICIES: &[Printed] = &[
    column("Pod-Selector", |m| {
        selector(at(m, &["spec", "podSelector"])).into()
    }),
    AGE,
];

/// What a load balancer has given.
fn addresses(members: &Members) -> Vec<&str> {
    let given = list(members, &["status", "loadBalancer", "ingress"]).iter();
    given
        .map(|address| match str_of(address, "ip") {
            "" => str_of(address, "hostname"),
            ip => ip,
        })
        .filter(|address| !address.is_empty())
        .collect()
}

fn external_ip(members: &Members) -> Value {
    let given = list(members, &["spec", "externalIPs"]).iter();
    let given = given.filter_map(Value::as_str);
    let (found, otherwise) = match at(members, &["spec", "type"]).and_then(Value::as_str) {
        Some("ExternalName") => return text_or(members, &["spec", "externalName"], NONE),
        Some("LoadBalancer") => {
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

fn ports(members: &Members) -> Value {
    let ports = list(members, &["spec", "ports"]).iter().map(|port| {
        let number = |field| port.get(field).and_then(Value::as_i64).unwrap_or(0);
        let protocol = match str_of(port, "protocol") {
            "" => "TCP",
            protocol => protocol,
        };
        match number("nodePort") {
            0 => format!("{}/{protocol}", number("port")),
            node => format!("{}:{node}/{protocol}", number("port")),
        }
    });
    let ports: Vec<String> = ports.collect();
    if ports.is_empty() {
        NONE.into()
    } else {
        ports.join(",").into()
    }
}

fn hosts(members: &Members) -> Value {
    let rules = list(members, &["spec", "rules"]).iter();
    let hosts = rules.map(|rule| str_of(rule, "host"));
    let hosts = hosts.filter(|host| !host.is_empty());
    few(hosts.map(str::to_owned), "*")
}

/// `10.1.1.1:80,10.1.1.2:80`
fn endpoints(members: &Members) -> Value {
    let mut found = Vec::new();
    for subset in list(members, &["subsets"]) {
        let all = |field| {
            let list = subset.get(field).and_then(Value::as_array);
            list.map_or(&[][..], Vec::as_slice)
        };
        let addresses = all("addresses").iter().map(|address| str_of(address, "ip"));
        let ports = all("ports");
        if ports.is_empty() {
            found.extend(addresses.map(str::to_owned));
            continue;
        }
        for port in ports {
            let number = port.get("port").and_then(Value::as_i64).unwrap_or(0);
            found.extend(addresses.clone().map(|ip| {
                if ip.contains(':') {
                    format!("[{ip}]:{number}")
                } else {
                    format!("{ip}:{number}")
                }
            }));
        }
    }
    few(found.into_iter(), NONE)
}

/// The first three, as the real server shows no more, and how many there are besides.
fn few(all: impl Iterator<Item = String>, none: &str) -> Value {
    const SHOWN: usize = 3;
    let mut all: Vec<String> = all.collect();
    let more = all.len().saturating_sub(SHOWN);
    all.truncate(SHOWN);
    match (all.is_empty(), more) {
        (true, _) => none.into(),
        (false, 0) => all.join(",").into(),
        (false, more) => format!("{} + {more} more...", all.join(",")).into(),
    }
}
