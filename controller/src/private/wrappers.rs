//! Generated items of a kind with declarations: informer, lister and snapshot.
//!
//! Generated code is a declaration, [`wrappers!`](crate::private::wrappers). What all kinds have in
//! common is [`WithLookups`](crate::private::WithLookups); the macro writes only names, values and
//! one-line methods. A kind without declarations is two type aliases instead.

/// Declares the look-ups of one kind, and its informer, lister and snapshot.
///
/// ```text
/// wrappers! {
///     /// Shared informer of `example.com/v1` `Website`.
///     pub WebsiteLookups, WebsiteInformer, WebsiteLister: Website where [for<'__a> Website: TypedObject];
///     const SPEC_HOST = "spec.host";
///     indices WebsiteListerSnapshot {
///         /// Returns the cached objects with `value` at `spec.host`.
///         first by_host(&str): String = json("spec.host", path!(.spec.host));
///         /// Returns the cached objects that the index `by_port` has under `value`.
///         all by_port(u16): u16 = with("by_port", |object| ports(object));
///     }
///     lookups {
///         Reference by_secret: Secret =
///             BY_SECRET: reference!(Secret, fields [.spec.tls*], name [.secret_name*]);
///         LabelSelection selecting: Pod = SELECTING: path!(.spec.selector*);
///     }
///     owns { Deployment; }
///     struct WebsiteRelated, WebsiteRelations {
///         /// Returns the relation to the owned [`Deployment`]s.
///         deployments: OwnedObjects[Website, Deployment, R];
///         /// Returns the cached [`Deployment`]s that `owner` controls, ordered by key.
///         deployments_of(owner): Arc of Deployment;
///         /// Returns the relation to the selected [`Pod`]s.
///         pods: SelectedObjects[Website, Pod, S, R] = WebsiteLookups::SELECTING;
///         /// Returns the cached [`Pod`]s that `object` selects, ordered by key.
///         pods_of(object): Arc of Pod;
///     }
///     accessor { trait WebsiteInformerFactory .. }
/// }
/// ```
///
/// For a kind without a Rust type, the type is `dynamic("group", "version", "Kind", "plural",
/// Namespaced)`. All other lines are optional: fields that the API server can select by, the
/// indices, and the relations, which [`relations.rs`](crate::__relations) expands. A second list of
/// bounds applies to the relations. The items of the accessor are emitted as they are.
///
/// An index is read as `all` objects with a value, or as the `first` one. Its name is followed by
/// the types of the accessor's argument and of the values. Then follow the kind of [`Definition`]
/// (`json`, `object`, `with`), its name in the store, and the function that returns an object's values.
///
/// [`Definition`]: crate::private::Definition
///
/// Methods that are not generic are `#[inline]`, so that rustc compiles them only where they are
/// called. Otherwise a library would compile the whole runtime for each of its types, even unused
/// ones.
///
/// If the type is valid, which the derive has checked once, the bounds always hold. If the type is
/// invalid, that check reports the only error, because all code here may rely on the bounds. The
/// lifetime in a bound keeps rustc from checking the bound at each item.
#[doc(hidden)]
#[macro_export]
macro_rules! __wrappers {
    // --- the two forms of a declaration ---

    (
        $(#[$doc:meta])*
        $vis:vis $Lookups:ident, $Informer:ident, $Lister:ident: dynamic(
            $group:literal, $version:literal, $kind:literal, $plural:literal, $Scope:ident
        );
        $($rest:tt)*
    ) => {
        $crate::__wrappers! {
            @kind [$(#[$doc])*] $vis $Lookups $Informer $Lister
            [$crate::private::DynamicObject] FromDefinition [] []
            $($rest)*
        }

        impl $crate::private::DynamicLookups for $Lookups {
            type Scope = $crate::private::$Scope;

            fn resource() -> $crate::private::ResourceInfo {
                $crate::private::dynamic_resource($group, $version, $kind, $plural, $crate::private::Scope::$Scope)
            }
        }
    };
    (
        $(#[$doc:meta])*
        $vis:vis $Lookups:ident, $Informer:ident, $Lister:ident: $K:ty
            $(where [$($bound:tt)*] $([$($related:tt)*])?)?;
        $($rest:tt)*
    ) => {
        $crate::__wrappers! {
            @kind [$(#[$doc])*] $vis $Lookups $Informer $Lister
            [$K] FromType [$($($bound)*)?] [$($($($related)*)?)?]
            $($rest)*
        }
    };

    // --- the informer, the lister, and the methods of the kind ---

    (
        @kind [$($doc:tt)*] $vis:vis $Lookups:ident $Informer:ident $Lister:ident
        [$K:ty] $Source:ident [$($bound:tt)*] [$($related_bound:tt)*]
        $($(#[$attr:meta])* const $CONST:ident = $path:literal;)*
        $(indices $Snapshot:ident $indices:tt)?
        $(lookups $lookups:tt)?
        $(parts $parts:tt)?
        $(owns $owns:tt)?
        $(references $references:tt)?
        $(selects $selects:tt)?
        $(struct $Related:ident, $Relations:ident $related:tt)?
        $(accessor { $($accessor:tt)* })?
    ) => {
        $($doc)*
        $vis type $Informer<S = $crate::private::Typed> =
            $crate::private::WithLookups<$crate::private::SharedInformer<$K, S>, $Lookups>;

        #[doc = ::core::concat!("Reader of the cache of a [`", ::core::stringify!($Informer), "`].")]
        $vis type $Lister<S = $crate::private::Typed> =
            $crate::private::WithLookups<$crate::private::Lister<$K, S>, $Lookups>;

        $(
            #[doc = ::core::concat!("Consistent snapshot of the cache that a [`", ::core::stringify!($Lister), "`] reads.")]
            $vis type $Snapshot<S = $crate::private::Typed> = $crate::private::WithLookups<
                $crate::private::Snapshot<<S as $crate::private::Storage<$K>>::Object>,
                $Lookups,
            >;
        )?

        #[doc = ::core::concat!("Methods of a [`", ::core::stringify!($Informer), "`] or a [`", ::core::stringify!($Lister), "`], on top of those of its reader `R`. A look-up by an index takes O(log n) plus the number of objects found.")]
        $vis struct $Lookups<R = ()>(R);

        impl<R> ::core::ops::Deref for $Lookups<R> {
            type Target = R;

            fn deref(&self) -> &R {
                &self.0
            }
        }

        impl $crate::private::Lookups for $Lookups
        where
            $($bound)*
        {
            type Kind = $K;
            type Source = $crate::private::$Source;
            type Over<R> = $Lookups<R>;

            fn over<R>(reader: R) -> $Lookups<R> {
                $Lookups(reader)
            }

            $($crate::__wrappers! { @each [$K] $indices })?
        }

        $crate::__wrappers! {
            @constants $vis $Lookups [$($bound)*] $($(#[$attr])* const $CONST = $path;)*
        }

        $crate::__wrappers! { @indices $vis $Lookups [$K] [$($bound)*] $($indices)? }
        $crate::__relations! {
            @kind $vis $Lookups $Informer $Lister [$K] [$($bound)* $($related_bound)*]
            $(lookups $lookups)?
            $(parts $parts)?
            $(owns $owns)?
            $(references $references)?
            $(selects $selects)?
            $(struct $Related, $Relations $related)?
        }
        $($($accessor)*)?
    };

    // --- constants ---

    (@constants $vis:vis $Lookups:ident [$($bound:tt)*]) => {};
    (
        @constants $vis:vis $Lookups:ident [$($bound:tt)*]
        $($(#[$attr:meta])* const $CONST:ident = $path:literal;)+
    ) => {
        impl $Lookups
        where
            $($bound)*
        {
            $(
                $(#[$attr])*
                $vis const $CONST: &'static ::core::primitive::str = $path;
            )+
        }
    };

    // --- indices ---

    (
        @each [$K:ty] {
            $(
                $(#[$attr:meta])*
                $find:ident $name:ident($($argument:tt)*): $V:ty
                    = $over:ident($index:literal, $values:expr);
            )*
        }
    ) => {
        #[allow(dead_code)]
        fn indices<S: $crate::private::Storage<$K>>(each: &mut $crate::private::EachIndex<'_, $K, S>) {
            $(
                each.index(&$crate::__wrappers!(@definition $over [$K] [$V] $index, $values));
            )*
        }
    };
    (@indices $vis:vis $Lookups:ident [$K:ty] [$($bound:tt)*]) => {};
    (
        @indices $vis:vis $Lookups:ident [$K:ty] [$($bound:tt)*] {
            $(
                $(#[$attr:meta])*
                $find:ident $name:ident($($argument:tt)*): $V:ty
                    = $over:ident($index:literal, $values:expr);
            )*
        }
    ) => {
        impl<R: $crate::private::Reads<$K>> $Lookups<R>
        where
            $($bound)*
        {
            $(
                $(#[$attr])*
                #[must_use]
                $vis fn $name(&self, value: $($argument)*) -> $crate::__wrappers!(@found $find R::Object) {
                    $crate::private::Definition::<$K, $V>::$find(
                        &self.0,
                        [$index, $crate::__wrappers!(@text $over $index, $values)],
                        $crate::__wrappers!(@reference value $($argument)*),
                    )
                }
            )*
        }
    };

    (@definition with [$K:ty] [$V:ty] $index:literal, $values:expr) => {
        $crate::private::Definition::<$K, $V>::with($index, $crate::__wrappers!(@text with $index, $values), $values)
    };
    (@definition $over:ident [$K:ty] [$V:ty] $index:literal, $values:expr) => {
        $crate::private::Definition::<$K, $V>::$over($index, $values)
    };

    // The text distinguishes two functions with the same name of an index.
    (@text with $index:literal, $values:expr) => {
        ::core::concat!("with ", ::core::module_path!(), ": ", ::core::stringify!($values))
    };
    (@text $over:ident $index:literal, $values:expr) => { $index };

    (@found all $Object:ty) => { ::std::vec::Vec<::std::sync::Arc<$Object>> };
    (@found first $Object:ty) => { ::core::option::Option<::std::sync::Arc<$Object>> };

    (@reference $value:ident & $($argument:tt)*) => { $value };
    (@reference $value:ident $($argument:tt)*) => { &$value };
}
