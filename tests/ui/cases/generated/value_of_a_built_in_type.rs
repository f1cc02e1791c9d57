//! Generated indices of a built-in kind that end at values of another type: rustc shows each path.

use k8s_openapi::api::core::v1::ConfigMap;

struct ConfigMapLookups;

impl ConfigMapLookups {
    const __BY_DATA: ::informer::__private::Definition<ConfigMap, ::std::string::String> =
        ::informer::__private::Definition::json("data", ::informer::__private::path!(.data[]));
    const __BY_IMMUTABLE: ::informer::__private::Definition<ConfigMap, ::std::string::String> =
        ::informer::__private::Definition::json(
            "immutable",
            ::informer::__private::path!(.immutable[]),
        );
}

fn main() {}
