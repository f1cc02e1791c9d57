//! The facade's module in every version of Kubernetes and with every choice of features: it names
//! exactly the types that `k8s-openapi` has, and no missing module.
//!
//! The test evaluates the gates like the macros of `k8s-openapi` and rustc. `.ci/run` also compiles
//! the oldest version.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a failing helper fails the test"
)]

#[path = "../../tests/support/k8s_openapi.rs"]
mod k8s_openapi;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use quote::ToTokens as _;
use syn::parse::Parser as _;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Meta};

/// One build: a Kubernetes version and a choice of features.
#[derive(Clone, Copy, Debug)]
struct Build {
    minor: u8,
    beta: bool,
    alpha: bool,
}

/// Generated code that remains in one build.
struct Left {
    build: Build,
    directory: PathBuf,
    /// Paths of types of `k8s-openapi`.
    types: BTreeSet<String>,
    /// Defined modules, by their path below the root.
    modules: BTreeSet<String>,
    named: BTreeSet<String>,
}

impl Build {
    /// Reports whether a macro such as `k8s_if_ge_1_34` keeps its content.
    fn leaves(self, name: &str) -> bool {
        let minor = |prefix: &str| {
            name.strip_prefix(prefix)
                .map(|text| text.parse::<u8>().unwrap())
        };
        if let Some(first) = minor("k8s_if_ge_1_") {
            self.minor >= first
        } else if let Some(last) = minor("k8s_if_le_1_") {
            self.minor <= last
        } else {
            self.minor == minor("k8s_if_1_").unwrap()
        }
    }

    /// Reports whether `#[cfg(..)]` keeps an item.
    fn keeps(self, attributes: &[Attribute]) -> bool {
        let mut cfgs = attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("cfg"));
        cfgs.all(|cfg| {
            let text = cfg.meta.require_list().unwrap().tokens.to_string();
            let enabled = |stage: &str, is: bool| is && text.contains(&format!("\"k8s-{stage}\""));
            enabled("beta", self.beta) || enabled("alpha", self.alpha)
        })
    }
}

impl Left {
    fn items(&mut self, items: &[Item], place: &str) {
        for item in items {
            match item {
                Item::Macro(call) => {
                    let name = call.mac.path.segments.last().unwrap().ident.to_string();
                    if self.build.leaves(&name) {
                        let content = syn::parse2::<syn::File>(call.mac.tokens.clone()).unwrap();
                        self.items(&content.items, place);
                    }
                }
                // Its functions are not about kinds.
                Item::Mod(module) if module.ident == "pod_spec" => {}
                Item::Mod(module) => self.module(module, place),
                Item::Impl(block) => {
                    let mut methods = Vec::new();
                    self.methods(&block.items, &mut methods);
                    for method in methods {
                        self.body(&method, place);
                    }
                    self.body(&block.self_ty.to_token_stream().to_string(), place);
                }
                Item::Use(import) => {
                    let path = import.tree.to_token_stream().to_string().replace(' ', "");
                    let kind = path.strip_prefix("k8s_openapi::").unwrap();
                    self.types.insert(kind.to_owned());
                }
                Item::Fn(function) => self.statements(&function.block, place),
                Item::Trait(block) => {
                    // Parses the content as an `impl`, because the macros in the block contain
                    // methods.
                    let items = &block.items;
                    let block: syn::ItemImpl = syn::parse_quote!(impl X { #(#items)* });
                    self.items(&[Item::Impl(block)], place);
                }
                other => self.body(&other.to_token_stream().to_string(), place),
            }
        }
    }

    fn module(&mut self, module: &syn::ItemMod, place: &str) {
        if !self.build.keeps(&module.attrs) {
            return;
        }
        let path = format!("{place}::{}", module.ident);
        assert!(
            self.modules.insert(path.clone()),
            "{path} twice in {:?}",
            self.build
        );
        if let Some((_, items)) = &module.content {
            self.items(items, &path);
        } else {
            let text = fs::read_to_string(self.directory.join(format!("{}.rs", module.ident)));
            self.items(&syn::parse_file(&text.unwrap()).unwrap().items, &path);
        }
    }

    fn methods(&self, items: &[syn::ImplItem], methods: &mut Vec<String>) {
        for item in items {
            match item {
                syn::ImplItem::Macro(call) => {
                    let name = call.mac.path.segments.last().unwrap().ident.to_string();
                    if self.build.leaves(&name) {
                        let text = format!("impl X {{ {} }}", call.mac.tokens);
                        let block: syn::ItemImpl = syn::parse_str(&text).unwrap();
                        self.methods(&block.items, methods);
                    }
                }
                syn::ImplItem::Fn(method) if self.build.keeps(&method.attrs) => {
                    methods.push(method.to_token_stream().to_string());
                }
                syn::ImplItem::Fn(_) => {}
                other => methods.push(other.to_token_stream().to_string()),
            }
        }
    }

    fn statements(&mut self, block: &syn::Block, place: &str) {
        for statement in &block.stmts {
            match statement {
                syn::Stmt::Macro(call) => {
                    let name = call.mac.path.segments.last().unwrap().ident.to_string();
                    if self.build.leaves(&name) {
                        let content = syn::Block::parse_within
                            .parse2(call.mac.tokens.clone())
                            .unwrap();
                        let brace_token = syn::token::Brace::default();
                        let stmts = content;
                        self.statements(&syn::Block { brace_token, stmts }, place);
                    }
                }
                syn::Stmt::Expr(syn::Expr::MethodCall(row), _) => {
                    if self.build.keeps(&row.attrs) {
                        self.body(&row.to_token_stream().to_string(), place);
                    }
                }
                syn::Stmt::Expr(syn::Expr::Call(rows), _) => {
                    if self.build.keeps(&rows.attrs) {
                        self.body(&rows.to_token_stream().to_string(), place);
                    }
                }
                other => self.body(&other.to_token_stream().to_string(), place),
            }
        }
    }

    /// Records the names in a function body.
    fn body(&mut self, text: &str, place: &str) {
        struct Paths(Vec<String>);
        impl<'ast> Visit<'ast> for Paths {
            fn visit_path(&mut self, path: &'ast syn::Path) {
                self.0
                    .push(path.to_token_stream().to_string().replace(' ', ""));
                visit::visit_path(self, path);
            }
        }
        let mut paths = Paths(Vec::new());
        let wrapped = [
            text.to_owned(),
            format!("impl X {{ {text} }}"),
            format!("type X = {text};"),
            format!("fn x() {{ {text} }}"),
        ];
        let parsed = wrapped
            .iter()
            .find_map(|text| syn::parse_str::<Item>(text).ok());
        paths.visit_item(&parsed.unwrap_or_else(|| panic!("{text}")));
        for path in paths.0 {
            if let Some(kind) = path.strip_prefix("::k8s_openapi::") {
                self.types.insert(kind.to_owned());
            } else if let Some(module) = path
                .strip_suffix("::Interface")
                .or(path.strip_suffix("::rows"))
            {
                self.named.insert(format!("{place}::{module}"));
            }
        }
    }
}

/// Returns the listable types of a minor version whose API stage is enabled.
fn available(sources: &Path, build: Build) -> BTreeSet<String> {
    let modules = k8s_openapi::modules(sources, build.minor)
        .unwrap()
        .into_iter();
    let kinds = modules.filter_map(|(module, text)| {
        let (_, rest) = text.split_once("impl crate::ListableResource for ")?;
        let kind = rest.split_whitespace().next()?;
        Some(format!("{module}::{kind}"))
    });
    let is_enabled = |path: &String| {
        !path.ends_with("::ComponentStatus")
            && (build.beta || !path.contains("beta"))
            && (build.alpha || !path.contains("alpha"))
    };
    kinds.filter(is_enabled).collect()
}

#[test]
fn every_build_names_exactly_its_types() {
    let sources = k8s_openapi::sources().unwrap();
    let facade = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/k8s");
    let root = fs::read_to_string(facade.join("generated.rs")).unwrap();
    let root = syn::parse_file(&root).unwrap();
    let choices = [(false, false), (true, false), (false, true), (true, true)];
    for minor in 33..=37 {
        for (beta, alpha) in choices {
            let build = Build { minor, beta, alpha };
            let mut left = Left {
                build,
                directory: facade.join("generated"),
                types: BTreeSet::new(),
                modules: BTreeSet::new(),
                named: BTreeSet::new(),
            };
            left.items(&root.items, "");
            assert_eq!(left.types, available(&sources, build), "{build:?}");
            // Except for the root, the parent of each module refers to it.
            assert_eq!(left.named, left.modules, "{build:?}");
        }
    }
}

/// The evaluation detects a wrong gate.
#[test]
fn a_gate_is_evaluated_as_it_is_written() {
    let build = |minor, beta| Build {
        minor,
        beta,
        alpha: false,
    };
    assert!(
        build(34, false).leaves("k8s_if_ge_1_34") && !build(33, false).leaves("k8s_if_ge_1_34")
    );
    assert!(
        build(34, false).leaves("k8s_if_le_1_34") && !build(35, false).leaves("k8s_if_le_1_34")
    );
    assert!(build(34, false).leaves("k8s_if_1_34") && !build(35, false).leaves("k8s_if_1_34"));
    let item: syn::ItemMod = syn::parse_quote!(
        #[cfg(any(feature = "k8s-alpha", feature = "k8s-beta"))]
        mod x;
    );
    assert!(build(34, true).keeps(&item.attrs) && !build(34, false).keeps(&item.attrs));
    assert!(matches!(item.attrs[0].meta, Meta::List(_)));
}
