//! HTTP requests and responses.

mod about;
mod call;
mod compress;
mod faults;
mod fields;
mod forms;
mod host;
mod in_flight;
pub(crate) mod negotiate;
mod open_api;
mod options;
mod page;
pub(crate) mod protobuf;
mod reads;
pub(crate) mod response;
mod reviews;
mod rights;
pub(crate) mod route;
mod spoil;
#[cfg(feature = "tls")]
pub(crate) mod tls;
mod tracked;
pub(crate) mod view;
mod warning;
pub(crate) mod watch;
mod writes;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use tokio::time::timeout;

use self::compress::accepts_gzip;
use self::response::{AnswerBody, ConnectionCut, object, page_not_found, status_response, text};
use self::route::Route;
use crate::api::query::Query;
use crate::api::write::create;
use crate::control::Control;
use crate::fault::requests::RecordedRequest;
use crate::registry::builtin::Offers;
use crate::registry::models;
use crate::registry::subresource::Subresource;
use crate::registry::target::{RequestTarget, ResourcePath, Verb};
use crate::shared::Shared;
use crate::status::ApiError;

use about::describe;
use call::HttpCall;
use fields::object_of;
use forms::Wanted;
use host::check_hosts;
use in_flight::bounded;
use options::write_options;
use reads::{list, watch};
use reviews::review;
use rights::{authorize, check_switches};
use tracked::until_sent;
use watch::{Deadline, Ends};
use writes::{delete, delete_collection, patch, scale, update};

/// The real server's limit for the body of a request.
const MAX_BODY: usize = 3 * 1024 * 1024;

/// Time limit for the body of a request. The real server has one limit for the whole request.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);

/// Answers one request. An error closes the connection without a response.
pub(crate) async fn handle(
    shared: Arc<Shared>,
    mut request: Request<Incoming>,
) -> Result<Response<AnswerBody>, ConnectionCut> {
    let deadline = request.extensions_mut().remove::<Arc<Deadline>>();
    let route = Route::parse(request.uri().path());
    let query = Query::parse(request.uri().query().unwrap_or_default());
    let record = Arc::new(record_of(&request, &route, &query));
    shared.requests.record(&record);
    tracing::debug!(verb = %record.verb, path = %record.path, query = %record.query, "request");

    let running = tokio::select! {
        entered = shared.activity.enter() => entered,
        () = shared.shutdown.cancelled() => return Err(ConnectionCut),
    };
    let gzip = accepts_gzip(request.headers());
    let streams = query.flag("sendInitialEvents");
    let mut response = respond(&shared, request, &route, query, &record).await?;
    if let Some(date) = shared.state().clock.date() {
        response.headers_mut().insert(header::DATE, date);
    }
    // A watch counts its unsent events itself.
    let watch = record.verb == Verb::Watch && response.status() == StatusCode::OK;
    if gzip && !watch {
        response = compress::long_answer(response).await;
    } else if gzip && streams {
        response = compress::stream(response);
    }
    let ends = response.extensions().get::<Ends>().copied();
    if let Some(Ends(at)) = ends
        && let Some(deadline) = deadline
    {
        deadline.0.send_replace(Some(at));
        return Ok(response.map(|body| until_sent(deadline, bounded(body))));
    }
    Ok(response.map(|body| until_sent(running, body)))
}

/// Executes the request, unless a fault answers it.
async fn respond(
    shared: &Arc<Shared>,
    request: Request<Incoming>,
    route: &Route,
    query: Query,
    record: &RecordedRequest,
) -> Result<Response<AnswerBody>, ConnectionCut> {
    let accepted = negotiate::encoding(request.headers());
    let plan = shared.faults.lock().take(record);
    let control = Control::new(Arc::clone(shared));
    if let Some(response) = faults::before(&plan, &control, shared, accepted).await? {
        return Ok(response);
    }
    let mut warnings = Vec::new();
    let outcome = answer(shared, request, route, query, record.verb, &mut warnings).await;
    let mut response = match outcome {
        Ok(response) => response,
        Err(error) => status_response(&error, accepted),
    };
    warning::add(response.headers_mut(), &warnings);
    Ok(faults::after(&plan, response, &shared.watches))
}

fn record_of(request: &Request<Incoming>, route: &Route, query: &Query) -> RecordedRequest {
    let uri = request.uri();
    let accept = match request.headers().get(header::ACCEPT) {
        Some(value) => value.to_str().unwrap_or_default(),
        None => "",
    };
    let mut record = RecordedRequest {
        method: request.method().clone(),
        path: uri.path().to_owned(),
        query: uri.query().unwrap_or_default().to_owned(),
        accept: accept.to_owned(),
        verb: Verb::Other,
        group: String::new(),
        resource: String::new(),
        namespace: String::new(),
        name: String::new(),
    };
    if let Some(path) = route.resource() {
        if let Some(verb) = Verb::of(request.method(), path, query.flag("watch")) {
            record.verb = verb;
        }
        record.group.clone_from(&path.group);
        record.resource.clone_from(&path.plural);
        record.namespace.clone_from(&path.namespace);
        record.name.clone_from(&path.name);
    }
    record
}

async fn answer(
    shared: &Arc<Shared>,
    request: Request<Incoming>,
    route: &Route,
    query: Query,
    verb: Verb,
    warnings: &mut Vec<String>,
) -> Result<Response<AnswerBody>, ApiError> {
    check_hosts(&shared.config, request.headers())?;
    let user = authorize(shared, &request, route, verb)?;
    let reads = matches!(request.method().as_str(), "GET" | "HEAD");
    let path = match route {
        Route::Resource(path) => path,
        Route::Unknown => return Ok(page_not_found()),
        _ if !reads => return Err(ApiError::method_not_allowed()),
        Route::Health => return Ok(text(StatusCode::OK, "ok")),
        Route::Version
        | Route::CoreVersions
        | Route::Groups
        | Route::Group(_)
        | Route::GroupVersion { .. } => return Ok(describe(shared, route, request.headers())),
        Route::OpenApi(path) => return Ok(open_api::answer(shared, path)),
    };
    let Some(target) = resolve(shared, path)? else {
        return Ok(page_not_found());
    };
    check_switches(shared, path, &target, verb, &user)?;
    if verb == Verb::DeleteCollection && target.resource.custom && target.is_everywhere() {
        // As in the real server, which has a different response for built-in kinds.
        return Ok(page_not_found());
    }
    target.allows(verb)?;
    warnings.extend(target.deprecation().map(str::to_owned));
    let (mut parts, incoming) = request.into_parts();
    let received = read_body(incoming).await?;
    let body = protobuf::read_body(&target, verb, &mut parts.headers, received)?;
    let call = HttpCall {
        user,
        headers: parts.headers,
        query,
        body,
    };
    if matches!(verb, Verb::Create | Verb::Update | Verb::Patch) && !target.resource.custom {
        // Unpacks the schemas here, outside the lock of the state.
        models::unpack();
    }
    if target.resource.offers == Offers::Reviews {
        return review(shared, &target, &call);
    }
    act(shared, &target, verb, &call, warnings)
}

/// Returns the target of a path; `None` if nothing is served under its group and version.
fn resolve(shared: &Shared, path: &ResourcePath) -> Result<Option<RequestTarget>, ApiError> {
    let state = shared.state();
    let target = path.resolve(&state.registry);
    if target.is_none() && state.registry.serves(&path.group, &path.version) {
        return Err(ApiError::no_such_resource());
    }
    Ok(target)
}

/// Executes a request for a resource.
fn act(
    shared: &Arc<Shared>,
    target: &RequestTarget,
    verb: Verb,
    call: &HttpCall,
    warnings: &mut Vec<String>,
) -> Result<Response<AnswerBody>, ApiError> {
    if target.subresource == Subresource::Scale {
        return scale(shared, target, verb, call);
    }
    let wanted = Wanted::of(target, call)?;
    match verb {
        Verb::Get => {
            let found = Arc::clone(shared.state().get(target)?);
            Ok(object(StatusCode::OK, &found, wanted.of_object()?))
        }
        Verb::List => list(shared, target, wanted, call),
        Verb::Watch => watch(shared, target, wanted, call),
        Verb::Create => {
            let document = object_of(target, call, warnings)?;
            let options = write_options(shared, target, call, "CreateOptions")?;
            let created = shared.change(|state| create(state, target, document, options))?;
            let view = wanted.of_object()?;
            Ok(object(StatusCode::CREATED, &created, view))
        }
        Verb::Update => {
            let (code, written) = update(shared, target, call, warnings)?;
            Ok(object(code, &written, wanted.of_object()?))
        }
        Verb::Patch => {
            let (code, written) = patch(shared, target, call, warnings)?;
            Ok(object(code, &written, wanted.of_object()?))
        }
        Verb::Delete => delete(shared, target, &wanted.view, call),
        Verb::DeleteCollection => delete_collection(shared, target, wanted, call),
        Verb::Other => Err(ApiError::method_not_allowed()),
    }
}

async fn read_body(body: Incoming) -> Result<Bytes, ApiError> {
    let collected = Limited::new(body, MAX_BODY).collect();
    match timeout(BODY_TIMEOUT, collected).await {
        Err(_) => Err(ApiError::timeout()),
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            Err(ApiError::too_large(&format!("limit is {MAX_BODY}")))
        }
        Ok(Err(error)) => Err(ApiError::bad_request(format!(
            "cannot read the body: {error}"
        ))),
    }
}
