::core::compile_error! {
    "`BarSpec` has no field `nme`: did you mean `spec.name`?"
}
::core::compile_error! {
    "`BarSpec` has no field `nme`: did you mean `spec.name`?"
}
::informer::__private::wrappers! {
    /// Shared informer of `example.com/v1` `Bar`.
    pub BarInformer, BarLister: Bar where [for<'__a> Bar: ::informer::__private::TypedObject];
    fn BarInformerFactory::bars();
    BarListerSnapshot, BarIndices {
        /// Returns the cached objects with `value` at `spec.nme`.
        ///
        /// Takes O(log n) plus the number of objects found. Packed storage decodes each
        /// version of an object once for all such indices.
        all by_nme(&::core::primitive::str): ::std::string::String =
            object("spec.nme", |_| ::std::vec::Vec::new());
    }
}
::informer::__private::relations! {
    pub BarInformer, BarLister: Bar where [for<'__a> Bar: ::informer::__private::TypedObject, for<'__a> Secret: ::informer::__private::TypedObject, for<'__a> ConfigMap: ::informer::__private::TypedObject];
    struct BarRelated;
    references {
        /// Returns the objects that refer to the `Secret` with this key.
        secrets, secrets_of, by_secret: Secret = |_| ::std::vec::Vec::new();
        /// Returns the objects that refer to the `ConfigMap` with this key.
        config_maps, config_maps_of, by_config_map: ConfigMap =
            ::informer::__private::reference!(ConfigMap, fields[.spec], name[.name]);
    }
    targets {
        references Secret = by_secret;
        references ConfigMap = by_config_map;
    }
}
