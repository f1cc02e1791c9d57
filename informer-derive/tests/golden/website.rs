::informer::__private::wrappers! {
    /// Shared informer of `example.com/v1` `Website`.
    pub WebsiteWrapper, WebsiteInformer, WebsiteLister: Website where [for<'__a> Website: ::informer::__private::TypedObject][, for<'__a> Deployment: ::informer::__private::TypedObject, for<'__a> core::v1::Service: ::informer::__private::TypedObject, for<'__a> Secret: ::informer::__private::TypedObject, for<'__a> ConfigMap: ::informer::__private::TypedObject, for<'__a> Pod: ::informer::__private::TypedObject];
    lookups {
        /// Returns the objects that refer to the `Secret` with this key.
        Reference by_secret(&::informer::ObjectKey): Secret =
            ::informer::__private::reference!(Secret, fields[.spec.tls*], name[.secret_name*]),
            ::informer::__private::reference!(Secret, fields[.spec], name[.token_secrets*]);
        /// Returns the objects that refer to the `Secret` with this key.
        Reference by_pull_secrets(&::informer::ObjectKey): Secret =
            ::informer::__private::reference!(Secret, fields[.spec.pull*], name[/name*]);
        /// Returns the objects that refer to the `ConfigMap` with this key.
        Reference by_config_map(&::informer::ObjectKey): ConfigMap =
            ::informer::__private::reference!(ConfigMap, fields[.spec.configs*], name[.name*] namespace[.namespace*]);
        /// Returns the objects that refer to the `Deployment` with this key.
        Reference by_scaled(&::informer::ObjectKey): Deployment =
            ::informer::__private::reference!(Deployment, fields[.spec.scale*.target*], name[.name*] namespace object[metadata.labels*["target-namespace"]] kind[.kind*]);
        /// Returns the objects whose selector matches the labels of a `Pod`.
        LabelSelection selecting(&Pod): Pod = ::informer::__private::path!(.spec.selector);
        /// Returns the objects whose selector matches the labels of a `Pod`.
        LabelSelection selecting_excluded(&Pod): Pod = ::informer::__private::path!(.spec.exclude*);
    }
    owns {
        Deployment;
        core ::v1::Service;
    }
    references {
        Secret = by_secret, by_pull_secrets;
        ConfigMap = by_config_map;
        Deployment = by_scaled;
    }
    selects {
        Pod = selecting, selecting_excluded;
    }
    struct WebsiteRelated {
        /// Returns the relation to the owned [`Deployment`]s.
        deployments: OwnedObjects[Website, Deployment, R];
        /// Returns the cached [`Deployment`]s that `owner` controls, ordered by key.
        deployments_of(owner): Arc of Deployment;
        /// Returns the relation to the owned [`core::v1::Service`]s.
        fronts: OwnedObjects[Website, core::v1::Service, R];
        /// Returns the cached [`core::v1::Service`]s that `owner` controls, ordered by key.
        fronts_of(owner): Arc of core::v1::Service;
        /// Returns the relation to the referenced [`Secret`]s.
        secrets: ReferencedObjects[Website, Secret, S, R] = <WebsiteInformer>::by_secret();
        /// Returns the [`Secret`]s to which `referrer` refers, ordered by key: for each key the object, or the reason for which it is not available.
        secrets_of(referrer): RelatedObject of Secret;
        /// Returns the relation to the referenced [`Secret`]s.
        pull_secrets: ReferencedObjects[Website, Secret, S, R] =
            <WebsiteInformer>::by_pull_secrets();
        /// Returns the [`Secret`]s to which `referrer` refers, ordered by key: for each key the object, or the reason for which it is not available.
        pull_secrets_of(referrer): RelatedObject of Secret;
        /// Returns the relation to the referenced [`ConfigMap`]s.
        config_maps: ReferencedObjects[Website, ConfigMap, S, R] =
            <WebsiteInformer>::by_config_map();
        /// Returns the [`ConfigMap`]s to which `referrer` refers, ordered by key: for each key the object, or the reason for which it is not available.
        config_maps_of(referrer): RelatedObject of ConfigMap;
        /// Returns the relation to the referenced [`Deployment`]s.
        scaled: ReferencedObjects[Website, Deployment, S, R] = <WebsiteInformer>::by_scaled();
        /// Returns the [`Deployment`]s to which `referrer` refers, ordered by key: for each key the object, or the reason for which it is not available.
        scaled_of(referrer): RelatedObject of Deployment;
        /// Returns the relation to the selected [`Pod`]s.
        pods: SelectedObjects[Website, Pod, S, R] = <WebsiteInformer>::selecting();
        /// Returns the cached [`Pod`]s that `object` selects, ordered by key.
        pods_of(object): Arc of Pod;
        /// Returns the relation to the selected [`Pod`]s.
        excluded: SelectedObjects[Website, Pod, S, R] = <WebsiteInformer>::selecting_excluded();
        /// Returns the cached [`Pod`]s that `object` selects, ordered by key.
        excluded_of(object): Arc of Pod;
    }
    accessor {
        /// Accessor of the [`WebsiteInformer`] on types that create informers, such as a factory.
        [allow(dead_code)] pub trait WebsiteInformerFactory: ::informer::MakeInformers<Storage: ::informer::Storage<Website>>+::core::marker::Sized where for<'__a> Website: ::informer::__private::TypedObject {
            /// Returns the shared [`WebsiteInformer`].
            [must_use][inline] fn websites(&self)-> WebsiteInformer<Self::Storage> {
                WebsiteInformer ::new(self)
            }
        }
        impl<M: ::informer::MakeInformers<Storage: ::informer::Storage<Website>>> WebsiteInformerFactory for M where for<'__a> Website: ::informer::__private::TypedObject {
        }
    }
}
const _: () = ::informer::__private::assert_object::<Website>();
const _: () = ::informer::__private::assert_object::<Deployment>();
const _: () = ::informer::__private::assert_object::<core::v1::Service>();
const _: () = ::informer::__private::assert_object::<Secret>();
const _: () = ::informer::__private::assert_object::<ConfigMap>();
const _: () = ::informer::__private::assert_object::<Pod>();
const __INFORMER_ACCESSOR_WEBSITES_IS_TAKEN__WRITE_INFORMER_ACCESSOR_WITH_ANOTHER_NAME: () = ();
const _: () = ::informer::__private::assert_codegen_abi(4u32);
