//! The accepted differences, which `docs/apiserver-reference.md` lists with the reasons.

use serde_json::Value;

use crate::compare::Finding;

/// A difference and its detection.
pub(crate) struct Difference {
    /// Text of the page.
    pub(crate) what: String,
    /// Reports whether the finding is this difference; the first matching difference of the list
    /// explains it.
    pub(crate) explains: fn(&Finding) -> bool,
}

/// Returns the rows of the page with their detections: those of every server, and those of servers
/// that shard.
pub(crate) fn documented() -> (Vec<Difference>, Vec<Difference>) {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/apiserver-reference.md"
    );
    let page = std::fs::read_to_string(path).unwrap();
    let (_, list) = page.split_once("### Found by comparison").unwrap();
    let list = list.split("\n#").next().unwrap_or_default();
    let rows = list
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows: Vec<_> = rows.skip(1).map(|row| row.split_once(" | ")).collect();
    assert_eq!(rows.len(), DETECTIONS.len() + 1, "{rows:#?}");
    let detections = DETECTIONS.iter().chain([&SHARDING]);
    let mut all = rows.into_iter().zip(detections).map(|(row, explains)| {
        let (what, why) = row.unwrap();
        assert!(!why.is_empty(), "no reason: {what}");
        Difference {
            what: what.to_owned(),
            explains: *explains,
        }
    });
    let of_every_server = all.by_ref().take(DETECTIONS.len()).collect();
    (of_every_server, all.collect())
}

/// The detections, in the order of the page. Narrow ones come first.
const DETECTIONS: &[fn(&Finding) -> bool] = &[
    // Media types.
    |f| {
        f.accepts("yaml")
            || f.accepts("v=v1beta1")
            || f.type_is("application/yaml")
            || (f.real_has("media types are accepted") || f.real_has("Not Acceptable"))
            || f.real_has("accepted media types include")
            || f.real_has("Unsupported Media Type")
            || f.real_has("you requested PartialObjectMetadata")
            || f.real_has("content is not a list")
            || (f.at == "/details" && (f.call.accept.is_some() || f.call.method == "PATCH"))
    },
    // Texts of decoders.
    |f| {
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
            "not supported for",
            "unable to parse requirement",
            "expected: ",
            "failed to create typed",
        ];
        (f.is_text() && decodes.iter().any(|text| f.real_has(text)))
            || f.body_is(&["null"])
            || f.is_patch_of_type()
    },
    // Deleted namespaces.
    |f| {
        let is_deleted = f.path_has("/namespaces/short") || f.path_is_of(&["namespaces/st"]);
        is_deleted || f.path_has("/api/v1/namespaces?watch")
    },
    // Garbage collection.
    |f| f.is_collected() && !f.path_is_of(&["odd28"]),
    // Invalid names, reported twice.
    |f| {
        let twice = f.path_has("/api/v1/namespaces?dryRun") || f.body_has("\"generateName\"");
        twice && f.is_cause()
    },
    // Definitions.
    |f| f.path_has("/customresourcedefinitions"),
    // Causes of schemas.
    |f| {
        let of_schemas = ["accessor error", "Unsupported value: 5"];
        let is_message = f.is_cause() || f.at == "code";
        let of_status = f.path_has("/status") && f.real_has("in body must be of type");
        let is_known = of_status || of_schemas.iter().any(|text| f.real_has(text));
        f.real.to_string().contains("(allOf)")
            || (f.is_custom() && f.writes() && is_message && is_known)
    },
    // Invalid metadata, reported twice.
    |f| {
        let twice = (f.at == "/details/causes" && f.embedded == Value::Array(Vec::new()))
            || (f.at == "/message" && f.real_has(" is invalid: [metadata."));
        f.is_custom() && f.changes() && twice && f.real_has("metadata.")
    },
    // Patches of the kind.
    |f| {
        let makes = [r#"{"kind":"Bogus"}"#, r#"{"apiVersion":"bogus/v1"}"#];
        f.is_custom() && f.call.method == "PATCH" && f.body_is(&makes) && f.is_cause()
    },
    // Deleted Pods.
    |f| {
        let is_deleted = f.call.method == "DELETE" && f.path_is_of(&["p"]);
        let is_watched = f.at.is_empty() && f.path_has("/pods?watch=true");
        (is_deleted && f.path_has("/pods/")) || is_watched
    },
    // Subresources.
    |f| {
        let is_log = f.path_is_of(&["log"]) && f.path_has("/pods/") && f.is_cause();
        let applies = f.call.method == "PATCH" && f.path_is_of(&["scale"]);
        let is_refused = applies && f.is_custom() && f.embedded_has("405");
        let is_named = applies && f.real_has("using autoscaling/v1");
        is_log || is_refused || is_named || f.real_has("spec replicas field")
    },
    // Zero values of Go.
    |f| f.is_filled() && f.embedded.is_null() && is_zero(&f.real),
    // What strategies and admission add.
    |f| {
        let added = [
            "/metadata/annotations",
            "/metadata/finalizers",
            "/metadata/labels",
            "/spec/selector",
            "/spec/template/metadata",
            "/spec/preemptionPolicy",
            "/spec/priority",
            "/spec/tolerations",
            "/spec/volumeClaimTemplates/0/apiVersion",
            "/spec/volumeClaimTemplates/0/kind",
            "/status/qosClass",
        ];
        let is_added = f.is_filled() && added.contains(&f.at.as_str());
        let is_count = f.real_has("deprecated.daemonset.template.generation")
            || f.at.ends_with("/deprecated.daemonset.template.generation");
        let is_protected = f.at == "/metadata/finalizers" && f.real_has("-protection");
        f.embedded.is_null() && (is_added || is_count || is_protected)
    },
    // Content of built-in types.
    |f| !f.is_custom() && f.is_content(),
    // Warnings.
    |f| {
        let absent = [
            "duplicate field",
            "domain-qualified finalizer",
            "; use example.com/v1",
        ];
        f.at == "warnings" && absent.iter().any(|text| f.real.to_string().contains(text))
    },
    // Formats.
    |f| f.path_has("/hosts?dryRun") && f.at == "code",
    // Discovery.
    |f| f.is_discovery(),
    // Invalid paths and methods.
    |f| f.leads_nowhere(),
    // DELETE of a collection.
    |f| f.call.method == "DELETE" && f.path_has("?labelSelector=set%3Dx"),
    // Pages of a list with a field selector.
    |f| {
        let is_next = f.path_has("continue=") || f.at.starts_with("/metadata");
        is_next && f.path_has("limit=") && f.path_has("fieldSelector=")
    },
    // Versions in a dry run.
    |f| {
        let is_version = f.at == "/metadata/resourceVersion" && f.embedded.is_null();
        is_version && f.path_has("dryRun=All") && f.body_has("\"resourceVersion\"")
    },
    // Undecodable objects.
    |f| f.body_has("ignoreStoreReadError") || f.path_is_of(&["odd28"]),
];

/// Detects that a malformed `shardSelector` is rejected with a different message.
const SHARDING: fn(&Finding) -> bool = |f| f.path_has("shardSelector=") && f.at == "/message";

// === impl Finding ===

impl Finding {
    fn real_has(&self, text: &str) -> bool {
        self.real.to_string().contains(text)
            || self.real.as_str().is_some_and(|real| real.contains(text))
    }

    fn embedded_has(&self, text: &str) -> bool {
        self.embedded.to_string().contains(text)
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

    /// The request is for one of these resources, or for an object of one.
    fn path_is_in(&self, plurals: &[&str]) -> bool {
        let path = self.call.path.split('?').next().unwrap_or_default();
        let mut parts = path.rsplit('/');
        let last = [parts.next(), parts.next()];
        last.iter().flatten().any(|part| plurals.contains(part))
    }

    /// The object would need a controller.
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

    /// The finding is in a message, or in a code together with its message.
    fn is_text(&self) -> bool {
        self.is_cause() || self.at == "code" || self.at == "/reason" || self.at.is_empty()
    }

    fn is_cause(&self) -> bool {
        self.at == "/message" || self.at.starts_with("/details")
    }

    /// A patch with a document of wrong types is rejected with Go's message.
    fn is_patch_of_type(&self) -> bool {
        self.call.method == "PATCH" && self.is_cause() && self.has_document()
    }

    /// The message quotes the whole document.
    fn has_document(&self) -> bool {
        let text = self.embedded.as_str().unwrap_or_default();
        text.contains("Invalid value: \"{")
    }

    /// The finding is in the content of an object, not in its metadata or in the response itself.
    fn is_content(&self) -> bool {
        let parts = [
            "/spec", "/status", "/data", "/type", "/rules", "/bogus", "/other",
        ];
        let of_object = self.at.split("/object").last().unwrap_or_default();
        // Data that was written as `stringData` is compared.
        if self.path_has("/diff/secrets") && of_object.starts_with("/data") {
            return false;
        }
        if self.is_filled() {
            return false;
        }
        let rejected = |from: &str| {
            self.real
                .as_str()
                .is_some_and(|text| text.starts_with(from))
        };
        let done =
            |text: &serde_json::Value| text.as_str().is_some_and(|text| text.starts_with('2'));
        // What the server decodes and checks of every kind, or of these kinds.
        let is_checked = self.path_is_in(&["configmaps", "secrets", "leases"]);
        if is_checked && self.at == "code" {
            return false;
        }
        parts.iter().any(|part| of_object.starts_with(part))
            || (self.at == "code" && rejected("422") && done(&self.embedded) && self.writes())
            || (self.at == "code" && rejected("422") && self.body_has("\"containers\":[]"))
            || (self.at == "/metadata/resourceVersion" && self.changes_nothing_known())
            // Zero values of Go, of which Go encodes some and omits others.
            || (self.path_has("/diff/events") && self.real.is_null())
            // An object that exists on one server only.
            || (self.path_has("/secrets") && matches!(self.at.as_str(), "" | "/items" | "/rows"))
    }

    /// The object's defaults are compared.
    fn is_filled(&self) -> bool {
        self.path_has("/filled") || self.body_has("\"filled")
    }

    /// Fields that the real server drops cause a new version on the embedded API server.
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

    /// The real server answers with a page of text, the embedded one with a status.
    fn is_page(&self) -> bool {
        let sides = self.real.to_string() + &self.embedded.to_string();
        let page = |text: &str| sides.contains(text);
        match self.at.as_str() {
            "content-type" => page("text/plain"),
            "" => page("page not found"),
            _ => false,
        }
    }

    fn both_reject(&self) -> bool {
        let rejects = |side: &serde_json::Value| {
            let text = side.as_str().unwrap_or_default();
            text.starts_with("40") || text.starts_with("415")
        };
        rejects(&self.real) && rejects(&self.embedded)
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
            || (self.at == "code" && self.writes() && self.both_reject())
            || self.is_page()
    }
}

/// Reports whether a value is Go's encoding of a missing value.
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
