//! The accepted differences. `docs/apiserver-reference.md` has the same list, in the same words.

use serde_json::Value;

use crate::compare::Finding;

/// A difference, why it is accepted, and how it shows.
pub(crate) struct Difference {
    pub(crate) what: &'static str,
    pub(crate) why: &'static str,
    /// Whether `finding` is this difference; the first of the list that says so has it.
    pub(crate) explains: fn(&Finding) -> bool,
}

/// All of them. The narrow ones come first.
pub(crate) const DIFFERENCES: &[Difference] = &[
    Difference {
        what: "In YAML, the key `yes` is a text.",
        why: "It is in YAML 1.2; clients send JSON.",
        explains: |f| f.path_has("/configmaps/yaml?") && f.body_has("yes: "),
    },
    Difference {
        what: "Only JSON and protobuf are read and written: no YAML or CBOR, no `v1beta1` of tables and metadata, and the answers to other media types are in other words.",
        why: "Clients speak one of the two.",
        explains: |f| {
            f.accepts("yaml")
                || f.accepts("v=v1beta1")
                || f.type_is("application/yaml")
                || (f.real_has("media types are accepted") || f.real_has("Not Acceptable"))
                || f.real_has("accepted media types include")
                || f.real_has("Unsupported Media Type")
                || (f.at == "/details" && (f.call.accept.is_some() || f.call.method == "PATCH"))
        },
    },
    Difference {
        what: "What says why a document, an option, a patch or a continue token cannot be decoded is not Go's text; a few documents that Go reads as nothing (`null`) are refused.",
        why: "It is the text of Go's decoders, with Go's types in it.",
        explains: |f| {
            let decodes = [
                "cannot be handled as a",
                "cannot unmarshal",
                "unrecognized",
                "invalid character",
                "continue key is not valid",
                "unexpected end of JSON",
                "patch: Invalid value",
                "no kind",
                "error decoding patch",
                "error encoding patch",
                "scheme.go",
                "invalid JSON patch",
                "cannot convert",
                "cannot restore",
                "Only one reference can have",
            ];
            (f.is_text() && decodes.iter().any(|text| f.real_has(text)))
                || f.body_is(&["null"])
                || f.is_patch_of_type()
        },
    },
    Difference {
        what: "A deleted namespace is empty and gone at once; the finalizers of its contents hold it, its own `spec.finalizers` do not.",
        why: "There is no namespace controller to wait for.",
        explains: |f| f.path_has("/namespaces/short") || f.path_has("/api/v1/namespaces?watch"),
    },
    Difference {
        what: "Owner references, orphaning and foreground deletion are followed when the write ends.",
        why: "The real server leaves that to a controller, which is not there; here a test sees the same order in each run.",
        explains: |f| f.is_collected() && !f.path_is_of(&["odd28"]),
    },
    Difference {
        what: "The real server says twice what is wrong with the name of a namespace, and in other words that it has a dot.",
        why: "One cause is enough.",
        explains: |f| f.path_has("/api/v1/namespaces?dryRun") && f.is_cause(),
    },
    Difference {
        what: "Definitions are checked for what their resources need, not for everything; a definition without a schema is accepted; defaults of definitions are not filled in, and the status is there at once.",
        why: "Short tests, and no controller to wait for.",
        explains: |f| f.path_has("/customresourcedefinitions"),
    },
    Difference {
        what: "Rules in CEL and list types of schemas do not count; causes come in the order of names, without those that Go adds to a wrong type, and name a field of the status by its whole path.",
        why: "They need engines of their own; the order is the same in each run.",
        explains: |f| {
            let of_schemas = [
                "Checked value must be of type",
                "accessor error",
                "Unsupported value: 5",
            ];
            let told = f.is_cause() || f.at == "code";
            let of_status = f.path_has("/status") && f.real_has("in body must be of type");
            let is_known = of_status || of_schemas.iter().any(|text| f.real_has(text));
            f.is_custom() && f.writes() && told && is_known
        },
    },
    Difference {
        what: "The real server says twice what is wrong with the metadata in an update of a custom resource.",
        why: "One cause is enough.",
        explains: |f| {
            let twice = (f.at == "/details/causes" && f.double == Value::Array(Vec::new()))
                || (f.at == "/message" && f.real_has(" is invalid: [metadata."));
            f.is_custom() && f.changes() && twice && f.real_has("metadata.")
        },
    },
    Difference {
        what: "A patch that makes a custom resource another kind is refused as an invalid patch, not as an invalid object.",
        why: "It is found where the patch is applied.",
        explains: |f| {
            let makes = [r#"{"kind":"Bogus"}"#, r#"{"apiVersion":"bogus/v1"}"#];
            f.is_custom() && f.call.method == "PATCH" && f.body_is(&makes) && f.is_cause()
        },
    },
    Difference {
        what: "Pods are deleted at once, without `gracePeriodSeconds` and without a change before, and a DELETE answers with a status.",
        why: "There is no kubelet that would confirm.",
        explains: |f| {
            let is_deleted = f.call.method == "DELETE" && f.path_is_of(&["p"]);
            let is_watched = f.at.is_empty() && f.path_has("/pods?watch=true");
            (is_deleted && f.path_has("/pods/")) || is_watched
        },
    },
    Difference {
        what: "Of subresources there are `status`, `scale`, the `eviction` and `binding` of Pods, the `approval` of signing requests and the `token` of service accounts; the others of Pods are no resources.",
        why: "Nobody runs Pods here.",
        explains: |f| f.path_is_of(&["log"]) && f.path_has("/pods/") && f.is_cause(),
    },
    Difference {
        what: "A whole number with a fraction of zero stays as it was written.",
        why: "JSON has one kind of numbers; Go has two.",
        explains: |f| f.real == 1 && f.double.as_f64() == Some(1.0),
    },
    Difference {
        what: "What is empty or zero in Go's types (`status: {}`, `resources: {}`) is not there unless somebody has written it.",
        why: "It says nothing.",
        explains: |f| f.is_filled() && f.double.is_null() && is_zero(&f.real),
    },
    Difference {
        what: "What strategies and admission plugins add to new objects beyond defaults is not there: the priority, tolerations and QoS class of Pods, the annotation of a DaemonSet's generation, the kind of claim templates, the finalizer of claims, addresses of Services.",
        why: "Nobody schedules Pods or routes to Services here.",
        explains: |f| {
            let added = [
                "/metadata/annotations",
                "/metadata/finalizers",
                "/spec/preemptionPolicy",
                "/spec/priority",
                "/spec/tolerations",
                "/spec/volumeClaimTemplates/0/apiVersion",
                "/spec/volumeClaimTemplates/0/kind",
                "/status/qosClass",
            ];
            f.is_filled() && f.double.is_null() && added.contains(&f.at.as_str())
        },
    },
    Difference {
        what: "Built-in types are not validated, unknown fields stay unless they are to be refused (`fieldValidation=Strict`, feature `openapi`), and no admission plugin is there.",
        why: "It would take their Go sources.",
        explains: |f| !f.is_custom() && f.is_content(),
    },
    Difference {
        what: "Discovery lists the union of what Kubernetes 1.33 to 1.37 serve for listing, and reviews, without storage hashes and without what else can only be created.",
        why: "The table is of what informers look at.",
        explains: |f| f.is_discovery(),
    },
    Difference {
        what: "Paths and methods that lead nowhere (`/`, `//`, `/watch/`, HEAD, a POST to all namespaces) may get another refusal.",
        why: "No client library sends them.",
        explains: |f| f.leads_nowhere(),
    },
    Difference {
        what: "DELETE of a collection knows neither `limit` nor `resourceVersion`.",
        why: "No client library sends them.",
        explains: |f| f.call.method == "DELETE" && f.path_has("?labelSelector=set%3Dx"),
    },
    Difference {
        what: "A list of all namespaces that selects one by `metadata.namespace` has further pages.",
        why: "The real server's token leads past the namespace's objects: the rest of them is lost.",
        explains: |f| {
            let path = "/api/v1/configmaps?limit=2&fieldSelector=metadata.namespace%3D";
            f.path_has(path) && f.path_has("&continue=")
        },
    },
    Difference {
        what: "A dry run of a create leaves out the resourceVersion that was given.",
        why: "What is not stored has none.",
        explains: |f| {
            let is_version = f.at == "/metadata/resourceVersion" && f.double.is_null();
            is_version && f.path_has("dryRun=All") && f.body_has("\"resourceVersion\"")
        },
    },
    Difference {
        what: "The option to delete what cannot be decoded does nothing.",
        why: "Everything can be decoded.",
        explains: |f| f.body_has("ignoreStoreReadError") || f.path_is_of(&["odd28"]),
    },
];

/// Those of shards, which only a server with the feature has.
pub(crate) const SHARDING: &[Difference] = &[Difference {
    what: "What is no call of `shardRange` in a `shardSelector`, and no syntax of CEL, is refused in other words.",
    why: "It is the text of the parser of CEL, and the names that it gives to operators.",
    explains: |f| {
        let text = |side: &Value| {
            let text = side.as_str().unwrap_or_default();
            text.strip_prefix("invalid shard selector: ")
                .map(str::to_owned)
        };
        let of_real = [
            "CEL parse error: ",
            "unsupported function \"_&&_\"; only shardRange() and || are allowed",
            "unsupported function \"!_\"; only shardRange() and || are allowed",
            "unexpected expression kind 4; expected shardRange() call or || operator",
        ];
        f.path_has("shardSelector=")
            && f.at == "/message"
            && text(&f.real).is_some_and(|text| of_real.iter().any(|of| text.starts_with(of)))
            && text(&f.double).is_some_and(|text| text.starts_with("CEL parse error: "))
    },
}];

// === impl Finding ===

impl Finding {
    fn real_has(&self, text: &str) -> bool {
        self.real.to_string().contains(text)
            || self.real.as_str().is_some_and(|real| real.contains(text))
    }

    fn path_has(&self, text: &str) -> bool {
        self.call.path.contains(text)
    }

    fn body_has(&self, text: &str) -> bool {
        self.call
            .body
            .as_deref()
            .is_some_and(|body| body.contains(text))
    }

    fn body_is(&self, texts: &[&str]) -> bool {
        self.call
            .body
            .as_deref()
            .is_some_and(|body| texts.contains(&body))
    }

    fn type_is(&self, text: &str) -> bool {
        self.call.content_type.as_deref() == Some(text)
    }

    fn accepts(&self, text: &str) -> bool {
        self.call
            .accept
            .as_deref()
            .is_some_and(|accept| accept.contains(text))
    }

    fn path_is_of(&self, names: &[&str]) -> bool {
        let path = self.call.path.split('?').next().unwrap_or_default();
        names.iter().any(|name| path.ends_with(&format!("/{name}")))
    }

    /// About an object that a controller would have to go on with.
    fn is_collected(&self) -> bool {
        let name = self.call.path.split("/odd").nth(1).unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_digit())
    }

    fn is_custom(&self) -> bool {
        self.path_has("/apis/example.com/")
    }

    fn changes(&self) -> bool {
        matches!(self.call.method.as_str(), "PUT" | "PATCH")
    }

    fn writes(&self) -> bool {
        self.call.method != "GET"
    }

    /// In a message, or in another code with another message.
    fn is_text(&self) -> bool {
        self.is_cause() || self.at == "code" || self.at == "/reason" || self.at.is_empty()
    }

    fn is_cause(&self) -> bool {
        self.at == "/message" || self.at.starts_with("/details")
    }

    /// A patch that gives a document of wrong types is refused in Go's words.
    fn is_patch_of_type(&self) -> bool {
        self.call.method == "PATCH" && self.is_cause() && self.has_document()
    }

    /// Quotes the whole document.
    fn has_document(&self) -> bool {
        let text = self.double.as_str().unwrap_or_default();
        text.contains("Invalid value: \"{")
    }

    /// In what an object is about, not in its metadata or in the answer as such.
    fn is_content(&self) -> bool {
        let parts = [
            "/spec", "/status", "/data", "/type", "/rules", "/bogus", "/other",
        ];
        let of_object = self.at.split("/object").last().unwrap_or_default();
        // What is written as `stringData` counts.
        if self.path_has("/diff/secrets") && of_object.starts_with("/data") {
            return false;
        }
        if self.is_filled() {
            return false;
        }
        let refused = |from: &str| {
            self.real
                .as_str()
                .is_some_and(|text| text.starts_with(from))
        };
        let done =
            |text: &serde_json::Value| text.as_str().is_some_and(|text| text.starts_with('2'));
        parts.iter().any(|part| of_object.starts_with(part))
            || (self.at == "code" && refused("4") && done(&self.double) && self.writes())
            || (self.at == "code" && refused("422") && self.body_has("\"containers\":[]"))
            || (self.at == "/metadata/resourceVersion" && self.changes_nothing_known())
            // Zeros of Go, which prints some and leaves out others.
            || (self.path_has("/diff/events") && self.real.is_null())
            // One that was not created there.
            || (self.path_has("/secrets") && matches!(self.at.as_str(), "" | "/items" | "/rows"))
    }

    /// Of an object whose defaults are compared.
    fn is_filled(&self) -> bool {
        self.path_has("/filled") || self.body_has("\"filled")
    }

    /// What the real server drops makes another version here.
    fn changes_nothing_known(&self) -> bool {
        ["\"bogus\"", "\"status\"", "\"new\"", "\"spec\""]
            .iter()
            .any(|part| self.body_has(part))
    }

    fn is_discovery(&self) -> bool {
        let path = self.call.path.split('?').next().unwrap_or_default();
        let parts = path.split('/').filter(|part| !part.is_empty()).count();
        matches!(path, "/version" | "/openapi/v3")
            || (path.starts_with("/api/") && parts == 2)
            || path == "/api"
            || (path.starts_with("/apis") && parts <= 3)
    }

    /// A page of text here, a status there.
    fn is_page(&self) -> bool {
        let sides = self.real.to_string() + &self.double.to_string();
        let page = |text: &str| sides.contains(text);
        match self.at.as_str() {
            "content-type" => page("text/plain"),
            "" => page("page not found"),
            _ => false,
        }
    }

    fn both_refuse(&self) -> bool {
        let refuses = |side: &serde_json::Value| {
            let text = side.as_str().unwrap_or_default();
            text.starts_with("40") || text.starts_with("415")
        };
        refuses(&self.real) && refuses(&self.double)
    }

    fn leads_nowhere(&self) -> bool {
        let method = self.call.method.as_str();
        matches!(method, "HEAD" | "OPTIONS" | "BOGUS")
            || matches!(self.call.path.as_str(), "/")
            || [
                "//",
                "%2F",
                "?verbose",
                "/watch/",
                "/bindings",
                "/componentstatuses",
                "/bogus",
                "/a/b",
            ]
            .iter()
            .any(|part| self.path_has(part))
            || (self.at == "code" && self.writes() && self.both_refuse())
            || self.is_page()
    }
}

/// Whether a value is what Go has where nothing was written.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(is_zero),
    }
}
