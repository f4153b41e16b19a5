//! Questions about what did not run, and what that cost; and which figure of a report a question
//! names.

use super::asked::yes_or_no;
use crate::language::classify::device_hints;
use crate::language::keywords::{Concept as C, Keywords, concept};

/// Availability, and energy and money that were lost: the health check knows them.
pub(in crate::language) fn about_losses(keywords: &Keywords<'_>) -> bool {
    let lost = keywords.word(&["lost", "lose", "loses", "losing", "loss", "losses"]);
    let available = keywords.word(&["availability", "uptime"]) || keywords.says("how available");
    (available
        || lost
            && (keywords.has(C::Production)
                || keywords.has(C::Health)
                || keywords.word(&["electricity"]))
        || lost && loses_money(keywords)
        || asks_what_was_not_made(keywords)
        || faults_cost(keywords)
        || asks_what_was_possible(keywords))
        && !keywords.has(C::Forecast)
}

/// "How much energy did LTI not make?", "how many kWh didn't it produce?": what was lost.
pub(in crate::language) fn asks_what_was_not_made(keywords: &Keywords<'_>) -> bool {
    const MAKE: &[&str] = &["make", "produce", "generate", "deliver", "yield"];
    let amount = keywords.says_any(&["how much", "how many kwh", "how many kilowatt"]);
    amount
        && keywords.words.iter().enumerate().any(|(at, word)| {
            let next = &keywords.words[at + 1..];
            let verb = |word: &&str| MAKE.contains(word);
            match *word {
                "not" => next.first().is_some_and(verb),
                "didn't" | "didnt" | "doesn't" | "doesnt" => next.iter().any(verb),
                _ => false,
            }
        })
}

/// "How many kWh did LTI not lose?": no figure says what was not lost.
pub(in crate::language) fn asks_what_was_not_lost(keywords: &Keywords<'_>) -> bool {
    const LOSE: &[&str] = &["lose", "lost", "miss"];
    keywords.words.iter().enumerate().any(|(at, word)| {
        let next = &keywords.words[at + 1..];
        match *word {
            "not" => next.first().is_some_and(|word| LOSE.contains(word)),
            "didn't" | "didnt" => next.iter().any(|word| LOSE.contains(word)),
            _ => false,
        }
    }) && keywords.says_any(&["how much", "how many kwh", "how many kilowatt"])
}

/// "How much would LTI have made on 13 November?", "what should it have produced?": what it made,
/// and what it lost.
pub(in crate::language) fn asks_what_was_possible(keywords: &Keywords<'_>) -> bool {
    const MIGHT: &[&str] = &["would", "should", "could", "might"];
    const MADE: &[&str] = &[
        "made",
        "produced",
        "generated",
        "delivered",
        "yielded",
        "given",
        "been",
    ];
    let words = &keywords.words;
    let after = |at: usize, wanted: &dyn Fn(&str) -> bool| {
        words[at..]
            .iter()
            .position(|word| wanted(word))
            .map(|behind| at + behind)
    };
    after(0, &|word| MIGHT.contains(&word))
        .and_then(|at| after(at, &|word| matches!(word, "have" | "had")))
        .and_then(|at| after(at, &|word| MADE.contains(&word)))
        .is_some()
        && !keywords.word(&["than"])
        && !keywords.has(C::Money)
        && !keywords.has(C::Compare)
}

/// Words for a device that makes less than the others.
const LAGS: &[&str] = &[
    "underperforming",
    "underperform",
    "underperforms",
    "underperformed",
    "lagging",
    "lag",
    "lags",
    "lagged",
    "weak",
    "weaken",
    "weakened",
];

/// "When did LTI start to underperform?", "since when is it worse than the others?".
pub(in crate::language) fn asks_since_when_it_lags(keywords: &Keywords<'_>) -> bool {
    const BEHIND: &[&str] = &[
        "fall behind",
        "falls behind",
        "falling behind",
        "fell behind",
        "fallen behind",
        "is behind",
        "been behind",
    ];
    const WORSE: &[&str] = &[
        "worse", "less", "behind", "weaker", "lower", "below", "slower",
    ];
    let lags = keywords.word(LAGS)
        || keywords.says_any(BEHIND)
        || is_beside_others(keywords) && keywords.word(WORSE);
    let when = keywords.word(&["when", "since"]) || keywords.says("how long");
    lags && when && !keywords.word(&["why"]) && device_hints(&keywords.tokens) == 1
}

/// "Compare LTI with its neighbours", "is LTI worse than the others?": one device is ranked among
/// those of its site.
pub(in crate::language) fn compares_beside_others(keywords: &Keywords<'_>) -> bool {
    const BESIDE: &[&str] = &[
        "than",
        "against",
        "beside",
        "alongside",
        "versus",
        "vs",
        "among",
        "behind",
        "below",
        "above",
    ];
    is_beside_others(keywords)
        && (keywords.has(C::Compare) || keywords.word(BESIDE) || keywords.says("next to"))
        && !about_losses(keywords)
        && !asks_since_when_it_lags(keywords)
        && !keywords.word(&["why", "bigger", "smaller", "larger", "sites", "plants"])
}

/// "How much did LTI lose compared with its neighbours?": one device is judged beside the others
/// of its site.
pub(in crate::language) fn is_beside_others(keywords: &Keywords<'_>) -> bool {
    device_hints(&keywords.tokens) == 1 && names_others(keywords)
}

/// Whether the message names the devices around one: its neighbours, its peers, the others.
pub(in crate::language) fn names_others(keywords: &Keywords<'_>) -> bool {
    const OTHERS: &[&str] = &[
        "neighbour",
        "neighbours",
        "neighbor",
        "neighbors",
        "peer",
        "peers",
        "others",
        "rest",
    ];
    let other = keywords.words.windows(2).any(|pair| {
        pair[0] == "other" && concept(pair[1], true).is_some_and(|(it, _)| it == C::Device)
    });
    keywords.word(OTHERS) || other
}

/// "How much money did LTI lose", "what did I lose last month". What may still be lost is not
/// measured.
fn loses_money(keywords: &Keywords<'_>) -> bool {
    const MONEY: &[&str] = &[
        "money", "cost", "costs", "revenue", "income", "earnings", "dollars", "euros", "francs",
        "cash",
    ];
    const OTHER: &[&str] = &[
        "will",
        "would",
        "gonna",
        "data",
        "reading",
        "readings",
        "record",
        "records",
        "connection",
        "contact",
        "signal",
    ];
    let asked = keywords.word(MONEY)
        || keywords.says("how much")
        || keywords.says("what did")
        || keywords.says("what have");
    asked && !keywords.word(OTHER)
}

/// "How much did the dead days cost?"
pub(in crate::language) fn faults_cost(keywords: &Keywords<'_>) -> bool {
    const FAULTS: &[&str] = &[
        "dead", "outage", "outages", "downtime", "fault", "faults", "failure", "failures", "error",
        "errors", "problem", "problems",
    ];
    // What underperforming costs is the shortfall of the same report.
    let weak = keywords.word(&[
        "weak",
        "underperforming",
        "underperformance",
        "underperforms",
        "poor",
        "slow",
        "bad",
        "broken",
    ]);
    keywords.word(&["cost", "costs", "costing"]) && (keywords.word(FAULTS) || weak)
        || keywords.word(&["shortfall", "shortfalls"])
}

/// "Who was out yesterday?", "has LTI been down?".
pub(in crate::language) fn was_out(keywords: &Keywords<'_>) -> bool {
    let be = |word: &str| {
        matches!(
            word,
            "was"
                | "were"
                | "is"
                | "are"
                | "been"
                | "went"
                | "go"
                | "goes"
                | "gone"
                | "dropped"
                | "came"
        )
    };
    let out = keywords.words.windows(2).any(|pair| {
        be(pair[0])
            && matches!(
                pair[1],
                "out" | "down" | "off" | "unavailable" | "dead" | "silent"
            )
    });
    // "How long was LTI out", "when did it go down": a name stands between.
    let apart = keywords.words.iter().enumerate().any(|(at, word)| {
        matches!(
            *word,
            "was" | "were" | "is" | "are" | "been" | "has" | "have" | "did" | "ever"
        ) && keywords.words[at + 1..].iter().take(6).any(|word| {
            matches!(
                *word,
                "out" | "down" | "unavailable" | "dead" | "silent" | "missing" | "off" | "offline"
            )
        })
    });
    let asks = keywords.word(&["who", "when", "how", "which", "ever", "often", "since"])
        || yes_or_no(keywords);
    // "Why did LTI stop?", "did it ever fail?".
    let failed = keywords.word(&[
        "fail", "fails", "failed", "stop", "stops", "stopped", "trip", "trips", "tripped", "die",
        "died", "break", "broke", "crash", "crashed",
    ]) && (keywords.word(&["why", "when", "ever", "often"]) || yes_or_no(keywords));
    let stood = keywords.says_any(&[
        "stand still",
        "stood still",
        "standing still",
        "at a standstill",
    ]) || keywords.word(&["standstill", "standstills"]);
    // "Did LTI run on 14 October?", "has it recovered?".
    let ran = yes_or_no(keywords)
        && (device_hints(&keywords.tokens) > 0 || keywords.word(&["it"]))
        && keywords.word(&[
            "run",
            "running",
            "ran",
            "work",
            "working",
            "worked",
            "operate",
            "operating",
            "operational",
            "alive",
            "recovered",
            "recover",
            "up",
        ]);
    (out || apart && asks || ran || failed || stood) && !keywords.has(C::Production)
}

/// "Which days did LTI make nothing?": its dead days.
pub(in crate::language) fn made_nothing(keywords: &Keywords<'_>) -> bool {
    const MADE: &[&str] = &[
        "make",
        "made",
        "makes",
        "produce",
        "produced",
        "produces",
        "generate",
        "generated",
        "deliver",
        "delivered",
    ];
    let denied = keywords.words.iter().any(|word| {
        matches!(
            *word,
            "not" | "didnt" | "didn't" | "never" | "doesn't" | "doesnt"
        )
    });
    keywords.words.windows(2).any(|pair| {
        MADE.contains(&pair[0])
            && (pair[1] == "nothing" || denied && matches!(pair[1], "anything" | "any"))
    })
}

/// "Not producing" is a complaint, not a question about production.
pub(in crate::language) fn not_producing(keywords: &Keywords<'_>) -> bool {
    const COMPLAINTS: &[&str] = &[
        "stopped producing",
        "stopped working",
        "stopped generating",
        "no power",
        "no output",
        "no production",
        "zero power",
        "zero output",
        "zero production",
        "no energy",
        "not delivering",
    ];
    let verb = |word: &str| {
        matches!(
            word,
            "producing"
                | "produce"
                | "working"
                | "work"
                | "generating"
                | "generate"
                | "running"
                | "functioning"
                | "delivering"
                | "responding"
                | "reporting"
                | "produced"
                | "report"
        )
    };
    let not = |word: &str| {
        matches!(
            word,
            "not"
                | "isn't"
                | "isnt"
                | "aren't"
                | "arent"
                | "doesn't"
                | "doesnt"
                | "didn't"
                | "didnt"
                | "wasn't"
                | "don't"
        )
    };
    made_nothing(keywords)
        || keywords.says_any(COMPLAINTS)
        || keywords
            .words
            .windows(2)
            .any(|pair| not(pair[0]) && verb(pair[1]))
}
