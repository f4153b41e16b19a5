//! The words by which messages continue, give up, start afresh, add, change or analyse.

use super::Message;
use crate::language::text::{Token, between, fold, nearly};

/// Words that change nothing about the words beside them.
const POLITE: &[&str] = &[
    "ok", "okay", "oh", "please", "pls", "sorry", "just", "ah", "well", "hey", "thanks", "thank",
    "you", "kindly", "alright", "right", "hmm", "um", "so", "then", "now",
];

const CANCEL: &[&str] = &[
    "cancel",
    "cancel that",
    "cancel it",
    "cancel this",
    "cancel the plan",
    "cancel the request",
    "never mind",
    "nevermind",
    "nvm",
    "never mind that",
    "forget it",
    "forget that",
    "forget this",
    "forget about it",
    "forget about that",
    "stop",
    "stop it",
    "stop that",
    "stop there",
    "abort",
    "abort it",
    "abort that",
    "quit",
    "exit",
    "no thanks",
    "no thank",
    "leave it",
    "drop it",
    "skip it",
    "scrap that",
    "scrap it",
    "give up",
    "no cancel",
    "no stop",
    "no forget it",
    "no never mind",
    "actually never mind",
    "actually cancel",
    "actually forget it",
    "i changed my mind",
    "changed my mind",
    "don't bother",
    "let it be",
];

const CONTINUE: &[&str] = &[
    "continue",
    "continue it",
    "continue that",
    "continue with it",
    "continue with that",
    "continue with the plan",
    "continue the plan",
    "continue with the next step",
    "continue with the next task",
    "go on",
    "go on with it",
    "go ahead",
    "go for it",
    "proceed",
    "proceed with it",
    "next",
    "next step",
    "next one",
    "next task",
    "resume",
    "resume it",
    "keep going",
    "carry on",
    "move on",
    "try again",
    "try it again",
    "try that again",
    "retry",
    "retry it",
    "retry that",
    "run it again",
    "run that again",
    "once more",
    "yes continue",
    "yes go on",
    "yes go ahead",
    "yes proceed",
    "yes try again",
    "yes retry",
    "let's continue",
    "let's go on",
    "can you continue",
    "could you continue",
    "continue from there",
    "continue where you stopped",
    "continue where you left off",
    "pick up where you left off",
];

/// What takes back the request before something new: the words, and whether they leave no doubt.
const FRAMES: &[(&[&str], bool)] = &[
    (&["forget", "about", "it"], true),
    (&["forget", "about", "that"], true),
    (&["forget", "it"], true),
    (&["forget", "that"], true),
    (&["forget", "this"], true),
    (&["never", "mind", "that"], true),
    (&["never", "mind"], true),
    (&["nevermind"], true),
    (&["nvm"], true),
    (&["cancel", "that"], true),
    (&["cancel", "it"], true),
    (&["cancel", "this"], true),
    (&["cancel"], true),
    (&["scrap", "that"], true),
    (&["scrap", "it"], true),
    (&["drop", "it"], true),
    (&["drop", "that"], true),
    (&["skip", "it"], true),
    (&["skip", "that"], true),
    (&["leave", "it"], true),
    (&["stop", "that"], true),
    (&["stop"], true),
    (&["abort"], true),
    (&["changed", "my", "mind"], true),
    (&["i", "changed", "my", "mind"], true),
    (&["new", "request"], true),
    (&["new", "question"], true),
    (&["something", "else"], true),
    (&["different", "question"], true),
];

/// Verbs and question words that begin a request of its own.
const REQUEST: &[&str] = &[
    "show",
    "list",
    "find",
    "get",
    "give",
    "retrieve",
    "fetch",
    "display",
    "count",
    "how",
    "what",
    "which",
    "who",
    "where",
    "when",
    "tell",
    "search",
    "look",
    "pull",
    "report",
    "compare",
    "calculate",
    "compute",
    "check",
    "query",
    "bring",
    "see",
];

/// A message without the words that clients put before a choice, and whether there were any:
/// "Selected: X", "User selected: X", "I selected: X".
pub(super) fn without_label(message: &str) -> (&str, bool) {
    let text = message.trim();
    let label = text.split_once(':').filter(|(label, _)| {
        label.len() <= 32
            && matches!(
                fold(label).trim(),
                "selected" | "user selected" | "i selected" | "selection" | "my selection"
            )
    });
    match label {
        Some((_, rest)) => (rest.trim(), true),
        None => (text, false),
    }
}

/// The words without politeness, when there are few enough for a phrase.
fn phrase(tokens: &[Token]) -> Option<String> {
    if tokens.len() > 16 {
        return None;
    }
    let words: Vec<_> = tokens
        .iter()
        .filter(|token| token.is_word() && !token.is(POLITE))
        .map(|token| token.text.as_str())
        .collect();
    let numbers = tokens.iter().any(|token| token.number().is_some());
    (!numbers && !words.is_empty()).then(|| words.join(" "))
}

pub(super) fn is_cancel(tokens: &[Token]) -> bool {
    phrase(tokens).is_some_and(|phrase| CANCEL.contains(&phrase.as_str()))
}

pub(super) fn is_continue(tokens: &[Token]) -> bool {
    phrase(tokens).is_some_and(|phrase| {
        CONTINUE.contains(&phrase.as_str())
            || ["continue", "proceed", "resume"]
                .iter()
                .any(|word| nearly(&phrase, word))
    })
}

/// Whether it asks to do the same again, where something failed.
pub(super) fn is_again(tokens: &[Token]) -> bool {
    phrase(tokens).is_some_and(|phrase| {
        matches!(
            phrase.as_str(),
            "again" | "do it again" | "one more time" | "another try" | "please again"
        )
    })
}

/// "Yes", "ok", "sure": to what is not said.
pub(super) fn is_assent(tokens: &[Token]) -> bool {
    const YES: &[&str] = &[
        "yes", "yep", "yeah", "sure", "fine", "good", "great", "do", "it", "go",
    ];
    tokens.len() <= 6
        && tokens
            .iter()
            .filter(|token| token.is_word())
            .all(|token| token.is(YES) || token.is(POLITE))
}

/// "No", "none of them", "neither": no option, and nothing in its place.
pub(super) fn refuses_all(tokens: &[Token]) -> bool {
    const NONE: &[&str] = &[
        "no",
        "none",
        "neither",
        "nothing",
        "nope",
        "something",
        "else",
        "other",
        "another",
        "of",
        "them",
        "these",
        "those",
        "the",
        "above",
        "one",
        "any",
        "either",
        "idk",
        "don't",
        "know",
        "i",
        "not",
        "sure",
        "doesn't",
        "matter",
        "whatever",
        "choose",
        "decide",
    ];
    tokens.len() <= 10
        && tokens
            .iter()
            .filter(|token| token.is_word())
            .all(|token| token.is(NONE) || token.is(POLITE))
}

/// The words behind "neither" and "none of these", without "I meant"; `None` if no option is
/// refused. Empty if no words follow.
pub(super) fn behind_refusal(message: &Message<'_>) -> Option<String> {
    let tokens = &message.tokens;
    let first = skip(
        tokens,
        0,
        &["no", "oh", "sorry", "well", "hmm", "ok", "okay"],
    );
    let refuses = tokens
        .get(first)
        .is_some_and(|token| token.is(&["neither", "none", "nothing"]))
        || tokens
            .get(first)
            .is_some_and(|token| token.is(&["something", "another", "somewhere"]))
            && tokens.len() <= first + 3;
    if !refuses {
        return None;
    }
    let behind = skip(
        tokens,
        first + 1,
        &[
            "of", "them", "these", "those", "the", "two", "above", "one", "else", "but", "is",
            "right", "fits", "i", "meant", "mean", "want", "wanted", "it's", "please", "options",
        ],
    );
    let rest = trim_marks(tokens.get(behind..)?);
    if rest.len() > 8 || verb_of_request(rest).is_some() {
        return None;
    }
    Some(between(message.text, rest).to_owned())
}

/// The place of the verb or question word that begins a request.
pub(super) fn verb_of_request(tokens: &[Token]) -> Option<usize> {
    const BEFORE: &[&str] = &[
        "can", "could", "would", "you", "please", "i", "want", "to", "need", "let", "me", "let's",
        "d", "like", "i'd", "ok", "okay", "now", "then", "and", "also", "so", "hey", "no", "yes",
        "actually", "wait", "oh", "well", "rather", "hmm",
    ];
    let at = tokens
        .iter()
        .position(|token| token.is_word() && !token.is(BEFORE))?;
    if at < 8 && tokens[at].is(REQUEST) {
        return Some(at);
    }
    // "I need all containers", "I need the vessels".
    let wants = tokens[..at.min(8)]
        .iter()
        .any(|token| token.is(&["want", "need", "like"]));
    (wants && tokens[at].is(&["all", "the", "every", "a"]) && tokens.len() > at + 2).then_some(at)
}

/// Whether it is a question.
pub(super) fn asks(message: &Message<'_>) -> bool {
    const WORDS: &[&str] = &[
        "what", "which", "who", "where", "when", "why", "how", "is", "are", "do", "does", "did",
        "can", "could",
    ];
    message.text.ends_with('?') || message.tokens.first().is_some_and(|token| token.is(WORDS))
}

/// The new request, without the words around it, and whether those leave no doubt: "forget
/// it, show me X instead".
pub(super) fn reframed(message: &Message<'_>) -> Option<(String, bool)> {
    let tokens = &message.tokens;
    let first = skip(
        tokens,
        0,
        &[
            "no", "ok", "okay", "actually", "wait", "oh", "please", "well", "sorry",
        ],
    );
    let frame = FRAMES.iter().find(|(words, _)| {
        words.iter().enumerate().all(|(at, word)| {
            tokens
                .get(first + at)
                .is_some_and(|token| token.is(&[word]))
        })
    });
    let instead = tokens
        .iter()
        .rposition(Token::is_word)
        .filter(|at| tokens[*at].is(&["instead", "rather"]));
    let begin = if let Some((words, _)) = frame {
        skip(
            tokens,
            first + words.len(),
            &[
                "and", "then", "but", "please", "just", "rather", "instead", "let's", "now",
            ],
        )
    } else {
        // "No, show me X instead": only with a request in it.
        instead?;
        verb_of_request(tokens)?;
        first
    };
    // "Cancel the filter": the verb has an object of its own, so it does not frame a request.
    if let Some((words, _)) = frame
        && words.len() == 1
        && tokens.get(first + 1).is_some_and(Token::is_word)
        && verb_of_request(&tokens[first + 1..]).is_none()
    {
        return None;
    }
    let end = instead.unwrap_or(tokens.len()).max(begin);
    let rest = tokens.get(begin..end)?;
    let rest = trim_marks(rest);
    let text = between(message.text, rest);
    (!text.is_empty()).then(|| (text.to_owned(), frame.is_none_or(|(_, strong)| *strong)))
}

/// The first place from `at` on with neither a mark nor one of these words.
pub(super) fn skip(tokens: &[Token], at: usize, words: &[&str]) -> usize {
    let more = tokens
        .get(at..)
        .unwrap_or_default()
        .iter()
        .take_while(|token| {
            token.is(words) || token.is(&[",", ";", ".", ":", "-", "!", "…", "?", "&", "+"])
        })
        .count();
    at + more
}

pub(super) fn trim_marks(tokens: &[Token]) -> &[Token] {
    let mut rest = tokens;
    while let Some((last, before)) = rest.split_last()
        && last.is(&[",", ";", ".", "!", ":", "-"])
    {
        rest = before;
    }
    rest
}

/// Words that say that something is added.
const ADDS: &[&str] = &["but", "also", "plus", "additionally", "moreover", "besides"];
/// Words that begin an addition, and belong to it.
const ADDING: &[&str] = &[
    "include",
    "including",
    "add",
    "with",
    "without",
    "only",
    "exclude",
    "excluding",
    "show",
    "sort",
    "sorted",
    "group",
    "grouped",
    "order",
    "ordered",
    "limit",
    "filter",
    "make",
    "change",
    "not",
    "except",
    "as",
];

/// Whether the message begins like an addition.
pub(super) fn begins_addition(tokens: &[Token]) -> bool {
    let at = skip(tokens, 0, &["and", "please", "ok", "oh"]);
    let said = tokens.get(at).is_some_and(|token| {
        token.is(ADDS) || token.is(ADDING) && !token.is(&["show", "not", "as"])
    });
    let more = tokens
        .get(at + 1..)
        .unwrap_or_default()
        .iter()
        .any(|token| token.is_word() && !token.is(POLITE));
    said && more
}

/// The addition from `tail` on, without the connecting words, and whether connecting words say
/// that it is added.
pub(super) fn addition(message: &Message<'_>, tail: usize) -> (String, bool) {
    let tokens = &message.tokens;
    let begin = skip(
        tokens,
        tail,
        &[
            "but",
            "and",
            "also",
            "plus",
            "then",
            "please",
            "additionally",
            "moreover",
            "besides",
            "too",
        ],
    );
    let connected = tokens[tail..begin].iter().any(Token::is_word)
        || tokens.get(begin).is_some_and(|token| token.is(ADDING));
    let end = trim_marks(&tokens[begin.min(tokens.len())..]).len() + begin;
    let text = between(message.text, &tokens[begin.min(end)..end]);
    let text = if text.is_empty() {
        message.from(tail)
    } else {
        text.to_owned()
    };
    (text, connected)
}

/// Whether the message changes the earlier query; `Some(true)` when that leaves no doubt.
pub(super) fn edits(message: &Message<'_>) -> Option<bool> {
    const THAT: &[&str] = &[
        "that", "it", "them", "these", "those", "this", "by", "results", "result", "ones",
    ];
    let tokens = &message.tokens;
    let first = skip(
        tokens,
        0,
        &[
            "and", "now", "please", "ok", "okay", "then", "can", "could", "you", "but",
        ],
    );
    let words: Vec<_> = tokens[first..]
        .iter()
        .filter(|token| token.is_word())
        .collect();
    let word = words.first()?;
    let short = words.len() <= 8;
    let refers = words
        .iter()
        .any(|token| token.is(&["that", "it", "them", "these", "those"]));
    let last = words.last().is_some_and(|token| token.is(&["instead"]));
    match word.text.as_str() {
        "add" | "apply" | "remove" | "drop" | "delete" | "omit" | "hide" | "exclude"
        | "excluding" | "without" | "except" | "clear" | "include" | "including" | "only"
        | "ungroup" | "ignore" | "reverse" | "unfilter" => Some(short || refers),
        "filter" | "group" | "sort" | "order" | "rank" | "limit" | "narrow" | "restrict"
        | "grouped" | "sorted" | "ordered" | "break" | "split" | "cancel" => {
            Some(words.get(1).is_some_and(|token| token.is(THAT)) || refers || words.len() <= 3)
        }
        "just" | "keep" | "also" | "with" | "plus" => Some(short && words.len() > 1),
        "change" | "replace" | "switch" | "set" | "make" | "use" => Some(
            refers
                || last
                || words
                    .iter()
                    .any(|token| token.is(&["filter", "limit", "order"])),
        ),
        "top" | "first" => Some(false),
        "show" | "list" | "display" | "give" => {
            let only = words
                .iter()
                .take(4)
                .any(|token| token.is(&["only", "just"]));
            let theirs = words
                .iter()
                .take(4)
                .any(|token| token.is(&["them", "those", "these", "it"]));
            (only && words.len() <= 6 || theirs).then_some(theirs || words.len() <= 4)
        }
        "which" | "who" => {
            (words.get(1).is_some_and(|token| token.is(&["of", "ones"])) && refers).then_some(false)
        }
        _ if last && words.len() <= 8 => Some(true),
        _ => None,
    }
}

/// The subject of an analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnalysisOf {
    /// Results that are there.
    EarlierResults,
    /// Something that it names itself.
    SomethingElse,
    /// It does not say.
    Nothing,
}

/// Whether something is to be analysed, and what.
pub(super) fn analysis(tokens: &[Token]) -> Option<AnalysisOf> {
    const BEGINNINGS: &[&str] = &[
        "analy",
        "pattern",
        "trend",
        "anomal",
        "outlier",
        "season",
        "correlat",
        "distribut",
        "insight",
        "statistic",
        "summari",
        "explain",
        "unusual",
    ];
    let wants = tokens.iter().take(64).any(|token| {
        token.is_word()
            && (BEGINNINGS
                .iter()
                .any(|beginning| token.text.starts_with(beginning))
                || nearly(&token.text, "analyze")
                || nearly(&token.text, "analyse"))
    });
    let stands_out = tokens
        .windows(2)
        .any(|pair| pair[0].is(&["stands", "stand"]) && pair[1].is(&["out"]))
        || tokens
            .windows(2)
            .any(|pair| pair[0].is(&["change"]) && pair[1].is(&["point", "points"]));
    if !wants && !stands_out {
        return None;
    }
    if refers_to_results(tokens) {
        return Some(AnalysisOf::EarlierResults);
    }
    let scoped = tokens.windows(2).any(|pair| {
        pair[0].is(&["of", "for", "in", "to", "from", "at", "on", "between"]) && pair[1].is_word()
    });
    Some(if scoped {
        AnalysisOf::SomethingElse
    } else {
        AnalysisOf::Nothing
    })
}

/// "These results", "the data above", "in it", "of them", "analyze that".
fn refers_to_results(tokens: &[Token]) -> bool {
    const RESULTS: &[&str] = &[
        "results", "result", "data", "records", "rows", "numbers", "figures", "findings", "list",
        "table", "output", "answer", "dataset", "ones",
    ];
    const POINTING: &[&str] = &[
        "these", "those", "this", "that", "above", "previous", "last", "earlier",
    ];
    let pointed = |at: usize| {
        tokens[at.saturating_sub(2)..at]
            .iter()
            .any(|token| token.is(POINTING))
    };
    tokens.iter().enumerate().any(|(at, token)| {
        let ends = tokens[at + 1..].iter().all(|token| {
            !token.is_word()
                || token.is(POLITE)
                || token.is(&["by", "per", "for", "me", "over", "too"])
        }) || tokens
            .get(at + 1)
            .is_some_and(|next| next.is(&["by", "per", "for", "and", "over", "?"]));
        if token.is(RESULTS) {
            let the = at > 0 && tokens[at - 1].is(&["the"]);
            return pointed(at) || (the && token.is(&["results", "result"]));
        }
        if token.is(&["it", "them", "that", "those", "these", "this"]) {
            // "In that", "analyze it", not "trends in those shipments of …" where a noun decides.
            let plural_noun = token.is(&["those", "these"])
                && tokens.get(at + 1).is_some_and(Token::is_word)
                && tokens.len() <= at + 2;
            return at > 0 && (ends || plural_noun);
        }
        token.is(&["above"]) && ends
    })
}
