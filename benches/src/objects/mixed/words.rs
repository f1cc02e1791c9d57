//! Vocabulary of generated names and texts.

use super::super::random::Random;

const WORDS: [&str; 96] = [
    "account", "amber", "anchor", "audit", "basket", "batch", "beacon", "billing", "bridge",
    "broker", "cache", "canary", "catalog", "cedar", "claims", "cobalt", "cohort", "coral",
    "courier", "cron", "delta", "digest", "echo", "ember", "engine", "event", "falcon", "feed",
    "fern", "fleet", "gateway", "granite", "graph", "harbor", "identity", "index", "ingest",
    "invoice", "jade", "kernel", "lattice", "ledger", "linden", "loader", "lotus", "media",
    "merge", "metrics", "mirror", "notify", "orbit", "order", "outbox", "parcel", "payment",
    "pivot", "pixel", "plume", "policy", "profile", "quartz", "quota", "raven", "relay", "report",
    "retry", "ridge", "risk", "river", "router", "rules", "sable", "search", "session", "sigma",
    "slate", "spark", "storage", "stream", "sync", "tally", "tariff", "tempo", "tenant", "timber",
    "token", "topaz", "tracker", "tulip", "vector", "venue", "vertex", "webhook", "widget",
    "worker", "zephyr",
];

/// Returns a word.
pub(super) fn word(random: &mut Random) -> &'static str {
    random.pick(&WORDS)
}

/// Returns `count` words with `separator` between them.
pub(super) fn words(random: &mut Random, count: usize, separator: &str) -> String {
    let words: Vec<&str> = (0..count).map(|_| word(random)).collect();
    words.join(separator)
}
