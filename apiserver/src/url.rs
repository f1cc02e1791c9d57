//! Decoding of paths and queries.

use percent_encoding::percent_decode_str;

/// Returns the decoded segments of a path, without empty ones.
pub(crate) fn segments(path: &str) -> Vec<String> {
    path.split('/')
        .filter(|segment| !segment.is_empty())
        .map(decoded)
        .collect()
}

/// Returns the names and values of a query, decoded as those of a form: a plus sign is a space.
pub(crate) fn parameters(query: &str) -> impl Iterator<Item = (String, String)> {
    query
        .split('&')
        .filter(|parameter| !parameter.is_empty())
        .map(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            (
                decoded(&name.replace('+', " ")),
                decoded(&value.replace('+', " ")),
            )
        })
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests;
