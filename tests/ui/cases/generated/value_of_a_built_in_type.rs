//! Generated indices of a built-in kind that end at values of another type: rustc shows each path.

::informer::__private::wrappers! {
    /// Shared informer of [`ConfigMap`](::k8s_openapi::api::core::v1::ConfigMap).
    ///
    /// Resource: `configmaps` of `v1`, namespaced.
    pub ConfigMapLookups, ConfigMapInformer, ConfigMapLister: ::k8s_openapi::api::core::v1::ConfigMap;
    indices ConfigMapListerSnapshot {
        /// Returns the cached objects with `value` at `data`.
        all by_data(&::core::primitive::str): ::std::string::String =
            json("data", ::informer::__private::path!(.data*));
        /// Returns the cached objects with `value` at `immutable`.
        all by_immutable(&::core::primitive::str): ::std::string::String =
            json("immutable", ::informer::__private::path!(.immutable*));
    }
}

fn main() {}
