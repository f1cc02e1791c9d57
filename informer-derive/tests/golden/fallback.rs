::core::compile_error! {
    "`BarSpec` has no field `nme`: did you mean `spec.name`?"
}
::informer::__private::wrappers! {
    /// Shared informer of `example.com/v1` `Bar`.
    pub BarInformer, BarLister: Bar where [for<'__a> Bar: ::informer::__private::TypedObject];
    fn BarInformerFactory::bars();
    BarListerSnapshot, BarIndices {
        /// The cached objects with `value` at `spec.nme`.
        ///
        /// O(log n) and the objects found. A storage of bytes decodes each version once, as it comes, for all such indices.
        all by_nme(&::core::primitive::str): ::std::string::String =
            object("spec.nme", |_| ::std::vec::Vec::new());
    }
}
