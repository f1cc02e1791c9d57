//! Generates the types of the measured custom resources from `crds/`.

fn main() -> Result<(), informer_gen::Error> {
    let config =
        informer_gen::Config::new().crd_manifests("crds/*.yaml", informer_gen::Types::Generated);
    config.visibility("pub(crate)").generate()?;
    Ok(())
}
