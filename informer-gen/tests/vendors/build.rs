//! Generates types, informers, listers and indices of vendors' manifests in one step, and a table
//! of the types for the tests.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use informer_gen::{Config, Index, Outcome};

fn main() -> Result<(), Box<dyn Error>> {
    let config = Config::new()
        .crd_manifests("crds/*.yaml")
        .group_name("networking.x-mesh.example.io", "networking_x")
        .index("certs.example.io/v1/Certificate", "spec.issuerRef.name")
        .index("certs.example.io/v1/Certificate", "spec.dnsNames")
        .index("certs.example.io/v1/Certificate", "spec.usages")
        .index(
            "certs.example.io/v1/Certificate",
            Index::path("spec.privateKey.size").named("by_key_size"),
        )
        .index(
            "certs.example.io/v1/Certificate",
            "spec.secretTemplate.labels['team']",
        )
        .index(
            "certs.example.io/v1/Certificate",
            Index::path("status.conditions.type").named("by_condition"),
        )
        .index(
            "certs.example.io/v1/CertificateRequest",
            Index::owner_of("certs.example.io/v1/Certificate"),
        )
        .index("net.example.io/v1beta2/BGPPeer", "spec.myASN")
        .index("net.example.io/v1beta2/BGPPeer", "spec.ebgpMultiHop")
        .index("queue.x-example.io/v1beta1/WorkloadPriorityClass", "value")
        .index("odd.example.com/v1/Option", "spec.type");
    config.generate()?;
    let entries = config.list()?;
    let rows = entries.iter().filter_map(|entry| match &entry.outcome {
        Outcome::Emitted { rust_type, .. } if rust_type != "DynamicObject" => {
            let name = entry.name();
            Some(format!(
                "({name:?}, round_trip::<crate::informers::{rust_type}>),\n"
            ))
        }
        Outcome::Emitted { .. } | Outcome::Skipped { .. } => None,
    });
    let table = format!("&[\n{}]\n", rows.collect::<String>());
    let directory = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    fs::write(directory.join("kinds.rs"), table)?;
    Ok(())
}
