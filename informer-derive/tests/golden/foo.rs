/// Shared informer of `samplecontroller.k8s.io/v1alpha1` `Foo`.
#[derive(::core::clone::Clone, ::core::fmt::Debug)]
pub struct FooInformer
where
    for<'__a> Foo: ::informer::__private::NamespacedObject,
{
    informer: ::informer::SharedInformer<Foo>,
    by_deployment_name: ::informer::Index<Foo, String>,
    by_replicas: ::informer::Index<Foo, i32>,
    by_app: ::informer::Index<Foo, ::std::string::String>,
    by_name: ::informer::Index<Foo, ::std::string::String>,
    by_node_name: ::informer::Index<Foo, ::std::string::String>,
    by_owner: ::informer::Index<Foo, Uid>,
}
#[allow(dead_code)]
impl FooInformer
where
    for<'__a> Foo: ::informer::__private::NamespacedObject,
{
    /// The informer of `samplecontroller.k8s.io/v1alpha1` `Foo` in `factory`, which creates it if nobody has asked for it before.
    #[must_use]
    #[inline]
    pub fn new(factory: &::informer::SharedInformerFactory) -> Self {
        let informer = factory.informer::<Foo>();
        let by_deployment_name = ::informer::__private::index(
            &informer,
            "spec.deploymentName",
            |object: &Foo| -> ::std::vec::Vec<String> {
                let mut values = ::std::vec::Vec::new();
                values
                    .push(
                        ::informer::__private::index_value::<
                            String,
                            _,
                        >(&object.spec.deployment_name),
                    );
                values
            },
        );
        let by_replicas = ::informer::__private::index(
            &informer,
            "spec.replicas",
            |object: &Foo| -> ::std::vec::Vec<i32> {
                #[allow(unused_imports)]
                use ::informer::__private::{Peel as _, PeelNothing as _};
                let mut values = ::std::vec::Vec::new();
                for at_0 in (&object.spec.replicas).__peel() {
                    values.push(::informer::__private::index_value::<i32, _>(at_0));
                }
                values
            },
        );
        let by_app = ::informer::__private::index(
            &informer,
            "metadata.labels['app']",
            |object: &Foo| -> ::std::vec::Vec<::std::string::String> {
                #[allow(unused_imports)]
                use ::informer::__private::{Peel as _, PeelNothing as _};
                let mut values = ::std::vec::Vec::new();
                for at_0 in (&::informer::__private::metadata(object).labels).__peel() {
                    if let ::core::option::Option::Some(at_1) = ::informer::__private::map_value(
                        at_0,
                        "app",
                    ) {
                        values
                            .push(
                                ::informer::__private::index_value::<
                                    ::std::string::String,
                                    _,
                                >(at_1),
                            );
                    }
                }
                values
            },
        );
        let by_name = ::informer::__private::index(
            &informer,
            "spec.template.ports.name",
            |object: &Foo| -> ::std::vec::Vec<::std::string::String> {
                #[allow(unused_imports)]
                use ::informer::__private::{Peel as _, PeelNothing as _};
                #[allow(unused_imports)]
                use ::informer::__private::{Spelt as _, SpeltOtherwise as _};
                let mut values = ::std::vec::Vec::new();
                for at_0 in (&object.spec.template).__peel() {
                    for at_1 in at_0.__peel() {
                        for at_2 in at_1.__peel() {
                            for at_3 in (&at_2.__spelt_as_in_kubernetes().ports).__peel()
                            {
                                for at_4 in at_3.__peel() {
                                    for at_5 in at_4.__peel() {
                                        for at_6 in (&at_5.__spelt_as_in_kubernetes().name).__peel()
                                        {
                                            for at_7 in at_6.__peel() {
                                                for at_8 in at_7.__peel() {
                                                    values
                                                        .push(
                                                            ::informer::__private::index_value::<
                                                                ::std::string::String,
                                                                _,
                                                            >(at_8),
                                                        );
                                                }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
                values
            },
        );
        let by_node_name = ::informer::__private::index(
            &informer,
            "self.spec.template.node_name",
            |object: &Foo| -> ::std::vec::Vec<::std::string::String> {
                #[allow(unused_imports)]
                use ::informer::__private::{Peel as _, PeelNothing as _};
                let mut values = ::std::vec::Vec::new();
                for at_0 in (&object.spec.template).__peel() {
                    for at_1 in at_0.__peel() {
                        for at_2 in at_1.__peel() {
                            for at_3 in (&at_2.node_name).__peel() {
                                for at_4 in at_3.__peel() {
                                    for at_5 in at_4.__peel() {
                                        values
                                            .push(
                                                ::informer::__private::index_value::<
                                                    ::std::string::String,
                                                    _,
                                                >(at_5),
                                            );
                                    }
                                }
                            }
                        }
                    }
                }
                values
            },
        );
        let by_owner = ::informer::__private::index(
            &informer,
            "by_owner",
            |object: &Foo| -> ::std::vec::Vec<Uid> { owners(object) },
        );
        Self {
            informer,
            by_deployment_name,
            by_replicas,
            by_app,
            by_name,
            by_node_name,
            by_owner,
        }
    }
    /// Reads the cache of `samplecontroller.k8s.io/v1alpha1` `Foo`.
    #[must_use]
    #[inline]
    pub fn lister(&self) -> FooLister {
        FooLister {
            lister: self.informer.lister(),
            by_deployment_name: ::core::clone::Clone::clone(&self.by_deployment_name),
            by_replicas: ::core::clone::Clone::clone(&self.by_replicas),
            by_app: ::core::clone::Clone::clone(&self.by_app),
            by_name: ::core::clone::Clone::clone(&self.by_name),
            by_node_name: ::core::clone::Clone::clone(&self.by_node_name),
            by_owner: ::core::clone::Clone::clone(&self.by_owner),
        }
    }
}
#[automatically_derived]
impl ::core::ops::Deref for FooInformer
where
    for<'__a> Foo: ::informer::__private::NamespacedObject,
{
    type Target = ::informer::SharedInformer<Foo>;
    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.informer
    }
}
/// Reads the cache of `samplecontroller.k8s.io/v1alpha1` `Foo`.
#[derive(::core::clone::Clone, ::core::fmt::Debug)]
pub struct FooLister
where
    for<'__a> Foo: ::informer::__private::NamespacedObject,
{
    lister: ::informer::Lister<Foo>,
    by_deployment_name: ::informer::Index<Foo, String>,
    by_replicas: ::informer::Index<Foo, i32>,
    by_app: ::informer::Index<Foo, ::std::string::String>,
    by_name: ::informer::Index<Foo, ::std::string::String>,
    by_node_name: ::informer::Index<Foo, ::std::string::String>,
    by_owner: ::informer::Index<Foo, Uid>,
}
#[allow(dead_code)]
impl FooLister
where
    for<'__a> Foo: ::informer::__private::NamespacedObject,
{
    /// The cache at this moment: O(1), consistent, unmoved by later changes.
    #[must_use]
    #[inline]
    pub fn snapshot(&self) -> FooListerSnapshot {
        FooListerSnapshot {
            snapshot: self.lister.snapshot(),
            by_deployment_name: ::core::clone::Clone::clone(&self.by_deployment_name),
            by_replicas: ::core::clone::Clone::clone(&self.by_replicas),
            by_app: ::core::clone::Clone::clone(&self.by_app),
            by_name: ::core::clone::Clone::clone(&self.by_name),
            by_node_name: ::core::clone::Clone::clone(&self.by_node_name),
            by_owner: ::core::clone::Clone::clone(&self.by_owner),
        }
    }
    /// The cached objects with `value` at `spec.deploymentName`.
    #[must_use]
    #[inline]
    pub fn by_deployment_name(
        &self,
        value: &::core::primitive::str,
    ) -> ::std::vec::Vec<::std::sync::Arc<Foo>> {
        self.by_deployment_name.get(value)
    }
    /// The cached objects with `value` at `spec.replicas`.
    #[must_use]
    #[inline]
    pub fn by_replicas(&self, value: i32) -> ::std::vec::Vec<::std::sync::Arc<Foo>> {
        self.by_replicas.get(&value)
    }
    /// The cached objects with `value` at `metadata.labels['app']`.
    #[must_use]
    #[inline]
    pub fn by_app(
        &self,
        value: &::core::primitive::str,
    ) -> ::std::vec::Vec<::std::sync::Arc<Foo>> {
        self.by_app.get(value)
    }
    /// The cached objects with `value` at `spec.template.ports.name`.
    #[must_use]
    #[inline]
    pub fn by_name(
        &self,
        value: &::core::primitive::str,
    ) -> ::std::vec::Vec<::std::sync::Arc<Foo>> {
        self.by_name.get(value)
    }
    /// The cached objects with `value` at `self.spec.template.node_name`.
    #[must_use]
    #[inline]
    pub fn by_node_name(
        &self,
        value: &::core::primitive::str,
    ) -> ::std::vec::Vec<::std::sync::Arc<Foo>> {
        self.by_node_name.get(value)
    }
    /// The cached objects that the index `by_owner` has under `value`.
    #[must_use]
    #[inline]
    pub fn by_owner(&self, value: &Uid) -> ::std::vec::Vec<::std::sync::Arc<Foo>> {
        self.by_owner.get(value)
    }
}
#[automatically_derived]
impl ::core::ops::Deref for FooLister
where
    for<'__a> Foo: ::informer::__private::NamespacedObject,
{
    type Target = ::informer::Lister<Foo>;
    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.lister
    }
}
/// The cache of `samplecontroller.k8s.io/v1alpha1` `Foo` at one moment.
#[derive(::core::clone::Clone, ::core::fmt::Debug)]
pub struct FooListerSnapshot
where
    for<'__a> Foo: ::informer::__private::NamespacedObject,
{
    snapshot: ::informer::Snapshot<::std::sync::Arc<Foo>>,
    by_deployment_name: ::informer::Index<Foo, String>,
    by_replicas: ::informer::Index<Foo, i32>,
    by_app: ::informer::Index<Foo, ::std::string::String>,
    by_name: ::informer::Index<Foo, ::std::string::String>,
    by_node_name: ::informer::Index<Foo, ::std::string::String>,
    by_owner: ::informer::Index<Foo, Uid>,
}
#[allow(dead_code)]
impl FooListerSnapshot
where
    for<'__a> Foo: ::informer::__private::NamespacedObject,
{
    /// The cached objects with `value` at `spec.deploymentName`.
    #[must_use]
    #[inline]
    pub fn by_deployment_name(
        &self,
        value: &::core::primitive::str,
    ) -> ::std::vec::Vec<::std::sync::Arc<Foo>> {
        ::informer::__private::all(&self.by_deployment_name, &self.snapshot, value)
    }
    /// The cached objects with `value` at `spec.replicas`.
    #[must_use]
    #[inline]
    pub fn by_replicas(&self, value: i32) -> ::std::vec::Vec<::std::sync::Arc<Foo>> {
        ::informer::__private::all(&self.by_replicas, &self.snapshot, &value)
    }
    /// The cached objects with `value` at `metadata.labels['app']`.
    #[must_use]
    #[inline]
    pub fn by_app(
        &self,
        value: &::core::primitive::str,
    ) -> ::std::vec::Vec<::std::sync::Arc<Foo>> {
        ::informer::__private::all(&self.by_app, &self.snapshot, value)
    }
    /// The cached objects with `value` at `spec.template.ports.name`.
    #[must_use]
    #[inline]
    pub fn by_name(
        &self,
        value: &::core::primitive::str,
    ) -> ::std::vec::Vec<::std::sync::Arc<Foo>> {
        ::informer::__private::all(&self.by_name, &self.snapshot, value)
    }
    /// The cached objects with `value` at `self.spec.template.node_name`.
    #[must_use]
    #[inline]
    pub fn by_node_name(
        &self,
        value: &::core::primitive::str,
    ) -> ::std::vec::Vec<::std::sync::Arc<Foo>> {
        ::informer::__private::all(&self.by_node_name, &self.snapshot, value)
    }
    /// The cached objects that the index `by_owner` has under `value`.
    #[must_use]
    #[inline]
    pub fn by_owner(&self, value: &Uid) -> ::std::vec::Vec<::std::sync::Arc<Foo>> {
        ::informer::__private::all(&self.by_owner, &self.snapshot, value)
    }
}
#[automatically_derived]
impl ::core::ops::Deref for FooListerSnapshot
where
    for<'__a> Foo: ::informer::__private::NamespacedObject,
{
    type Target = ::informer::Snapshot<::std::sync::Arc<Foo>>;
    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.snapshot
    }
}
/// Gives a factory the informer of `samplecontroller.k8s.io/v1alpha1` `Foo`.
#[allow(dead_code)]
pub trait FooInformerFactory {
    /// The informer of `samplecontroller.k8s.io/v1alpha1` `Foo`.
    #[must_use]
    fn foos(&self) -> FooInformer
    where
        for<'__a> Foo: ::informer::__private::NamespacedObject;
}
#[automatically_derived]
impl FooInformerFactory for ::informer::SharedInformerFactory {
    #[inline]
    fn foos(&self) -> FooInformer
    where
        for<'__a> Foo: ::informer::__private::NamespacedObject,
    {
        FooInformer::new(self)
    }
}
const _: () = ::informer::__private::assert_object::<Foo>();
const __INFORMER_ACCESSOR_FOOS_IS_TAKEN__WRITE_INFORMER_ACCESSOR_WITH_ANOTHER_NAME: () = ();
const _: () = ::informer::__private::assert_codegen_abi(1u32);
