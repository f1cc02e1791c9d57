//! Fuzzing of every loader: whatever the bytes, there is an error that can be read or a result that
//! holds, and no panic.
//!
//! `tests/corpus` has a folder for each loader. Every file in it is read as it is, which is how
//! inputs that were once too much stay tested, and then changed at random: by bytes, by lines, by
//! words that mean something there, and by parts of other files.
//! `PROPTEST_CASES=100000 cargo test --release -p informer-gen --test fuzz` looks further.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::fs;
use std::path::Path;

use informer_gen::{Config, Error};
use proptest::prelude::*;
use proptest::sample::Index;

/// What reads a file.
#[derive(Clone, Copy, Debug)]
enum Loader {
    Manifest,
    Source,
    Discovery,
    ConfigFile,
}

const LOADERS: [Loader; 4] = [
    Loader::Manifest,
    Loader::Source,
    Loader::Discovery,
    Loader::ConfigFile,
];

// === impl Loader ===

impl Loader {
    fn folder(self) -> &'static str {
        match self {
            Self::Manifest => "manifest",
            Self::Source => "source",
            Self::Discovery => "discovery",
            Self::ConfigFile => "config",
        }
    }

    /// Words that lead into the branches of the loader.
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Manifest => &[
                "---\n",
                "kind: List\nitems:\n- ",
                "CustomResourceDefinition",
                "apiextensions.k8s.io/v1beta1",
                "served: false",
                "scope: Cluster",
                "versions: []",
                "&a ",
                "*a ",
                "!!binary ",
                "? ",
                "<<: ",
                "{{ x }}",
                "\t",
                "null",
                "Self",
                "É",
            ],
            Self::Source => &[
                "#[cfg(feature = \"x\")]\n",
                "#[cfg(not(any(test, unix)))]\n",
                "#[cfg_attr(all(), derive(CustomResource))]\n",
                "#[kube(kind = \"Self\")]\n",
                "#[kube(group = \"\", namespaced, served = 3)]\n",
                "#[path = \"/\"]\n",
                "mod a;\n",
                "pub mod b { ",
                "}\n",
                "struct S<'a, T: ?Sized = u8>(T) where T: 'a;\n",
                "r#\"",
                "'a",
                "//! x\n",
                "/*",
                "𝒳",
            ],
            Self::Discovery => &[
                "\"kind\": \"APIResourceList\"",
                "\"namespaced\": true",
                "\"verbs\": [\"list\", \"watch\"]",
                "\"groupVersion\": \"a.b/v1\"",
                "\"items\": [{}]",
                "\"name\": \"a-b\"",
                "\"kind\": \"Foo-Bar\"",
                "null",
                "1e999",
                "\\u0000",
                "[[",
            ],
            Self::ConfigFile => &[
                "[[crd]]\nfiles = \"x\"\n",
                "[[discovery-kinds]]\n",
                "{ label = \"a\", unique = true }",
                "{ owner = false }",
                "{ with = \"crate::f\" }",
                "\"v1/Node\" = [\"spec.podCIDRs\"]\n",
                "visibility = \"pub(super)\"\n",
                "runtime-path = \"crate\"\n",
                "built-in = [\"all\"]\n",
                "'''",
                "= 1\n",
                "1979-05-27",
            ],
        }
    }

    /// Reads a file, and checks that what comes out of it holds.
    fn check(self, bytes: &[u8]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("input");
        fs::write(&path, bytes).unwrap();
        let name = path.display().to_string();
        let all = |config: Config| vec![config];
        let configs = match self {
            Self::Manifest => vec![
                Config::new().crd_manifests(&name, "crate::api"),
                Config::new().crd_manifests(&name, "dynamic"),
            ],
            Self::Source => vec![
                Config::new().rust_source(&name, "crate::api"),
                Config::new()
                    .rust_source(&name, "")
                    .feature("a")
                    .visibility("pub(crate)"),
            ],
            Self::Discovery => vec![
                Config::new().built_in("v1", "Pod").discovery(&name),
                Config::new().discovery_kinds(&name, "crate::api"),
                Config::new().discovery_kinds(&name, "dynamic"),
            ],
            Self::ConfigFile => match Config::from_file(&path) {
                // What it names is not there, which is as good as any.
                Ok(config) => all(config),
                Err(error) => return readable(&error),
            },
        };
        for config in configs {
            let listed = config.list().map(drop);
            match (config.render(), config.render()) {
                (Ok(first), Ok(second)) => {
                    assert_eq!(first, second, "the same input, other bytes");
                    assert!(listed.is_ok(), "generated, but not listed");
                }
                (Err(error), Err(_)) => readable(&error),
                _ => panic!("an error that comes and goes"),
            }
        }
    }
}

fn readable(error: &Error) {
    assert!(!error.to_string().is_empty());
    let is_ours = matches!(error, Error::Internal { .. });
    assert!(!is_ours, "{error}");
}

/// The files of a loader, by name.
fn corpus(loader: Loader) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<_> = fs::read_dir(folder.join(loader.folder()))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

/// A change to a file.
#[derive(Clone, Debug)]
enum Mutation {
    /// Put a word in.
    Word(Index, Index),
    /// Replace bytes.
    Bytes(Index, Vec<u8>),
    /// Take a line away.
    Cut(Index),
    /// Say a line so many times.
    Repeat(Index, usize),
    /// Put a part of another file in.
    Splice(Index, Index, Index),
    /// End there.
    End(Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<Index>;
    prop_oneof![
        4 => (at(), at()).prop_map(|(place, word)| Mutation::Word(place, word)),
        2 => (at(), prop::collection::vec(any::<u8>(), 1..6))
            .prop_map(|(place, bytes)| Mutation::Bytes(place, bytes)),
        2 => at().prop_map(Mutation::Cut),
        2 => (at(), 1..40_usize).prop_map(|(line, times)| Mutation::Repeat(line, times)),
        2 => (at(), at(), at()).prop_map(|(place, file, part)| Mutation::Splice(place, file, part)),
        1 => at().prop_map(Mutation::End),
    ]
}

// === impl Mutation ===

impl Mutation {
    fn apply(&self, text: &mut Vec<u8>, loader: Loader, corpus: &[(String, Vec<u8>)]) {
        let line = |text: &[u8], index: &Index| -> (usize, usize) {
            let lines = text.split_inclusive(|&byte| byte == b'\n');
            let ends: Vec<usize> = lines
                .scan(0, |end, line| {
                    *end += line.len();
                    Some(*end)
                })
                .collect();
            let number = index.index(ends.len().max(1));
            let start = number.checked_sub(1).map_or(0, |before| ends[before]);
            (start, ends.get(number).copied().unwrap_or(start))
        };
        match self {
            Self::Word(place, word) => {
                let at = place.index(text.len() + 1);
                let words = loader.words();
                let word = words[word.index(words.len())].bytes();
                text.splice(at..at, word);
            }
            Self::Bytes(place, bytes) => {
                let at = place.index(text.len() + 1);
                let end = (at + bytes.len()).min(text.len());
                text.splice(at..end, bytes.iter().copied());
            }
            Self::Cut(index) => {
                let (start, end) = line(text, index);
                text.drain(start..end);
            }
            Self::Repeat(index, times) => {
                let (start, end) = line(text, index);
                let repeated = text[start..end].repeat(*times);
                text.splice(end..end, repeated);
            }
            Self::Splice(place, file, part) => {
                let at = place.index(text.len() + 1);
                let other = &corpus[file.index(corpus.len())].1;
                let (start, end) = line(other, part);
                text.splice(at..at, other[start..end].iter().copied());
            }
            Self::End(place) => text.truncate(place.index(text.len() + 1)),
        }
    }
}

/// Inputs that were too much, once, and those that changes begin with.
#[test]
fn the_corpus_is_read_or_refused() {
    for loader in LOADERS {
        let files = corpus(loader);
        assert!(files.len() >= 3, "{loader:?}");
        for (name, bytes) in files {
            let checked = std::panic::catch_unwind(|| loader.check(&bytes));
            assert!(checked.is_ok(), "{name}");
        }
    }
}

/// The first of each corpus is as it should be, so that changes have something to break.
#[test]
fn the_corpus_begins_well() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let at = |name: &str| folder.join(name).display().to_string();
    for config in [
        Config::new().crd_manifests(&at("manifest/foo.yaml"), "crate::api"),
        Config::new().crd_manifests(&at("manifest/anchors.yaml"), "crate::api"),
        Config::new().rust_source(&at("source/foo.rs"), "crate::api"),
        Config::new().rust_source(&at("source/attributes.rs"), "crate::api"),
        Config::new().discovery_kinds(&at("discovery/aggregated.json"), "dynamic"),
        Config::new().discovery_kinds(&at("discovery/plain.json"), ""),
        Config::from_file(at("config/all.toml")).unwrap(),
    ] {
        assert_eq!(config.render().err().map(|error| error.to_string()), None);
    }
}

proptest! {
    #[test]
    fn whatever_is_changed_is_read_or_refused(
        loader in prop::sample::select(LOADERS.to_vec()),
        file in any::<Index>(),
        mutations in prop::collection::vec(mutation(), 1..8),
    ) {
        let corpus = corpus(loader);
        let mut text = corpus[file.index(corpus.len())].1.clone();
        for mutation in mutations {
            mutation.apply(&mut text, loader, &corpus);
        }
        loader.check(&text);
    }
}
