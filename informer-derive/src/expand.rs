//! Writes the model as code.

mod walk;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

use crate::attr::Scope;
use crate::check::{Argument, Index, Model, Source};

/// The revision of what generated code expects of the runtime's `__private`.
const CODEGEN_ABI: u32 = 1;

/// The names of what is generated.
pub(crate) struct Names {
    pub(crate) informer: Ident,
    pub(crate) lister: Ident,
    pub(crate) namespace_lister: Ident,
    pub(crate) factory: Ident,
}

/// Writes `model`.
pub(crate) fn expand(model: &Model) -> TokenStream {
    let names = Names::of(model);
    let informer = informer(model, &names);
    let lister = lister(model, &names);
    let namespace_lister = match model.scope {
        Some(Scope::Namespaced) => namespace_lister(model, &names),
        Some(Scope::Cluster) | None => TokenStream::new(),
    };
    let factory = factory(model, &names);
    let assertions = assertions(model);
    quote! {
        #informer
        #lister
        #namespace_lister
        #factory
        #assertions
    }
}

// === impl Names ===

impl Names {
    pub(crate) fn of(model: &Model) -> Self {
        let root = model.root.unraw();
        Self {
            informer: format_ident!("{root}Informer"),
            lister: format_ident!("{root}Lister"),
            namespace_lister: format_ident!("{root}NamespaceLister"),
            factory: format_ident!("{root}InformerFactory"),
        }
    }
}

fn informer(model: &Model, names: &Names) -> TokenStream {
    let Model {
        vis,
        root,
        runtime,
        indices,
        ..
    } = model;
    let Names {
        informer, lister, ..
    } = names;
    let accessors: Vec<_> = indices.iter().map(|index| &index.accessor).collect();
    let values = indices.iter().map(|index| &index.value);
    let added = indices.iter().map(|index| add_index(model, index));
    let kind = kind(model);
    let doc = format!(" Shared informer of {kind}.");
    let doc_new = format!(
        " The informer of {kind} in `factory`, which creates it if nobody has asked for it before."
    );
    let doc_lister = format!(" Reads the cache of {kind}.");
    let deref = deref(
        informer,
        &quote!(#runtime::SharedInformer<#root>),
        &quote!(informer),
    );
    quote! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis struct #informer {
            informer: #runtime::SharedInformer<#root>,
            #(#accessors: #runtime::Index<#root, #values>,)*
        }

        #[allow(dead_code)]
        impl #informer {
            #[doc = #doc_new]
            #[must_use]
            #vis fn new(factory: &#runtime::SharedInformerFactory) -> Self {
                let informer = factory.informer::<#root>();
                #(#added)*
                Self { informer, #(#accessors,)* }
            }

            #[doc = #doc_lister]
            #[must_use]
            #vis fn lister(&self) -> #lister {
                #lister {
                    lister: self.informer.lister(),
                    #(#accessors: ::core::clone::Clone::clone(&self.#accessors),)*
                }
            }
        }

        #deref
    }
}

fn lister(model: &Model, names: &Names) -> TokenStream {
    let Model {
        vis,
        root,
        runtime,
        indices,
        ..
    } = model;
    let Names {
        lister,
        namespace_lister,
        ..
    } = names;
    let accessors = indices.iter().map(|index| &index.accessor);
    let values = indices.iter().map(|index| &index.value);
    let kind = kind(model);
    let doc = format!(" Reads the cache of {kind}.");
    let methods = indices.iter().map(|index| index_accessor(model, index));
    let namespace = (model.scope == Some(Scope::Namespaced)).then(|| {
        let doc = format!(" Reads the cached {kind} objects of `namespace`.");
        quote! {
            #[doc = #doc]
            #[must_use]
            #vis fn namespace(&self, namespace: &::core::primitive::str) -> #namespace_lister {
                #namespace_lister { lister: self.lister.namespace(namespace) }
            }
        }
    });
    let deref = deref(lister, &quote!(#runtime::Lister<#root>), &quote!(lister));
    let methods = (namespace.is_some() || !indices.is_empty()).then(|| {
        quote! {
            #[allow(dead_code)]
            impl #lister {
                #namespace
                #(#methods)*
            }
        }
    });
    quote! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis struct #lister {
            lister: #runtime::Lister<#root>,
            #(#accessors: #runtime::Index<#root, #values>,)*
        }

        #methods

        #deref
    }
}

fn namespace_lister(model: &Model, names: &Names) -> TokenStream {
    let Model {
        vis, root, runtime, ..
    } = model;
    let name = &names.namespace_lister;
    let doc = format!(
        " Reads the cached {} objects of one namespace.",
        kind(model)
    );
    let deref = deref(
        name,
        &quote!(#runtime::NamespaceLister<#root>),
        &quote!(lister),
    );
    quote! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis struct #name {
            lister: #runtime::NamespaceLister<#root>,
        }

        #deref
    }
}

fn factory(model: &Model, names: &Names) -> TokenStream {
    let Model {
        vis,
        accessor,
        runtime,
        ..
    } = model;
    let Names {
        informer, factory, ..
    } = names;
    let kind = kind(model);
    let doc = format!(" Gives a factory the informer of {kind}.");
    let doc_accessor = format!(" The informer of {kind}.");
    quote! {
        #[doc = #doc]
        #[allow(dead_code)]
        #vis trait #factory {
            #[doc = #doc_accessor]
            #[must_use]
            fn #accessor(&self) -> #informer;
        }

        #[automatically_derived]
        impl #factory for #runtime::SharedInformerFactory {
            fn #accessor(&self) -> #informer {
                #informer::new(self)
            }
        }
    }
}

fn assertions(model: &Model) -> TokenStream {
    let Model { root, runtime, .. } = model;
    let scope = match model.scope.filter(|_| model.assert_scope) {
        Some(Scope::Namespaced) => Some(quote!(assert_namespaced)),
        Some(Scope::Cluster) => Some(quote!(assert_cluster)),
        None => None,
    };
    let scope = scope.map(|assert| quote!(const _: () = #runtime::__private::#assert::<#root>();));
    quote! {
        #scope
        const _: () = #runtime::__private::assert_codegen_abi(#CODEGEN_ABI);
    }
}

/// `impl Deref for name`, to its field `field` of type `target`.
fn deref(name: &Ident, target: &TokenStream, field: &TokenStream) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::core::ops::Deref for #name {
            type Target = #target;

            #[inline]
            fn deref(&self) -> &Self::Target {
                &self.#field
            }
        }
    }
}

/// `let by_x = index(..);`
fn add_index(model: &Model, index: &Index) -> TokenStream {
    let Model { root, runtime, .. } = model;
    let Index {
        accessor,
        name,
        value,
        ..
    } = index;
    let body = match &index.source {
        Source::Walk(steps) => walk::values(runtime, index, steps),
        Source::With(function) => quote_spanned!(index.span=> #function(object)),
        Source::Nowhere => quote!(::std::vec::Vec::new()),
    };
    quote! {
        let #accessor = #runtime::__private::index(
            &informer,
            #name,
            |object: &#root| -> ::std::vec::Vec<#value> { #body },
        );
    }
}

fn index_accessor(model: &Model, index: &Index) -> TokenStream {
    let Model { vis, root, .. } = model;
    let Index { accessor, name, .. } = index;
    let (argument, reference) = index_argument(index);
    let doc = if matches!(index.source, Source::With(_)) {
        format!(" The cached objects that the index `{name}` has under `value`.")
    } else {
        format!(" The cached objects with `value` at `{name}`.")
    };
    quote! {
        #[doc = #doc]
        #[must_use]
        #vis fn #accessor(&self, value: #argument) -> ::std::vec::Vec<::std::sync::Arc<#root>> {
            self.#accessor.get(#reference)
        }
    }
}

/// The type of an accessor's argument, and the argument as a reference.
pub(crate) fn index_argument(index: &Index) -> (TokenStream, TokenStream) {
    let value = &index.value;
    match index.argument {
        Argument::Str => (quote!(&::core::primitive::str), quote!(value)),
        Argument::Copy => (quote!(#value), quote!(&value)),
        Argument::Ref => (quote!(&#value), quote!(value)),
    }
}

/// What the documentation calls the type.
fn kind(model: &Model) -> String {
    let root = model.root.unraw();
    match &model.api_version {
        Some(api_version) => format!("`{api_version}` `{root}`"),
        None => format!("`{root}`"),
    }
}
