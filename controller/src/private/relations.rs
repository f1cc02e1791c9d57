//! Generated items of the relations of one kind.

/// Declares the relations of one kind, for [`wrappers!`](crate::private::wrappers).
///
/// A look-up is a [`Relation`](crate::relations::Relation), with one function for each path, and the
/// method of the lister that reads it. If it is the only one to its type, it stands among the
/// `lookups`, and is the relation of the wrapper to that type. Several to one type stand among the
/// `parts`, and the lists `references` and `selects` unite them. The struct
/// has the relations whose informers a controller needs at once; without it, relations are reached
/// one at a time: `informer.owned::<Deployment, _>(&factory)`. Its type parameters are `S`, the
/// storage of the kind, and `R`, that of the related types.
#[doc(hidden)]
#[macro_export]
macro_rules! __relations {
    (
        @kind $vis:vis $Wrapper:ident $Informer:ident $Lister:ident [$K:ty] $bounds:tt
        $(lookups $lookups:tt)?
        $(parts $parts:tt)?
        $(owns { $($Owned:ty;)* })?
        $(references { $($Referenced:ty = $($reference:ident),+;)* })?
        $(selects { $($Selected:ty = $($selection:ident),+;)* })?
        $(struct $Related:ident { $($related:tt)* })?
    ) => {
        $(
            $crate::__relations! { @lookups $vis $Informer $Lister [$K] $bounds $lookups }
            $crate::__relations! { @each $Wrapper $Informer [$K] $bounds $lookups }
        )?
        $($crate::__relations! { @lookups $vis $Informer $Lister [$K] $bounds $parts })?
        $($($crate::__relations! { @owns $Wrapper [$K] $bounds $Owned })*)?
        $($(
            $crate::__relations! {
                @united Reference $Wrapper $Informer [$K] $bounds $Referenced = $($reference),+
            }
        )*)?
        $($(
            $crate::__relations! {
                @united LabelSelection $Wrapper $Informer [$K] $bounds $Selected = $($selection),+
            }
        )*)?
        $($crate::__relations! { @related $vis $Informer [$K] $bounds $Related $($related)* })?
    };

    // --- the relations as values, and the methods of the lister ---

    (
        @lookups $vis:vis $Informer:ident $Lister:ident [$K:ty] [$($bound:tt)*]
        { $($Relation:ident $name:ident: $Target:ty = $($places:expr),+;)* }
    ) => {
        #[allow(dead_code)]
        impl $Informer
        where
            $($bound)*
        {
            $(
                #[doc = ::core::concat!("Returns the relation that [`", ::core::stringify!($Lister), "::", ::core::stringify!($name), "`] reads.")]
                #[must_use]
                #[inline]
                $vis fn $name() -> $crate::relations::$Relation<$K, $Target> {
                    $crate::relations::$Relation::<$K, $Target>::new(
                        ::core::stringify!($name),
                        |object| $crate::private::of_places(object, &[$($places),+]),
                    )
                    .declared_in(::core::module_path!())
                }
            )*
        }

        #[allow(dead_code)]
        impl<S: $crate::storage::Storage<$K>> $Lister<S>
        where
            $($bound)*
        {
            $(
                #[doc = $crate::__relations!(@doc $Relation $Target)]
                ///
                #[doc = $crate::__relations!(@cost $Relation)]
                #[must_use]
                #[inline]
                $vis fn $name(
                    &self,
                    target: &$crate::__relations!(@argument $Relation $Target),
                ) -> ::std::vec::Vec<::std::sync::Arc<<S as $crate::storage::Storage<$K>>::Object>> {
                    $crate::private::Find::find(&<$Informer>::$name(), self, target)
                }
            )*
        }
    };
    (@argument Reference $Target:ty) => { $crate::object::ObjectKey };
    (@argument LabelSelection $Target:ty) => { $Target };
    (@doc Reference $Target:ty) => {
        ::core::concat!("Returns the objects that refer to the [`", ::core::stringify!($Target), "`] with this key.")
    };
    (@doc LabelSelection $Target:ty) => {
        ::core::concat!("Returns the objects whose selector matches the labels of a [`", ::core::stringify!($Target), "`].")
    };
    (@cost Reference) => {
        "The first call adds an index, which reads all cached objects. Later calls take O(log n) plus the number of objects found."
    };
    (@cost LabelSelection) => {
        "The first call adds an index, which reads all cached objects. Later calls take time in proportion to the objects whose selector requires one of the labels."
    };

    // --- traits of the wrapper ---

    (@owns $Wrapper:ident [$K:ty] [$($bound:tt)*] $Target:ty) => {
        #[automatically_derived]
        impl<R> $crate::relations::Owns<$Target> for $Wrapper<R>
        where
            $($bound)*
        {
            type Owner = $K;
        }
    };
    (
        @each $Wrapper:ident $Informer:ident [$K:ty] $bounds:tt
        { $($Relation:ident $name:ident: $Target:ty = $($places:expr),+;)* }
    ) => {
        $($crate::__relations! { @united $Relation $Wrapper $Informer [$K] $bounds $Target = $name })*
    };
    (@united Reference $($rest:tt)*) => {
        $crate::__relations! { @trait [References Referrer reference Reference] $($rest)* }
    };
    (@united LabelSelection $($rest:tt)*) => {
        $crate::__relations! { @trait [Selects Selecting selection LabelSelection] $($rest)* }
    };
    (
        @trait [$Trait:ident $Source:ident $relation:ident $Relation:ident]
        $Wrapper:ident $Informer:ident [$K:ty] [$($bound:tt)*] $Target:ty = $($name:ident),+
    ) => {
        #[automatically_derived]
        impl<R> $crate::relations::$Trait<$Target> for $Wrapper<R>
        where
            $($bound)*
        {
            type $Source = $K;

            fn $relation() -> $crate::relations::$Relation<$K, $Target> {
                $crate::__relations!(@all [$Informer] [$Relation] [$K] [$Target] $($name)+)
            }
        }
    };
    (@all [$Informer:ident] [$Relation:ident] [$K:ty] [$Target:ty] $name:ident) => {
        <$Informer>::$name()
    };
    (@all [$Informer:ident] [$Relation:ident] [$K:ty] [$Target:ty] $($name:ident)+) => {
        $crate::relations::$Relation::<$K, $Target>::new(
            ::core::concat!($(::core::stringify!($name), " "),+),
            |object| $crate::private::of_relations(object, &[$(<$Informer>::$name()),+]),
        )
        .declared_in(::core::module_path!())
    };

    // --- the struct of all relations ---

    (
        @related $vis:vis $Informer:ident [$K:ty] [$($bound:tt)*] $Related:ident
        $(
            $(#[$doc:meta])*
            $field:ident: $Objects:ident[$($parameter:ty),+] $(= $relation:expr)?;
            $(#[$of_doc:meta])*
            $of:ident($object:ident): $Found:ident of $Target:ty;
        )*
    ) => {
        #[doc = ::core::concat!("Relations of the objects of a [`", ::core::stringify!($Informer), "`]. Cheap to clone.")]
        $vis struct $Related<
            S: $crate::storage::Storage<$K> = $crate::storage::Typed,
            R: $($crate::storage::Storage<$Target> +)* = $crate::storage::Typed,
        >
        where
            $($bound)*
        {
            informer: $crate::shared_informer::SharedInformer<$K, S>,
            $($field: $crate::relations::$Objects<$($parameter),+>,)*
        }

        #[allow(dead_code)]
        impl<S: $crate::storage::Storage<$K>> $Informer<S>
        where
            $($bound)*
        {
            /// Returns the relations of the objects, over the informers of the related types that
            /// `maker` shares.
            #[must_use]
            $vis fn related<R, M>(&self, maker: &M) -> $Related<S, R>
            where
                R: $($crate::storage::Storage<$Target> +)*,
                M: $crate::factory::MakeInformers<Storage = R>,
            {
                $Related {
                    informer: ::core::clone::Clone::clone(&*self.0),
                    $($field: $crate::__relations!(@relate $Objects self maker $(, $relation)?),)*
                }
            }
        }

        #[allow(dead_code)]
        impl<S: $crate::storage::Storage<$K>, R: $($crate::storage::Storage<$Target> +)*> $Related<S, R>
        where
            $($bound)*
        {
            /// Enqueues the key of each object that changes, and of each object to which a changed
            /// object is related: its owner, its referrers, and the objects that select it. The
            /// state before a change counts like the state after it.
            ///
            /// # Errors
            ///
            /// Fails if one of the informers was stopped.
            $vis fn enqueue_into(
                &self,
                queue: impl ::core::convert::Into<$crate::workqueue::KeyQueue>,
            ) -> ::core::result::Result<(), $crate::processor::AddHandlerError> {
                $crate::private::enqueue_all(&self.informer, self, ::core::convert::Into::into(queue))
            }

            $(
                $(#[$doc])*
                #[must_use]
                $vis fn $field(&self) -> &$crate::relations::$Objects<$($parameter),+> {
                    &self.$field
                }

                $(#[$of_doc])*
                #[must_use]
                $vis fn $of(&self, $object: &$K) -> ::std::vec::Vec<$crate::private::$Found<<R as $crate::storage::Storage<$Target>>::Object>> {
                    self.$field.of($object)
                }
            )*
        }

        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>, R: $($crate::storage::Storage<$Target> +)*>
            $crate::relations::EnqueueRelated<$K> for $Related<S, R>
        where
            $($bound)*
        {
            fn enqueue_related(&self, queue: &$crate::workqueue::KeyQueue) -> $crate::private::Enqueued {
                $crate::private::enqueue_each::<$K>(&[$(&self.$field),*], queue)
            }
        }

        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>, R: $($crate::storage::Storage<$Target> +)*>
            $crate::lister::ReadsCaches for $Related<S, R>
        where
            $($bound)*
        {
            fn visit_caches(&self, visit: &mut $crate::lister::VisitCache<'_>) {
                $crate::lister::ReadsCaches::visit_caches(&self.informer, visit);
                $($crate::lister::ReadsCaches::visit_caches(&self.$field, visit);)*
            }
        }

        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>, R: $($crate::storage::Storage<$Target> +)*>
            ::core::clone::Clone for $Related<S, R>
        where
            $($bound)*
        {
            fn clone(&self) -> Self {
                Self {
                    informer: ::core::clone::Clone::clone(&self.informer),
                    $($field: ::core::clone::Clone::clone(&self.$field),)*
                }
            }
        }

        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>, R: $($crate::storage::Storage<$Target> +)*>
            ::core::fmt::Debug for $Related<S, R>
        where
            $($bound)*
        {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_tuple(::core::stringify!($Related)).field(&self.informer).finish()
            }
        }
    };
    (@relate $Objects:ident $informer:ident $maker:ident) => {
        $crate::relations::$Objects::new($informer.resource(), $maker)
    };
    (@relate $Objects:ident $informer:ident $maker:ident, $relation:expr) => {
        $crate::relations::$Objects::new($informer, $relation, $maker)
    };
}
