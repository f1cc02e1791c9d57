use proc_macro2::Span;

use crate::naming::{accessor, did_you_mean, ident, index_accessor, to_plural};

/// The table of kube-derive's rule, with the words for which it is not English.
#[test]
fn plurals_are_kube_derives() {
    for (singular, plural) in [
        ("foo", "foos"),
        ("gateway", "gateways"),
        ("networkpolicy", "networkpolicies"),
        ("ingress", "ingresses"),
        ("box", "boxes"),
        ("quiz", "quizes"),
        ("batch", "batches"),
        ("mesh", "meshes"),
        ("endpoints", "endpointses"),
        ("knife", "knifes"),
        ("wkc", "wkcs"),
        // kube-derive itself overflows here, in a debug build.
        ("y", "ys"),
        ("ox", "oxes"),
        ("", "s"),
    ] {
        assert_eq!(to_plural(singular), plural, "{singular}");
    }
}

#[test]
fn accessors_are_plurals_with_the_words_of_the_kind() {
    for (kind, plural, name) in [
        ("Foo", "foos", "foos"),
        ("NetworkPolicy", "networkpolicies", "network_policies"),
        (
            "PodDisruptionBudget",
            "poddisruptionbudgets",
            "pod_disruption_budgets",
        ),
        ("Ingress", "ingresses", "ingresses"),
        ("Endpoints", "endpoints", "endpoints"),
        ("IPAddress", "ipaddresses", "ip_addresses"),
        (
            "CSIStorageCapacity",
            "csistoragecapacities",
            "csi_storage_capacities",
        ),
        ("DNSEndpoint", "dnsendpoints", "dns_endpoints"),
        ("NetworkChaos", "networkchaos", "network_chaos"),
        ("NodeMetrics", "nodes", "nodes"),
        ("PodMetrics", "pods", "pods"),
        (
            "NetworkAttachment",
            "network-attachments",
            "network_attachments",
        ),
        ("Foo", "foo-bars", "foo_bars"),
        ("iSCSITarget", "iscsitargets", "i_scsi_targets"),
        ("Y", "ys", "ys"),
    ] {
        assert_eq!(accessor(kind, plural), name, "{kind}, {plural}");
    }
}

#[test]
fn identifiers_are_escaped_for_every_edition() {
    for (name, escaped) in [
        ("foos", "foos"),
        ("match", "r#match"),
        ("async", "r#async"),
        ("gen", "r#gen"),
        ("self", "self_"),
        ("crate", "crate_"),
        ("3scales", "_3scales"),
    ] {
        assert_eq!(
            ident(name, Span::call_site()).to_string(),
            escaped,
            "{name}"
        );
    }
}

#[test]
fn index_accessors_are_named_after_the_last_segment() {
    for (last, name) in [
        ("deploymentName", "by_deployment_name"),
        ("app.kubernetes.io/name", "by_app_kubernetes_io_name"),
        ("type", "by_type"),
        ("hostIPs", "by_host_ips"),
    ] {
        assert_eq!(index_accessor(last), name);
    }
}

#[test]
fn misspelt_words_are_recognized_and_others_left_alone() {
    let keys = ["index", "accessor", "scope", "crate"];
    assert_eq!(did_you_mean("indx", keys), Some("index"));
    assert_eq!(did_you_mean("idnex", keys), Some("index"));
    assert_eq!(did_you_mean("acessor", keys), Some("accessor"));
    assert_eq!(did_you_mean("Scope", keys), Some("scope"));
    assert_eq!(
        did_you_mean("deployment_name", ["deploymentName"]),
        Some("deploymentName")
    );
    assert_eq!(did_you_mean("colour", keys), None);
    assert_eq!(did_you_mean("x", keys), None);
}

/// Fields of k8s-openapi 0.29.
#[test]
fn fields_of_the_api_are_called_as_k8s_openapi_calls_them() {
    for (json, rust) in [
        ("nodeName", "node_name"),
        ("podIP", "pod_ip"),
        ("hostIPs", "host_ips"),
        ("podCIDRs", "pod_cidrs"),
        ("nonResourceURLs", "non_resource_urls"),
        (
            "serverAddressByClientCIDRs",
            "server_address_by_client_cidrs",
        ),
        ("targetWWNs", "target_wwns"),
        ("JSONSchemas", "json_schemas"),
        ("seLinuxOptions", "se_linux_options"),
        ("type", "type_"),
        ("continue", "continue_"),
    ] {
        assert_eq!(crate::naming::api_field(json), rust);
    }
}
