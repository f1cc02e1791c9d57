use super::is_valid;

/// Text with the format, and text without it.
type Case = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const CASES: [Case; 14] = [
    ("byte", &["Zm9v", "Zg=="], &["", "Zg=", "Z g="]),
    (
        "cidr",
        &["10.0.0.0/8", "::/0"],
        &["10.0.0.0", "10.0.0.0/33", "::/129", "1.2.3.4/+1"],
    ),
    (
        "date",
        &["2024-02-29"],
        &["2023-02-29", "2024-2-29", "24-02-29", ""],
    ),
    (
        "date-time",
        &["2014-12-15T19:30:20.000Z", "2014-12-15t19:30:20+01:00"],
        &[
            "2014-12-15",
            "2014-12-15T24:00:00Z",
            "2014-12-15T19:30:20",
            "",
        ],
    ),
    (
        "duration",
        &[
            "1h30m",
            "0",
            "-1.5s",
            "22 ns",
            "3 days",
            "1w",
            "in 5 minutes",
        ],
        &["", "1", "1x", "h"],
    ),
    (
        "email",
        &["a@b", "a.b+c@d.e"],
        &["", "a", "a@", "@b", "a b@c"],
    ),
    (
        "hostname",
        &["a", "a.example", "1.example.com", "ü.de", "a-b"],
        &["", "a_b", "-a.de", "a..b", "."],
    ),
    (
        "ipv4",
        &["1.2.3.4", "::ffff:1.2.3.4"],
        &["1.2.3", "1.2.3.256", "::1", ""],
    ),
    (
        "ipv6",
        &["::1", "fe80::1"],
        &["1.2.3.4", "::g", "fe80::1%eth0"],
    ),
    ("k8s-long-name", &["a.b-c.1"], &["a..b", "A", ""]),
    ("k8s-short-name", &["a-1"], &["A", "a.b", "-a", ""]),
    (
        "mac",
        &["00:00:5e:00:53:01", "00-00-5E-00-53-01"],
        &["00:00:5e:00:53", "00:00:5e:00:53:0g", ""],
    ),
    (
        "uri",
        &["/a", "https://a.b:80/c?d#e", "urn:a:b", "http://[::1]:1/"],
        &["", "a", "a/b", "http://a b/", "/%zz", "//\n", "://a"],
    ),
    (
        "uuid",
        &["0ab12c34-1234-1234-1234-0123456789AB"],
        &["x", "0ab12c34"],
    ),
];

#[test]
fn formats_match_the_real_server() {
    for (format, valid, invalid) in CASES {
        for text in valid {
            assert_eq!(is_valid(format, text), Some(true), "{text:?} is a {format}");
        }
        for text in invalid {
            assert_eq!(
                is_valid(format, text),
                Some(false),
                "{text:?} is no {format}"
            );
        }
    }
    assert_eq!(is_valid("password", ""), Some(true));
    assert_eq!(is_valid("int-or-string", "x"), None, "it is no format");
}
