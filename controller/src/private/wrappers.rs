//! Generated items of a kind with declarations: informer, lister, and snapshot if it has indices.
//!
//! Generated code is a declaration, [`wrappers!`](crate::private::wrappers). The macro contains the
//! parts that all kinds have in common. A kind without declarations is two type aliases instead.

/// Declares the wrapper of one kind. It holds an informer, a lister or a snapshot, and has the
/// methods of the kind.
///
/// ```text
/// wrappers! {
///     /// Shared informer of `example.com/v1` `Website`.
///     pub WebsiteWrapper, WebsiteInformer, WebsiteLister: Website where [for<'__a> Website: TypedObject];
///     const SPEC_HOST = "spec.host";
///     indices WebsiteListerSnapshot {
///         /// Returns the cached objects with `value` at `spec.host`.
///         first by_host(&str): String = BY_HOST_INDEX: json("spec.host", path!(.spec.host));
///         /// Returns the cached objects that the index `by_port` has under `value`.
///         all by_port(u16): u16 = BY_PORT_INDEX: with("by_port", |object| ports(object));
///     }
///     lookups {
///         Reference by_secret: Secret = reference!(Secret, fields [.spec.tls*], name [.secret_name*]);
///         LabelSelection selecting: Pod = path!(.spec.selector*);
///     }
///     owns { Deployment; }
///     struct WebsiteRelated {
///         /// Returns the relation to the owned [`Deployment`]s.
///         deployments: OwnedObjects[Website, Deployment, R];
///         /// Returns the cached [`Deployment`]s that `owner` controls, ordered by key.
///         deployments_of(owner): Arc of Deployment;
///         /// Returns the relation to the selected [`Pod`]s.
///         pods: SelectedObjects[Website, Pod, S, R] = <WebsiteInformer>::selecting();
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
/// the types of the accessor's argument and of the values. Then follow the constant with its
/// [`Definition`] (`json`, `object`, `with`), its name in the store, and the function that returns an
/// object's values.
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
        $vis:vis $Wrapper:ident, $Informer:ident, $Lister:ident: dynamic($($definition:tt)*);
        $($rest:tt)*
    ) => {
        $crate::__wrappers! {
            @kind [$(#[$doc])*] $vis $Wrapper $Informer $Lister
            [$crate::private::DynamicObject] [] [] [dynamic($($definition)*)]
            $($rest)*
        }
        $crate::__wrappers! { @dynamic $vis $Lister $($definition)* }
    };
    (
        $(#[$doc:meta])*
        $vis:vis $Wrapper:ident, $Informer:ident, $Lister:ident: $K:ty
            $(where [$($bound:tt)*] $([$($related:tt)*])?)?;
        $($rest:tt)*
    ) => {
        $crate::__wrappers! {
            @kind [$(#[$doc])*] $vis $Wrapper $Informer $Lister
            [$K] [$($($bound)*)?] [$($($($related)*)?)?] [typed()]
            $($rest)*
        }
    };

    // --- the wrapper, the informer and the lister ---

    (
        @kind [$($doc:tt)*] $vis:vis $Wrapper:ident $Informer:ident $Lister:ident
        [$K:ty] [$($bound:tt)*] [$($related_bound:tt)*] [$($source:tt)*]
        $($(#[$attr:meta])* const $CONST:ident = $path:literal;)*
        $(indices $Snapshot:ident $indices:tt)?
        $(lookups $lookups:tt)?
        $(parts $parts:tt)?
        $(owns $owns:tt)?
        $(references $references:tt)?
        $(selects $selects:tt)?
        $(struct $Related:ident $related:tt)?
        $(accessor { $($accessor:tt)* })?
    ) => {
        $($doc)*
        $vis type $Informer<S = $crate::storage::Typed> =
            $Wrapper<$crate::shared_informer::SharedInformer<$K, S>>;

        #[doc = ::core::concat!("Reader of the cache of a [`", ::core::stringify!($Informer), "`].")]
        #[allow(dead_code)]
        $vis type $Lister<S = $crate::storage::Typed> = $Wrapper<$crate::lister::Lister<$K, S>>;

        #[doc = ::core::concat!("Wrapper of a [`", ::core::stringify!($Informer), "`], or of a reader of its cache.")]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        $vis struct $Wrapper<R = ()>($crate::private::Wrapped<R, $Wrapper>);

        #[automatically_derived]
        impl<R> ::core::ops::Deref for $Wrapper<R> {
            type Target = $crate::private::Wrapped<R, $Wrapper>;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        $crate::__wrappers! {
            @constants $vis $Informer [$($bound)*] $($(#[$attr])* const $CONST = $path;)*
        }

        #[allow(dead_code)]
        impl<S: $crate::storage::Storage<$K>> $Informer<S>
        where
            $($bound)*
        {
            /// Returns the informer that `maker` shares. Creates it if it does not exist.
            #[must_use]
            $vis fn new<M: $crate::factory::MakeInformers<Storage = S>>(maker: &M) -> Self {
                Self::with(maker, $crate::shared_informer::InformerOptions::new())
            }

            /// Returns the informer that `maker` shares for these settings, such as a selector, a
            /// namespace or a transform. Requests with the same settings share one informer.
            #[must_use]
            $vis fn with<M: $crate::factory::MakeInformers<Storage = S>>(
                maker: &M,
                options: $crate::shared_informer::InformerOptions<$K, S>,
            ) -> Self {
                let informer = $crate::__wrappers!(@make $($source)* maker options);
                $($crate::__wrappers!(@add [$K] informer $Snapshot);)?
                $Wrapper($crate::private::Wrapped::new(informer))
            }

            /// Returns the lister of the informer's cache.
            #[must_use]
            $vis fn lister(&self) -> $Lister<S> {
                $Wrapper($crate::private::Wrapped::new(self.0.lister()))
            }
        }

        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>> ::core::convert::From<$Informer<S>>
            for $crate::shared_informer::SharedInformer<$K, S>
        where
            $($bound)*
        {
            fn from(wrapper: $Informer<S>) -> Self {
                wrapper.0.into_inner()
            }
        }

        $crate::__wrappers! {
            @indices $vis $Wrapper $Informer $Lister [$K] [$($bound)*] [$($source)*]
            $($Snapshot $indices)?
        }
        $crate::__relations! {
            @kind $vis $Wrapper $Informer $Lister [$K] [$($bound)* $($related_bound)*]
            $(lookups $lookups)?
            $(parts $parts)?
            $(owns $owns)?
            $(references $references)?
            $(selects $selects)?
            $(struct $Related $related)?
        }
        $($($accessor)*)?
    };
    (@add [$K:ty] $informer:ident $Snapshot:ident) => {
        $crate::private::add_indices::<$K, S, Self>($informer.indexer())
    };

    // --- constants ---

    (@constants $vis:vis $Informer:ident [$($bound:tt)*]) => {};
    (
        @constants $vis:vis $Informer:ident [$($bound:tt)*]
        $($(#[$attr:meta])* const $CONST:ident = $path:literal;)+
    ) => {
        #[allow(dead_code)]
        impl $Informer
        where
            $($bound)*
        {
            $(
                $(#[$attr])*
                $vis const $CONST: &'static ::core::primitive::str = $path;
            )+
        }
    };

    // --- without indices ---

    (
        @indices $vis:vis $Wrapper:ident $Informer:ident $Lister:ident
        [$K:ty] [$($bound:tt)*] [$($source:tt)*]
    ) => {
        #[automatically_derived]
        impl<R> ::core::convert::From<R> for $Wrapper<R> {
            fn from(reader: R) -> Self {
                Self($crate::private::Wrapped::new(reader))
            }
        }

        #[automatically_derived]
        impl ::core::convert::From<&$crate::indexer::Indexer<$K>> for $Lister
        where
            $($bound)*
        {
            #[inline]
            fn from(indexer: &$crate::indexer::Indexer<$K>) -> Self {
                Self($crate::private::Wrapped::new($crate::__wrappers!(@lister $($source)* indexer)))
            }
        }
    };

    // --- with indices ---

    (
        @indices $vis:vis $Wrapper:ident $Informer:ident $Lister:ident
        [$K:ty] [$($bound:tt)*] [$($source:tt)*]
        $Snapshot:ident {
            $(
                $(#[$attr:meta])*
                $find:ident $name:ident($($argument:tt)*): $V:ty
                    = $INDEX:ident: $over:ident($index:literal, $values:expr);
            )*
        }
    ) => {
        #[doc = ::core::concat!("Consistent snapshot of the cache that a [`", ::core::stringify!($Lister), "`] reads.")]
        #[allow(dead_code)]
        $vis type $Snapshot<S = $crate::storage::Typed> =
            $Wrapper<$crate::indexer::Snapshot<<S as $crate::storage::Storage<$K>>::Object>>;

        // A closure keeps rustc's message about a wrong function short.
        #[allow(clippy::redundant_closure, clippy::redundant_closure_for_method_calls)]
        impl<R> $Wrapper<R>
        where
            $($bound)*
        {
            $(
                const $INDEX: $crate::private::Definition<$K, $V> = $crate::private::Definition::<$K, $V>::$over(
                    $index,
                    $crate::__wrappers!(@text $over $index $values),
                    $values,
                );
            )*
        }

        impl<R> $crate::private::Indices<$K> for $Wrapper<R>
        where
            $($bound)*
        {
            fn each<S: $crate::storage::Storage<$K>>(
                step: $crate::private::Step,
                indexer: &$crate::indexer::Indexer<S::Object>,
            ) -> ::core::result::Result<(), $crate::indexer::AddIndexError> {
                $(Self::$INDEX.apply::<S>(step, indexer)?;)*
                ::core::result::Result::Ok(())
            }
        }

        #[allow(dead_code)]
        impl<R: $crate::private::Reads<$K>> $Wrapper<R>
        where
            $($bound)*
        {
            $(
                $(#[$attr])*
                ///
                #[doc = $crate::__wrappers!(@cost $over)]
                #[must_use]
                $vis fn $name(&self, value: $($argument)*) -> $crate::__wrappers!(@found $find R::Object) {
                    Self::$INDEX.$find(&*self.0, $crate::__wrappers!(@reference value $($argument)*))
                }
            )*
        }

        #[allow(dead_code)]
        impl<S: $crate::storage::Storage<$K>> $Lister<S>
        where
            $($bound)*
        {
            /// Returns a consistent snapshot of the cache. Later changes do not affect it. O(1).
            #[must_use]
            $vis fn snapshot(&self) -> $Snapshot<S> {
                $Wrapper($crate::private::Wrapped::new(self.0.snapshot()))
            }
        }

        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>>
            ::core::convert::TryFrom<$crate::shared_informer::SharedInformer<$K, S>> for $Informer<S>
        where
            $($bound)*
        {
            type Error = $crate::indexer::AddIndexError;

            fn try_from(
                informer: $crate::shared_informer::SharedInformer<$K, S>,
            ) -> ::core::result::Result<Self, Self::Error> {
                $crate::private::try_add_indices::<$K, S, Self>(informer.indexer())?;
                ::core::result::Result::Ok(Self($crate::private::Wrapped::new(informer)))
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
                $crate::private::try_add_indices::<$K, $crate::storage::Typed, Self>(indexer)?;
                let lister = $crate::__wrappers!(@lister $($source)* indexer);
                ::core::result::Result::Ok(Self($crate::private::Wrapped::new(lister)))
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
                $crate::private::dynamic_namespace(&self.0, namespace)
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
                $crate::private::dynamic_get(&self.0, name)
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

    (@cost json) => {
        "Takes O(log n) plus the number of objects found. Packed storage reads the values without decoding the object."
    };
    (@cost $over:ident) => {
        "Takes O(log n) plus the number of objects found. Packed storage decodes each version of an object once for all such indices."
    };

    (@reference $value:ident & $($argument:tt)*) => { $value };
    (@reference $value:ident $($argument:tt)*) => { &$value };

    // Distinguishes two indices with the same name.
    (@text with $index:literal $values:expr) => {
        ::core::concat!("with ", ::core::module_path!(), ": ", ::core::stringify!($values))
    };
    (@text $over:ident $index:literal $values:expr) => { $index };
}
