//! What ends the chain: from the options to text, files, differences or a list.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use super::Config;
use crate::emit;
use crate::error::{Error, OptionName};
use crate::list::{self, Entry};
use crate::naming::{self, Stage};
use crate::plan::Plan;
use crate::progress::Step;
use crate::write::{self, Difference, Outputs};

struct Rendered {
    files: BTreeMap<PathBuf, String>,
    inputs: Vec<PathBuf>,
}

impl Config {
    /// Generates the text of all files, by path below the output directory. Reads the manifests,
    /// writes nothing.
    ///
    /// # Errors
    ///
    /// If an option or a manifest is wrong, or if names collide.
    pub fn render(&self) -> Result<BTreeMap<PathBuf, String>, Error> {
        Ok(self.render_with_inputs()?.files)
    }

    /// Generates the files and writes those that differ from what is there. Prints nothing.
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render); and if no directory is set, if a file is in the way that was
    /// not generated, or if writing fails. All is checked before anything is written.
    pub fn write(&self) -> Result<Outputs, Error> {
        let directory = self.directory()?;
        let rendered = self.render_with_inputs()?;
        let folder = self.group_folder();
        self.progress.notify(Step::Writing(&directory));
        let files = write::write(&directory, &rendered.files, folder.as_deref())?;
        Ok(Outputs {
            files,
            inputs: rendered.inputs,
        })
    }

    /// Does what a build script has to do: [`write`](Self::write), then tell cargo which inputs to
    /// watch. Outside of a build script it prints nothing.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn generate(&self) -> Result<Outputs, Error> {
        let outputs = self.write()?;
        let manifest_directory = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        if let Some(package) = manifest_directory.filter(|_| env::var_os("OUT_DIR").is_some()) {
            for line in outputs.cargo_lines(&package) {
                println!("{line}");
            }
        }
        Ok(outputs)
    }

    /// Compares the files with what would be generated, for a test or a step of CI. Writes nothing;
    /// line ends of Windows are not a difference.
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render); and if no directory is set, if a file is in the way that was
    /// not generated, or if one cannot be read.
    pub fn check(&self) -> Result<Vec<Difference>, Error> {
        let directory = self.directory()?;
        let rendered = self.render_with_inputs()?;
        let folder = self.group_folder();
        write::differences(&directory, rendered.files, folder.as_deref())
    }

    /// Lists every kind that the inputs know, whether it is generated, and why not.
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render), but selecting nothing is no error.
    pub fn list(&self) -> Result<Vec<Entry>, Error> {
        self.entries().map_err(|error| self.placed(error))
    }

    fn entries(&self) -> Result<Vec<Entry>, Error> {
        let loaded = crate::input::load(self)?;
        let plan = Plan::new(self, &loaded.resources)?;
        Ok(list::entries(&plan, &loaded.skipped))
    }

    /// The feature that a version of a built-in kind is behind.
    pub(crate) fn feature_of(&self, version: &str) -> Option<&str> {
        match naming::stage(version)? {
            Stage::Alpha => self.alpha_feature.as_deref(),
            Stage::Beta => self.beta_feature.as_deref(),
            Stage::Stable => None,
        }
    }

    fn directory(&self) -> Result<PathBuf, Error> {
        match &self.out_dir {
            Some(directory) => Ok(directory.clone()),
            None => Ok(env::var_os("OUT_DIR").ok_or(Error::NoOutDir)?.into()),
        }
    }

    /// The folder of the files of single groups, below the output directory.
    pub(crate) fn group_folder(&self) -> Option<PathBuf> {
        let name = Path::new(self.main_file()).with_extension("");
        self.has_file_per_group().then_some(name)
    }

    fn render_with_inputs(&self) -> Result<Rendered, Error> {
        self.rendered().map_err(|error| self.placed(error))
    }

    #[cfg(not(feature = "config-file"))]
    #[expect(clippy::unused_self, reason = "files have places, and there are none")]
    fn placed(&self, error: Error) -> Error {
        error
    }

    fn rendered(&self) -> Result<Rendered, Error> {
        let is_rust = Path::new(self.main_file()).extension() == Some("rs".as_ref());
        if !is_rust || self.main_file().contains(['/', '\\']) {
            let reason = "is not the name of a Rust file, such as `informers.rs`";
            return Err(OptionName::FileName.refuse(self.main_file(), reason));
        }
        let loaded = crate::input::load(self)?;
        if loaded.resources.is_empty() {
            return Err(Error::Empty);
        }
        self.progress
            .notify(Step::Rendering(loaded.resources.len()));
        let plan = Plan::new(self, &loaded.resources)?;
        Ok(Rendered {
            files: emit::render(self, &plan)?,
            inputs: loaded.read.into_iter().collect(),
        })
    }
}
