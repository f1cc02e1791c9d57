//! Writes the informers to `OUT_DIR`, whenever a manifest has changed.

fn main() -> Result<(), informer_gen::Error> {
    informer_gen::Config::new()
        .built_in("apps/v1", "Deployment")
        .index("apps/v1", "Deployment", "metadata.labels['app']") // lister.by_app(..)
        .crd_manifests("crds/*.yaml", "crate::api") // `Website` is `crate::api::Website`
        .index("web.example.com/v1", "Website", "spec.host") // lister.by_host(..)
        .visibility("pub(crate)") // this is a program: nobody outside of it uses them
        .generate()?;
    Ok(())
}
