::informer::__private::wrappers! {
    /// Shared informer of `example.com/v1` `Website`.
    pub WebsiteInformer, WebsiteLister: Website where [for<'__a> Website: ::informer::__private::TypedObject];
    fn WebsiteInformerFactory::websites();
}
::informer::__private::relations! {
    pub WebsiteInformer, WebsiteLister: Website where [for<'__a> Website: ::informer::__private::TypedObject, for<'__a> Deployment: ::informer::__private::TypedObject, for<'__a> core::v1::Service: ::informer::__private::TypedObject, for<'__a> Secret: ::informer::__private::TypedObject, for<'__a> ConfigMap: ::informer::__private::TypedObject, for<'__a> Pod: ::informer::__private::TypedObject];
    struct WebsiteRelated;
    owns {
        deployments, deployments_of: Deployment;
        fronts, fronts_of: core::v1::Service;
    }
    references {
        /// Returns the objects that refer to the `Secret` with this key.
        secrets, secrets_of, by_secret: Secret =
            ::informer::__private::reference!(Secret, fields[.spec.tls*], name[.secret_name*]),
            ::informer::__private::reference!(Secret, fields[.spec], name[.token_secrets*]);
        /// Returns the objects that refer to the `Secret` with this key.
        pull_secrets, pull_secrets_of, by_pull_secrets: Secret =
            ::informer::__private::reference!(Secret, fields[.spec.pull*], name[/name*]);
        /// Returns the objects that refer to the `ConfigMap` with this key.
        config_maps, config_maps_of, by_config_map: ConfigMap =
            ::informer::__private::reference!(ConfigMap, fields[.spec.configs*], name[.name*] namespace[.namespace*]);
        /// Returns the objects that refer to the `Deployment` with this key.
        scaled, scaled_of, by_scaled: Deployment =
            ::informer::__private::reference!(Deployment, fields[.spec.scale*.target*], name[.name*] namespace object[metadata.labels*["target-namespace"]] kind[.kind*]);
    }
    selects {
        /// Returns the objects whose selector matches the labels of a `Pod`.
        pods, pods_of, selecting: Pod = ::informer::__private::path!(.spec.selector);
        /// Returns the objects whose selector matches the labels of a `Pod`.
        excluded, excluded_of, selecting_excluded: Pod =
            ::informer::__private::path!(.spec.exclude*);
    }
    targets {
        owns Deployment = deployments;
        owns core::v1::Service = fronts;
        references Secret = by_secret, by_pull_secrets;
        references ConfigMap = by_config_map;
        references Deployment = by_scaled;
        selects Pod = selecting, selecting_excluded;
    }
}
const _: () = ::informer::__private::assert_object::<Website>();
const _: () = ::informer::__private::assert_object::<Deployment>();
const _: () = ::informer::__private::assert_object::<core::v1::Service>();
const _: () = ::informer::__private::assert_object::<Secret>();
const _: () = ::informer::__private::assert_object::<ConfigMap>();
const _: () = ::informer::__private::assert_object::<Pod>();
const __INFORMER_ACCESSOR_WEBSITES_IS_TAKEN__WRITE_INFORMER_ACCESSOR_WITH_ANOTHER_NAME: () = ();
const _: () = ::informer::__private::assert_codegen_abi(2u32);
