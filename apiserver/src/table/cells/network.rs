//! Services and what leads to them.

use serde_json::Value;

use super::{AGE, NONE, Printed, at, column, labels, list, selector, str_of, text_or, wide};
use crate::store::Members;

pub(super) const SERVICES: &[Printed] = &[
    column("Type", |m| text_or(m, &["spec", "type"], "ClusterIP")),
    column("Cluster-IP", |m| text_or(m, &["spec", "clusterIP"], NONE)),
    column("External-IP", external_ip),
    column("Port(s)", ports),
    AGE,
    wide("Selector", |m| labels(at(m, &["spec", "selector"])).into()),
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
    /// The real server shows no more.
    const SHOWN: usize = 3;
    let rules = list(members, &["spec", "rules"]).iter();
    let hosts: Vec<&str> = rules
        .map(|rule| str_of(rule, "host"))
        .filter(|host| !host.is_empty())
        .collect();
    let shown = hosts
        .iter()
        .take(SHOWN)
        .copied()
        .collect::<Vec<_>>()
        .join(",");
    match hosts.len() {
        0 => "*".into(),
        1..=SHOWN => shown.into(),
        all => format!("{shown} + {} more...", all - SHOWN).into(),
    }
}
