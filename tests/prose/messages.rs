//! docs/messages.md: every message that a user can meet, to be read in one go.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// The packages whose messages are listed, with the folders of their sources.
const PACKAGES: [(&str, &str); 7] = [
    ("informer-runtime", "runtime/src"),
    ("informer-derive", "informer-derive/src"),
    ("informer-codegen", "codegen/src"),
    ("informer-gen", "informer-gen/src"),
    ("informer-manifest", "manifest/src"),
    ("informer-protobuf", "protobuf/src"),
    ("informer-apiserver", "apiserver/src"),
];

const PAGE: &str = "docs/messages.md";

/// Macros of `tracing`.
const LOGS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// The messages of one package.
#[derive(Default)]
struct Messages {
    /// Texts of `#[error("..")]`, and of calls such as `syn::Error::new`.
    errors: BTreeSet<String>,
    /// Texts that are formatted first: parts of errors, and documentation that is generated.
    texts: BTreeSet<String>,
    logs: BTreeSet<String>,
    /// Documentation of the command line's arguments.
    help: BTreeSet<String>,
}

/// Seen to fail with another word in an error.
#[test]
fn the_page_has_every_message() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = render(root);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(root.join(PAGE), &page).unwrap();
    }
    let written = fs::read_to_string(root.join(PAGE)).unwrap_or_default();
    assert!(
        written == page,
        "{PAGE} is not what the sources say; UPDATE_GOLDEN=1 writes it"
    );
}

/// An error is part of a longer text: it begins in lower case and has no full stop. The API server
/// is exempt, as its errors are those of the real one.
///
/// Seen to fail with "Cannot connect." in an error.
#[test]
fn errors_can_be_joined() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    let checked = PACKAGES
        .into_iter()
        .filter(|(package, _)| *package != "informer-apiserver");
    for (package, folder) in checked {
        for text in Messages::of(&root.join(folder)).errors {
            let mut letters = text.chars();
            let is_capital = letters.next().is_some_and(char::is_uppercase)
                && letters.next().is_some_and(char::is_lowercase);
            if is_capital || (text.ends_with('.') && !text.ends_with("..")) {
                faults.push(format!("{package}: {text}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn render(root: &Path) -> String {
    let mut page = "# Messages\n\n\
        All errors, log lines and texts of `--help`, by package, with the placeholders of their formats.\n\
        A test writes this page from the sources (`UPDATE_GOLDEN=1 cargo test --test prose`).\n"
        .to_owned();
    for (package, folder) in PACKAGES {
        let messages = Messages::of(&root.join(folder));
        for (kind, texts) in [
            ("errors", &messages.errors),
            ("texts", &messages.texts),
            ("log lines", &messages.logs),
            ("help", &messages.help),
        ] {
            if texts.is_empty() {
                continue;
            }
            let _ = write!(page, "\n## {package}: {kind}\n\n```text\n");
            for text in texts {
                let words: Vec<_> = text.split_whitespace().collect();
                let _ = writeln!(page, "{}", words.join(" "));
            }
            page.push_str("```\n");
        }
    }
    page
}

// === impl Messages ===

impl Messages {
    fn of(folder: &Path) -> Self {
        let mut messages = Self::default();
        for file in super::files_below(folder, "rs") {
            let is_test = file.components().any(|part| {
                matches!(
                    part.as_os_str().to_str(),
                    Some("tests" | "tests.rs" | "fuzzing")
                )
            });
            if !is_test {
                let source = syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap();
                messages.visit_file(&source);
            }
        }
        messages
    }

    fn note_help(&mut self, attributes: &[syn::Attribute]) {
        let lines = attributes.iter().filter_map(|attribute| {
            let pair = attribute.meta.require_name_value().ok()?;
            pair.path.is_ident("doc").then(|| literal(&pair.value))?
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        let text = text.trim();
        if !text.is_empty() {
            self.help.insert(text.to_owned());
        }
    }
}

impl<'a> Visit<'a> for Messages {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        let is_test = item.attrs.iter().any(|attribute| {
            attribute.path().is_ident("cfg")
                && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
        });
        if !is_test {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_attribute(&mut self, attribute: &'a syn::Attribute) {
        if attribute.path().is_ident("error")
            && let syn::Meta::List(list) = &attribute.meta
            && let Some(text) = strings(list.tokens.clone()).into_iter().next()
        {
            self.errors.insert(text);
        }
    }

    fn visit_item_struct(&mut self, item: &'a syn::ItemStruct) {
        if is_command_line(&item.attrs) {
            self.note_help(&item.attrs);
            for field in &item.fields {
                self.note_help(&field.attrs);
            }
        }
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'a syn::ItemEnum) {
        if is_command_line(&item.attrs) {
            for variant in &item.variants {
                self.note_help(&variant.attrs);
                for field in &variant.fields {
                    self.note_help(&field.attrs);
                }
            }
        }
        visit::visit_item_enum(self, item);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        let name = call.path.segments.last().map(|last| last.ident.to_string());
        let Some(name) = name else { return };
        let texts = strings(call.tokens.clone());
        if LOGS.contains(&name.as_str()) {
            self.logs
                .extend(texts.into_iter().filter(|text| is_sentence(text)));
        } else if name == "format" {
            let first = texts.into_iter().next();
            self.texts.extend(first.filter(|text| is_sentence(text)));
        }
    }

    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        if let syn::Expr::Path(function) = &*call.func {
            let names: Vec<String> = function
                .path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string())
                .collect();
            let makes_error = names.iter().any(|name| name.ends_with("Error"));
            if makes_error {
                let texts = call.args.iter().filter_map(literal);
                self.errors.extend(texts.filter(|text| is_sentence(text)));
            }
        }
        visit::visit_expr_call(self, call);
    }
}

fn is_command_line(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("derive")
            && matches!(&attribute.meta, syn::Meta::List(list)
                if list.tokens.to_string().split(|letter: char| !letter.is_alphanumeric())
                    .any(|word| matches!(word, "Parser" | "Args" | "Subcommand" | "ValueEnum")))
    })
}

fn is_sentence(text: &str) -> bool {
    let is_word =
        |word: &&str| word.len() > 1 && word.chars().all(|letter| letter.is_ascii_alphabetic());
    text.split_whitespace().filter(is_word).count() > 1
}

fn literal(expression: &syn::Expr) -> Option<String> {
    if let syn::Expr::Lit(expression) = expression
        && let syn::Lit::Str(text) = &expression.lit
    {
        return Some(text.value());
    }
    None
}

/// Returns the string literals among some tokens, but for those that are values of fields.
fn strings(tokens: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_value = false;
    for token in tokens {
        if let TokenTree::Literal(text) = &token
            && !is_value
            && let Ok(text) = syn::parse_str::<syn::LitStr>(&text.to_string())
        {
            found.push(text.value());
        }
        is_value = matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '=');
    }
    found
}
