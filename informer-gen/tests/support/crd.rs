//! Manifests of custom resource definitions.

/// Returns a definition of a namespaced kind with one version, `v1`.
pub(crate) fn definition(group: &str, kind: &str, plural: &str) -> String {
    served(group, kind, plural, &["v1"])
}

/// Returns a definition of a namespaced kind with these served versions.
pub(crate) fn served(group: &str, kind: &str, plural: &str, versions: &[&str]) -> String {
    let versions: Vec<String> = versions
        .iter()
        .map(|version| format!("  - {{name: {version}, served: true}}\n"))
        .collect();
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
         metadata: {{name: {plural}.{group}}}\nspec:\n  group: {group}\n  scope: Namespaced\n  \
         names: {{kind: {kind}, plural: {plural}}}\n  versions:\n{}",
        versions.concat()
    )
}
