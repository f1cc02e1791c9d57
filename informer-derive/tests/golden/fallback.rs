::core::compile_error! {
    "`BarSpec` has no field `nme`: did you mean `spec.name`?"
}
#[doc(hidden)]
#[derive(::core::clone::Clone, ::core::fmt::Debug)]
pub struct BarInformer;
#[allow(dead_code, missing_docs)]
impl BarInformer {
    pub fn new(_: &::informer::SharedInformerFactory) -> Self {
        ::core::unreachable!()
    }
    pub fn lister(&self) -> BarLister {
        ::core::unreachable!()
    }
}
#[automatically_derived]
impl ::core::ops::Deref for BarInformer
where
    for<'__a> Bar: ::informer::Object,
{
    type Target = ::informer::SharedInformer<Bar>;
    fn deref(&self) -> &Self::Target {
        ::core::unreachable!()
    }
}
#[doc(hidden)]
#[derive(::core::clone::Clone, ::core::fmt::Debug)]
pub struct BarLister;
#[allow(dead_code, missing_docs)]
impl BarLister {
    pub fn snapshot(&self) -> BarListerSnapshot {
        ::core::unreachable!()
    }
    pub fn by_nme(
        &self,
        _: &::core::primitive::str,
    ) -> ::std::vec::Vec<::std::sync::Arc<Bar>> {
        ::core::unreachable!()
    }
}
#[automatically_derived]
impl ::core::ops::Deref for BarLister
where
    for<'__a> Bar: ::informer::Object,
{
    type Target = ::informer::Lister<Bar>;
    fn deref(&self) -> &Self::Target {
        ::core::unreachable!()
    }
}
#[doc(hidden)]
#[derive(::core::clone::Clone, ::core::fmt::Debug)]
pub struct BarListerSnapshot;
#[allow(dead_code, missing_docs)]
impl BarListerSnapshot {
    pub fn by_nme(
        &self,
        _: &::core::primitive::str,
    ) -> ::std::vec::Vec<::std::sync::Arc<Bar>> {
        ::core::unreachable!()
    }
}
#[automatically_derived]
impl ::core::ops::Deref for BarListerSnapshot
where
    for<'__a> Bar: ::informer::Object,
{
    type Target = ::informer::Snapshot<::std::sync::Arc<Bar>>;
    fn deref(&self) -> &Self::Target {
        ::core::unreachable!()
    }
}
#[doc(hidden)]
#[allow(dead_code, missing_docs)]
pub trait BarInformerFactory {
    fn bars(&self) -> BarInformer;
}
#[automatically_derived]
impl BarInformerFactory for ::informer::SharedInformerFactory {
    fn bars(&self) -> BarInformer {
        ::core::unreachable!()
    }
}
