//! Generated items of one kind: informer, lister and, if it has indices, a snapshot.
//!
//! Generated code is a declaration, [`wrappers!`](crate::private::wrappers). The macro contains the
//! parts that all kinds have in common.

/// Declares the wrappers of one kind.
///
/// ```text
/// wrappers! {
///     /// Shared informer of `example.com/v1` `Website`.
///     pub WebsiteInformer, WebsiteLister: Website where [for<'__a> Website: TypedObject];
///     const SPEC_HOST = "spec.host";
///     WebsiteListerSnapshot, WebsiteIndices {
///         /// Returns the cached objects with `value` at `spec.host`.
///         first by_host(&str): String = json("spec.host", path!(.spec.host));
///         /// Returns the cached objects that the index `by_port` has under `value`.
///         all by_port(u16): u16 = with("by_port", |object| ports(object));
///     }
/// }
/// ```
///
/// For a kind without a Rust type, the type is `dynamic("group", "version", "Kind", "plural",
/// Namespaced)`. All other lines are optional: fields that the API server can select by, and the
/// indices.
///
/// An index is read as `all` objects with a value, or as the `first` one. Its name is followed by
/// the types of the accessor's argument and of the values. Then follow its [`Definition`] (`json`,
/// `object`, `with`), its name in the store, and the function that returns an object's values.
///
/// [`Definition`]: crate::private::Definition
///
/// Every method is `#[inline]`, so that rustc compiles it only where it is called. Otherwise a
/// library would compile the whole runtime for each of its types, even unused ones.
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
        $vis:vis $Informer:ident, $Lister:ident: dynamic($($definition:tt)*);
        $($rest:tt)*
    ) => {
        $crate::__wrappers! {
            @kind [$(#[$doc])*] $vis $Informer $Lister
            [$crate::private::DynamicObject] [] [dynamic($($definition)*)]
            $($rest)*
        }
        $crate::__wrappers! { @dynamic $vis $Lister $($definition)* }
    };
    (
        $(#[$doc:meta])*
        $vis:vis $Informer:ident, $Lister:ident: $K:ty $(where [$($bound:tt)*])?;
        $($rest:tt)*
    ) => {
        $crate::__wrappers! {
            @kind [$(#[$doc])*] $vis $Informer $Lister
            [$K] [$($($bound)*)?] [typed()]
            $($rest)*
        }
    };

    // --- constants ---

    (
        @kind [$($doc:tt)*] $vis:vis $Informer:ident $Lister:ident
        [$K:ty] [$($bound:tt)*] [$($source:tt)*]
        $(#[$attr:meta])* const $CONST:ident = $path:literal;
        $($rest:tt)*
    ) => {
        #[allow(dead_code)]
        impl $Informer
        where
            $($bound)*
        {
            $(#[$attr])*
            $vis const $CONST: &'static ::core::primitive::str = $path;
        }

        $crate::__wrappers! {
            @kind [$($doc)*] $vis $Informer $Lister [$K] [$($bound)*] [$($source)*]
            $($rest)*
        }
    };

    // --- without indices ---

    (
        @kind [$($doc:tt)*] $vis:vis $Informer:ident $Lister:ident
        [$K:ty] [$($bound:tt)*] [$($source:tt)*]
    ) => {
        $crate::__wrappers! {
            @wrappers [$($doc)*] $vis $Informer $Lister
            [$K] [$($bound)*] [$($source)*] [$crate::private::NoIndices]
        }

        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>> ::core::convert::From<$crate::shared_informer::SharedInformer<$K, S>> for $Informer<S>
        where
            $($bound)*
        {
            #[inline]
            fn from(informer: $crate::shared_informer::SharedInformer<$K, S>) -> Self {
                Self { informer, indices: $crate::private::NoIndices }
            }
        }

        #[automatically_derived]
        impl ::core::convert::From<&$crate::indexer::Indexer<$K>> for $Lister
        where
            $($bound)*
        {
            #[inline]
            fn from(indexer: &$crate::indexer::Indexer<$K>) -> Self {
                Self {
                    lister: $crate::__wrappers!(@lister $($source)* indexer),
                    indices: $crate::private::NoIndices,
                }
            }
        }
    };

    // --- with indices ---

    (
        @kind [$($doc:tt)*] $vis:vis $Informer:ident $Lister:ident
        [$K:ty] [$($bound:tt)*] [$($source:tt)*]
        $Snapshot:ident, $Indices:ident {
            $(
                $(#[$attr:meta])*
                $find:ident $name:ident($($argument:tt)*): $V:ty = $over:ident($index:literal, $values:expr);
            )*
        }
    ) => {
        $crate::__wrappers! {
            @wrappers [$($doc)*] $vis $Informer $Lister
            [$K] [$($bound)*] [$($source)*] [$Indices<S>]
        }

        #[doc(hidden)]
        #[allow(clippy::struct_field_names)]
        $vis struct $Indices<S: $crate::storage::Storage<$K> = $crate::storage::Typed>
        where
            $($bound)*
        {
            $($name: $crate::indexer::Index<<S as $crate::storage::Storage<$K>>::Object, $V>,)*
        }

        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>> ::core::clone::Clone for $Indices<S>
        where
            $($bound)*
        {
            fn clone(&self) -> Self {
                Self { $($name: ::core::clone::Clone::clone(&self.$name),)* }
            }
        }

        impl<S: $crate::storage::Storage<$K>> $crate::private::Indices<$K, S> for $Indices<S>
        where
            $($bound)*
        {
            #[inline]
            fn check(
                indexer: &$crate::indexer::Indexer<<S as $crate::storage::Storage<$K>>::Object>,
            ) -> ::core::result::Result<(), $crate::indexer::AddIndexError> {
                $(Self::$name().check::<S>(indexer)?;)*
                ::core::result::Result::Ok(())
            }

            #[inline]
            fn of(
                indexer: &$crate::indexer::Indexer<<S as $crate::storage::Storage<$K>>::Object>,
            ) -> Self {
                Self { $($name: Self::$name().add::<S>(indexer),)* }
            }
        }

        impl<S: $crate::storage::Storage<$K>> $Indices<S>
        where
            $($bound)*
        {
            $(
                // A closure keeps rustc's message about a wrong function short.
                #[allow(clippy::redundant_closure, clippy::redundant_closure_for_method_calls)]
                #[inline]
                fn $name() -> $crate::private::Definition<$K, $V> {
                    $crate::private::Definition::<$K, $V>::$over(
                        $index,
                        $crate::__wrappers!(@text $over $index $values),
                        $values,
                    )
                }
            )*
        }

        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>> ::core::convert::TryFrom<$crate::shared_informer::SharedInformer<$K, S>> for $Informer<S>
        where
            $($bound)*
        {
            type Error = $crate::indexer::AddIndexError;

            #[inline]
            fn try_from(
                informer: $crate::shared_informer::SharedInformer<$K, S>,
            ) -> ::core::result::Result<Self, Self::Error> {
                <$Indices<S> as $crate::private::Indices<$K, S>>::check(informer.indexer())?;
                let indices = $crate::private::Indices::of(informer.indexer());
                ::core::result::Result::Ok(Self { informer, indices })
            }
        }

        #[automatically_derived]
        impl ::core::convert::TryFrom<&$crate::indexer::Indexer<$K>> for $Lister
        where
            $($bound)*
        {
            type Error = $crate::indexer::AddIndexError;

            #[inline]
            fn try_from(
                indexer: &$crate::indexer::Indexer<$K>,
            ) -> ::core::result::Result<Self, Self::Error> {
                <$Indices as $crate::private::Indices<$K, $crate::storage::Typed>>::check(indexer)?;
                ::core::result::Result::Ok(Self {
                    lister: $crate::__wrappers!(@lister $($source)* indexer),
                    indices: $crate::private::Indices::<$K, $crate::storage::Typed>::of(indexer),
                })
            }
        }

        #[allow(dead_code)]
        impl<S: $crate::storage::Storage<$K>> $Lister<S>
        where
            $($bound)*
        {
            /// Returns a consistent snapshot of the cache. Later changes do not affect it. O(1).
            #[must_use]
            #[inline]
            $vis fn snapshot(&self) -> $Snapshot<S> {
                $Snapshot {
                    snapshot: self.lister.snapshot(),
                    indices: ::core::clone::Clone::clone(&self.indices),
                }
            }

            $(
                $(#[$attr])*
                #[must_use]
                #[inline]
                $vis fn $name(&self, value: $($argument)*)
                    -> $crate::__wrappers!(@found $find <S as $crate::storage::Storage<$K>>::Object)
                {
                    $crate::private::$find(
                        &self.indices.$name,
                        &self.lister.snapshot(),
                        $crate::__wrappers!(@reference value $($argument)*),
                    )
                }
            )*
        }

        #[doc = ::core::concat!("Consistent snapshot of the cache that a [`", ::core::stringify!($Lister), "`] reads.")]
        $vis struct $Snapshot<S: $crate::storage::Storage<$K> = $crate::storage::Typed>
        where
            $($bound)*
        {
            snapshot: $crate::indexer::Snapshot<<S as $crate::storage::Storage<$K>>::Object>,
            indices: $Indices<S>,
        }

        $crate::__wrappers! {
            @common $Snapshot [$K] [$($bound)*] snapshot $crate::indexer::Snapshot<<S as $crate::storage::Storage<$K>>::Object>
        }

        #[allow(dead_code)]
        impl<S: $crate::storage::Storage<$K>> $Snapshot<S>
        where
            $($bound)*
        {
            $(
                $(#[$attr])*
                #[must_use]
                #[inline]
                $vis fn $name(&self, value: $($argument)*)
                    -> $crate::__wrappers!(@found $find <S as $crate::storage::Storage<$K>>::Object)
                {
                    $crate::private::$find(
                        &self.indices.$name,
                        &self.snapshot,
                        $crate::__wrappers!(@reference value $($argument)*),
                    )
                }
            )*
        }
    };

    // --- informer and lister, with or without indices ---

    (
        @wrappers [$($doc:tt)*] $vis:vis $Informer:ident $Lister:ident
        [$K:ty] [$($bound:tt)*] [$($source:tt)*] [$Indices:ty]
    ) => {
        $($doc)*
        $vis struct $Informer<S: $crate::storage::Storage<$K> = $crate::storage::Typed>
        where
            $($bound)*
        {
            informer: $crate::shared_informer::SharedInformer<$K, S>,
            indices: $Indices,
        }

        #[allow(dead_code)]
        impl<S: $crate::storage::Storage<$K>> $Informer<S>
        where
            $($bound)*
        {
            /// Returns the informer that `maker` shares. Creates it if it does not exist.
            #[must_use]
            #[inline]
            $vis fn new<M: $crate::factory::MakeInformers<Storage = S>>(maker: &M) -> Self {
                Self::with(maker, $crate::shared_informer::InformerOptions::new())
            }

            /// Returns the informer that `maker` shares for these settings, such as a selector, a
            /// namespace or a transform. Requests with the same settings share one informer.
            #[must_use]
            #[inline]
            $vis fn with<M: $crate::factory::MakeInformers<Storage = S>>(
                maker: &M,
                options: $crate::shared_informer::InformerOptions<$K, S>,
            ) -> Self {
                let informer = $crate::__wrappers!(@make $($source)* maker options);
                let indices = $crate::private::Indices::<$K, S>::of(informer.indexer());
                Self { informer, indices }
            }

            /// Returns the lister of the informer's cache.
            #[must_use]
            #[inline]
            $vis fn lister(&self) -> $Lister<S> {
                $Lister {
                    lister: self.informer.lister(),
                    indices: ::core::clone::Clone::clone(&self.indices),
                }
            }
        }

        $crate::__wrappers! {
            @common $Informer [$K] [$($bound)*] informer $crate::shared_informer::SharedInformer<$K, S>
        }
        $crate::__wrappers! { @reads $Informer [$K] [$($bound)*] informer }

        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>> ::core::convert::From<$Informer<S>> for $crate::shared_informer::SharedInformer<$K, S>
        where
            $($bound)*
        {
            #[inline]
            fn from(wrapper: $Informer<S>) -> Self {
                wrapper.informer
            }
        }

        #[doc = ::core::concat!("Reader of the cache of a [`", ::core::stringify!($Informer), "`].")]
        $vis struct $Lister<S: $crate::storage::Storage<$K> = $crate::storage::Typed>
        where
            $($bound)*
        {
            lister: $crate::lister::Lister<$K, S>,
            indices: $Indices,
        }

        $crate::__wrappers! {
            @common $Lister [$K] [$($bound)*] lister $crate::lister::Lister<$K, S>
        }
        $crate::__wrappers! { @reads $Lister [$K] [$($bound)*] lister }
    };

    (@reads $Wrapper:ident [$K:ty] [$($bound:tt)*] $field:ident) => {
        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>> $crate::lister::ReadsCaches for $Wrapper<S>
        where
            $($bound)*
        {
            fn visit_caches(&self, visit: &mut $crate::lister::VisitCache<'_>) {
                $crate::lister::ReadsCaches::visit_caches(&self.$field, visit);
            }
        }
    };

    // `Clone`, `Debug` and `Deref` of a wrapper. Derives would require the same traits of the
    // storage.
    (@common $Wrapper:ident [$K:ty] [$($bound:tt)*] $field:ident $Target:ty) => {
        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>> ::core::clone::Clone for $Wrapper<S>
        where
            $($bound)*
        {
            fn clone(&self) -> Self {
                Self {
                    $field: ::core::clone::Clone::clone(&self.$field),
                    indices: ::core::clone::Clone::clone(&self.indices),
                }
            }
        }

        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>> ::core::fmt::Debug for $Wrapper<S>
        where
            $($bound)*
        {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_tuple(::core::stringify!($Wrapper)).field(&self.$field).finish()
            }
        }

        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>> ::core::ops::Deref for $Wrapper<S>
        where
            $($bound)*
        {
            type Target = $Target;

            #[inline]
            fn deref(&self) -> &Self::Target {
                &self.$field
            }
        }
    };

    // --- methods for the scope of a kind without a Rust type ---

    (@dynamic $vis:vis $Lister:ident $group:literal, $version:literal, $kind:literal, $plural:literal, Namespaced) => {
        #[allow(dead_code)]
        impl<S: $crate::storage::Storage<$crate::private::DynamicObject>> $Lister<S> {
            /// Returns a lister of one namespace.
            #[must_use]
            #[inline]
            $vis fn namespace<'a>(
                &'a self,
                namespace: &'a ::core::primitive::str,
            ) -> $crate::lister::NamespaceLister<'a, $crate::private::DynamicObject, S> {
                $crate::private::dynamic_namespace(&self.lister, namespace)
            }
        }
    };
    (@dynamic $vis:vis $Lister:ident $group:literal, $version:literal, $kind:literal, $plural:literal, Cluster) => {
        #[allow(dead_code)]
        impl<S: $crate::storage::Storage<$crate::private::DynamicObject>> $Lister<S> {
            /// Returns the object with this name.
            #[must_use]
            #[inline]
            $vis fn get(
                &self,
                name: &::core::primitive::str,
            ) -> ::core::option::Option<::std::sync::Arc<<S as $crate::storage::Storage<$crate::private::DynamicObject>>::Object>> {
                $crate::private::dynamic_get(&self.lister, name)
            }
        }
    };

    // --- construction of informers and listers ---

    (@make typed() $maker:ident $options:ident) => {
        $crate::factory::MakeInformers::make($maker, $options)
    };
    (@make dynamic($($definition:tt)*) $maker:ident $options:ident) => {
        $crate::factory::MakeInformers::make_dynamic(
            $maker,
            $crate::__wrappers!(@resource $($definition)*),
            $options,
        )
    };
    (@lister typed() $indexer:ident) => {
        ::core::convert::From::from($indexer)
    };
    (@lister dynamic($($definition:tt)*) $indexer:ident) => {
        $crate::private::dynamic_lister($crate::__wrappers!(@resource $($definition)*), $indexer)
    };
    (@resource $group:literal, $version:literal, $kind:literal, $plural:literal, $scope:ident) => {
        $crate::private::dynamic_resource($group, $version, $kind, $plural, $crate::object::Scope::$scope)
    };

    // --- indices ---

    (@found all $Object:ty) => { ::std::vec::Vec<::std::sync::Arc<$Object>> };
    (@found first $Object:ty) => { ::core::option::Option<::std::sync::Arc<$Object>> };

    (@reference $value:ident & $($argument:tt)*) => { $value };
    (@reference $value:ident $($argument:tt)*) => { &$value };

    // Distinguishes two indices with the same name.
    (@text with $index:literal $values:expr) => {
        ::core::concat!("with ", ::core::module_path!(), ": ", ::core::stringify!($values))
    };
    (@text $over:ident $index:literal $values:expr) => { $index };
}
