//! The paths of a resource, with the operations at each path.
//!
//! Clients look up the kind of a resource by its paths (`x-kubernetes-group-version-kind`), and the
//! features of the server by parameters (`fieldValidation`) and media types (strategic merge).

mod parameters;
mod words;

use serde_json::{Map, Value, json};

use self::parameters::{OF_DELETES, OF_LISTS, OF_WRITES, query};
use self::words::{a, group_word, lower_first, upper_first};
use super::names::reference;
use crate::document::set;
use crate::registry::{Resource, Version};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// Schemas to which the paths refer.
pub(super) const SCHEMAS: [&str; 3] = [
    "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Patch",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Status",
];

/// A resource in one version.
struct Paths<'a> {
    resource: &'a Resource,
    version: &'a Version,
    /// Name of its schema.
    root: &'a str,
}

/// An action, as `x-kubernetes-action` and as the operation's name have it.
struct Action {
    done: &'static str,
    /// First word of the operation's id.
    word: &'static str,
    description: String,
    parameters: &'static [(&'static str, &'static str)],
}

/// Returns all paths of a resource.
pub(super) fn of(resource: &Resource, version: &Version, root: &str) -> Map<String, Value> {
    let paths = Paths {
        resource,
        version,
        root,
    };
    let base = if resource.group.is_empty() {
        format!("/api/{}", version.name)
    } else {
        format!("/apis/{}/{}", resource.group, version.name)
    };
    let plural = &resource.plural;
    let collection = if resource.namespaced {
        format!("{base}/namespaces/{{namespace}}/{plural}")
    } else {
        format!("{base}/{plural}")
    };
    let mut found = Map::new();
    if resource.namespaced && resource.verbs().contains(&"list") {
        found.insert(format!("{base}/{plural}"), paths.everywhere());
    }
    found.insert(collection.clone(), paths.collection());
    if !resource.verbs().contains(&"get") {
        return found;
    }
    let item = format!("{collection}/{{name}}");
    found.insert(item.clone(), paths.item());
    if version.status {
        found.insert(format!("{item}/status"), paths.part("status"));
    }
    if version.scale.is_some() {
        found.insert(format!("{item}/scale"), paths.part("scale"));
    }
    found
}

// === impl Paths ===

impl Paths<'_> {
    /// Returns the list in all namespaces.
    fn everywhere(&self) -> Value {
        let id = format!("list{}{}ForAllNamespaces", self.prefix(), self.kind());
        let mut list = self.operation(&self.lists(), &id, &self.list_schema());
        set(&mut list, "parameters", json!([]));
        json!({ "get": list, "parameters": query(&OF_LISTS) })
    }

    fn collection(&self) -> Value {
        let verbs = self.resource.verbs();
        let kind = self.kind();
        let mut item = json!({ "parameters": self.place(false) });
        if verbs.contains(&"list") {
            let id = self.id("list", "");
            let list = self.operation(&self.lists(), &id, &self.list_schema());
            set(&mut item, "get", list);
        }
        if verbs.contains(&"create") {
            let create = Action::new("post", "create", format!("create {}", a(kind)), &OF_WRITES);
            let mut create = self.operation(&create, &self.id("create", ""), self.root);
            self.take(&mut create, self.root);
            set(&mut item, "post", create);
        }
        if verbs.contains(&"deletecollection") {
            let (prefix, scope) = (self.prefix(), self.scope());
            let id = format!("delete{prefix}Collection{scope}{kind}");
            let text = format!("delete collection of {kind}");
            let delete = Action::new("deletecollection", "delete", text, &OF_LISTS);
            let delete = self.operation(&delete, &id, &format!("{META}.Status"));
            set(&mut item, "delete", delete);
        }
        item
    }

    fn item(&self) -> Value {
        let mut item = self.reads_and_writes("", self.root);
        if self.resource.verbs().contains(&"delete") {
            let text = format!("delete {}", a(self.kind()));
            let delete = Action::new("delete", "delete", text, &OF_DELETES);
            let id = self.id("delete", "");
            let mut delete = self.operation(&delete, &id, &format!("{META}.Status"));
            self.take(&mut delete, &format!("{META}.DeleteOptions"));
            set(&mut item, "delete", delete);
        }
        item
    }

    fn part(&self, name: &str) -> Value {
        if name == "scale" {
            self.reads_and_writes("scale", "io.k8s.api.autoscaling.v1.Scale")
        } else {
            self.reads_and_writes(name, self.root)
        }
    }

    /// Returns GET, PUT and PATCH of an object, or of a `part` of it.
    fn reads_and_writes(&self, part: &str, schema: &str) -> Value {
        let kind = self.kind();
        let what = if part.is_empty() {
            format!("the specified {kind}")
        } else {
            format!("{part} of the specified {kind}")
        };
        let mut item = json!({ "parameters": self.place(true) });
        let read = Action::new("get", "read", format!("read {what}"), &[]);
        let mut operations = vec![("get", read)];
        if self.resource.verbs().contains(&"update") {
            let text = format!("replace {what}");
            operations.push(("put", Action::new("put", "replace", text, &OF_WRITES)));
            let text = format!("partially update {what}");
            operations.push(("patch", Action::new("patch", "patch", text, &OF_WRITES)));
        }
        for (method, action) in operations {
            let id = self.id(action.word, part);
            let mut operation = self.operation(&action, &id, schema);
            match method {
                "put" => self.take(&mut operation, schema),
                "patch" => self.take_patches(&mut operation),
                _ => {}
            }
            if part == "scale" && !self.resource.custom {
                let scale = json!({ "group": "autoscaling", "version": "v1", "kind": "Scale" });
                set(&mut operation, "x-kubernetes-group-version-kind", scale);
            }
            set(&mut item, method, operation);
        }
        item
    }

    fn operation(&self, action: &Action, id: &str, answer: &str) -> Value {
        let Resource { group, kind, .. } = self.resource;
        let tag = format!("{}_{}", lower_first(&group_word(group)), self.version.name);
        json!({
            "tags": [tag],
            "description": action.description,
            "operationId": id,
            "parameters": query(action.parameters),
            "responses": {
                "200": {
                    "description": "OK",
                    "content": self.content(answer),
                },
                "401": { "description": "Unauthorized" },
            },
            "x-kubernetes-action": action.done,
            "x-kubernetes-group-version-kind": {
                "group": group, "version": self.version.name, "kind": kind,
            },
        })
    }

    /// Adds a body in each encoding that is served.
    fn content(&self, schema: &str) -> Value {
        let schema = json!({ "schema": reference(schema) });
        let mut content = json!({ "application/json": schema });
        if !self.resource.custom {
            set(&mut content, "application/vnd.kubernetes.protobuf", schema);
        }
        content
    }

    fn take(&self, operation: &mut Value, schema: &str) {
        let body = json!({ "content": self.content(schema), "required": true });
        set(operation, "requestBody", body);
    }

    /// Adds the media types of patches. Custom resources have no strategic merge.
    fn take_patches(&self, operation: &mut Value) {
        let schema = json!({ "schema": reference(&format!("{META}.Patch")) });
        let mut content = json!({
            "application/json-patch+json": schema,
            "application/merge-patch+json": schema,
        });
        if !self.resource.custom {
            set(
                &mut content,
                "application/strategic-merge-patch+json",
                schema,
            );
        }
        let body = json!({ "content": content, "required": true });
        set(operation, "requestBody", body);
    }

    fn lists(&self) -> Action {
        let verb = if self.resource.custom {
            "list"
        } else {
            "list or watch"
        };
        let text = format!("{verb} objects of kind {}", self.kind());
        Action::new("list", "list", text, &OF_LISTS)
    }

    fn list_schema(&self) -> String {
        let list_kind = &self.resource.list_kind;
        match self.root.rsplit_once('.') {
            Some((package, _)) => format!("{package}.{list_kind}"),
            None => list_kind.clone(),
        }
    }

    /// Returns the id of an operation: `patchAppsV1NamespacedDeploymentStatus`.
    fn id(&self, word: &str, part: &str) -> String {
        let (prefix, scope, kind) = (self.prefix(), self.scope(), self.kind());
        format!("{word}{prefix}{scope}{kind}{}", upper_first(part))
    }

    fn prefix(&self) -> String {
        let version = upper_first(&self.version.name);
        format!("{}{version}", group_word(&self.resource.group))
    }

    fn scope(&self) -> &'static str {
        if self.resource.namespaced {
            "Namespaced"
        } else {
            ""
        }
    }

    fn kind(&self) -> &str {
        &self.resource.kind
    }

    /// Returns the parameters in the path.
    fn place(&self, of_object: bool) -> Value {
        let parameter = |name: &str, description: String| {
            json!({
                "name": name, "in": "path", "required": true, "description": description,
                "schema": { "type": "string", "uniqueItems": true },
            })
        };
        let mut place = Vec::new();
        if of_object {
            place.push(parameter("name", format!("name of the {}", self.kind())));
        }
        if self.resource.namespaced {
            let description = "object name and auth scope, such as for teams and projects";
            place.push(parameter("namespace", description.to_owned()));
        }
        place.into()
    }
}

// === impl Action ===

impl Action {
    fn new(
        done: &'static str,
        word: &'static str,
        description: String,
        parameters: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self {
            done,
            word,
            description,
            parameters,
        }
    }
}
