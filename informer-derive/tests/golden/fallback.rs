::core::compile_error! {
    "`BarSpec` has no field `nme`: did you mean `spec.name`?"
}
::core::compile_error! {
    "`BarSpec` has no field `nme`: did you mean `spec.name`?"
}
::informer::__private::wrappers! {
    /// Shared informer of `example.com/v1` `Bar`.
    pub BarWrapper, BarInformer, BarLister: Bar where [for<'__a> Bar: ::informer::__private::TypedObject][, for<'__a> Secret: ::informer::__private::TypedObject, for<'__a> ConfigMap: ::informer::__private::TypedObject];
    indices BarListerSnapshot {
        /// Returns the cached objects with `value` at `spec.nme`.
        ///
        /// Takes O(log n) plus the number of objects found. Packed storage decodes each
        /// version of an object once for all such indices.
        all by_nme(&::core::primitive::str): ::std::string::String =
            BY_NME_INDEX: object("spec.nme", |_| ::std::vec::Vec::new());
    }
    lookups {
        /// Returns the objects that refer to the `Secret` with this key.
        Reference by_secret(&::informer::ObjectKey): Secret = |_| ::std::vec::Vec::new();
        /// Returns the objects that refer to the `ConfigMap` with this key.
        Reference by_config_map(&::informer::ObjectKey): ConfigMap =
            ::informer::__private::reference!(ConfigMap, fields[.spec], name[.name]);
    }
    references {
        Secret = by_secret;
        ConfigMap = by_config_map;
    }
    struct BarRelated {
        /// Returns the relation to the referenced [`Secret`]s.
        secrets: ReferencedObjects[Bar, Secret, S, R] = <BarInformer>::by_secret();
        /// Returns the [`Secret`]s to which `referrer` refers, ordered by key: for each key the object, or the reason for which it is not available.
        secrets_of(referrer): RelatedObject of Secret;
        /// Returns the relation to the referenced [`ConfigMap`]s.
        config_maps: ReferencedObjects[Bar, ConfigMap, S, R] = <BarInformer>::by_config_map();
        /// Returns the [`ConfigMap`]s to which `referrer` refers, ordered by key: for each key the object, or the reason for which it is not available.
        config_maps_of(referrer): RelatedObject of ConfigMap;
    }
    accessor {
        /// Accessor of the [`BarInformer`] on types that create informers, such as a factory.
        [allow(dead_code)] pub trait BarInformerFactory: ::informer::MakeInformers<Storage: ::informer::Storage<Bar>>+::core::marker::Sized where for<'__a> Bar: ::informer::__private::TypedObject {
            /// Returns the shared [`BarInformer`].
            [must_use][inline] fn bars(&self)-> BarInformer<Self::Storage> {
                BarInformer ::new(self)
            }
        }
        impl<M: ::informer::MakeInformers<Storage: ::informer::Storage<Bar>>> BarInformerFactory for M where for<'__a> Bar: ::informer::__private::TypedObject {
        }
    }
}
