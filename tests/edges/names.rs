//! One name for one thing.
//!
//! A reader who meets `State` for the fifth time no longer knows whose it is. Few names are so clear
//! in each of their files that they may be repeated; each of them has a reason here.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, File, Item, Meta};

use crate::sources;

/// Packages whose types are counted. The facade defines none besides generated ones.
const PACKAGES: [&str; 10] = [
    "apiserver",
    "codegen",
    "controller",
    "debug",
    "informer-derive",
    "informer-gen",
    "manifest",
    "protobuf",
    "runtime",
    "wire",
];

/// Number of types that may share a name without a reason.
const SHARED_BY: usize = 2;

/// Names that more types share, each with the reason why no reader confuses them.
const REPEATED: &[(&str, &str)] = &[
    (
        "Content",
        "content of a node, a variant, a written or a packed object: private to a file",
    ),
    (
        "Context",
        "settings of one walk over a type, which its functions pass on",
    ),
    (
        "Counts",
        "numbers of what its file counts; no file imports two of them",
    ),
    (
        "Error",
        "the error of a package or of a parser, as in `std::io` and `serde_json`",
    ),
    (
        "EventSplitter",
        "splitter of a watch: the public one, and one for each encoding behind it",
    ),
    (
        "Field",
        "field of the format that a package reads: a struct, a schema, a message",
    ),
    (
        "Fields",
        "all of those in one struct or document, beside `Field`",
    ),
    (
        "Header",
        "header of an object, as three packages read it for their own purposes",
    ),
    (
        "Item",
        "what a queue or a list is made of, as in `Iterator::Item`",
    ),
    (
        "Kind",
        "kind of Kubernetes, as the package needs it; of a selector's token in a parser",
    ),
    (
        "ListSplitter",
        "splitter of a list: the public one, and one for each encoding behind it",
    ),
    (
        "Members",
        "members of an object in JSON or YAML: each parser of a format has its own",
    ),
    ("Node", "node of the tree of its file"),
    (
        "Page",
        "page of a list, for its server and its client; page of the debug service",
    ),
    (
        "Reason",
        "reason of a request; the other ones are private parts of errors of parsers",
    ),
    (
        "Text",
        "string that is borrowed while it can be, in each decoder",
    ),
    (
        "Types",
        "Rust types of the generator's input and output; types of the server's schemas",
    ),
    ("Value", "value of the format that a package reads"),
    (
        "Version",
        "version of a resource, in a definition or in a request",
    ),
    ("Walk", "state of a walk, private to the file that walks"),
];

const _: () = assert!(REPEATED.len() <= 20, "rename a type instead");

/// Places where each type name is defined.
type Definitions = BTreeMap<String, Vec<String>>;

/// Collects the names that a file defines, without associated types and tests.
struct Defined<'a> {
    names: &'a mut Definitions,
    place: &'a str,
}

// === impl Defined ===

impl Defined<'_> {
    fn add(&mut self, name: &impl ToString) {
        let places = self.names.entry(name.to_string()).or_default();
        places.push(self.place.to_owned());
    }

    /// Adds the types that the arguments of a macro define with a name of their own.
    fn tokens(&mut self, stream: TokenStream) {
        let mut is_definition = false;
        for token in stream {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(ident) => {
                    if is_definition && ident.to_string().starts_with(char::is_uppercase) {
                        self.add(&ident);
                    }
                    is_definition = ident == "struct" || ident == "enum" || ident == "trait";
                    continue;
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            is_definition = false;
        }
    }
}

impl<'ast> Visit<'ast> for Defined<'_> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other items define no types"
    )]
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) if is_for_tests(&module.attrs) => return,
            Item::Struct(item) if !is_for_tests(&item.attrs) => self.add(&item.ident),
            Item::Enum(item) if !is_for_tests(&item.attrs) => self.add(&item.ident),
            Item::Trait(item) if !is_for_tests(&item.attrs) => self.add(&item.ident),
            Item::Type(item) if !is_for_tests(&item.attrs) => self.add(&item.ident),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
    }
}

/// Reports whether `#[cfg(test)]` is among the attributes.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        Meta::Path(_) | Meta::NameValue(_) => false,
    })
}

/// Adds the names that `file` defines.
fn collect(names: &mut Definitions, place: &str, file: &File) {
    Defined { names, place }.visit_file(file);
}

/// Returns the names that are repeated without a reason, and the reasons without a repeated name.
fn faults(names: &Definitions, reasons: &[(&str, &str)]) -> Vec<String> {
    let has_reason = |name: &str| reasons.iter().any(|(listed, _)| *listed == name);
    let mut repeated: Vec<_> = names
        .iter()
        .filter(|(_, places)| places.len() > SHARED_BY)
        .collect();
    repeated.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));

    let unexplained = repeated
        .iter()
        .filter(|(name, _)| !has_reason(name))
        .map(|(name, places)| format!("{name}, {} types: {}", places.len(), places.join(" ")));
    let outdated = reasons
        .iter()
        .filter(|(listed, _)| !repeated.iter().any(|(name, _)| name == listed))
        .map(|(listed, _)| format!("{listed} is listed, and at most {SHARED_BY} types have it"));
    unexplained.chain(outdated).collect()
}

/// Seen to fail with 60 names that had no reason, and with `Lister` in the list, of which there is
/// one.
#[test]
fn few_type_names_are_defined_more_than_twice() {
    let mut names = Definitions::new();
    for package in PACKAGES {
        for (name, file) in sources(package).unwrap() {
            if !name.starts_with("fuzzing") {
                collect(&mut names, &format!("{package}/src/{name}"), &file);
            }
        }
    }
    assert!(names.contains_key("SharedInformer"), "no sources");
    let faults = faults(&names, REPEATED);
    assert!(
        faults.is_empty(),
        "call a type what its users would call it, such as `FifoState` instead of `State`; or add \
         the reason to `REPEATED`\n{}",
        faults.join("\n")
    );
}

#[test]
fn a_name_is_counted_wherever_it_is_defined() {
    let count = |text: &str| {
        let mut names = Definitions::new();
        collect(&mut names, "a.rs", &syn::parse_file(text).unwrap());
        names.get("A").map_or(0, Vec::len)
    };
    assert_eq!(
        count("struct A; mod m { pub enum A {} pub(super) trait A {} }"),
        3
    );
    assert_eq!(count("type A = u8; fn f() { struct A; }"), 2);
    assert_eq!(count("settings! { pub struct A { b: u8 } }"), 1);
    assert_eq!(count("forward! { struct enum a }"), 0);
    assert_eq!(
        count("macro_rules! m { ($B:ident) => { struct A; struct $B; } }"),
        1
    );
    assert_eq!(
        count("use b::A; impl T for S { type A = u8; } trait T { type A; }"),
        0
    );
    assert_eq!(
        count("#[cfg(test)] struct A; #[cfg(test)] mod m { struct A; }"),
        0
    );
}

#[test]
fn a_repeated_name_needs_a_reason_and_a_reason_its_name() {
    let names = Definitions::from([
        ("A".to_owned(), vec!["a.rs".to_owned(); 3]),
        ("B".to_owned(), vec!["b.rs".to_owned(); 2]),
    ]);
    assert_eq!(faults(&names, &[("A", "reason")]), [""; 0]);
    assert_eq!(faults(&names, &[]), ["A, 3 types: a.rs a.rs a.rs"]);
    let outdated = "B is listed, and at most 2 types have it";
    assert_eq!(
        faults(&names, &[("A", "reason"), ("B", "reason")]),
        [outdated]
    );
}
