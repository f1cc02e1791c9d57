//! `kube::Resource` for newtypes of tests, such as a type that counts its decodes.

/// Implements `kube::Resource` for a newtype in tests, such as a type that counts its decodes, by
/// delegating to the inner type. `$read` is evaluated for each read of the metadata.
macro_rules! resource_of_newtype {
    ($newtype:ident($inner:ty) $(, $read:expr)?) => {
        impl kube::Resource for $newtype {
            type DynamicType = ();
            type Scope = <$inner as kube::Resource>::Scope;

            fn kind((): &()) -> std::borrow::Cow<'_, str> {
                <$inner as kube::Resource>::kind(&())
            }

            fn group((): &()) -> std::borrow::Cow<'_, str> {
                <$inner as kube::Resource>::group(&())
            }

            fn version((): &()) -> std::borrow::Cow<'_, str> {
                <$inner as kube::Resource>::version(&())
            }

            fn plural((): &()) -> std::borrow::Cow<'_, str> {
                <$inner as kube::Resource>::plural(&())
            }

            fn meta(&self) -> &kube::core::ObjectMeta {
                $($read;)?
                &self.0.metadata
            }

            fn meta_mut(&mut self) -> &mut kube::core::ObjectMeta {
                &mut self.0.metadata
            }
        }
    };
}
pub(crate) use resource_of_newtype;
