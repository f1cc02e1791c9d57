//! Generated items of the relations of one kind.

/// Declares the relations of one kind, whose wrappers [`wrappers!`](crate::private::wrappers)
/// declares.
///
/// ```text
/// relations! {
///     pub WebsiteInformer, WebsiteLister: Website where [for<'__a> Website: TypedObject];
///     struct WebsiteRelated;
///     owns {
///         deployments, deployments_of: Deployment;
///     }
///     references {
///         /// Returns the objects that refer to the `Secret` with this key.
///         secrets, secrets_of, by_secret: Secret = reference!(Secret, fields [.spec.tls*], name [.secret_name*]);
///     }
///     selects {
///         /// Returns the objects whose selector matches the labels of a `Pod`.
///         pods, pods_of, selecting: Pod = path!(.spec.selector*);
///     }
///     targets {
///         owns Deployment = deployments;
///         references Secret = by_secret;
///         selects Pod = selecting;
///     }
/// }
/// ```
///
/// All lines but the first and the last block are optional. Without the struct, the relations are
/// reached one at a time: `informer.owned::<Deployment, _>(&factory)`.
///
/// Each relation starts with the accessor of the related objects and the method that returns those
/// of one object. References and selectors have the method of the lister for the other direction,
/// and one function for each path. `targets` unites the relations to the same type.
#[doc(hidden)]
#[macro_export]
macro_rules! __relations {
    (
        $vis:vis $Informer:ident, $Lister:ident: $K:ty $(where [$($bound:tt)*])?;
        $($rest:tt)*
    ) => {
        $crate::__relations! { @kind $vis $Informer $Lister [$K] [$($($bound)*)?] $($rest)* }
    };
    (
        @kind $vis:vis $Informer:ident $Lister:ident [$K:ty] $bounds:tt
        $(struct $Related:ident;)?
        $(owns {
            $($owned:ident, $owned_of:ident: $Owned:ty;)*
        })?
        $(references {
            $($(#[$reference_doc:meta])* $referenced:ident, $referenced_of:ident, $by:ident: $Referenced:ty = $($keys:expr),+;)*
        })?
        $(selects {
            $($(#[$selection_doc:meta])* $selected:ident, $selected_of:ident, $selecting:ident: $Selected:ty = $($selectors:expr),+;)*
        })?
        targets {
            $($relation:ident $Target:ty = $($of_target:ident),+;)*
        }
    ) => {
        $($(
            $crate::__relations! {
                @lookup [Reference ObjectKey referrers] $vis $Informer $Lister [$K] $bounds
                [$crate::object::ObjectKey]
                "The first call adds an index, which reads all cached objects. Later calls take O(log n) plus the number of objects found."
                $(#[$reference_doc])* $by: $Referenced = $($keys),+;
            }
        )*)?
        $($(
            $crate::__relations! {
                @lookup [LabelSelection Selector selecting] $vis $Informer $Lister [$K] $bounds
                [$Selected]
                "The first call adds an index, which reads all cached objects. Later calls take time in proportion to the objects whose selector requires one of the labels."
                $(#[$selection_doc])* $selecting: $Selected = $($selectors),+;
            }
        )*)?
        $(
            $crate::__relations! {
                @target $Informer [$K] $bounds $relation $Target = $($of_target),+;
            }
        )*
        $crate::__relations! { @informer $vis $Informer [$K] $bounds }
        $crate::__relations! {
            @struct [$($Related)?] $vis $Informer [$K] $bounds
            [$($($owned, $owned_of: $Owned;)*)?]
            [$($($referenced, $referenced_of, $by: $Referenced;)*)?]
            [$($($selected, $selected_of, $selecting: $Selected;)*)?]
        }
    };

    // --- methods of the lister ---

    (
        @lookup [$Relation:ident $Place:ident $find:ident] $vis:vis $Informer:ident $Lister:ident
        [$K:ty] [$($bound:tt)*] [$Argument:ty] $cost:literal
        $(#[$doc:meta])* $name:ident: $Target:ty = $($places:expr),+;
    ) => {
        #[allow(dead_code)]
        impl $Informer
        where
            $($bound)*
        {
            #[doc = ::core::concat!("Returns the relation that [`", ::core::stringify!($Lister), "::", ::core::stringify!($name), "`] reads.")]
            #[must_use]
            #[inline]
            $vis fn $name() -> $crate::relations::$Relation<$K, $Target> {
                #[inline]
                fn places(object: &$K) -> ::std::vec::Vec<$crate::object::$Place>
                where
                    $($bound)*
                {
                    $crate::private::of_places(object, &[$($places),+])
                }
                $crate::relations::$Relation::new(::core::stringify!($name), places)
                    .declared_in(::core::module_path!())
            }
        }

        #[allow(dead_code)]
        impl<S: $crate::storage::Storage<$K>> $Lister<S>
        where
            $($bound)*
        {
            $(#[$doc])*
            ///
            #[doc = $cost]
            #[must_use]
            #[inline]
            $vis fn $name(
                &self,
                target: &$Argument,
            ) -> ::std::vec::Vec<::std::sync::Arc<<S as $crate::storage::Storage<$K>>::Object>> {
                $crate::private::$find::<$K, $Target, S>(self, &<$Informer>::$name(), target)
            }
        }
    };

    // --- traits of the informer ---

    (@target $Informer:ident [$K:ty] [$($bound:tt)*] owns $Target:ty = $($owned:ident),+;) => {
        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>> $crate::relations::Owns<$Target> for $Informer<S>
        where
            $($bound)*
        {
            type Owner = $K;
        }
    };
    (@target $Informer:ident [$K:ty] $bounds:tt references $($rest:tt)+) => {
        $crate::__relations! {
            @united [References Referrer reference Reference ObjectKey keys]
            $Informer [$K] $bounds $($rest)+
        }
    };
    (@target $Informer:ident [$K:ty] $bounds:tt selects $($rest:tt)+) => {
        $crate::__relations! {
            @united [Selects Selecting selection LabelSelection Selector selectors]
            $Informer [$K] $bounds $($rest)+
        }
    };
    (
        @united [$Trait:ident $Source:ident $relation:ident $Relation:ident $Place:ident $places:ident]
        $Informer:ident [$K:ty] [$($bound:tt)*] $Target:ty = $($name:ident),+;
    ) => {
        #[automatically_derived]
        impl<S: $crate::storage::Storage<$K>> $crate::relations::$Trait<$Target> for $Informer<S>
        where
            $($bound)*
        {
            type $Source = $K;

            fn $relation() -> $crate::relations::$Relation<$K, $Target> {
                #[inline]
                fn places(object: &$K) -> ::std::vec::Vec<$crate::object::$Place>
                where
                    $($bound)*
                {
                    let mut places = ::std::vec::Vec::new();
                    $(places.append(&mut <$Informer>::$name().$places(object));)+
                    places
                }
                $crate::relations::$Relation::new(
                    ::core::concat!($(::core::stringify!($name), " "),+),
                    places,
                )
                .declared_in(::core::module_path!())
            }
        }
    };

    // --- methods of the informer ---

    (@informer $vis:vis $Informer:ident [$K:ty] [$($bound:tt)*]) => {
        #[allow(dead_code)]
        impl<S: $crate::storage::Storage<$K>> $Informer<S>
        where
            $($bound)*
        {
            /// Returns the relation to the `T`s that these objects own, over the informer of `T`
            /// that `maker` shares.
            #[must_use]
            #[inline]
            $vis fn owned<T, M>(
                &self,
                maker: &M,
            ) -> $crate::relations::OwnedObjects<$K, T, M::Storage>
            where
                Self: $crate::relations::Owns<T, Owner = $K>,
                T: $crate::private::TypedObject,
                M: $crate::factory::MakeInformers<Storage: $crate::storage::Storage<T>>,
            {
                $crate::relations::OwnedObjects::new(self.resource(), maker)
            }

            /// Returns the relation to the `T`s to which these objects refer, over the informer of
            /// `T` that `maker` shares.
            #[must_use]
            #[inline]
            $vis fn references_to<T, M>(
                &self,
                maker: &M,
            ) -> $crate::relations::ReferencedObjects<$K, T, S, M::Storage>
            where
                Self: $crate::relations::References<T, Referrer = $K>,
                T: $crate::private::TypedObject,
                M: $crate::factory::MakeInformers<Storage: $crate::storage::Storage<T>>,
            {
                let reference = <Self as $crate::relations::References<T>>::reference();
                $crate::relations::ReferencedObjects::new(self, reference, maker)
            }

            /// Starts building a cache of only the `T`s to which these objects refer. `factory`
            /// runs its informers.
            #[inline]
            $vis fn referenced<'a, T>(
                &'a self,
                factory: &'a $crate::factory::SharedInformerFactory,
            ) -> $crate::relations::ReferencedCacheBuilder<'a, $K, S, T>
            where
                Self: $crate::relations::References<T, Referrer = $K>,
                T: $crate::private::TypedObject,
            {
                let reference = <Self as $crate::relations::References<T>>::reference();
                $crate::relations::ReferencedCache::builder(factory, self, reference)
            }

            /// Returns the relation to the `T`s that these objects select, over the informer of `T`
            /// that `maker` shares.
            #[must_use]
            #[inline]
            $vis fn selected<T, M>(
                &self,
                maker: &M,
            ) -> $crate::relations::SelectedObjects<$K, T, S, M::Storage>
            where
                Self: $crate::relations::Selects<T, Selecting = $K>,
                T: $crate::private::TypedObject,
                M: $crate::factory::MakeInformers<Storage: $crate::storage::Storage<T>>,
            {
                let selection = <Self as $crate::relations::Selects<T>>::selection();
                $crate::relations::SelectedObjects::new(self, selection, maker)
            }
        }
    };

    // --- the struct of all relations ---

    (@struct [] $($rest:tt)*) => {};
    (
        @struct [$Related:ident] $vis:vis $Informer:ident [$K:ty] [$($bound:tt)*]
        [$($owned:ident, $owned_of:ident: $Owned:ty;)*]
        [$($referenced:ident, $referenced_of:ident, $by:ident: $Referenced:ty;)*]
        [$($selected:ident, $selected_of:ident, $selecting:ident: $Selected:ty;)*]
    ) => {
        #[doc = ::core::concat!("Relations of the objects of a [`", ::core::stringify!($Informer), "`]. Cheap to clone.")]
        $vis struct $Related<
            S: $crate::storage::Storage<$K> = $crate::storage::Typed,
            R: $($crate::storage::Storage<$Owned> +)* $($crate::storage::Storage<$Referenced> +)* $($crate::storage::Storage<$Selected> +)* = $crate::storage::Typed,
        >
        where
            $($bound)*
        {
            informer: $crate::shared_informer::SharedInformer<$K, S>,
            $($owned: $crate::relations::OwnedObjects<$K, $Owned, R>,)*
            $($referenced: $crate::relations::ReferencedObjects<$K, $Referenced, S, R>,)*
            $($selected: $crate::relations::SelectedObjects<$K, $Selected, S, R>,)*
        }

        #[allow(dead_code)]
        impl<S: $crate::storage::Storage<$K>> $Informer<S>
        where
            $($bound)*
        {
            /// Returns the relations of the objects, over the informers of the related types that
            /// `maker` shares.
            #[must_use]
            #[inline]
            $vis fn related<R, M>(&self, maker: &M) -> $Related<S, R>
            where
                R: $($crate::storage::Storage<$Owned> +)* $($crate::storage::Storage<$Referenced> +)* $($crate::storage::Storage<$Selected> +)*,
                M: $crate::factory::MakeInformers<Storage = R>,
            {
                $Related {
                    informer: ::core::clone::Clone::clone(&self.informer),
                    $($owned: $crate::relations::OwnedObjects::new(self.resource(), maker),)*
                    $($referenced: $crate::relations::ReferencedObjects::new(self, <$Informer>::$by(), maker),)*
                    $($selected: $crate::relations::SelectedObjects::new(self, <$Informer>::$selecting(), maker),)*
                }
            }
        }

        #[allow(dead_code)]
        impl<
            S: $crate::storage::Storage<$K>,
            R: $($crate::storage::Storage<$Owned> +)* $($crate::storage::Storage<$Referenced> +)* $($crate::storage::Storage<$Selected> +)*
        > $Related<S, R>
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
                let queue: $crate::workqueue::KeyQueue = ::core::convert::Into::into(queue);
                for added in $crate::relations::EnqueueRelated::enqueue_related(self, &queue) {
                    added?;
                }
                self.informer.add_event_handler($crate::workqueue::enqueue_into(queue))?;
                ::core::result::Result::Ok(())
            }

            $(
                #[doc = ::core::concat!("Returns the relation to the owned [`", ::core::stringify!($Owned), "`]s.")]
                #[must_use]
                #[inline]
                $vis fn $owned(&self) -> &$crate::relations::OwnedObjects<$K, $Owned, R> {
                    &self.$owned
                }

                #[doc = ::core::concat!("Returns the cached [`", ::core::stringify!($Owned), "`]s that `owner` controls, ordered by key.")]
                #[must_use]
                #[inline]
                $vis fn $owned_of(&self, owner: &$K) -> ::std::vec::Vec<::std::sync::Arc<<R as $crate::storage::Storage<$Owned>>::Object>> {
                    self.$owned.of(owner)
                }
            )*
            $(
                #[doc = ::core::concat!("Returns the relation to the referenced [`", ::core::stringify!($Referenced), "`]s.")]
                #[must_use]
                #[inline]
                $vis fn $referenced(&self) -> &$crate::relations::ReferencedObjects<$K, $Referenced, S, R> {
                    &self.$referenced
                }

                #[doc = ::core::concat!("Returns the [`", ::core::stringify!($Referenced), "`]s to which `referrer` refers, ordered by key: for each key the object, or the reason for which it is not available.")]
                #[must_use]
                #[inline]
                $vis fn $referenced_of(
                    &self,
                    referrer: &$K,
                ) -> ::std::vec::Vec<$crate::relations::RelatedObject<<R as $crate::storage::Storage<$Referenced>>::Object>> {
                    self.$referenced.of(referrer)
                }
            )*
            $(
                #[doc = ::core::concat!("Returns the relation to the selected [`", ::core::stringify!($Selected), "`]s.")]
                #[must_use]
                #[inline]
                $vis fn $selected(&self) -> &$crate::relations::SelectedObjects<$K, $Selected, S, R> {
                    &self.$selected
                }

                #[doc = ::core::concat!("Returns the cached [`", ::core::stringify!($Selected), "`]s that `object` selects, ordered by key.")]
                #[must_use]
                #[inline]
                $vis fn $selected_of(&self, object: &$K) -> ::std::vec::Vec<::std::sync::Arc<<R as $crate::storage::Storage<$Selected>>::Object>> {
                    self.$selected.of(object)
                }
            )*
        }

        #[automatically_derived]
        impl<
            S: $crate::storage::Storage<$K>,
            R: $($crate::storage::Storage<$Owned> +)* $($crate::storage::Storage<$Referenced> +)* $($crate::storage::Storage<$Selected> +)*
        > $crate::relations::EnqueueRelated<$K> for $Related<S, R>
        where
            $($bound)*
        {
            fn enqueue_related(
                &self,
                queue: &$crate::workqueue::KeyQueue,
            ) -> ::std::vec::Vec<
                ::core::result::Result<
                    $crate::processor::HandlerRegistration,
                    $crate::processor::AddHandlerError,
                >,
            > {
                ::std::vec![
                    $(self.$owned.enqueue_into(::core::clone::Clone::clone(queue)),)*
                    $(self.$referenced.enqueue_into(::core::clone::Clone::clone(queue)),)*
                    $(self.$selected.enqueue_into(::core::clone::Clone::clone(queue)),)*
                ]
            }
        }

        #[automatically_derived]
        impl<
            S: $crate::storage::Storage<$K>,
            R: $($crate::storage::Storage<$Owned> +)* $($crate::storage::Storage<$Referenced> +)* $($crate::storage::Storage<$Selected> +)*
        > ::core::clone::Clone for $Related<S, R>
        where
            $($bound)*
        {
            fn clone(&self) -> Self {
                Self {
                    informer: ::core::clone::Clone::clone(&self.informer),
                    $($owned: ::core::clone::Clone::clone(&self.$owned),)*
                    $($referenced: ::core::clone::Clone::clone(&self.$referenced),)*
                    $($selected: ::core::clone::Clone::clone(&self.$selected),)*
                }
            }
        }

        #[automatically_derived]
        impl<
            S: $crate::storage::Storage<$K>,
            R: $($crate::storage::Storage<$Owned> +)* $($crate::storage::Storage<$Referenced> +)* $($crate::storage::Storage<$Selected> +)*
        > ::core::fmt::Debug for $Related<S, R>
        where
            $($bound)*
        {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_tuple(::core::stringify!($Related)).field(&self.informer).finish()
            }
        }
    };
}
