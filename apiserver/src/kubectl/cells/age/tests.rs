use super::human;

#[test]
fn ages_are_written_as_kubectl_writes_them() {
    for (seconds, expected) in [
        (-60, "<invalid>"),
        (0, "0s"),
        (119, "119s"),
        (125, "2m5s"),
        (600, "10m"),
        (3600 * 3, "3h"),
        (3600 * 3 + 60, "3h1m"),
        (86_400, "24h"),
        (86_400 * 2, "2d"),
        (86_400 * 2 + 3600, "2d1h"),
        (86_400 * 100, "100d"),
        (86_400 * 730, "2y"),
        (86_400 * 4000, "10y"),
    ] {
        assert_eq!(human(seconds), expected, "{seconds}");
    }
}
