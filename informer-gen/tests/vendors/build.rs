//! Generates types, informers, listers and indices of vendors' manifests in one step, and a table
//! of the types for the tests.

#[path = "../support/cases.rs"]
mod cases;
#[path = "src/random.rs"]
mod random;
#[path = "src/schemas.rs"]
mod schemas;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use informer_gen::{Config, Outcome, Types};

fn main() -> Result<(), Box<dyn Error>> {
    let config = Config::new()
        .crd_manifests("crds/*.yaml", Types::Generated)
        .group_name("networking.x-mesh.example.io", "networking_x")
        .kind(
            "certs.example.io/v1/Certificate",
            r#"index = "spec.issuerRef.name",
               index = "spec.dnsNames",
               index = "spec.usages",
               index(path = "spec.privateKey.size", name = "by_key_size"),
               index = "spec.secretTemplate.labels['team']",
               index(path = "status.conditions.type", name = "by_condition")"#,
        )
        .kind(
            "certs.example.io/v1/CertificateRequest",
            "index(owner = certs.example.io/v1/Certificate)",
        )
        .kind(
            "net.example.io/v1beta2/BGPPeer",
            r#"index = "spec.myASN", index = "spec.ebgpMultiHop""#,
        )
        .kind("WorkloadPriorityClass", r#"index = "value""#)
        .kind(
            "odd.example.com/v1/Option",
            r#"index = "spec.type", index = "spec.grid", index(path = "spec['ünïcode']", name = "by_unicode"),
               index(path = "spec['-']", name = "by_dash")"#,
        )
        .kind("odd.example.com/v1alpha1/type", "of = dynamic");
    config.generate()?;
    let mut rows = rows(&config, "informers")?;
    let definitions = serde_json::json!({
        "apiVersion": "v1", "kind": "List", "items": schemas::definitions(),
    });
    let config = Config::new()
        .crd_text("schemas.rs", &definitions.to_string(), Types::Generated)
        .file_name("structural.rs");
    config.generate()?;
    rows.push_str(&self::rows(&config, "structural")?);
    let table = format!("&[\n{rows}]\n");
    let directory = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    fs::write(directory.join("kinds.rs"), table)?;
    real().generate()?;
    for (name, config) in cases::all("../manifests") {
        config.file_name(name).generate()?;
    }
    Ok(())
}

/// Returns a row for each generated type in a module of the crate.
fn rows(config: &Config, module: &str) -> Result<String, Box<dyn Error>> {
    let entries = config.list()?;
    let rows = entries.iter().filter_map(|entry| match &entry.outcome {
        Outcome::Emitted { rust_type, .. } if rust_type != "DynamicObject" => {
            let name = entry.name();
            Some(format!(
                "({name:?}, round_trip::<crate::{module}::{rust_type}>),\n"
            ))
        }
        Outcome::Emitted { .. } | Outcome::Skipped { .. } => None,
    });
    Ok(rows.collect())
}

/// Manifests and types shaped like those of well-known projects, for `src/real.rs`.
fn real() -> Config {
    Config::new()
        .crd_manifests("../manifests/real/*.yaml", Types::Generated)
        .rust_source("src/real/api.rs", "crate::real::api")
        .kind(
            "k8s.cni.cncf.io/v1/NetworkAttachmentDefinition",
            r#"of = dynamic, index(label = "team")"#,
        )
        .kind(
            "cert-manager.io/v1/ClusterIssuer",
            r#"of = dynamic,
               index = "spec.acme.solvers.class",
               index(path = "spec.acme.retries", unique),
               references(networking.k8s.io/v1/IngressClass = "spec.acme.solvers.class")"#,
        )
        .group_name("snapshot.example.com", "snapshot_schedules")
        .kind("snapshot.example.com/v1/Schedule", "index = spec.every")
        .file_name("real.rs")
}
