//! Implements `informer-gen init`.

use std::error::Error;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use informer_gen::TEMPLATE;

pub(super) fn run(file: &Path) -> Result<ExitCode, Box<dyn Error>> {
    if file == Path::new("-") {
        io::stdout().lock().write_all(TEMPLATE.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut options = OpenOptions::new();
    let created = options.write(true).create_new(true).open(file);
    created
        .and_then(|mut created| created.write_all(TEMPLATE.as_bytes()))
        .map_err(|error| {
            let file = file.display();
            if error.kind() == io::ErrorKind::AlreadyExists {
                return format!(
                    "`{file}` exists already and is not overwritten; pass another name, or `-` to \
                     print the template"
                );
            }
            format!("cannot write `{file}`: {error}")
        })?;
    eprintln!(
        "wrote {}; next: edit it, then `informer-gen generate --config {0}`",
        file.display()
    );
    Ok(ExitCode::SUCCESS)
}
