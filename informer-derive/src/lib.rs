//! `#[derive(Informer)]`: the typed informer and listers of one custom resource; and
//! `#[derive(IndexValue)]`, for enums that an index is over.
//!
//! Use it through the `informer` crate, which documents it for users; this page is for those who
//! change it.
//!
//! # How the macro works
//!
//! A pipeline, one module per step, none of which stops at the first mistake:
//!
//! 1. `ast` reads the struct: its fields as JSON spells them.
//! 2. `attr` reads `#[informer(...)]`, and what it needs of the siblings `#[kube(...)]` and
//!    `#[serde(...)]`.
//! 3. `check` judges all of it and builds a `Model`, with a guess wherever something is wrong.
//! 4. `expand` has `informer-codegen` write the model as code, which `informer-gen` does as well; if
//!    there were errors, `fallback` writes them, and the code beside them, so that what uses the
//!    informer does not fail as well.
//!
//! `ctxt` collects the errors on the way. `incomplete` stands in for the parser while somebody is
//! still typing.
//!
//! # Invariants
//!
//! 1. Generated code names `::core`, `::std`, the runtime path and the user's type, nothing else.
//! 2. A plural is never guessed: it is kube-derive's, by kube-derive's rule, or it is asked for.
//! 3. Every item that is generated has the visibility of the user's type, and documentation.

mod ast;
mod attr;
mod check;
mod ctxt;
mod expand;
mod fallback;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
mod incomplete;
mod index_value;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::check::Model;
use crate::ctxt::Ctxt;

/// Emits the typed informer, listers and factory accessor of a custom resource.
///
/// For `#[kube(kind = "Foo")]` these are `FooInformer`, `FooLister`, `FooListerSnapshot` (if there
/// are indices) and `FooInformerFactory`, a trait that gives factories the method `foos()`. They are
/// what informer-gen and lister-gen write for Go. [docs/derive.md] is the complete reference.
///
/// [docs/derive.md]: https://github.com/informer-rs/informer/blob/main/docs/derive.md
///
/// # Where to put it
///
/// **On the spec struct of `kube::CustomResource`.** Kind, version, scope and plural are those of
/// the sibling `#[kube(...)]`:
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
/// **On any other struct that implements `kube::Resource`.** There is nothing to read there, so
/// `accessor` and `scope` are required; that the scope is the type's own is checked:
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
/// The same works on the projections of `#[derive(kube::Resource)]`, and through
/// `#[kube(derive = "Informer", attr = "informer(...)")]`.
///
/// **On a name for a type that is elsewhere**, in another crate or with parameters:
/// `#[informer(of = Pod, accessor = "pods_by_node", scope = "Namespaced")] struct NodePod;`
///
/// # Keys of `#[informer(...)]`
///
/// | key | meaning |
/// |---|---|
/// | `index = "path"` | an index over the values at a path of JSON, read with `by_<last segment>(value)` of the lister and its snapshots; repeatable |
/// | `index = path` | the same, by the names of the fields in Rust |
/// | `index(...)` | the same with settings, or over something else: see below |
/// | `accessor = "foos"` | the factory's method; by default the plural, with the words of the kind: `network_policies` |
/// | `scope = "Namespaced"` | or `"Cluster"`; only where there is no `#[kube(...)]` |
/// | `of = Type` | the type that a unit struct stands for |
/// | `prefix = "Foo"` | what the names of the wrappers start with; by default the root type's name |
/// | `selectable = "spec.x"` | a constant for field selectors; beside `#[kube(...)]` those of `#[kube(selectable = "..")]`; repeatable |
/// | `crate = path` | where the `informer` crate is, if not at `::informer` |
///
/// Inside of `index(...)` stands one of `path = "..."`, `path = spec.field`, `label = "app"`, `annotation = "key"`,
/// `owner`, `owner = Type` and `with = function` (a `fn(&Foo) -> Vec<Value>`); with it may stand
/// `name = "by_x"`, `value = "u16"` (the type of values that the macro cannot see) and `unique` (a
/// lookup gives an `Option`: the first object by key).
///
/// # Paths
///
/// In quotes a path has the names of JSON: `"spec.deploymentName"`, `"metadata.labels['app']"`. It
/// goes through the fields of the struct at hand, `metadata`, and types of `k8s-openapi`. Without
/// quotes it has the names of the fields in Rust, and goes through every type: `spec.tls.secret_name`,
/// `metadata.labels["app"]`. No name is guessed from another; what is not known does not compile.
///
/// A path goes through `Option`, `Vec`, `VecDeque`, `Box`, `Arc` and sets by itself: an object is
/// indexed under each value that is there. The type of the values is that of the field if the struct
/// at hand has it, else `String`, unless `value` says otherwise.
#[cfg(not(fuzzing))]
#[proc_macro_derive(Informer, attributes(informer))]
pub fn derive_informer(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive_tokens(input.into()).into()
}

/// Makes an enum of unit variants a type of index values, by the names that serde reads.
///
/// Implements `Display`, which prints the name of the variant, and `informer::index::IndexValue`, which
/// finds the variant of a name or of an `alias`. `rename_all` and `rename` count as they do for serde;
/// where serializing and deserializing have a name each, the latter. Derive `Clone`, `PartialEq`, `Eq`, `PartialOrd`
/// and `Ord` beside it.
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
/// A type that has a `Display` of its own, or variants with fields, implements `IndexValue` by hand.
/// `#[informer(crate = path)]` says where the crate `informer` is, if not at `::informer`.
#[cfg(not(fuzzing))]
#[proc_macro_derive(IndexValue, attributes(informer))]
pub fn derive_index_value(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    index_value::derive(&input).into()
}

fn derive_tokens(input: TokenStream) -> TokenStream {
    match syn::parse2(input.clone()) {
        Ok(input) => derive(&input),
        // Other mistakes may come of this one.
        Err(error) => match incomplete::recover(input) {
            Some(input) => fallback::fallback(&model(&Ctxt::default(), &input), &error),
            None => error.to_compile_error(),
        },
    }
}

fn derive(input: &DeriveInput) -> TokenStream {
    let ctxt = Ctxt::default();
    let model = model(&ctxt, input);
    match ctxt.finish() {
        Ok(()) => expand::expand(&model),
        Err(errors) => fallback::fallback(&model, &errors),
    }
}

fn model(ctxt: &Ctxt, input: &DeriveInput) -> Model {
    let ast = ast::Input::read(ctxt, input);
    let attrs = attr::Attrs::read(ctxt, &input.attrs);
    let kube = attr::kube::KubeAttrs::read(&input.attrs);
    let inherited = attr::kube::inherited(&input.attrs);
    check::check(ctxt, &ast, &attrs, kube.as_ref(), inherited.as_deref())
}
