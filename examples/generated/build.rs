//! Writes the informers to `OUT_DIR` whenever a manifest changes.

use informer_gen::{Config, Error, Types};

fn main() -> Result<(), Error> {
    Config::new()
        .built_in("apps/v1", "Deployment")
        .kind("apps/v1/Deployment", r#"index(label = "app")"#) // lister.by_app(..)
        .crd_manifests("crds/*.yaml", Types::In("crate::api")) // `Website` is `crate::api::Website`
        .kind(
            "web.example.com/v1/Website", // lister.by_host(..), lister.by_secret(..)
            "index = spec.host, references(v1/Secret = spec.certificate)",
        )
        .visibility("pub(crate)") // a program exports nothing
        .generate()?;
    Ok(())
}
