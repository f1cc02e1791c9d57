//! Generates the types of the measured custom resources from `crds/`.

use informer_gen::{Config, Error, Types};

fn main() -> Result<(), Error> {
    Config::new()
        .crd_manifests("crds/*.yaml", Types::Generated)
        .visibility("pub(crate)")
        .generate()?;
    Ok(())
}
