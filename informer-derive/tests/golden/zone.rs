/// Shared informer of `Zone`.
#[derive(::core::clone::Clone, ::core::fmt::Debug)]
pub(crate) struct ZoneInformer
where
    for<'__a> Zone: crate::inf::__private::ClusterObject,
{
    informer: crate::inf::SharedInformer<Zone>,
}
#[allow(dead_code)]
impl ZoneInformer
where
    for<'__a> Zone: crate::inf::__private::ClusterObject,
{
    /// The informer of `Zone` in `factory`, which creates it if nobody has asked for it before.
    #[must_use]
    #[inline]
    pub(crate) fn new(factory: &crate::inf::SharedInformerFactory) -> Self {
        let informer = factory.informer::<Zone>();
        Self { informer }
    }
    /// Reads the cache of `Zone`.
    #[must_use]
    #[inline]
    pub(crate) fn lister(&self) -> ZoneLister {
        ZoneLister {
            lister: self.informer.lister(),
        }
    }
}
#[automatically_derived]
impl ::core::ops::Deref for ZoneInformer
where
    for<'__a> Zone: crate::inf::__private::ClusterObject,
{
    type Target = crate::inf::SharedInformer<Zone>;
    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.informer
    }
}
/// Reads the cache of `Zone`.
#[derive(::core::clone::Clone, ::core::fmt::Debug)]
pub(crate) struct ZoneLister
where
    for<'__a> Zone: crate::inf::__private::ClusterObject,
{
    lister: crate::inf::Lister<Zone>,
}
#[allow(dead_code)]
impl ZoneLister
where
    for<'__a> Zone: crate::inf::__private::ClusterObject,
{}
#[automatically_derived]
impl ::core::ops::Deref for ZoneLister
where
    for<'__a> Zone: crate::inf::__private::ClusterObject,
{
    type Target = crate::inf::Lister<Zone>;
    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.lister
    }
}
/// Gives a factory the informer of `Zone`.
#[allow(dead_code)]
pub(crate) trait ZoneInformerFactory {
    /// The informer of `Zone`.
    #[must_use]
    fn zones(&self) -> ZoneInformer
    where
        for<'__a> Zone: crate::inf::__private::ClusterObject;
}
#[automatically_derived]
impl ZoneInformerFactory for crate::inf::SharedInformerFactory {
    #[inline]
    fn zones(&self) -> ZoneInformer
    where
        for<'__a> Zone: crate::inf::__private::ClusterObject,
    {
        ZoneInformer::new(self)
    }
}
const _: () = crate::inf::__private::assert_cluster::<Zone>();
const __INFORMER_ACCESSOR_ZONES_IS_TAKEN__WRITE_INFORMER_ACCESSOR_WITH_ANOTHER_NAME: () = ();
const _: () = crate::inf::__private::assert_codegen_abi(1u32);
