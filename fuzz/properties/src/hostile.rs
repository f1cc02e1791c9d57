//! A property of informer-gen: text of a manifest becomes a literal, an identifier or a line of
//! documentation, and nothing else.
//!
//! The input chooses a definition with hostile names, descriptions and values. A twin has the same
//! structure with harmless words. Both have to yield the same items.

use std::sync::LazyLock;

use informer_gen::Config;
use proc_macro2::{TokenStream, TokenTree};
use pulldown_cmark::{Event, Options, Parser, Tag};
use quote::ToTokens;
use serde_json::{Map, Value, json};
use syn::{Attribute, ImplItem, Item, TraitItem};

/// Parts of hostile texts.
static PARTS: LazyLock<Vec<String>> =
    LazyLock::new(|| serde_json::from_str(include_str!("hostile.json")).expect("texts"));

/// Names that a manifest may not give to a member without another structure.
const STRUCTURAL: &str = "apiVersion kind metadata spec status conditions";

/// Names that the types of a kind import.
const IMPORTS: &str = "Condition ObjectMeta ObjectReference IntOrString CustomResource Deserialize \
                       Serialize SerializeMap BTreeMap api";

/// Checks a definition with hostile texts in all modes.
pub fn gen_hostile(input: &[u8]) {
    let hostile = definition(input).to_string();
    let twin = Feed::new(input, false).definition().to_string();
    for module in ["types", "dynamic", "crate::api"] {
        let render = |text: &str| {
            Config::new()
                .crd_text("crd.json", text, module.into())
                .render()
        };
        let text = match render(&hostile) {
            Ok(rendered) => rendered.files.into_values().collect::<String>(),
            Err(error) => {
                assert!(
                    !error
                        .to_string()
                        .contains("is not valid Rust, please report it"),
                    "{hostile}\n{error}"
                );
                continue;
            }
        };
        let expected = render(&twin)
            .expect("harmless words")
            .files
            .into_values()
            .collect::<String>();
        assert_eq!(shapes(&text), shapes(&expected), "{hostile}\n{text}");
        let is_odd = |letter: char| (letter.is_control() && letter != '\n') || is_mark(letter);
        assert!(!text.contains(is_odd), "{text:?}");
        for documentation in documentation(&text) {
            check_markdown(&documentation);
        }
    }
}

/// Returns the definition that the input chooses.
#[must_use]
pub fn definition(input: &[u8]) -> Value {
    Feed::new(input, true).definition()
}

fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Choices and texts of a definition, from the bytes of the input.
struct Feed<'a> {
    bytes: std::slice::Iter<'a, u8>,
    is_hostile: bool,
    words: usize,
}

impl<'a> Feed<'a> {
    fn new(bytes: &'a [u8], is_hostile: bool) -> Self {
        Self {
            bytes: bytes.iter(),
            is_hostile,
            words: 0,
        }
    }

    fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or_default()
    }

    fn one_in(&mut self, n: u8) -> bool {
        self.byte() % n == 1
    }

    /// Returns a hostile text, or a harmless word in its place.
    fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.byte() % 16 {
            let choice = usize::from(self.byte());
            match PARTS.get(choice % (PARTS.len() + 4)) {
                Some(part) => text.push_str(part),
                None => text.extend(char::from_u32(
                    u32::from(self.byte()) << 8 | u32::from(self.byte()),
                )),
            }
        }
        self.words += 1;
        if self.is_hostile {
            text
        } else {
            format!("w{}", self.words)
        }
    }

    /// Returns `usual`, or a hostile name that no API server accepts.
    fn name(&mut self, usual: &str) -> String {
        if self.one_in(32) {
            let text = self.text();
            if self.is_hostile {
                return text + "\n";
            }
        }
        usual.to_owned()
    }

    fn texts(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        for _ in 0..self.byte() % 4 {
            let mut text = self.text();
            while texts.contains(&text) {
                text.push('x');
            }
            texts.push(text);
        }
        texts
    }

    fn definition(&mut self) -> Value {
        let (kind, plural) = (self.name("Foo"), self.name("foos"));
        let (group, version) = (self.name("example.com"), self.name("v1"));
        let short_names = if self.one_in(4) {
            self.texts()
        } else {
            Vec::new()
        };
        let scope = if self.one_in(2) {
            "Cluster"
        } else {
            "Namespaced"
        };
        let mut schema = self.schema(0);
        let spec = self.object(1);
        let properties = json!({"spec": spec, "status": self.schema(1)});
        schema["type"] = json!("object");
        schema["properties"] = properties;
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.{group}")},
            "spec": {
                "group": group,
                "scope": scope,
                "names": {"kind": kind, "plural": plural, "shortNames": short_names},
                "versions": [{
                    "name": version,
                    "served": true,
                    "deprecated": self.one_in(2),
                    "deprecationWarning": self.text(),
                    "schema": {"openAPIV3Schema": schema},
                }],
            },
        })
    }

    fn schema(&mut self, depth: usize) -> Value {
        let mut schema = match self.byte() % 6 {
            0 => json!({"type": "string", "enum": self.texts()}),
            1 => json!({"type": "array", "items": {"type": "string", "pattern": self.text()}}),
            2 if depth < 4 => {
                json!({"type": "object", "additionalProperties": self.schema(depth + 1)})
            }
            3 if depth < 4 => self.object(depth + 1),
            4 => json!({"type": "integer", "format": self.text()}),
            _ => json!({"type": "string", "default": self.text(), "format": self.text()}),
        };
        schema["description"] = json!(self.text());
        schema["title"] = json!(self.text());
        schema
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut properties = Map::new();
        for _ in 0..self.byte() % 5 {
            let mut name = self.text();
            while properties.contains_key(&name) || STRUCTURAL.split(' ').any(|one| one == name) {
                name.push('x');
            }
            properties.insert(name, self.schema(depth));
        }
        let required: Vec<String> = if self.one_in(2) {
            properties.keys().cloned().collect()
        } else {
            Vec::new()
        };
        json!({
            "type": "object",
            "description": self.text(),
            "properties": properties,
            "required": required,
            "x-kubernetes-preserve-unknown-fields": self.one_in(4),
        })
    }
}

/// Returns the structure of all items, without the names and texts that differ, in order.
fn shapes(text: &str) -> Vec<String> {
    let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut shapes = Vec::new();
    each("", &file.items, &mut shapes);
    shapes.sort();
    shapes
}

fn each(module: &str, items: &[Item], shapes: &mut Vec<String>) {
    for item in items {
        let shape = match item {
            Item::Mod(item) => {
                let module = format!("{module}::{}", item.ident);
                let content = item.content.as_ref();
                each(&module, content.map_or(&[], |(_, items)| items), shapes);
                format!("mod {} {}", item.ident, attributes(&item.attrs))
            }
            Item::Struct(item) => {
                let fields = item.fields.iter();
                let fields = fields.map(|field| attributes(&field.attrs));
                let mut fields: Vec<String> = fields.collect();
                fields.sort();
                format!("struct {} {fields:?}", attributes(&item.attrs))
            }
            Item::Enum(item) => {
                let variants = item.variants.iter();
                let variants = variants.map(|variant| {
                    assert!(variant.fields.is_empty() && variant.discriminant.is_none());
                    attributes(&variant.attrs)
                });
                format!(
                    "enum {} {:?}",
                    attributes(&item.attrs),
                    variants.collect::<Vec<_>>()
                )
            }
            // The declarations of a kind, whose arguments are texts.
            Item::Impl(item)
                if item
                    .self_ty
                    .to_token_stream()
                    .to_string()
                    .contains("Lookups") =>
            {
                without_texts(item.to_token_stream()).to_string()
            }
            Item::Impl(item) => {
                let members = item.items.iter().map(|item| match item {
                    ImplItem::Fn(method) => format!("fn {}", method.sig.ident),
                    ImplItem::Const(constant) => format!("const {}", constant.ident),
                    ImplItem::Type(alias) => format!("type {}", alias.ident),
                    other => panic!("{}", other.to_token_stream()),
                });
                let implemented = item.trait_.as_ref().map(|(path, _)| path.to_token_stream());
                format!(
                    "impl {} {} {:?}",
                    attributes(&item.attrs),
                    implemented.unwrap_or_default(),
                    members.collect::<Vec<_>>()
                )
            }
            Item::Trait(item) => {
                let members = item.items.iter().map(|item| match item {
                    TraitItem::Fn(method) => method.sig.ident.to_string(),
                    other => panic!("{}", other.to_token_stream()),
                });
                format!("trait {} {:?}", item.ident, members.collect::<Vec<_>>())
            }
            Item::Use(item) => {
                let path = item.tree.to_token_stream().to_string();
                assert!(IMPORTS.split(' ').any(|name| path.contains(name)), "{path}");
                continue;
            }
            Item::Macro(item) => {
                let arguments = without_texts(item.mac.tokens.clone());
                format!("{}! {arguments}", item.mac.path.to_token_stream())
            }
            other => without_texts(other.to_token_stream()).to_string(),
        };
        shapes.push(format!("{module} {shape}"));
    }
}

/// Returns the attributes other than documentation, which must be known.
fn attributes(attributes: &[Attribute]) -> String {
    let mut shapes = Vec::new();
    for attribute in attributes {
        let path = attribute.path();
        if path.is_ident("doc") || path.is_ident("serde") {
            continue;
        }
        shapes.push(without_texts(attribute.to_token_stream()).to_string());
    }
    shapes.join(" ")
}

/// Returns the tokens without documentation, and with empty strings in place of all strings.
fn without_texts(tokens: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                if is_documentation(&group) {
                    kept.pop();
                    continue;
                }
                let inner = without_texts(group.stream());
                kept.push(proc_macro2::Group::new(group.delimiter(), inner).into());
            }
            TokenTree::Literal(literal) if literal.to_string().contains('"') => {
                kept.push(proc_macro2::Literal::string("").into());
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => kept.push(token),
        }
    }
    kept.into_iter().collect()
}

fn is_documentation(group: &proc_macro2::Group) -> bool {
    doc_line(group).is_some()
}

/// Returns the text of `[doc = ".."]`.
fn doc_line(group: &proc_macro2::Group) -> Option<String> {
    let pair: syn::MetaNameValue = syn::parse2(group.stream()).ok()?;
    let is_doc = pair.path.is_ident("doc");
    match pair.value {
        syn::Expr::Lit(literal) if is_doc => match literal.lit {
            syn::Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the documentation of each item, inside of macro calls too.
#[must_use]
pub fn documentation(text: &str) -> Vec<String> {
    let tokens: TokenStream = text.parse().expect("the text has been parsed");
    let mut all = Vec::new();
    collect(tokens, &mut all);
    all
}

fn collect(tokens: TokenStream, all: &mut Vec<String>) {
    let mut current: Vec<String> = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' || punct.as_char() == '!' => {}
            TokenTree::Group(group) => {
                if let Some(line) = doc_line(&group) {
                    current.push(line);
                    continue;
                }
                // kube's derive turns this attribute into documentation.
                all.extend(kube_doc(&group));
                collect(group.stream(), all);
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {
                if !current.is_empty() {
                    let lines = current.drain(..);
                    let lines =
                        lines.map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned());
                    all.push(lines.collect::<Vec<_>>().join("\n"));
                }
            }
        }
    }
}

fn kube_doc(group: &proc_macro2::Group) -> Option<String> {
    let mut tokens = group.stream().into_iter();
    match (tokens.next()?, tokens.next()?) {
        (TokenTree::Ident(kube), TokenTree::Group(arguments)) if kube == "kube" => {
            let wrapped =
                proc_macro2::Group::new(proc_macro2::Delimiter::Bracket, arguments.stream());
            doc_line(&wrapped)
        }
        _ => None,
    }
}

/// Checks that documentation has neither code blocks nor HTML.
pub fn check_markdown(text: &str) {
    for event in Parser::new_ext(text, Options::all()) {
        let is_bad = matches!(
            event,
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock)
                | Event::Html(_)
                | Event::InlineHtml(_)
        );
        assert!(!is_bad, "{event:?} in {text:?}");
    }
}
