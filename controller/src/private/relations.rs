//! Generated items of the relations of one kind.

/// Declares the relations of one kind, for [`wrappers!`](crate::private::wrappers).
///
/// A look-up is a constant, a [`Relation`](crate::relations::Relation) with one function for each
/// path, and the method of the lister that reads it. If it is the only one to its type, it stands
/// among the `lookups`, and is the relation of the kind to that type. Several to one type stand
/// among the `parts`, and the lists `references` and `selects` unite them. The struct has the
/// relations whose informers a controller needs at once; without it, relations are reached one at a
/// time: `informer.owned::<Deployment, _>(&factory)`. Its type parameters are `S`, the storage of the
/// kind, and `R`, that of the related types.
#[doc(hidden)]
#[macro_export]
macro_rules! __relations {
    (
        @kind $vis:vis $Lookups:ident $Informer:ident $Lister:ident [$K:ty] $bounds:tt
        $(lookups $lookups:tt)?
        $(parts $parts:tt)?
        $(owns { $($Owned:ty;)* })?
        $(references { $($Referenced:ty = $($REFERENCE:ident),+;)* })?
        $(selects { $($Selected:ty = $($SELECTION:ident),+;)* })?
        $(struct $Related:ident, $Relations:ident { $($related:tt)* })?
    ) => {
        $(
            $crate::__relations! { @lookups $vis $Lookups $Lister [$K] $bounds $lookups }
            $crate::__relations! { @each $Lookups [$K] $bounds $lookups }
        )?
        $($crate::__relations! { @lookups $vis $Lookups $Lister [$K] $bounds $parts })?
        $($($crate::__relations! { @owns $Lookups [$K] $bounds $Owned })*)?
        $($(
            $crate::__relations! {
                @united Reference $Lookups [$K] $bounds $Referenced = $($REFERENCE),+
            }
        )*)?
        $($(
            $crate::__relations! {
                @united LabelSelection $Lookups [$K] $bounds $Selected = $($SELECTION),+
            }
        )*)?
        $($crate::__relations! {
            @related $vis $Lookups $Informer [$K] $bounds $Related $Relations $($related)*
        })?
    };

    // --- the relations as values, and the methods of the lister ---

    (
        @lookups $vis:vis $Lookups:ident $Lister:ident [$K:ty] [$($bound:tt)*]
        { $($Relation:ident $name:ident: $Target:ty = $RELATION:ident: $($places:expr),+;)* }
    ) => {
        impl $Lookups
        where
            $($bound)*
        {
            $(
                #[doc = ::core::concat!("Relation that [`", ::core::stringify!($Lister), "::", ::core::stringify!($name), "`] reads.")]
                $vis const $RELATION: $crate::relations::$Relation<$K, $Target> =
                    $crate::relations::$Relation::<$K, $Target>::new(
                        ::core::stringify!($name),
                        $crate::__relations!(@places $($places)+),
                    )
                    .declared_in(::core::module_path!());
            )*
        }

        impl<S: $crate::private::Storage<$K>> $Lookups<$crate::private::Lister<$K, S>>
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
                ) -> ::std::vec::Vec<::std::sync::Arc<S::Object>> {
                    $crate::private::Find::find(&$Lookups::$RELATION, &self.0, target)
                }
            )*
        }
    };
    (@places $place:expr) => { $place };
    (@places $($place:expr)+) => {
        |object| $crate::private::of_places(object, &[$($place),+])
    };
    (@argument Reference $Target:ty) => { $crate::private::ObjectKey };
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

    // --- traits of the look-ups ---

    (@owns $Lookups:ident [$K:ty] [$($bound:tt)*] $Target:ty) => {
        impl $crate::relations::Owns<$Target> for $Lookups
        where
            $($bound)*
        {
            type Owner = $K;
        }
    };
    (
        @each $Lookups:ident [$K:ty] $bounds:tt
        { $($Relation:ident $name:ident: $Target:ty = $RELATION:ident: $($places:expr),+;)* }
    ) => {
        $($crate::__relations! { @united $Relation $Lookups [$K] $bounds $Target = $RELATION })*
    };
    (@united Reference $($rest:tt)*) => {
        $crate::__relations! { @trait [References Referrer REFERENCE Reference] $($rest)* }
    };
    (@united LabelSelection $($rest:tt)*) => {
        $crate::__relations! { @trait [Selects Selecting SELECTION LabelSelection] $($rest)* }
    };
    (
        @trait [$Trait:ident $Source:ident $ALL:ident $Relation:ident]
        $Lookups:ident [$K:ty] [$($bound:tt)*] $Target:ty = $($RELATION:ident),+
    ) => {
        impl $crate::relations::$Trait<$Target> for $Lookups
        where
            $($bound)*
        {
            type $Source = $K;

            const $ALL: $crate::relations::$Relation<$K, $Target> =
                $crate::__relations!(@all [$Relation] [$K] [$Target] $($RELATION)+);
        }
    };
    (@all [$Relation:ident] [$K:ty] [$Target:ty] $RELATION:ident) => {
        Self::$RELATION
    };
    (@all [$Relation:ident] [$K:ty] [$Target:ty] $($RELATION:ident)+) => {
        $crate::relations::$Relation::<$K, $Target>::new(
            ::core::concat!($(::core::stringify!($RELATION), " "),+),
            |object| $crate::private::of_relations(object, &[$(Self::$RELATION),+]),
        )
        .declared_in(::core::module_path!())
    };

    // --- the struct of all relations ---

    (
        @related $vis:vis $Lookups:ident $Informer:ident [$K:ty] [$($bound:tt)*]
        $Related:ident $Relations:ident
        $(
            $(#[$doc:meta])*
            $field:ident: $Objects:ident[$($parameter:ty),+] $(= $relation:expr)?;
            $(#[$of_doc:meta])*
            $of:ident($object:ident): $Found:ident of $Target:ty;
        )*
    ) => {
        #[doc = ::core::concat!("Relations of the objects of a [`", ::core::stringify!($Informer), "`]. Cheap to clone.")]
        $vis type $Related<S = $crate::private::Typed, R = $crate::private::Typed> =
            $crate::private::WithLookups<
                $crate::private::Related<$K, S, $Relations<S, R>>,
                $Lookups,
            >;

        #[doc = ::core::concat!("Content of a [`", ::core::stringify!($Related), "`].")]
        $vis struct $Relations<S: $crate::private::Storage<$K>, R: $($crate::private::Storage<$Target> +)*>
        where
            $($bound)*
        {
            __sources: ::core::marker::PhantomData<S>,
            $($field: $crate::relations::$Objects<$($parameter),+>,)*
        }

        impl<S: $crate::private::Storage<$K>> $Lookups<$crate::private::SharedInformer<$K, S>>
        where
            $($bound)*
        {
            /// Returns the relations of the objects, over the informers of the related types that
            /// `maker` shares.
            #[must_use]
            $vis fn related<R, M>(&self, maker: &M) -> $Related<S, R>
            where
                R: $($crate::private::Storage<$Target> +)*,
                M: $crate::private::MakeInformers<Storage = R>,
            {
                let all = $Relations::<S, R> {
                    __sources: ::core::marker::PhantomData,
                    $($field: $crate::__relations!(@relate $Objects self maker $(, $relation)?),)*
                };
                $crate::private::WithLookups::related(&self.0, all, |all| ::std::vec![$(&all.$field),*])
            }
        }

        impl<S: $crate::private::Storage<$K>, R: $($crate::private::Storage<$Target> +)*>
            $Lookups<$crate::private::Related<$K, S, $Relations<S, R>>>
        where
            $($bound)*
        {
            $(
                $(#[$doc])*
                #[must_use]
                $vis fn $field(&self) -> &$crate::relations::$Objects<$($parameter),+> {
                    &self.0.all.$field
                }

                $(#[$of_doc])*
                #[must_use]
                $vis fn $of(&self, $object: &$K) -> ::std::vec::Vec<$crate::private::$Found<<R as $crate::private::Storage<$Target>>::Object>> {
                    self.0.all.$field.of($object)
                }
            )*
        }
    };
    (@relate $Objects:ident $lookups:ident $maker:ident) => {
        $crate::relations::$Objects::new($lookups.0.resource(), $maker)
    };
    (@relate $Objects:ident $lookups:ident $maker:ident, $relation:expr) => {
        $crate::relations::$Objects::new(&$lookups.0, $relation, $maker)
    };
}
