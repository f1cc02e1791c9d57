//! Writes the walk from an object to the values at a path.
//!
//! The macro does not see the types on the way. So each field is followed by a loop for every
//! wrapper that it may have; `__private::Peel` chooses by type whether a loop goes through an
//! `Option`, a `Vec`, .. or takes a plain value once. Where a name in JSON is turned into one in
//! Rust by k8s-openapi's rule, `__private::Spelt` chooses by type whether that is right. All of it
//! stands at the span of the path, and so does rustc's "no field" if a field is not there.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::Path;

use crate::check::{Index, Spelling, Step};

/// The body of an index function: a block's inside, with the values of `object` as its result.
pub(super) fn values(runtime: &Path, index: &Index, steps: &[Step]) -> TokenStream {
    let walk = Walk {
        runtime,
        span: Span::mixed_site().located_at(index.span),
    };
    let value = &index.value;
    let object = Ident::new("object", Span::call_site()).into_token_stream();
    let span = walk.span;
    let push = |leaf: TokenStream| quote_spanned!(span=> values.push(#runtime::__private::index_value::<#value, _>(#leaf)););
    let body = walk.steps(&object, steps, 0, &push);
    // Which of the two is used depends on types that the macro does not know.
    let traits = steps.iter().any(Step::is_wrapped).then(|| {
        quote_spanned! {span=>
            #[allow(unused_imports)]
            use #runtime::__private::{Peel as _, PeelNothing as _};
        }
    });
    let spelling = steps.iter().any(Step::is_kubernetes).then(|| {
        quote_spanned! {span=>
            #[allow(unused_imports)]
            use #runtime::__private::{Spelt as _, SpeltOtherwise as _};
        }
    });
    quote_spanned! {span=>
        #traits
        #spelling
        let mut values = ::std::vec::Vec::new();
        #body
        values
    }
}

struct Walk<'a> {
    runtime: &'a Path,
    span: Span,
}

// === impl Walk ===

impl Walk<'_> {
    /// Statements that go from `here`, a reference, through `steps`. `depth` counts the variables.
    fn steps(
        &self,
        here: &TokenStream,
        steps: &[Step],
        depth: usize,
        end: &dyn Fn(TokenStream) -> TokenStream,
    ) -> TokenStream {
        let (runtime, span) = (self.runtime, self.span);
        match steps {
            [] => end(here.clone()),
            [Step::Metadata, rest @ ..] => {
                let there = quote_spanned!(span=> #runtime::__private::metadata(#here));
                self.steps(&there, rest, depth, end)
            }
            [
                Step::Field {
                    ident,
                    wrappers,
                    spelling,
                },
                rest @ ..,
            ] => {
                let mut place = here.clone();
                if *spelling == Spelling::Kubernetes {
                    place.extend(quote_spanned!(span=> .__spelt_as_in_kubernetes()));
                }
                place.extend(quote_spanned!(span=> .#ident));
                // A field of a field needs no reference in between.
                if *wrappers == 0 && matches!(rest, [Step::Field { .. }, ..]) {
                    return self.steps(&place, rest, depth, end);
                }
                let there = if *wrappers == 0 {
                    quote_spanned!(span=> &#place)
                } else {
                    quote_spanned!(span=> (&#place))
                };
                self.peel(&there, *wrappers, rest, depth, end)
            }
            [Step::Key { key, wrappers }, rest @ ..] => {
                let variable = self.variable(depth);
                let inside = self.peel(&variable, *wrappers, rest, depth + 1, end);
                quote_spanned! {span=>
                    if let ::core::option::Option::Some(#variable) =
                        #runtime::__private::map_value(#here, #key)
                    {
                        #inside
                    }
                }
            }
        }
    }

    /// Statements that go through up to `wrappers` wrappers at `here`, then on with `steps`.
    fn peel(
        &self,
        here: &TokenStream,
        wrappers: usize,
        steps: &[Step],
        depth: usize,
        end: &dyn Fn(TokenStream) -> TokenStream,
    ) -> TokenStream {
        if wrappers == 0 {
            return self.steps(here, steps, depth, end);
        }
        let span = self.span;
        let variable = self.variable(depth);
        let inside = self.peel(&variable, wrappers - 1, steps, depth + 1, end);
        quote_spanned! {span=>
            for #variable in #here.__peel() {
                #inside
            }
        }
    }

    fn variable(&self, depth: usize) -> TokenStream {
        let mut variable = format_ident!("at_{depth}");
        variable.set_span(self.span);
        variable.into_token_stream()
    }
}
