//! Which route a message takes: data, documents or neither, and how sure the rules are of it.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    names::{mentions, stems},
    phrases,
};
use crate::state::Route;

/// Below this the rules ask a model, if there is one.
pub(crate) const MIN_CONFIDENCE: f64 = 0.7;

/// The score of a table from which on the catalogue is taken to know what the question is about.
const KNOWN_FROM: f64 = 0.35;

/// The longest message that is a follow-up by its beginning alone, in words.
const LONGEST_FOLLOW_UP: usize = 12;

/// The rules' reading of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Guess {
    pub(crate) route: Route,
    pub(crate) confidence: f64,
    /// It continues with the answer before it.
    pub(crate) follow_up: bool,
}

/// The facts that the rules know beside the message.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Known<'a> {
    /// The tables that there are, with their scores for the message.
    pub(crate) tables: &'a [(&'a str, f64)],
    /// Whether this very question has a confirmed query.
    pub(crate) confirmed: bool,
    /// The route of the message before.
    pub(crate) previous: Option<Route>,
}

/// Asks for figures or rows.
static DATA: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?:how\ many|how\ much|number\ of|count(?:\ of)?|list|show(?:\ me)?|display|give\ me|find\ (?:all|me|every)|top\ \d+|average|avg|mean|median|total|sum(?:\ of)?|maximum|minimum
        |most|least|highest|lowest|latest|newest|oldest|longest|largest|smallest|per\ (?:day|week|month|quarter|year)|by\ (?:day|week|month|quarter|year)|compare|trend|percentage|share\ of|breakdown|distribution)\b",
    )
    .ok()
});

/// Says that it is about what is, not about what should be.
static CURRENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?:today|yesterday|currently|right\ now|so\ far|(?:this|last|next|past|previous)\ (?:\d+\ )?(?:day|week|month|quarter|year)s?|since\ \w+|in\ (?:19|20)\d\d|which|who|whose|whom|when\ did|when\ was|where\ is|do\ we\ have|did\ \w+|are\ there)\b",
    )
    .ok()
});

/// Asks how something is done, or what is allowed.
static HOW_TO: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?:how\ (?:do|can|could|should|would|does|might)\ (?:i|we|you|one|someone|somebody|a\ \w+|an\ \w+|the\ \w+)|how\ to|where\ (?:do|can)\ (?:i|we|you)|(?:the|our|any|company)\ (?:rule|polic|guideline|regulation|requirement|procedure)\w*|rules?\ (?:for|on|about|of)
        |polic(?:y|ies)|guidelines?|handbook|manual|user\ guide|procedure\w*|instructions?|documentation|the\ docs|best\ practices?|step\ by\ step|steps\ (?:to|for)|what\ (?:is|are)\ the\ (?:process|steps|rules|requirements|procedure)|process\ for|(?:am|are|is)\ (?:i|we|it|one|\w+)\ (?:allowed|permitted|required|entitled|supposed)|allowed\ to|what\ happens\ (?:if|when)|overtime\ rules|what\ does\ the\ \w+\ say)\b",
    )
    .ok()
});

/// Goes on with what was said before.
static FOLLOW_UP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\W*(?:(?:and|but|or|only|just|also|same|now|instead|without|excluding|except|what\ about|how\ about|and\ (?:what|how)\ about|then)\b|(?:break|split|group|sort|order|filter|limit|restrict)\b.*\b(?:it|that|them|those|these|this)\b)
        |\b(?:of|for|in|among|from)\ (?:those|these|them|that|it)\b|\b(?:those|these|them)\W*$|^\W*(?:which|who|why|when)\W*$",
    )
    .ok()
});

/// What something is, out of the blue.
static CONCEPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?ix)^\W*(?:what\ is|what['’]?s|what\ are|explain|define|tell\ me\ about|write|translate|why\ (?:is|are|do|does)|how\ does)\b").ok()
});

fn found(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(text))
}

/// Whether the message continues with the answer before it, by its words.
pub(crate) fn is_follow_up(text: &str) -> bool {
    text.split_whitespace().count() <= LONGEST_FOLLOW_UP && found(&FOLLOW_UP, text)
}

/// The rules' guess.
pub(crate) fn guess(text: &str, known: Known<'_>) -> Guess {
    let sure = |route| Guess {
        route,
        confidence: 1.0,
        follow_up: false,
    };
    if known.confirmed {
        return sure(Route::Sql);
    }
    if phrases::asks_what_can_be_asked(text) {
        return sure(Route::General);
    }
    let (data, how_to) = (found(&DATA, text), found(&HOW_TO, text));
    let words = stems(text);
    let named = known.tables.iter().any(|(name, _)| mentions(&words, name));
    let scored = known.tables.iter().any(|(_, score)| *score >= KNOWN_FROM);
    let current = found(&CURRENT, text);
    if let Some(previous) = known.previous
        && is_follow_up(text)
        // A whole question of its own kind is none.
        && !(how_to && previous == Route::Sql)
    {
        return Guess {
            route: previous,
            confidence: 0.9,
            follow_up: true,
        };
    }
    let (route, confidence) = match (data, how_to) {
        (false, true) => (Route::Rag, if current && named { 0.65 } else { 1.0 }),
        (true, false) if named || scored => (Route::Sql, 1.0),
        // Data win the tie, but a model may know better.
        (true, _) => (Route::Sql, 0.6),
        (false, false) if named && current => (Route::Sql, 0.9),
        (false, false) if named && !found(&CONCEPT, text) => (Route::Sql, 0.65),
        (false, false) if current && scored => (Route::Sql, 0.65),
        (false, false) => (Route::General, 0.5),
    };
    Guess {
        route,
        confidence,
        follow_up: false,
    }
}

#[cfg(test)]
mod tests;
