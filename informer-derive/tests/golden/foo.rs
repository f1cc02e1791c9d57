::informer::__private::wrappers! {
    /// Shared informer of `samplecontroller.k8s.io/v1alpha1` `Foo`.
    pub FooInformer, FooLister: Foo where [for<'__a> Foo: ::informer::__private::TypedObject, for<'__a> Uid: ::informer::__private::AnyIndexValue];
    fn FooInformerFactory::foos();
    FooListerSnapshot, FooIndices {
        /// The cached objects with `value` at `spec.deploymentName`.
        ///
        /// O(log n) and the objects found. A storage of bytes reads the values from them.
        all by_deployment_name(&::core::primitive::str): String =
            json("spec.deploymentName", ::informer::__private::path!(.spec.deployment_name));
        /// The cached objects with `value` at `spec.replicas`.
        ///
        /// O(log n) and the objects found. A storage of bytes reads the values from them.
        all by_replicas(i32): i32 =
            json("spec.replicas", ::informer::__private::path!(.spec.replicas*));
        /// The cached objects with `value` at `metadata.labels['app']`.
        ///
        /// O(log n) and the objects found. A storage of bytes reads the values from them.
        all by_app(&::core::primitive::str): ::std::string::String =
            json("metadata.labels['app']", ::informer::__private::path!(metadata.labels*["app"]));
        /// The cached objects with `value` at `spec.template.ports.name`.
        ///
        /// O(log n) and the objects found. A storage of bytes reads the values from them.
        all by_name(&::core::primitive::str): ::std::string::String =
            json("spec.template.ports.name", ::informer::__private::path!(.spec.template*/ports*/name*));
        /// The cached objects with `value` at `spec.template.node_name`.
        ///
        /// O(log n) and the objects found. A storage of bytes decodes each version once, as it comes, for all such indices.
        all by_node_name(&::core::primitive::str): ::std::string::String =
            object("self.spec.template.node_name", ::informer::__private::path!(.spec.template*.node_name*));
        /// The cached objects that the index `by_owner` has under `value`.
        ///
        /// O(log n) and the objects found. A storage of bytes decodes each version once, as it comes, for all such indices.
        all by_owner(&Uid): Uid =
            with("by_owner", |object| ::informer::__private::values_of::<Uid, _>(owners(object)));
    }
}
const _: () = ::informer::__private::assert_object::<Foo>();
const _: () = {
    type Values = Uid;
    ::informer::__private::assert_index_value::<Values>()
};
const __INFORMER_ACCESSOR_FOOS_IS_TAKEN__WRITE_INFORMER_ACCESSOR_WITH_ANOTHER_NAME: () = ();
const _: () = ::informer::__private::assert_codegen_abi(2u32);
