//! Questions that count or rank devices by their state: the devices that were out, and those that
//! were not; the worst health; the largest loss; whether any lags.

use crate::language::classify::device_hints;
use crate::language::figures;
use crate::language::keywords::{Concept as C, Keywords};

use super::reporting::denies;
use super::{is_out_now, not_producing, was_out};

/// Words for a device that does not run.
const OUT: &[&str] = &[
    "out",
    "down",
    "off",
    "offline",
    "dead",
    "silent",
    "unavailable",
    "fail",
    "failed",
    "stop",
    "stopped",
    "still",
    "break",
    "broke",
    "trip",
    "tripped",
];

/// Words for the worse end of a ranking, and for the better one.
const WORSE: &[&str] = &[
    "worst",
    "worse",
    "lowest",
    "least",
    "poorest",
    "weakest",
    "bottom",
    "unhealthiest",
    "sickest",
];
const BETTER: &[&str] = &["best", "highest", "most", "strongest", "top", "healthiest"];

/// Whether the question is for the number of devices, and not of days, times or hours.
pub(super) fn counts_devices(keywords: &Keywords<'_>) -> bool {
    const NOUNS: &[&str] = &[
        "inverter",
        "inverters",
        "device",
        "devices",
        "logger",
        "loggers",
        "unit",
        "units",
        "system",
        "systems",
        "of",
        "were",
        "are",
        "went",
        "failed",
        "stood",
        "online",
        "have",
        "report",
        "reported",
        "send",
        "sent",
    ];
    let words = &keywords.words;
    let counted = |noun: Option<&&str>| noun.is_some_and(|noun| NOUNS.contains(noun));
    let many = words.windows(2).enumerate().any(|(at, pair)| {
        pair == ["how", "many"] && counted(words.get(at + 2)) || pair == ["number", "of"]
    });
    many || words.first() == Some(&"count")
}

/// "How many inverters were out on 29 November?".
pub(in crate::language) fn counts_out(keywords: &Keywords<'_>) -> bool {
    let stood = was_out(keywords)
        || not_producing(keywords)
        || keywords.word(&[
            "outage", "outages", "failed", "downtime", "offline", "down", "out",
        ]);
    counts_devices(keywords)
        && stood
        && !is_out_now(keywords)
        && device_hints(&keywords.tokens) == 0
}

/// "How many are online?": by the state now.
pub(in crate::language) fn counts_online(keywords: &Keywords<'_>) -> bool {
    let now = !keywords.speaks_of_the_past()
        && !keywords.word(&["was", "were", "been", "did", "longer", "why"]);
    counts_devices(keywords)
        && (keywords.word(&["online", "reachable", "alive", "active"])
            || keywords.word(&["running", "working", "work"]) && !denies(keywords))
        && now
        && device_hints(&keywords.tokens) == 0
}

/// "How many inverters are producing?", "how many make nothing right now?": by the power now, and
/// whether those are counted that have none.
pub(in crate::language) fn counts_producing(keywords: &Keywords<'_>) -> Option<bool> {
    const VERBS: &[&str] = &["producing", "delivering", "generating", "asleep"];
    let now = keywords.when().is_none()
        && !keywords.word(&["was", "were", "been", "did", "stopped", "why", "since"]);
    let counted = counts_devices(keywords) && keywords.word(&["are", "is"]);
    (counted
        && keywords.word(VERBS)
        && now
        && !keywords.has(C::Money)
        && !keywords.has(C::Forecast)
        && device_hints(&keywords.tokens) == 0)
        .then(|| not_producing(keywords) || keywords.word(&["nothing", "asleep"]))
}

/// "Who was not out on 29 November?", "which inverters had no outage?", "which kept running?".
pub(in crate::language) fn asks_who_ran(keywords: &Keywords<'_>) -> bool {
    let words = &keywords.words;
    let denies = |word: &str| {
        matches!(word, "not" | "never" | "no" | "without")
            || word
                .strip_suffix("n't")
                .is_some_and(|verb| !verb.is_empty())
            || matches!(word, "wasnt" | "werent" | "isnt" | "arent" | "didnt")
    };
    let near = |at: usize, others: &[&str]| {
        let next = words[at + 1..].iter().take(3);
        next.into_iter().any(|word| others.contains(word))
    };
    let denied = (0..words.len()).any(|at| {
        denies(words[at])
            && (near(at, OUT)
                || near(
                    at,
                    &[
                        "outage",
                        "outages",
                        "downtime",
                        "failure",
                        "failures",
                        "interruption",
                    ],
                ))
    });
    let ran = keywords.says_any(&[
        "stayed up",
        "stayed on",
        "stayed online",
        "kept running",
        "kept working",
        "kept producing",
        "ran through",
        "ran without",
    ]);
    let asks = keywords.word(&["who", "which", "what"]) || counts_devices(keywords);
    asks && (denied || ran)
        && !keywords.word(&["why", "data", "report", "send", "readings"])
        && device_hints(&keywords.tokens) == 0
}

/// Which end of a ranking the words name: whether the worse one.
fn worse_end(keywords: &Keywords<'_>) -> Option<bool> {
    if keywords.word(WORSE) {
        Some(true)
    } else {
        keywords.word(BETTER).then_some(false)
    }
}

fn orders(keywords: &Keywords<'_>) -> bool {
    keywords.word(&["rank", "ranking", "ranked", "order", "sort"])
}

/// Whether days or sites are picked, and not devices.
fn of_others(keywords: &Keywords<'_>) -> bool {
    const OTHERS: &[&str] = &[
        "site", "sites", "plants", "day", "days", "week", "weeks", "month", "months", "year",
        "data", "readings",
    ];
    let picked = keywords.words.windows(2).any(|pair| {
        OTHERS.contains(&pair[1])
            && (matches!(pair[0], "which" | "what")
                || WORSE.contains(&pair[0])
                || BETTER.contains(&pair[0]))
    });
    picked || keywords.word(&["data", "readings"])
}

/// "Which inverter has the worst health?", "rank my inverters by health": whether the worst comes
/// first.
pub(in crate::language) fn ranks_health(keywords: &Keywords<'_>) -> Option<bool> {
    let health = keywords.word(&[
        "health",
        "healthy",
        "healthiest",
        "unhealthiest",
        "sickest",
        "condition",
        "shape",
    ]);
    // Of one device there is nothing to rank.
    if !health || of_others(keywords) || device_hints(&keywords.tokens) == 1 {
        return None;
    }
    worse_end(keywords).or_else(|| orders(keywords).then_some(true))
}

/// "Which inverter lost the most energy?", "worst 2 inverters by lost energy".
pub(in crate::language) fn ranks_losses(keywords: &Keywords<'_>) -> bool {
    let lost = keywords.word(&["lost", "lose", "loses", "losing", "loss", "losses"]);
    let most = keywords.word(&[
        "most", "highest", "biggest", "largest", "greatest", "worst", "top",
    ]) || orders(keywords)
        || figures::ranked(keywords).is_some();
    let asks = keywords.has(C::Device)
        || keywords.word(&["who", "which"])
        || keywords.has(C::Health) && orders(keywords);
    lost && most
        && asks
        && !of_others(keywords)
        && device_hints(&keywords.tokens) == 0
        && !keywords.has(C::Forecast)
}

/// "Is any inverter underperforming?", "does any of them lag?".
pub(in crate::language) fn asks_who_lags(keywords: &Keywords<'_>) -> bool {
    const LAGS: &[&str] = &[
        "underperforming",
        "underperform",
        "underperforms",
        "underperformer",
        "underperformers",
        "lagging",
        "lag",
        "lags",
        "weak",
    ];
    let any = keywords.word(&["any", "anyone", "there", "which", "who", "one", "some"])
        || counts_devices(keywords);
    keywords.word(LAGS)
        && any
        && !keywords.word(&["cost", "costs", "lost", "lose", "why", "day", "days"])
        && !keywords.has(C::Forecast)
        && device_hints(&keywords.tokens) == 0
}

/// Whether all devices are ranked or counted by how they are.
pub(in crate::language) fn ranks_by_state(keywords: &Keywords<'_>) -> bool {
    counts_out(keywords)
        || asks_who_ran(keywords)
        || ranks_health(keywords).is_some()
        || ranks_losses(keywords)
}
