//! Tests as data: `cases/*.yaml` are lists of cases. A case has a server of its own, with the
//! settings in `server`, and steps, which are taken in order.
//!
//! | member of a step | effect |
//! |---|---|
//! | `maps: NAMES`, `create: OBJECTS`, `update: OBJECTS`, `remove: PATHS`, `raw: { PATH: OBJECT }` | writes without HTTP; `maps` creates config maps |
//! | `play: FAULTS` | adds steps of a `FaultScript`; `nth` is 1 if it is left out |
//! | `control: { NAME: VALUE }` | calls the control; see [`Play::control`] |
//! | `get: PATH`, also `post`, `put`, `patch`, `delete` | sends a request, with `body` (JSON) or `text`, `as` (a media type, or a kind of patch), `accept`, and `by` (a token, or `""` for none) |
//! | `code: CODE` | expects this code; otherwise one of success |
//! | `has: { POINTER: VALUE }` | expects values in the answer; `null` means none, and `POINTER/#` the length of a list |
//! | `names: NAMES` | expects a list with these items |
//! | `bind: { NAME: VALUE }` | binds values |
//! | `keep: { NAME: POINTER }` | binds values of the answer, and `now: NAME` the newest resourceVersion |
//! | `watch: PATH`, `label: NAME` | opens a watch, of the name `watch` without a label |
//! | `events: EVENTS`, `of: NAME` | expects events of a watch: `ADDED a`, `end`, `broken`, or `{ ADDED: { POINTER: VALUE } }` |
//! | `differ: [TEXT, TEXT]` | expects two texts to differ |
//! | `stored: { RESOURCE: NAMES }` | expects the names of all stored objects of a resource |
//!
//! `$name` in a text stands for a bound value; `$maps` is the path of the config maps.

use std::collections::BTreeMap;

use http::Request;
use informer_apiserver::{ApiServer, FaultRun, FaultScript};
use kube::Client;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::named::{cases, name_of, names_in};
use crate::support::{Lines, put, send_as, soon};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    test: String,
    #[serde(default)]
    server: Settings,
    steps: Vec<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    /// Groups of the user of each token.
    tokens: BTreeMap<String, Vec<String>>,
    objects: Vec<Value>,
    event_window: Option<usize>,
    managed_fields: bool,
    create_namespaces: bool,
    sharded: bool,
}

type Expected = BTreeMap<String, Value>;

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Step {
    bind: BTreeMap<String, String>,
    maps: Vec<String>,
    create: Vec<Value>,
    update: Vec<Value>,
    remove: Vec<String>,
    raw: Expected,
    play: Vec<Value>,
    control: Expected,
    get: Option<String>,
    post: Option<String>,
    put: Option<String>,
    patch: Option<String>,
    delete: Option<String>,
    body: Option<Value>,
    text: Option<String>,
    #[serde(rename = "as")]
    media_type: Option<String>,
    accept: Option<String>,
    by: Option<String>,
    code: Option<u16>,
    has: Expected,
    names: Option<Vec<String>>,
    keep: BTreeMap<String, String>,
    now: Option<String>,
    differ: Vec<String>,
    watch: Option<String>,
    label: Option<String>,
    events: Vec<Value>,
    of: Option<String>,
    stored: BTreeMap<String, Vec<String>>,
}

/// State of a case.
struct Play {
    server: ApiServer,
    bound: BTreeMap<String, String>,
    watches: BTreeMap<String, Lines>,
    faults: Vec<FaultRun>,
}

/// Plays the case of this name. A failure prints the step.
fn play_one(text: &str, name: &str) {
    let cases: Vec<Vec<Case>> = informer_manifest::parse(text).unwrap();
    let mut cases = cases.into_iter().flatten();
    let case = cases.find(|case| name_of(&case.test) == name).unwrap();
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(play(case));
}

async fn play(case: Case) {
    let mut play = Play::start(case.server).await;
    for step in &case.steps {
        let step = play.filled(&step.to_string());
        println!("{step}");
        play.take(serde_json::from_str(&step).unwrap()).await;
    }
    soon(play.server.shutdown()).await;
}

// === impl Play ===

impl Play {
    async fn start(settings: Settings) -> Self {
        let mut builder = ApiServer::builder()
            .managed_fields(settings.managed_fields)
            .create_namespaces(settings.create_namespaces)
            .sharded_list_and_watch(settings.sharded);
        if let Some(events) = settings.event_window {
            builder = builder.event_window(events);
        }
        for (token, groups) in settings.tokens {
            builder = builder.token(token, groups);
        }
        for object in &settings.objects {
            builder = builder.object(object);
        }
        let maps = "/api/v1/namespaces/default/configmaps".to_owned();
        Self {
            server: builder.start().await.unwrap(),
            bound: BTreeMap::from([("maps".to_owned(), maps)]),
            watches: BTreeMap::new(),
            faults: Vec::new(),
        }
    }

    /// Replaces bound names. Longer names come first, because others may begin them.
    fn filled(&self, text: &str) -> String {
        let mut names: Vec<_> = self.bound.iter().collect();
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        let text = text.to_owned();
        names.into_iter().fold(text, |text, (name, value)| {
            text.replace(&format!("${name}"), value)
        })
    }

    async fn take(&mut self, step: Step) {
        let control = self.server.control();
        self.bound.extend(step.bind.clone());
        for name in &step.maps {
            put(&self.server, name);
        }
        for object in &step.create {
            control.create_direct(object.clone()).unwrap();
        }
        for object in &step.update {
            control.update_direct(object.clone()).unwrap();
        }
        for path in &step.remove {
            control.delete_direct(path).unwrap();
        }
        for (path, object) in &step.raw {
            control.put_raw(path, object.clone()).unwrap();
        }
        if !step.play.is_empty() {
            self.faults.push(control.play(script(&step.play)));
        }
        for (name, value) in &step.control {
            self.control(name, value).await;
        }
        if let Some(path) = &step.watch {
            let label = step.label.clone().unwrap_or_else(|| "watch".to_owned());
            let accept = step.accept.as_deref().unwrap_or("application/json");
            let lines = Lines::open_as(&self.server, path, accept).await;
            self.watches.insert(label, lines);
        }
        self.request(&step).await;
        let watch = step.of.as_deref().unwrap_or("watch");
        for expected in &step.events {
            expect_event(self.watches.get_mut(watch).unwrap(), expected).await;
        }
        for (resource, names) in &step.stored {
            assert_eq!(&names_of(&control.objects(resource)), names, "{resource}");
        }
        if let [one, other] = &step.differ[..] {
            assert_ne!(one, other);
        }
        if let Some(name) = step.now {
            let version = control.current_resource_version().to_string();
            self.bound.insert(name, version);
        }
    }

    async fn control(&self, name: &str, value: &Value) {
        let control = self.server.control();
        let text = || value.as_str().unwrap();
        let switch = || value.as_bool().unwrap();
        match name {
            "compact" => control.compact(),
            "close" => control.close_watches(),
            "disconnect" if text() == "all" => control.disconnect_watches(),
            "disconnect" => control.disconnect_watches_of(text()),
            "expire" => control.expire_watches_of(text()),
            "forbid" => control.set_forbidden(text(), true),
            "permit" => control.set_forbidden(text(), false),
            "refuse_watch_list" => control.refuse_watch_list(switch()),
            "hold_collector" => control.hold_garbage_collection(switch()),
            "collects" => assert_eq!(control.step_garbage_collection(), switch()),
            "rewind" => control.rewind_to(text().parse().unwrap()).unwrap(),
            "rewind_fails" => {
                let code = control.rewind_to(text().parse().unwrap());
                assert!(code.is_err(), "rewound to {value}");
            }
            "faults_left" => assert_eq!(json!(control.faults_left()), *value),
            // Watches of config maps.
            "watches" => {
                let count = usize::try_from(value.as_u64().unwrap()).unwrap();
                soon(control.await_watches("configmaps", count)).await;
            }
            other => panic!("the control has no {other}"),
        }
    }

    async fn request(&mut self, step: &Step) {
        let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
        let paths = [&step.get, &step.post, &step.put, &step.patch, &step.delete];
        let mut given = methods.iter().zip(paths);
        let given = given.find_map(|(method, path)| Some((*method, path.as_ref()?)));
        let Some((method, path)) = given else {
            return;
        };
        let media_type = match step.media_type.as_deref() {
            Some("merge") => "application/merge-patch+json",
            Some("apply") => "application/apply-patch+yaml",
            other => other.unwrap_or("application/json"),
        };
        let request = Request::builder().method(method).uri(path);
        let request = request.header("content-type", media_type);
        let request = request.header("accept", step.accept.as_deref().unwrap_or("*/*"));
        let body = step.body.as_ref().map(Value::to_string);
        let body = body.or(step.text.clone()).unwrap_or_default();
        let client = match step.by.as_deref() {
            Some("") => {
                let mut config = self.server.kube_config();
                config.auth_info.token = None;
                Ok(Client::try_from(config).unwrap())
            }
            Some(token) => self.server.client_as(token),
            None => self.server.client(),
        };
        let request = request.body(body.into_bytes()).unwrap();
        let (code, answer) = send_as(client.unwrap(), request).await;
        let is_expected = step.code.map_or(code < 300, |expected| code == expected);
        assert!(is_expected, "{code} {answer}");
        expect(&answer, &step.has);
        if let Some(names) = &step.names {
            assert_eq!(&names_of(answer["items"].as_array().unwrap()), names);
        }
        for (name, pointer) in &step.keep {
            let value = answer.pointer(pointer).and_then(Value::as_str);
            let value = value.unwrap_or_else(|| panic!("no {pointer} in {answer}"));
            self.bound.insert(name.clone(), value.to_owned());
        }
    }
}

fn script(steps: &[Value]) -> FaultScript {
    let lines = steps.iter().map(|step| {
        let mut step = step.clone();
        let members = step.as_object_mut().unwrap();
        members.entry("nth").or_insert_with(|| 1.into());
        format!("{step}\n")
    });
    lines.collect::<String>().parse().unwrap()
}

/// Returns names, with the namespace of an object outside `default`.
fn names_of(objects: &[Value]) -> Vec<String> {
    let name = |object: &Value| {
        let metadata = &object["metadata"];
        let name = metadata["name"].as_str().unwrap();
        match metadata["namespace"].as_str() {
            Some(namespace) if namespace != "default" => format!("{namespace}/{name}"),
            _ => name.to_owned(),
        }
    };
    objects.iter().map(name).collect()
}

fn expect(value: &Value, expected: &Expected) {
    for (pointer, expected) in expected {
        let found = match pointer.strip_suffix("/#") {
            Some(list) => {
                let list = value.pointer(list).and_then(Value::as_array);
                json!(list.map(Vec::len))
            }
            None => value.pointer(pointer).cloned().unwrap_or_default(),
        };
        assert_eq!(found, *expected, "{pointer} of {value}");
    }
}

async fn expect_event(lines: &mut Lines, expected: &Value) {
    if let Some(text) = expected.as_str() {
        if text == "broken" {
            assert!(!lines.ends_cleanly().await);
        } else {
            assert_eq!(lines.short().await, text);
        }
        return;
    }
    let event: BTreeMap<String, Expected> = serde_json::from_value(expected.clone()).unwrap();
    let (expected_type, expected) = event.first_key_value().unwrap();
    let (event_type, object) = lines.next().await.unwrap();
    assert_eq!(&event_type, expected_type, "{object}");
    expect(&object, expected);
}

cases! {
    play_one:
    access, "cases/access.yaml":
        a_user_without_a_role_is_rejected_in_the_words_of_rbac
        a_request_without_a_token_is_anonymous
        a_role_applies_to_its_namespace_and_a_cluster_role_everywhere
        rules_name_objects_and_subresources_and_bindings_name_service_accounts
        a_rule_for_an_object_permits_to_list_and_watch_it_by_a_field_selector
        without_tokens_every_request_is_authorized
        access_is_rejected_in_the_words_of_rbac_while_a_test_forbids_it;
    collector, "cases/collector.yaml":
        dependents_go_after_their_owner_in_the_background
        in_the_foreground_an_owner_waits_for_the_dependents_that_block
        a_finalizer_of_a_blocking_dependent_holds_the_owner
        orphans_stay_without_their_owner_reference
        a_dependent_stays_while_one_owner_exists
        a_cycle_of_owners_is_collected
        objects_with_a_missing_owner_are_collected_unless_a_test_created_them
        jobs_orphan_their_dependents_by_default
        the_collector_can_be_held_and_stepped
        an_unknown_propagation_policy_is_rejected;
    definitions, "cases/definitions.yaml":
        versions_share_objects_under_their_own_api_version
        deleting_a_definition_ends_its_watches_and_objects
        a_definition_can_gain_and_lose_versions
        a_definition_has_an_openapi_document
        the_index_links_a_document_of_each_version;
    faults, "cases/faults.yaml":
        exactly_the_next_matching_requests_fail
        steps_for_one_request_apply_together
        a_request_can_trigger_a_compaction_or_a_rewind
        events_can_be_duplicated_lost_or_undecodable
        a_request_can_end_the_running_watches
        running_watches_can_expire
        a_rewind_reuses_versions
        a_change_of_a_definition_cannot_be_rewound
        watches_are_disconnected_or_closed
        injected_objects_are_served_unchanged;
    lists, "cases/lists.yaml":
        pages_show_one_revision_despite_later_changes
        an_old_continue_token_expires_and_offers_an_inconsistent_rest
        the_window_ends_after_as_many_events_as_configured
        a_limit_is_ignored_at_version_zero
        lists_are_ordered_by_key_over_namespaces_and_narrowed_by_selectors
        a_shard_selector_is_ignored_if_the_feature_is_disabled
        a_malformed_shard_selector_is_an_error;
    objects, "cases/objects.yaml":
        a_deleted_namespace_is_removed_with_its_contents
        managed_fields_are_kept_from_the_first_apply
        managed_fields_are_always_kept_on_request
        managers_in_a_document_are_kept
        a_list_of_pods_has_the_usual_five_columns_and_four_wide_ones
        a_watch_of_a_table_names_its_columns_once
        a_number_that_no_type_holds_is_rejected
        a_server_starts_with_the_given_objects;
    reviews, "cases/reviews.yaml":
        an_access_review_predicts_the_result_of_a_request
        a_review_of_another_user_needs_permission
        a_review_of_rules_lists_the_rules_of_all_roles
        reviews_report_the_identity_of_a_token_and_of_a_request
        a_review_asks_one_question
        without_tokens_reviews_allow_everything_that_a_test_does_not_forbid;
    watches, "cases/watches.yaml":
        a_version_beyond_the_window_is_expired_within_the_stream
        watchers_that_have_read_everything_survive_a_compaction
        a_selector_turns_entering_and_leaving_into_added_and_deleted
        a_watch_is_limited_to_its_namespace_or_object
        a_watch_ends_at_its_timeout_after_a_last_bookmark
        invalid_or_disabled_streaming_lists_are_rejected
        watches_see_events_in_the_form_of_their_group
        a_watch_may_ask_for_any_number_of_seconds;
}

#[test]
fn each_case_is_a_test() {
    assert_eq!(names_in(access::TEXT), access::NAMES);
    assert_eq!(names_in(collector::TEXT), collector::NAMES);
    assert_eq!(names_in(definitions::TEXT), definitions::NAMES);
    assert_eq!(names_in(faults::TEXT), faults::NAMES);
    assert_eq!(names_in(lists::TEXT), lists::NAMES);
    assert_eq!(names_in(objects::TEXT), objects::NAMES);
    assert_eq!(names_in(reviews::TEXT), reviews::NAMES);
    assert_eq!(names_in(watches::TEXT), watches::NAMES);
}
