//! Writes the informers to `OUT_DIR` whenever a manifest changes.

use informer_gen::{Config, Error, Index, Reference};

fn main() -> Result<(), Error> {
    Config::new()
        .built_in("apps/v1", "Deployment")
        .index("apps/v1/Deployment", "metadata.labels['app']") // lister.by_app(..)
        .crd_manifests("crds/*.yaml")
        .types_in("crate::api") // `Website` is `crate::api::Website`
        .index("web.example.com/v1/Website", Index::rust_path("spec.host")) // lister.by_host(..)
        .references(
            "web.example.com/v1/Website",
            Reference::to("v1/Secret").rust_path("spec.certificate"), // lister.by_secret(..)
        )
        .visibility("pub(crate)") // a program exports nothing
        .generate()?;
    Ok(())
}
