//! Methods that end the chain: they turn the options into text, files, differences or a list.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::emit;
use crate::error::{Error, Errors, OptionName, Result};
use crate::input::{self, Loaded, Watched};
use crate::list::{self, ListedKind};
use crate::plan::Plan;
use crate::write::{self, FileDifference, Outputs};

/// Generated text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// Text of all files, by path below the output directory.
    pub files: BTreeMap<PathBuf, String>,
    /// Manifests that were read and directories that were searched.
    pub inputs: Vec<PathBuf>,
    /// Remarks on the inputs, such as kinds without a type.
    pub notes: Vec<String>,
    /// Names that may differ from what the user expects.
    pub hints: Vec<String>,
}

impl Config {
    /// Generates the text of all files. Reads the inputs, and writes no file.
    ///
    /// # Errors
    ///
    /// Returns an error if an option or an input is wrong, or if names collide.
    pub fn render(&self) -> Result<Rendered, Error> {
        let name = self.main_file();
        let is_rust = Path::new(name).extension() == Some("rs".as_ref());
        if !is_rust || name.contains(['/', '\\']) {
            let reason = "is not the name of a Rust file, such as `informers.rs`";
            return Err(OptionName::FILE_NAME.refuse(name, reason));
        }
        let loaded = self.load()?;
        if loaded.resources.is_empty() {
            return Err(Error::new(format!(
                "nothing to generate: choose kinds with {}, {} or {}",
                OptionName::BUILT_IN,
                OptionName::CRD_MANIFESTS,
                OptionName::RUST_SOURCE
            )));
        }
        let plan = Plan::new(self, &loaded.resources)?;
        let files = emit::render(self, &plan)?;
        let inputs = loaded.read.into_iter().map(Watched::into_path);
        Ok(Rendered {
            files,
            inputs: inputs.collect(),
            notes: loaded.notes,
            hints: loaded.hints,
        })
    }

    /// Generates the files and writes those that differ from the existing files. Prints nothing.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`render`](Self::render). Also returns an error if no directory is
    /// set, if an output file exists that was not generated, or if writing fails. All checks
    /// precede the first write.
    pub fn write(&self) -> Result<Outputs, Error> {
        let directory = self.destination()?;
        let rendered = self.render()?;
        let folder = self.group_folder();
        let files = write::write(&directory, rendered.files, folder.as_deref())?;
        Ok(Outputs {
            files,
            inputs: rendered.inputs,
            notes: rendered.notes,
            hints: rendered.hints,
        })
    }

    /// Generates code in a build script: calls [`write`](Self::write), and prints the inputs for
    /// cargo to watch, and the notes as warnings. Outside of a build script this method prints
    /// nothing.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`write`](Self::write).
    pub fn generate(&self) -> Result<Outputs, Error> {
        let outputs = self.write()?;
        let is_build_script = env::var_os("OUT_DIR").is_some();
        if let Some(package) = env::var_os("CARGO_MANIFEST_DIR")
            && is_build_script
        {
            for line in outputs.cargo_lines(Path::new(&package)) {
                println!("{line}");
            }
        }
        Ok(outputs)
    }

    /// Compares the existing files with the generated code, for a test or a CI step. Writes
    /// nothing. Windows line endings do not count as a difference.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`render`](Self::render). Also returns an error if no directory is
    /// set, if an output file exists that was not generated, or if a file cannot be read.
    pub fn check(&self) -> Result<Vec<FileDifference>, Error> {
        let directory = self.destination()?;
        let rendered = self.render()?;
        let folder = self.group_folder();
        write::differences(&directory, rendered.files, folder.as_deref())
    }

    /// Lists every kind in the inputs, whether it is generated, and why not.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`render`](Self::render), except that selecting no kind is allowed.
    pub fn list(&self) -> Result<Vec<ListedKind>, Error> {
        let loaded = self.load()?;
        let plan = Plan::new(self, &loaded.resources)?;
        Ok(list::entries(&plan, &loaded.skipped))
    }

    /// Reads the inputs. If some are wrong, also reports the collisions of names among the others,
    /// so that one run finds both.
    fn load(&self) -> Result<Loaded> {
        let (loaded, result) = input::load(self);
        let mut errors = Errors::default();
        if errors.keep(result).is_none() {
            Plan::check_names(self, &loaded.resources, &mut errors);
        }
        errors.finish()?;
        Ok(loaded)
    }

    fn destination(&self) -> Result<PathBuf> {
        if let Some(directory) = self.directory() {
            return Ok(directory.to_owned());
        }
        match env::var_os("OUT_DIR") {
            Some(directory) => Ok(directory.into()),
            None => Err(Error::new(
                "OUT_DIR is not set: outside of a build script, call .out_dir(..)",
            )),
        }
    }
}
