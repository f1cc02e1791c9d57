use super::*;

/// L-14: client-go's table (`TestPrepareWatchListOptionsFromListOptions`).
#[test]
fn l14_list_options_convert_where_a_stream_gives_the_same() {
    const NOT_OLDER: Option<ResourceVersionMatch> = Some(ResourceVersionMatch::NotOlderThan);
    const EXACT: Option<ResourceVersionMatch> = Some(ResourceVersionMatch::Exact);
    for (resource_version_match, version, limit, token, converts) in [
        (None, "", None, None, true),
        (None, "0", None, None, true),
        (None, "100", None, None, true),
        (None, "0", Some(4), None, true),
        (None, "0", None, Some("token"), false),
        (None, "", Some(4), None, false),
        (None, "100", Some(4), None, false),
        (NOT_OLDER, "", None, None, false),
        (NOT_OLDER, "0", None, None, true),
        (NOT_OLDER, "100", None, None, true),
        (NOT_OLDER, "0", Some(4), None, true),
        (NOT_OLDER, "0", None, Some("token"), false),
        (EXACT, "", None, None, false),
        (EXACT, "0", None, None, false),
        (EXACT, "100", None, None, false),
        (EXACT, "0", Some(4), None, false),
        (EXACT, "0", None, Some("token"), false),
        // A limit of 0 means no limit, as in a request.
        (None, "100", Some(0), None, true),
    ] {
        let list = ListOptions {
            limit,
            continue_token: token.map(str::to_owned),
            resource_version: version.into(),
            resource_version_match,
            shard_selector: None,
        };
        let expected = converts.then(|| WatchOptions {
            resource_version: version.into(),
            send_initial_events: true,
            allow_bookmarks: true,
            timeout: Duration::from_secs(7),
            shard_selector: None,
        });
        let watch = list.watch_list_options(Duration::from_secs(7));
        assert_eq!(watch, expected, "{list:?}");
    }
}
