//! Writes the informers to `OUT_DIR`, whenever a manifest has changed.

fn main() -> Result<(), informer_gen::Error> {
    informer_gen::Config::new()
        .built_in("apps/v1", "Deployment")
        .index("apps/v1", "Deployment", "metadata.labels['app']")
        // The kind `Website` is the type `crate::api::Website`.
        .crd_manifests("crds/*.yaml", "crate::api")
        // This is a program: nobody outside of it uses them.
        .visibility("pub(crate)")
        .generate()?;
    Ok(())
}
