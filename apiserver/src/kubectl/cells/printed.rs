//! Columns, and what the cells of several kinds have in common.

use jiff::Timestamp;
use serde_json::Value;

use crate::document::{Members, metadata, metadata_str};

pub(super) type Make = fn(&Members) -> Value;

/// A column behind the name.
#[derive(Debug)]
pub(in crate::kubectl) struct Printed {
    pub(in crate::kubectl) name: &'static str,
    pub(in crate::kubectl) kind: &'static str,
    /// Shown by `-o wide` alone.
    pub(in crate::kubectl) wide: bool,
    pub(in crate::kubectl) make: Make,
}

pub(super) const AGE: Printed = column("Age", age);

pub(super) const fn column(name: &'static str, make: Make) -> Printed {
    Printed {
        name,
        kind: "string",
        wide: false,
        make,
    }
}

pub(super) const fn wide(name: &'static str, make: Make) -> Printed {
    Printed {
        wide: true,
        ..column(name, make)
    }
}

pub(super) const fn integer(name: &'static str, make: Make) -> Printed {
    Printed {
        kind: "integer",
        ..column(name, make)
    }
}

pub(super) const fn boolean(name: &'static str, make: Make) -> Printed {
    Printed {
        kind: "boolean",
        ..column(name, make)
    }
}

/// When the object was created, as a point in time.
pub(super) const CREATED_AT: Printed = Printed {
    kind: "date",
    ..column("Created At", |m| {
        metadata_str(m, "creationTimestamp").into()
    })
};

/// How long the object exists.
pub(in crate::kubectl) fn age(members: &Members) -> Value {
    match metadata_str(members, "creationTimestamp") {
        "" => "<unknown>".into(),
        time => since(time, Timestamp::now()).into(),
    }
}

/// The time between `time` and `now` as kubectl writes it: the two largest units, the smaller one
/// only while it matters.
pub(in crate::kubectl) fn since(time: &str, now: Timestamp) -> String {
    let Ok(time) = time.parse::<Timestamp>() else {
        return "<unknown>".to_owned();
    };
    human(now.as_second() - time.as_second())
}

pub(super) fn human(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let years = days / 365;
    let pair = |large: i64, unit: &str, small: i64, small_unit: &str| {
        if small == 0 {
            format!("{large}{unit}")
        } else {
            format!("{large}{unit}{small}{small_unit}")
        }
    };
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1..0 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        _ if minutes < 10 => pair(minutes, "m", seconds % 60, "s"),
        _ if minutes < 180 => format!("{minutes}m"),
        _ if hours < 8 => pair(hours, "h", minutes % 60, "m"),
        _ if hours < 48 => format!("{hours}h"),
        _ if days < 8 => pair(days, "d", hours % 24, "h"),
        _ if days < 730 => format!("{days}d"),
        _ if years < 8 => pair(years, "y", days % 365, "d"),
        _ => format!("{years}y"),
    }
}

// === what several kinds have ===

pub(super) const NONE: &str = "<none>";

/// The value at a path of names.
pub(super) fn at<'a>(members: &'a Members, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let start = members.get(*first)?;
    rest.iter().try_fold(start, |value, name| value.get(name))
}

/// The text at a path, or `otherwise` if there is none.
pub(super) fn text_or(members: &Members, path: &[&str], otherwise: &str) -> Value {
    let found = at(members, path).and_then(Value::as_str);
    found
        .filter(|text| !text.is_empty())
        .unwrap_or(otherwise)
        .into()
}

pub(super) fn list<'a>(members: &'a Members, path: &[&str]) -> &'a [Value] {
    at(members, path)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

pub(super) fn number(members: &Members, path: &[&str], otherwise: i64) -> i64 {
    let found = at(members, path).and_then(Value::as_i64);
    found.unwrap_or(otherwise)
}

pub(super) fn str_of<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// `a=b,c=d`
pub(super) fn labels(value: Option<&Value>) -> String {
    let pairs = value.and_then(Value::as_object);
    let pairs: Vec<String> = pairs
        .into_iter()
        .flatten()
        .map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()))
        .collect();
    if pairs.is_empty() {
        NONE.to_owned()
    } else {
        pairs.join(",")
    }
}

/// `matchLabels` and `matchExpressions` in one line.
pub(super) fn selector(value: Option<&Value>) -> String {
    let field = |name| value.and_then(|value| value.get(name));
    let equal = field("matchLabels").and_then(Value::as_object);
    let equal = equal.into_iter().flatten();
    let mut parts: Vec<(String, String)> = equal
        .map(|(key, value)| {
            let value = value.as_str().unwrap_or_default();
            (key.clone(), format!("{key}={value}"))
        })
        .collect();
    let sets = field("matchExpressions").and_then(Value::as_array);
    for set in sets.into_iter().flatten() {
        let key = str_of(set, "key");
        let values = set.get("values").and_then(Value::as_array);
        let mut values: Vec<&str> = values
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        values.sort_unstable();
        let values = values.join(",");
        let text = match str_of(set, "operator") {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        };
        parts.push((key.to_owned(), text));
    }
    parts.sort();
    let parts: Vec<String> = parts.into_iter().map(|(_, text)| text).collect();
    if parts.is_empty() {
        NONE.to_owned()
    } else {
        parts.join(",")
    }
}

pub(super) fn is_deleting(members: &Members) -> bool {
    metadata(members).is_some_and(|metadata| metadata.contains_key("deletionTimestamp"))
}

#[cfg(test)]
mod tests {
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
}
