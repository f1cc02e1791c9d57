::informer::__private::wrappers! {
    /// Shared informer of `samplecontroller.k8s.io/v1alpha1` `Foo`.
    pub FooWrapper, FooInformer, FooLister: Foo where [for<'__a> Foo: ::informer::__private::TypedObject, for<'__a> Uid: ::informer::__private::AnyIndexValue];
    indices FooListerSnapshot {
        /// Returns the cached objects with `value` at `spec.deploymentName`.
        ///
        /// Takes O(log n) plus the number of objects found. Packed storage reads the values
        /// without decoding the object.
        all by_deployment_name(&::core::primitive::str): String =
            BY_DEPLOYMENT_NAME_INDEX: json("spec.deploymentName", ::informer::__private::path!(.spec.deployment_name));
        /// Returns the cached objects with `value` at `spec.replicas`.
        ///
        /// Takes O(log n) plus the number of objects found. Packed storage reads the values
        /// without decoding the object.
        all by_replicas(i32): i32 =
            BY_REPLICAS_INDEX: json("spec.replicas", ::informer::__private::path!(.spec.replicas*));
        /// Returns the cached objects with `value` at `metadata.labels['app']`.
        ///
        /// Takes O(log n) plus the number of objects found. Packed storage reads the values
        /// without decoding the object.
        all by_app(&::core::primitive::str): ::std::string::String =
            BY_APP_INDEX: json("metadata.labels['app']", ::informer::__private::path!(metadata.labels*["app"]));
        /// Returns the cached objects with `value` at `spec.template.ports.name`.
        ///
        /// Takes O(log n) plus the number of objects found. Packed storage reads the values
        /// without decoding the object.
        all by_name(&::core::primitive::str): ::std::string::String =
            BY_NAME_INDEX: json("spec.template.ports.name", ::informer::__private::path!(.spec.template*/ports*/name*));
        /// Returns the cached objects with `value` at `spec.template.node_name`.
        ///
        /// Takes O(log n) plus the number of objects found. Packed storage decodes each
        /// version of an object once for all such indices.
        all by_node_name(&::core::primitive::str): ::std::string::String =
            BY_NODE_NAME_INDEX: object("self.spec.template.node_name", ::informer::__private::path!(.spec.template*.node_name*));
        /// Returns the cached objects that the index `by_owner` maps to `value`.
        ///
        /// Takes O(log n) plus the number of objects found. Packed storage decodes each
        /// version of an object once for all such indices.
        all by_owner(&Uid): Uid =
            BY_OWNER_INDEX: with("by_owner", |object| ::informer::__private::values_of::<Uid, _>(owners(object)));
    }
    accessor {
        /// Accessor of the [`FooInformer`] on types that create informers, such as a factory.
        [allow(dead_code)] pub trait FooInformerFactory: ::informer::MakeInformers<Storage: ::informer::Storage<Foo>>+::core::marker::Sized where for<'__a> Foo: ::informer::__private::TypedObject, for<'__a> Uid: ::informer::__private::AnyIndexValue {
            /// Returns the shared [`FooInformer`].
            [must_use][inline] fn foos(&self)-> FooInformer<Self::Storage> {
                FooInformer ::new(self)
            }
        }
        impl<M: ::informer::MakeInformers<Storage: ::informer::Storage<Foo>>> FooInformerFactory for M where for<'__a> Foo: ::informer::__private::TypedObject, for<'__a> Uid: ::informer::__private::AnyIndexValue {
        }
    }
}
const _: () = ::informer::__private::assert_object::<Foo>();
const _: () = {
    type Values = Uid;
    ::informer::__private::assert_index_value::<Values>()
};
const __INFORMER_ACCESSOR_FOOS_IS_TAKEN__WRITE_INFORMER_ACCESSOR_WITH_ANOTHER_NAME: () = ();
const _: () = ::informer::__private::assert_codegen_abi(4u32);
