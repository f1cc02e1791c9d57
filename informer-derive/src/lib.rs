//! `#[derive(Informer)]`, which generates the typed informer and listers of a custom resource, and
//! `#[derive(IndexValue)]`, for enums as index values.
//!
//! Use both through the `informer` crate, which documents them for users. This page is for
//! contributors.
//!
//! # How the macro works
//!
//! The macro is a pipeline with one module for each step. No step stops at the first mistake.
//!
//! 1. `ast` reads the struct, and the JSON names of its fields by `serde`'s attributes.
//! 2. `attr` reads `#[informer(...)]` with `informer_codegen::declaration`; `informer_codegen::kube`
//!    reads the sibling `#[kube(...)]`.
//! 3. `check` validates the input and builds a `Model`, with a plausible value in place of each
//!    mistake. `informer_codegen::check` has the rules for indices and relations; `fields` resolves
//!    their paths in the annotated struct.
//! 4. `expand` emits the model as code through `informer-codegen`, as `informer-gen` does. If
//!    errors occurred, `fallback` emits the errors and the code, so that uses of the informer cause
//!    no further errors.
//!
//! `incomplete` replaces the parser for unfinished code.
//!
//! # Invariants
//!
//! 1. Generated code refers to `::core`, `::std`, the runtime path and the user's type only.
//! 2. A plural is never guessed. It follows kube-derive's rule, or the user has to declare it.
//! 3. Every generated item has the visibility of the user's type, and documentation.

mod ast;
mod attr;
mod check;
mod expand;
mod fallback;
mod fields;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
mod incomplete;
mod index_value;
mod model;
mod root;
mod serde;
mod spec;
#[cfg(test)]
mod tests;

use informer_codegen::ctxt::Ctxt;
use informer_codegen::kube::Kube;
use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::model::Model;

/// Generates the typed informer, listers and factory accessor of a custom resource.
///
/// For `#[kube(kind = "Foo")]` the items are `FooInformer`, `FooLister`, `FooListerSnapshot` (if
/// the type has indices), `FooRelated` (if it has relations) and `FooInformerFactory`, a trait that
/// adds the method `foos()` to factories. informer-gen and lister-gen generate the same for Go.
/// [docs/derive.md] is the complete reference.
///
/// [docs/derive.md]: https://github.com/informer-rs/informer/blob/main/docs/derive.md
///
/// # Supported types
///
/// **The spec struct of `kube::CustomResource`.** Kind, version, scope and plural come from the
/// sibling `#[kube(...)]`:
///
/// ```
/// # use informer_derive::Informer;
/// # use stub::{CustomResource, SharedInformerFactory};
/// #[derive(CustomResource, Informer, Clone, Debug)] // and Serialize, Deserialize, JsonSchema
/// #[kube(group = "samplecontroller.k8s.io", version = "v1alpha1", kind = "Foo", namespaced)]
/// #[informer(index = "spec.deploymentName")]
/// #[serde(rename_all = "camelCase")]
/// # #[informer(crate = stub)]
/// pub struct FooSpec {
///     pub deployment_name: String,
/// }
///
/// # let factory = SharedInformerFactory::default();
/// let foos: FooInformer = factory.foos();
/// let of_web = foos.lister().by_deployment_name("web");
/// let lister: FooLister = foos.lister();
/// let in_default = lister.namespace("default");
/// ```
///
/// **Any other struct that implements `kube::Resource`.** `accessor` and `scope` are required,
/// because the macro cannot see them. rustc checks that the scope matches the type's:
///
/// ```
/// # use informer_derive::Informer;
/// # use stub::{ObjectMeta, NamespaceScope};
/// #[derive(Informer, Clone, Debug)] // and Deserialize
/// #[informer(accessor = "foos", scope = "Namespaced")]
/// # #[informer(crate = stub)]
/// pub struct Foo {
///     metadata: ObjectMeta,
/// }
/// # stub::resource!([] Foo, NamespaceScope, metadata);
/// ```
///
/// The derive also works on the projections of `#[derive(kube::Resource)]`, and through
/// `#[kube(derive = "Informer", attr = "informer(...)")]`.
///
/// **A marker struct for a type elsewhere**, in another crate or with generic parameters:
/// `#[informer(of = Pod, accessor = "pods_by_node", scope = "Namespaced")] struct NodePod;`
///
/// # Keys of `#[informer(...)]`
///
/// | key | meaning |
/// |---|---|
/// | `index = "path"` | index of the values at a path with JSON names; the lister and its snapshots get the method `by_<last segment>(value)`; repeatable |
/// | `index = path` | the same, with the names of the fields in Rust |
/// | `index(...)` | the same with settings, or with another source: see below |
/// | `owns(Type, ..)` | types of the objects that this type controls |
/// | `references(Type = path, ..)` | types of the objects that fields name |
/// | `selects(Type = path, ..)` | types of the objects that label selectors select |
/// | `accessor = "foos"` | method of the factory (default: the plural, with the word boundaries of the kind: `network_policies`) |
/// | `scope = "Namespaced"` | or `"Cluster"`; only without `#[kube(...)]` |
/// | `of = Type` | type that a unit struct is a marker for |
/// | `prefix = "Foo"` | prefix of the names of the wrappers (default: the name of the root type) |
/// | `selectable = "spec.x"` | constant for field selectors; with `#[kube(...)]`, set `#[kube(selectable = "..")]` instead; repeatable |
/// | `crate = path` | path of the `informer` crate (default: `::informer`) |
///
/// `index(...)` contains one of `path = "..."`, `path = spec.field`, `label = "app"`, `annotation =
/// "key"`, `owner`, `owner = Type` and `with = function` (a `fn(&Foo) -> Vec<Value>`). Optional
/// settings are `name = "by_x"`, `value = "u16"` (the type of values that the macro cannot see) and
/// `unique` (a lookup returns an `Option`: the first object in key order).
///
/// # Relations
///
/// `owns`, `references` and `selects` connect the type with others. `FooInformer::related` returns
/// the relations, `FooRelated`: `deployments_of(&foo)`, `secrets_of(&foo)`, `pods_of(&foo)`. The
/// lister gets the other direction: `by_secret(&key)`, `selecting(&pod)`. The names follow from the
/// type.
///
/// `Type(...)` contains settings: `accessor = "pull_secrets"` for other names, `path = ".."`, and
/// for references `namespace = ".."` and `kind = ".."`, the paths of the fields next to the name.
///
/// # Paths
///
/// A path in quotes has the names in JSON: `"spec.deploymentName"`, `"metadata.labels['app']"`. It
/// may lead through the fields of the annotated struct, `metadata`, and types of `k8s-openapi`. A
/// path without quotes has the names of the fields in Rust, and may lead through every type:
/// `spec.tls.secret_name`, `metadata.labels["app"]`. No name is guessed from another, and an
/// unknown name does not compile.
///
/// Paths traverse `Option`, `Vec`, `VecDeque`, `Box`, `Arc` and sets implicitly: an object is
/// indexed under each value that is present. The type of the values is the type of the field if the
/// annotated struct has the field, else `String`, unless `value` sets another type.
#[cfg(not(fuzzing))]
#[proc_macro_derive(Informer, attributes(informer))]
pub fn derive_informer(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive_tokens(input.into()).into()
}

/// Makes an enum of unit variants a type of index values, by the names that serde reads.
///
/// Implements `Display`, which prints the name of the variant, and `informer::index::IndexValue`,
/// which parses a name or an `alias`. `rename_all` and `rename` apply as in serde. If serde has
/// different names for the two directions, the name for deserialization applies. Derive `Clone`,
/// `PartialEq`, `Eq`, `PartialOrd` and `Ord` too.
///
/// ```
/// use informer_derive::IndexValue;
///
/// #[derive(IndexValue, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)] // and Serialize, Deserialize, JsonSchema
/// # #[informer(crate = stub)]
/// pub enum Phase {
///     Pending,
///     Ready,
/// }
/// assert_eq!(Phase::Ready.to_string(), "Ready");
/// ```
///
/// A type with its own `Display`, or with fields in variants, must implement `IndexValue` by hand.
/// `#[informer(crate = path)]` sets the path of the crate `informer` (default: `::informer`).
#[cfg(not(fuzzing))]
#[proc_macro_derive(IndexValue, attributes(informer))]
pub fn derive_index_value(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    index_value::derive(&input).into()
}

fn derive_tokens(input: TokenStream) -> TokenStream {
    match syn::parse2(input.clone()) {
        Ok(input) => derive(&input),
        // A syntax error may be the cause of further errors, which are dropped.
        Err(error) => match incomplete::recover(input) {
            Some(recovered) => {
                let model = read_model(&Ctxt::default(), &recovered);
                fallback::fallback(&model, &error)
            }
            None => error.to_compile_error(),
        },
    }
}

fn derive(input: &DeriveInput) -> TokenStream {
    let ctxt = Ctxt::default();
    let model = read_model(&ctxt, input);
    match ctxt.finish() {
        Ok(()) => expand::expand(&model),
        Err(errors) => fallback::fallback(&model, &errors),
    }
}

fn read_model(ctxt: &Ctxt, input: &DeriveInput) -> Model {
    let ast = ast::Input::read(ctxt, input);
    let attrs = attr::declaration(ctxt, &input.attrs);
    let kube = Kube::read(input.attrs.iter().map(|attr| &attr.meta));
    let inherited = attr::inherited(&input.attrs);
    check::check(ctxt, &ast, &attrs, kube.as_ref(), inherited.as_deref())
}
