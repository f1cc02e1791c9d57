//! Every built-in kind that supports list and watch, with operations on its Rust type.

use std::fmt::Debug;
use std::sync::Arc;

use informer::source::RawObject;
use informer::{GenericInformer, Object, ObjectKey, ResourceInfo, SharedInformer};

/// Kind without its type parameter.
pub(crate) struct Kind {
    pub(crate) resource: ResourceInfo,
    pub(crate) compare: Compare,
}

/// Compares the objects under a key in the informers of the type with the objects that the bytes
/// decode to. Returns the first difference. Only the bytes are decoded here.
pub(crate) type Compare = fn(&ObjectKey, &[GenericInformer], &[RawObject]) -> Result<(), String>;

fn kind<K: Object<DynamicType = ()> + PartialEq + Debug>() -> Kind {
    Kind {
        resource: ResourceInfo::of::<K>(&()).expect("kinds have a scope"),
        compare: compare::<K>,
    }
}

fn compare<K: Object + PartialEq + Debug>(
    key: &ObjectKey,
    informers: &[GenericInformer],
    raw: &[RawObject],
) -> Result<(), String> {
    let mut objects = Vec::new();
    for informer in informers {
        let informer: SharedInformer<K> = informer.typed().expect("an informer of the type");
        let object = informer.lister().get_by_key(key);
        objects.push(object.ok_or_else(|| format!("not in the cache of {}", informer.name()))?);
    }
    for raw in raw {
        let object = raw.decode::<K>();
        objects.push(Arc::new(
            object.map_err(|error| format!("{}: {error}", raw.encoding()))?,
        ));
    }
    match objects.windows(2).find(|two| two[0] != two[1]) {
        None => Ok(()),
        Some(two) => Err(format!("{:?}\nis not\n{:?}", two[0], two[1])),
    }
}

pub(crate) fn all() -> Vec<Kind> {
    of_each_kind!(kind)
}
