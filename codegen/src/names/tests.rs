use super::*;

/// `accessors.txt` has a kind, its plural and the accessor on each line.
#[test]
fn an_accessor_is_the_plural_with_the_breaks_of_the_kind() {
    for line in include_str!("accessors.txt").lines() {
        let [kind, plural, expected] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let found = accessor(kind, plural, Span::call_site());
        assert_eq!(found.to_string(), expected, "{kind} {plural}");
    }
}

#[test]
fn a_group_is_named_by_its_first_label() {
    for (name, expected) in [
        ("", "core"),
        ("apps", "apps"),
        ("networking.k8s.io", "networking"),
        ("internal.apiserver.k8s.io", "internal"),
        ("cert-manager.io", "cert_manager"),
        ("3scale.net", "_3scale"),
        ("k8s.cni.cncf.io", "k8s"),
        ("type.example.com", "r#type"),
        ("async.dev", "r#async"),
        ("self.dev", "self_"),
    ] {
        assert_eq!(group(name).to_string(), expected, "{name}");
    }
}

#[test]
fn wrappers_are_named_after_the_type_in_camel_case() {
    for (name, expected) in [
        ("Pod", "Pod"),
        ("pod", "Pod"),
        ("r#type", "Type"),
        ("iSCSITarget", "ISCSITarget"),
        ("Foo_2", "Foo2"),
        ("foo_bar", "FooBar"),
    ] {
        assert_eq!(stem(name), expected);
    }
}

#[test]
fn index_accessors_are_in_snake_case() {
    assert_eq!(
        index_accessor("app", Span::call_site())
            .unwrap()
            .to_string(),
        "by_app"
    );
    assert_eq!(
        index_accessor("nodeName", Span::call_site())
            .unwrap()
            .to_string(),
        "by_node_name"
    );
    let label = index_accessor("app.kubernetes.io/name", Span::call_site()).unwrap();
    assert_eq!(label.to_string(), "by_app_kubernetes_io_name");
    assert_eq!(
        index_accessor("hostIPs", Span::call_site())
            .unwrap()
            .to_string(),
        "by_host_ips"
    );
    for nothing in ["", "--", "\u{1f4a5}", "a\u{b2}"] {
        assert_eq!(
            index_accessor(nothing, Span::call_site()),
            None,
            "{nothing}"
        );
    }
}

/// Checks fields of k8s-openapi 0.29.
#[test]
fn fields_of_the_api_are_called_as_k8s_openapi_calls_them() {
    for (json, rust) in [
        ("nodeName", "node_name"),
        ("podIP", "pod_ip"),
        ("hostIPs", "host_ips"),
        ("podCIDRs", "pod_cidrs"),
        ("nonResourceURLs", "non_resource_urls"),
        (
            "serverAddressByClientCIDRs",
            "server_address_by_client_cidrs",
        ),
        ("targetWWNs", "target_wwns"),
        ("JSONSchemas", "json_schemas"),
        ("seLinuxOptions", "se_linux_options"),
        ("type", "type_"),
        ("continue", "continue_"),
    ] {
        assert_eq!(api_field(json), rust);
    }
}

#[test]
fn reserved_words_are_escaped_whatever_the_edition() {
    for (word, expected) in [
        ("type", "r#type"),
        ("async", "r#async"),
        ("gen", "r#gen"),
        ("try", "r#try"),
        ("self", "self_"),
        ("super", "super_"),
        ("Self", "Self_"),
        ("crate", "crate_"),
        ("extern", "extern_"),
        ("3scale", "_3scale"),
        ("union", "union"),
        ("foo", "foo"),
    ] {
        assert_eq!(
            identifier(word, Span::call_site()).to_string(),
            expected,
            "{word}"
        );
    }
}

/// Returns the text of a file, given from the root of the workspace.
fn source(file: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::fs::read_to_string(root.join(file)).unwrap()
}

/// Returns the names of the public inherent methods of `ty` in a file of the runtime.
fn methods(file: &str, ty: &str) -> Vec<String> {
    let text = source(&format!("runtime/src/{file}"));
    let mut all = Vec::new();
    for item in syn::parse_file(&text).unwrap().items {
        let syn::Item::Impl(item) = item else {
            continue;
        };
        let syn::Type::Path(of) = &*item.self_ty else {
            continue;
        };
        if item.trait_.is_some() || of.path.segments.last().unwrap().ident != ty {
            continue;
        }
        all.extend(item.items.iter().filter_map(|member| {
            let syn::ImplItem::Fn(method) = member else {
                return None;
            };
            let is_public = matches!(method.vis, syn::Visibility::Public(_));
            is_public.then(|| method.sig.ident.to_string())
        }));
    }
    assert!(!all.is_empty(), "`{ty}` is not in {file}");
    all
}

/// An inherent method wins over a trait method, so the accessor of `metrics.k8s.io` could not be
/// called.
#[test]
fn method_names_of_the_runtime_are_reserved() {
    let mut of_makers = methods(
        "factory/shared_informer_factory.rs",
        "SharedInformerFactory",
    );
    of_makers.extend(methods("factory/stored_as.rs", "StoredAs"));
    for method in of_makers {
        assert!(
            is_maker_method(&method),
            "{method}, a method of the factory"
        );
    }
    let mut of_listers = methods("lister/lister.rs", "Lister");
    of_listers.extend(methods("indexer/snapshot.rs", "Snapshot"));
    for method in of_listers {
        assert!(is_lister_method(&method), "{method}, of listers");
    }
    let relations = source("controller/src/private/relations.rs");
    let (_, of_related) = relations.split_once("> $Related<S, R>").unwrap();
    let functions = of_related.split("fn ").skip(1);
    let names = functions.map(|text| text.split('(').next().unwrap());
    let names: Vec<&str> = names.filter(|name| !name.starts_with('$')).collect();
    assert!(names.contains(&"enqueue_into"), "{names:?}");
    for name in names {
        assert!(is_related_method(name), "{name}, of relations");
    }
}

/// Covers kube-derive's rule, including words for which the rule differs from English.
#[test]
fn plurals_are_kube_derives() {
    for (singular, plural) in [
        ("foo", "foos"),
        ("gateway", "gateways"),
        ("networkpolicy", "networkpolicies"),
        ("ingress", "ingresses"),
        ("box", "boxes"),
        ("quiz", "quizes"),
        ("batch", "batches"),
        ("mesh", "meshes"),
        ("endpoints", "endpointses"),
        ("knife", "knifes"),
        ("wkc", "wkcs"),
        // kube-derive itself overflows on this word in a debug build.
        ("y", "ys"),
        ("ox", "oxes"),
        ("", "s"),
    ] {
        assert_eq!(kube_plural(singular), plural, "{singular}");
    }
}

#[test]
fn accessors_of_related_objects_follow_from_their_kind() {
    let names = |kind| {
        let span = Span::call_site();
        (
            related(kind, span).to_string(),
            referrers(kind, span).unwrap().to_string(),
        )
    };
    let of = |related: &str, by: &str| (related.to_owned(), by.to_owned());
    assert_eq!(names("Secret"), of("secrets", "by_secret"));
    assert_eq!(names("ConfigMap"), of("config_maps", "by_config_map"));
    assert_eq!(
        names("NetworkPolicy"),
        of("network_policies", "by_network_policy")
    );
    assert_eq!(
        names("StorageClass"),
        of("storage_classes", "by_storage_class")
    );
}
