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
