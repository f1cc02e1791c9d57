//! Positions of options in a configuration file, so that an error can name the line.

use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::location;
use crate::config::Config;
use crate::error::{Error, Location, OptionName};
use crate::ir::Gvk;

/// Strings of a configuration file in order, keys included.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    /// Directory that paths in the file are relative to.
    directory: PathBuf,
    all: Vec<Text>,
}

/// String with its position.
#[derive(Clone, Debug)]
struct Text {
    /// Option that contains the string, as the file names it.
    option: String,
    value: String,
    at: Location,
}

/// Subject of an error.
enum Subject<'a> {
    Text(&'a str),
    Kind(&'a Gvk),
    /// A path or a pattern.
    Path(&'a Path),
}

// === impl Config ===

impl Config {
    /// Adds the position to `error`, if a file set the option that the error is about.
    pub(in crate::config) fn placed(&self, error: Error) -> Error {
        if let Error::Several(errors) = error {
            let errors = errors.into_iter();
            return Error::Several(errors.map(|error| self.placed(error)).collect());
        }
        let at = subject(&error).and_then(|(option, subject)| {
            let mut files = self.texts.iter();
            files.find_map(|file| file.find(option, &subject))
        });
        match at {
            Some(at) => Error::InConfigFile {
                at: at.clone(),
                error: Box::new(error),
            },
            None => error,
        }
    }
}

// === impl Texts ===

impl Texts {
    /// Collects the strings of a file that has parsed successfully.
    pub(super) fn new(path: &Path, file: &str) -> Self {
        let mut all = Vec::new();
        if let Ok(table) = DeTable::parse(file) {
            for (option, value) in table.get_ref() {
                let mut add = |text: &str, start: usize| {
                    all.push(Text {
                        option: option.get_ref().to_string(),
                        value: text.to_owned(),
                        at: location(path, file, start),
                    });
                };
                each_text(value, &mut add);
            }
        }
        let directory = path.parent().unwrap_or(Path::new("")).to_owned();
        Self { directory, all }
    }

    fn find(&self, option: OptionName, subject: &Subject<'_>) -> Option<&Location> {
        let mut texts = self.all.iter();
        let found = texts
            .find(|text| text.option == option.key() && subject.is(&text.value, &self.directory));
        found.map(|text| &text.at)
    }
}

// === impl Subject ===

impl Subject<'_> {
    fn is(&self, text: &str, directory: &Path) -> bool {
        match self {
            Self::Text(value) => text == *value || Path::new(text).ends_with(value),
            Self::Kind(gvk) => Gvk::parse(text).as_ref() == Some(*gvk),
            Self::Path(path) => directory.join(text) == *path,
        }
    }
}

/// Returns the option that an error is about, and the subject of the error.
fn subject(error: &Error) -> Option<(OptionName, Subject<'_>)> {
    if let Error::Option { option, value, .. } = error {
        return Some((*option, Subject::Text(value)));
    }
    if let Error::UnknownBuiltIn { gvk, .. } | Error::NotWatchable { gvk, .. } = error {
        return Some((OptionName::BuiltIn, Subject::Kind(gvk)));
    }
    if let Error::NotSelected { option, gvk, .. } = error {
        return Some((*option, Subject::Kind(gvk)));
    }
    if let Error::NoMatch { option, pattern } = error {
        return Some((*option, Subject::Path(Path::new(pattern))));
    }
    if let Error::NotACrd { pattern, .. } = error {
        return Some((OptionName::CrdManifests, Subject::Path(Path::new(pattern))));
    }
    if let Error::NoCustomResource { path } = error {
        return Some((OptionName::RustSource, Subject::Path(path)));
    }
    None
}

fn each_text(value: &Spanned<DeValue<'_>>, add: &mut dyn FnMut(&str, usize)) {
    if let DeValue::String(text) = value.get_ref() {
        add(text, value.span().start);
    } else if let DeValue::Array(values) = value.get_ref() {
        for value in values {
            each_text(value, add);
        }
    } else if let DeValue::Table(table) = value.get_ref() {
        for (key, value) in table {
            add(key.get_ref(), key.span().start);
            each_text(value, add);
        }
    }
}
