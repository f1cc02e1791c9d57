//! Requests of the controller package have a limit.
//!
//! A request that a proxy swallows has no answer and no error. Its future has to be an argument of
//! `within` (`controller/src/base/request.rs`), at once or through a variable.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "syn has many expressions, and new ones are not requests"
)]

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Expr, ExprAwait, ExprCall, ExprMethodCall, File, Local, Member, Pat};

use crate::sources;

/// Asynchronous methods of `kube::Api` and `kube::Client`.
const VERBS: &str = "apply create create_subresource create_token_request delete delete_collection evict \
    get get_metadata get_metadata_opt get_opt get_scale get_status get_subresource list list_metadata \
    patch patch_metadata patch_scale patch_status patch_subresource replace replace_scale \
    replace_status replace_subresource request request_status request_stream request_text send watch \
    watch_metadata";

/// Requests of the caller, which are awaited as those of `kube::Api` are; and those of an informer's
/// source, which has limits of its own.
const OF_OTHERS: [&str; 2] = ["session/api.rs", "shards/source.rs"];

/// Requests of a file that are awaited without a limit.
#[derive(Default)]
struct Unlimited {
    /// Variables that hold a request.
    requests: BTreeSet<String>,
    found: Vec<String>,
}

// === impl Unlimited ===

impl Unlimited {
    fn of(file: &File) -> Vec<String> {
        let mut unlimited = Self::default();
        unlimited.visit_file(file);
        unlimited.found
    }

    /// Returns the name of the request that an expression is: a call of a client, or a variable.
    fn request(&self, expression: &Expr) -> Option<String> {
        match expression {
            Expr::MethodCall(call) if is_of_a_client(call) => verb(call),
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                self.requests.contains(&name).then_some(name)
            }
            _ => None,
        }
    }
}

/// Returns the verb of a call that may be a request. `self.send(..)` is a method of the package.
fn verb(call: &ExprMethodCall) -> Option<String> {
    let method = call.method.to_string();
    let is_own = matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self"));
    let is_verb = !is_own && VERBS.split_whitespace().any(|verb| verb == method);
    is_verb.then_some(method)
}

/// Reports whether a call is that of a client, by the name of the receiver. Maps have `get` as well.
fn is_of_a_client(call: &ExprMethodCall) -> bool {
    if call.method == "get" {
        return false;
    }
    let name = match &*call.receiver {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        Expr::MethodCall(call) => Some(call.method.to_string()),
        Expr::Field(field) => match &field.member {
            Member::Named(name) => Some(name.to_string()),
            Member::Unnamed(_) => None,
        },
        _ => None,
    };
    name.is_some_and(|name| {
        ["api", "client", "leases"]
            .iter()
            .any(|of| name.ends_with(of))
    })
}

impl<'ast> Visit<'ast> for Unlimited {
    fn visit_local(&mut self, local: &'ast Local) {
        visit::visit_local(self, local);
        let value = local.init.as_ref().map(|init| &*init.expr);
        let is_request = matches!(value, Some(Expr::MethodCall(call)) if is_of_a_client(call) && verb(call).is_some());
        if let Pat::Ident(name) = &local.pat {
            let name = name.ident.to_string();
            if is_request {
                self.requests.insert(name);
            } else {
                self.requests.remove(&name);
            }
        }
    }

    fn visit_expr_await(&mut self, awaited: &'ast ExprAwait) {
        let request = match &*awaited.base {
            Expr::MethodCall(call) => verb(call),
            base => self.request(base),
        };
        self.found.extend(request);
        visit::visit_expr_await(self, awaited);
    }

    /// Any other function may await its argument for ever.
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let is_within = matches!(&*call.func, Expr::Path(path)
            if path.path.segments.last().is_some_and(|last| last.ident == "within"));
        if !is_within {
            let handed = call
                .args
                .iter()
                .filter_map(|argument| self.request(argument));
            let handed: Vec<String> = handed.collect();
            self.found.extend(handed);
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let handed = call
            .args
            .iter()
            .filter_map(|argument| self.request(argument));
        let handed: Vec<String> = handed.collect();
        self.found.extend(handed);
        visit::visit_expr_method_call(self, call);
    }
}

/// Seen to fail with the list of `Shards::join` and with the patch of `finalizer`, which had no limit.
#[test]
fn k26_each_request_of_the_controller_package_has_a_limit() {
    let mut faults = Vec::new();
    for (name, file) in sources("controller").unwrap() {
        if OF_OTHERS.contains(&name.as_str()) {
            continue;
        }
        let found = Unlimited::of(&file).into_iter();
        faults.extend(found.map(|request| format!("{name}: `{request}`")));
    }
    assert_eq!(faults, [""; 0], "no limit: call `base::request::within`");
}

#[test]
fn a_request_without_a_limit_is_found() {
    for (body, expected) in [
        ("api.list(&params).await;", "list"),
        (
            "let listed = self.leases.list(&params); drop(listed.await);",
            "listed",
        ),
        (
            "let listed = self.leases.list(&params); ask(listed).await;",
            "listed",
        ),
        (
            "timeout(limit, self.client.request(request)).await;",
            "request",
        ),
        ("within(limit, api.list(&params)).await;", ""),
        (
            "let listed = api.list(&params); within(limit, listed).await;",
            "",
        ),
        (
            "let found = api.get_opt(name); self.ask(found).await;",
            "found",
        ),
        ("let known = self.known.get(&key); drop(known);", ""),
        ("self.send(request).await;", ""),
    ] {
        let text = format!("async fn f() {{ {body} }}");
        let found = Unlimited::of(&syn::parse_file(&text).unwrap());
        assert_eq!(found.join(" "), expected, "{body}");
    }
}
