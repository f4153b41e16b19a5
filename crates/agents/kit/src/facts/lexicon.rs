//! Words: those that claim nothing, those that need a derived fact, and those that name a measure.

use super::{
    Direction, Fact, Kind,
    classes::{CLASSES, Class},
};

pub(super) use super::keys::{is_general, is_skipped, is_unit, renamed};

/// Words that claim nothing about data. Sorted.
const NEUTRAL: &[&str] = &[
    "a",
    "about",
    "according",
    "across",
    "additionally",
    "also",
    "although",
    "amount",
    "amounted",
    "amounts",
    "an",
    "and",
    "answer",
    "approximately",
    "are",
    "around",
    "as",
    "at",
    "be",
    "been",
    "being",
    "besides",
    "but",
    "by",
    "came",
    "clocked",
    "come",
    "comes",
    "compared",
    "counted",
    "curve",
    "data",
    "database",
    "date",
    "did",
    "do",
    "does",
    "during",
    "equal",
    "equals",
    "figure",
    "figures",
    "find",
    "finds",
    "for",
    "found",
    "from",
    "further",
    "furthermore",
    "gave",
    "give",
    "gives",
    "had",
    "has",
    "have",
    "here",
    "here's",
    "how",
    "however",
    "i",
    "i've",
    "in",
    "into",
    "is",
    "it",
    "it's",
    "its",
    "list",
    "listed",
    "listing",
    "log",
    "logged",
    "logs",
    "look",
    "looked",
    "looking",
    "looks",
    "me",
    "meanwhile",
    "measured",
    "moreover",
    "my",
    "noted",
    "number",
    "numbers",
    "of",
    "on",
    "or",
    "our",
    "over",
    "overview",
    "panel",
    "panels",
    "period",
    "plus",
    "put",
    "puts",
    "question",
    "read",
    "reading",
    "reads",
    "recorded",
    "records",
    "regarding",
    "registered",
    "reported",
    "reports",
    "result",
    "results",
    "roughly",
    "said",
    "sat",
    "saw",
    "see",
    "seen",
    "show",
    "showed",
    "shown",
    "shows",
    "sits",
    "snapshot",
    "solar",
    "stand",
    "stands",
    "stood",
    "summary",
    "that",
    "that's",
    "the",
    "their",
    "them",
    "then",
    "there",
    "there's",
    "these",
    "they",
    "this",
    "those",
    "though",
    "to",
    "too",
    "update",
    "us",
    "value",
    "values",
    "versus",
    "vs",
    "was",
    "we",
    "were",
    "what",
    "where",
    "whereas",
    "which",
    "while",
    "who",
    "with",
    "within",
    "you",
    "you've",
    "your",
    "yours",
];

/// Words of [`NEUTRAL`] that make a statement of the words around them. Sorted.
const STATING: &[&str] = &[
    "amounted",
    "amounts",
    "are",
    "be",
    "been",
    "being",
    "came",
    "clocked",
    "come",
    "comes",
    "counted",
    "did",
    "do",
    "does",
    "equals",
    "gave",
    "give",
    "gives",
    "had",
    "has",
    "have",
    "here's",
    "is",
    "it's",
    "logged",
    "looks",
    "put",
    "puts",
    "reads",
    "recorded",
    "registered",
    "reported",
    "reports",
    "said",
    "sat",
    "sits",
    "stand",
    "stands",
    "stood",
    "that's",
    "there's",
    "was",
    "were",
];

/// Words in the label of a measure that a sentence has to say: an expected value is none that was
/// measured, an average none of a day. Sorted.
const QUALIFIERS: &[&str] = &[
    "average",
    "avg",
    "counter",
    "deviation",
    "estimated",
    "expected",
    "forecast",
    "inferred",
    "lower",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "peak",
    "predicted",
    "upper",
];

/// Words of measures that say the state of something, so that a title with one makes a statement.
const STATES: &[&str] = &[
    "asleep",
    "missing",
    "offline",
    "online",
    "producing",
    "running",
];

/// Nouns that mean the subject of a fact, whatever it is. Sorted.
const NOUNS: &[&str] = &[
    "array",
    "device",
    "devices",
    "installation",
    "inverter",
    "inverters",
    "plant",
    "roof",
    "site",
    "sites",
    "system",
    "systems",
];

/// Words for everything at once: a sentence with one is not about a single device. Sorted.
const WHOLE: &[&str] = &[
    "all",
    "altogether",
    "combined",
    "every",
    "everything",
    "everywhere",
    "fleet",
    "overall",
    "plant",
    "site",
    "sum",
    "together",
    "whole",
];

/// Words that only a fact of their own kind supports, wherever else they come up: as the name of a
/// column, in a text. Sorted.
const RESERVED: &[&str] = &[
    "all",
    "always",
    "any",
    "because",
    "best",
    "both",
    "each",
    "every",
    "everything",
    "everywhere",
    "few",
    "half",
    "least",
    "less",
    "many",
    "more",
    "most",
    "much",
    "never",
    "no",
    "none",
    "not",
    "nothing",
    "only",
    "some",
    "than",
    "twice",
    "without",
    "worst",
    "zero",
];

/// Words of measures of which more is worse: a delay is not led with.
const ADVERSE: &[&str] = &[
    "complaint",
    "complaints",
    "delay",
    "delays",
    "downtime",
    "error",
    "errors",
    "late",
    "lost",
    "outage",
    "outages",
    "overdue",
];

/// Words of a statistic, whose value is not a sum.
const STATISTICS: &[&str] = &[
    "average",
    "avg",
    "deviation",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "peak",
];

/// Words of a sum.
const SUMS: &[&str] = &[
    "altogether",
    "between",
    "combined",
    "sum",
    "together",
    "total",
];
const NONE: &[&str] = &["neither", "no", "none", "nor", "not", "nothing"];
const ALL: &[&str] = &["all", "each", "every", "everything"];
const GREATEST: &[&str] = &[
    "ahead", "biggest", "greatest", "highest", "largest", "lead", "leader", "leading", "leads",
    "led", "most", "top",
];
const PRAISES: &[&str] = &["ahead", "lead", "leader", "leading", "leads", "led", "top"];
const SHARE: &[&str] = &[
    "account",
    "accounted",
    "accounting",
    "accounts",
    "all",
    "made",
    "make",
    "makes",
    "percentage",
    "portion",
    "proportion",
    "represent",
    "represented",
    "represents",
    "share",
    "total",
];
const LEAST: &[&str] = &["bottom", "fewest", "least", "lowest", "smallest"];
const GOOD: &[&str] = &["best", "strongest"];
const BAD: &[&str] = &["behind", "last", "weakest", "worst"];
const MORE: &[&str] = &["above", "ahead", "exceeded", "exceeds", "higher", "more"];
const LESS: &[&str] = &["behind", "below", "fewer", "less", "lower", "short"];
const UP: &[&str] = &[
    "climbed",
    "climbing",
    "grew",
    "growing",
    "increase",
    "increased",
    "increasing",
    "rise",
    "rises",
    "rising",
    "rose",
    "up",
    "upward",
];
const DOWN: &[&str] = &[
    "declined",
    "declining",
    "decrease",
    "decreased",
    "decreasing",
    "down",
    "dropped",
    "dropping",
    "fallen",
    "falling",
    "fell",
    "lower",
    "slipped",
];
const FLAT: &[&str] = &["flat", "level", "stable", "steady", "unchanged"];

fn among(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}

/// Whether a word claims nothing on its own.
pub(super) fn is_neutral(word: &str) -> bool {
    NEUTRAL.binary_search(&word).is_ok()
}

/// Whether a neutral word makes a statement of the words around it.
pub(super) fn is_stating(word: &str) -> bool {
    STATING.binary_search(&word).is_ok()
}

/// Whether this word of a measure has to be said.
pub(super) fn is_qualifier(word: &str) -> bool {
    QUALIFIERS.binary_search(&word).is_ok()
}

/// Whether this word of a measure makes a statistic of it.
pub(super) fn is_statistic(word: &str) -> bool {
    among(STATISTICS, word)
}

/// Whether this word of a measure is a unit of time.
pub(super) fn is_time_unit(word: &str) -> bool {
    among(&["hours", "minutes"], word)
}

/// Whether a word sums up.
pub(super) fn is_sum_word(word: &str) -> bool {
    word == "total" || among(SUMS, word)
}

/// Whether this word of a measure is the state of something.
pub(super) fn is_state(word: &str) -> bool {
    among(STATES, word)
}

/// Whether a word of this measure is said without the measure's name: "it is offline".
pub(super) fn is_plain_state(label: &str) -> bool {
    [
        "",
        "fleet health",
        "health status",
        "kind",
        "overall health",
        "reason",
        "state",
        "status",
        "trend",
        "type",
    ]
    .contains(&label)
}

/// Whether a word means several devices, or what they stand on.
pub(super) fn is_gathering(word: &str) -> bool {
    let gathering = [
        "array",
        "devices",
        "fleet",
        "installation",
        "inverters",
        "panel",
        "panels",
        "plant",
        "roof",
        "site",
        "sites",
        "system",
        "systems",
        "whole",
    ];
    among(&gathering, word)
}

/// Whether a word means the subject of a fact, whatever it is.
pub(super) fn is_noun(word: &str) -> bool {
    NOUNS.binary_search(&word).is_ok()
}

/// Whether a word means a part of a plant: it claims nothing where all facts are of plants.
pub(super) fn is_of_plants(word: &str) -> bool {
    is_noun(word) || ["fleet", "panel", "panels", "solar"].contains(&word)
}

/// Whether a sentence with this word is about everything at once.
pub(super) fn is_whole(word: &str) -> bool {
    WHOLE.binary_search(&word).is_ok()
}

pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.binary_search(&word).is_ok()
}

pub(super) fn is_none(word: &str) -> bool {
    among(NONE, word)
}

pub(super) fn is_greatest(word: &str) -> bool {
    among(GREATEST, word)
}

/// Whether a word says that something is at a place behind the first.
pub(super) fn is_placing(word: &str) -> bool {
    among(&["followed", "second", "third"], word)
}

/// Whether a word says at which end of several something is.
pub(super) fn ranks(word: &str) -> bool {
    let mut lists = [GREATEST, LEAST, GOOD, BAD, &["longest", "shortest"]].into_iter();
    is_placing(word) || lists.any(|list| among(list, word))
}

pub(super) fn is_more(word: &str) -> bool {
    among(MORE, word)
}

pub(super) fn is_less(word: &str) -> bool {
    among(LESS, word)
}

pub(super) fn classes(tokens: &[String]) -> impl Iterator<Item = &'static Class> {
    let has = |word: &str| tokens.iter().any(|token| token == word);
    // Energy per capacity is not energy, nor is the availability by energy.
    let no_energy = has("specific") || has("availability");
    // "Took 3 hours" is a duration, "3 hours of delay" is something else.
    let of_time = tokens.len() > 1;
    CLASSES.iter().filter(move |class| {
        let mut triggers = class.triggers.iter();
        let is_other = no_energy && class.triggers.contains(&"energy")
            || of_time && class.triggers.contains(&"hours");
        !is_other && triggers.any(|one| has(one))
    })
}

/// Whether a higher value is better, as far as the words say.
pub(super) fn is_good(tokens: &[String]) -> bool {
    let mut classes = classes(tokens).peekable();
    classes.peek().is_some() && classes.all(|class| class.good)
}

/// Whether a word says that a time is the longest or the shortest one.
fn is_long(fact: &Fact, word: &str, greatest: bool) -> bool {
    let of_time = ["delay", "delays", "duration", "hours", "minutes", "transit"];
    let mut labels = fact.measure.label.split(' ');
    let own = if greatest { "longest" } else { "shortest" };
    word == own && labels.any(|label| among(&of_time, label))
}

/// Whether a value is one of everything that it is of: no mean, no peak, no moment.
fn is_sum(fact: &Fact) -> bool {
    use super::Unit;
    let adds_up = matches!(
        fact.unit,
        Unit::Energy | Unit::Mass | Unit::Money(_) | Unit::Count
    );
    let mut labels = fact.measure.label.split(' ');
    adds_up && fact.bounds.at.is_none() && !labels.any(is_qualifier)
}

/// What something was for as long as its outage lasted.
pub(super) const DOWN_FOR: &[&str] = &["down", "offline", "out"];

/// Whether a fact is how long an outage lasted.
pub(super) fn is_outage_length(fact: &Fact) -> bool {
    ["hours", "minutes"].contains(&&*fact.measure.label) && fact.bounds.words.contains("outage")
}

/// Whether the kind of a fact supports a word.
pub(super) fn supports(fact: &Fact, word: &str) -> bool {
    let named = || matches!(fact.subject, super::Subject::Named(_));
    if is_whole(word) && matches!(fact.subject, super::Subject::Whole) && !is_reserved(word) {
        // A part of the devices may have a sum, and is not the fleet. A peak of all is not a sum.
        let bounds = &fact.bounds;
        let partly = bounds.is_part || bounds.is_compared || bounds.leaves_out;
        let mut labels = fact.measure.label.split(' ');
        return if among(SUMS, word) {
            !labels.any(is_statistic)
        } else {
            !partly
        };
    }
    match &fact.kind {
        Kind::Value => {
            fact.is_none() && !fact.bounds.leaves_out && among(NONE, word)
                || is_sum(fact) && (word == "total" || !named() && among(SUMS, word))
                || fact.unit == super::Unit::Energy && word == "energy"
                || fact.unit.is_count() && word == "handled"
                || is_outage_length(fact) && among(DOWN_FOR, word)
        }
        Kind::Word => {
            let own = super::measure::tokens(&fact.text);
            let claims = |one: &String| is_reserved(one) || one.chars().any(char::is_numeric);
            own.len() <= 2 && !own.iter().any(claims) && own.iter().any(|one| one == word)
        }
        Kind::Days => false,
        Kind::Part { k, n } => {
            let sums = word == "total" && !named() && !fact.bounds.is_part;
            if sums {
                true
            } else if fact.bounds.leaves_out && (*k == 0 || k == n) {
                false
            } else if *k == 0 {
                among(NONE, word)
            } else if k == n {
                among(ALL, word) || *n == 2 && word == "both"
            } else {
                word == "some" || word == "most" && k * 2 > *n
            }
        }
        Kind::Extreme { greatest } => {
            let good = fact.measure.good == *greatest;
            let words = if *greatest { GREATEST } else { LEAST };
            let mut labels = fact.measure.label.split(' ');
            let adverse = labels.any(|label| among(ADVERSE, label));
            // The highest delay is the worst one.
            let judged = if *greatest { "worst" } else { "best" };
            named()
                && !(adverse && among(PRAISES, word))
                && (among(words, word)
                    || is_long(fact, word, *greatest)
                    || adverse && word == judged
                    || among(if good { GOOD } else { BAD }, word) && fact.measure.good)
        }
        Kind::Difference { more, .. } => {
            word == "than" || among(if *more { MORE } else { LESS }, word)
        }
        Kind::Ratio { .. } => ["as", "much", "many", "times"].contains(&word),
        Kind::Share => {
            let is_more = fact.number.is_some_and(|share| share > 50.0);
            among(SHARE, word) || is_more && ["majority", "most"].contains(&word)
        }
        Kind::Place(place) => {
            let own = if *place == 2 { "second" } else { "third" };
            let mut labels = fact.measure.label.split(' ');
            let adverse = labels.any(|label| among(ADVERSE, label));
            word == own
                || word == "followed"
                || among(GREATEST, word) && !(adverse && among(PRAISES, word))
        }
        Kind::Trend(direction) => among(
            match direction {
                Direction::Up => UP,
                Direction::Down => DOWN,
                Direction::Flat => FLAT,
            },
            word,
        ),
    }
}

#[cfg(test)]
pub(super) fn neutral() -> &'static [&'static str] {
    NEUTRAL
}

#[cfg(test)]
pub(super) fn tests_sorted() {
    for list in [SUMS, NEUTRAL, STATING, QUALIFIERS, NOUNS, WHOLE, RESERVED] {
        assert!(list.is_sorted(), "{list:?}");
    }
}
