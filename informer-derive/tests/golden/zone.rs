#[allow(dead_code)]
/// Shared informer of `Zone`.
pub(crate) type ZoneInformer<S = crate::inf::Typed> = crate::inf::SharedInformer<
    Zone,
    S,
>;
#[allow(dead_code)]
/// Reader of the cache of a [`ZoneInformer`].
pub(crate) type ZoneLister<S = crate::inf::Typed> = crate::inf::Lister<Zone, S>;
/// Accessor of the [`ZoneInformer`] on types that create informers, such as a factory.
#[allow(dead_code)]
pub(crate) trait ZoneInformerFactory: crate::inf::MakeInformers<
        Storage: crate::inf::Storage<Zone>,
    > + ::core::marker::Sized
where
    for<'__a> Zone: crate::inf::__private::TypedObject,
{
    /// Returns the shared [`ZoneInformer`].
    #[must_use]
    #[inline]
    fn zones(&self) -> ZoneInformer<Self::Storage> {
        ZoneInformer::new(self)
    }
}
impl<
    M: crate::inf::MakeInformers<Storage: crate::inf::Storage<Zone>>,
> ZoneInformerFactory for M
where
    for<'__a> Zone: crate::inf::__private::TypedObject,
{}
const _: () = crate::inf::__private::assert_cluster::<Zone>();
const __INFORMER_ACCESSOR_ZONES_IS_TAKEN__WRITE_INFORMER_ACCESSOR_WITH_ANOTHER_NAME: () = ();
const _: () = crate::inf::__private::assert_codegen_abi(4u32);
