crate::inf::__private::wrappers! {
    /// Shared informer of `Zone`.
    pub(crate) ZoneInformer, ZoneLister: Zone where [for<'__a> Zone: crate::inf::__private::TypedObject];
    fn ZoneInformerFactory::zones();
}
const _: () = crate::inf::__private::assert_cluster::<Zone>();
const __INFORMER_ACCESSOR_ZONES_IS_TAKEN__WRITE_INFORMER_ACCESSOR_WITH_ANOTHER_NAME: () = ();
const _: () = crate::inf::__private::assert_codegen_abi(2u32);
