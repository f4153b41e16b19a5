//! A ranking continued: "and the second worst?", "and the best?", "and in money?", "and for LTI?".

use contracts::tools::LoggerSummary;

use super::{Before, Slots, carried, days_of, words_of};
use crate::language::coverage::mask_days;
use crate::language::figures::{self, NamedCurrency};
use crate::language::keywords::Keywords;
use crate::language::loggers::Finder;
use crate::language::question::{ORDINALS, figure};
use crate::language::text::{Message, normalize, number_word};
use crate::language::{
    LoggerMention, Question, asked_figure, asks_for_energy, ranks_by_energy, understand,
};
use crate::narrative::{Asked, Place, format};

/// Words for an end of a ranking.
const ENDS: &[&str] = &[
    "most",
    "least",
    "best",
    "worst",
    "highest",
    "lowest",
    "strongest",
    "weakest",
    "top",
    "bottom",
    "first",
    "last",
];

/// Words beside the end and the ordinal: "who is the second worst one?".
const BESIDE: &[&str] = &[
    "the", "which", "who", "is", "was", "one", "are", "what", "about", "came", "place", "in", "on",
    "comes", "inverter", "device", "then",
];

/// The ranking before, as `message` continues it.
pub(super) fn continued(
    message: &str,
    before: &Before<'_>,
    loggers: &[LoggerSummary],
) -> Option<String> {
    why(message, before, loggers)
        .or_else(|| other_place(message, before))
        .or_else(|| end_of_it(message, before, loggers))
        .or_else(|| of_one(message, before, loggers))
        .or_else(|| in_other_unit(message, before, loggers))
}

/// "Why?" after a ranking: what puts the first and the last of it there.
fn why(message: &str, before: &Before<'_>, loggers: &[LoggerSummary]) -> Option<String> {
    const BESIDE: &[&str] = &["is", "that", "so", "it", "this", "please"];
    let keywords = Keywords::of(message);
    let (["why", rest @ ..] | ["how", "come", rest @ ..]) = keywords.words.as_slice() else {
        return None;
    };
    let is_ranking = understand(before.request, loggers).question == Question::Compare
        || ranks(before.request, loggers).is_some();
    let only = rest.iter().all(|word| BESIDE.contains(word));
    let text = normalize(before.request);
    let asked = words_of(&text);
    (only && is_ranking).then(|| {
        let asked = asked.strip_prefix("why ").unwrap_or(&asked);
        match before.period {
            Some(_) => with_days_of(before, &format!("why {asked}"), loggers),
            None => format!("why {asked}"),
        }
    })
}

/// The end or the place of a ranking that a message names, and nothing else.
#[derive(Clone, Copy)]
struct Named<'t> {
    nth: Option<&'t str>,
    end: Option<&'t str>,
    count: Option<u32>,
}

impl<'t> Named<'t> {
    fn by(keywords: &Keywords<'t>) -> Option<Self> {
        let words = &keywords.words;
        let named = |word: &str| ENDS.contains(&word) || ORDINALS.contains(&word);
        let only = words
            .iter()
            .all(|word| named(word) || BESIDE.contains(word) || number_word(word).is_some());
        let found = Self {
            nth: words.iter().copied().find(|word| ORDINALS.contains(word)),
            end: words.iter().copied().find(|word| ENDS.contains(word)),
            count: keywords
                .tokens
                .iter()
                .filter(|token| !token.is("one"))
                .find_map(|token| token.number().or_else(|| number_word(token.text))),
        };
        let some = found.nth.is_some() || found.end.is_some();
        let both = found.nth.is_some() && found.count.is_some();
        (only && some && !both).then_some(found)
    }
}

/// An end of what the question before ranks without naming an end: "top 2" after "Rank the
/// inverters in October", "top 3" after the energy of all, "which one is worst?" after the health
/// of several.
fn end_of_it(message: &str, before: &Before<'_>, loggers: &[LoggerSummary]) -> Option<String> {
    let keywords = Keywords::of(message);
    let Named { nth, end, count } = Named::by(&keywords)?;
    let end = end?;
    let one = matches!(
        Slots::of(before.request, loggers).mention,
        LoggerMention::One(_)
    ) || before.loggers.len() == 1;
    let asked = match understand(before.request, loggers).question {
        Question::Health if !one && nth.is_none() && count.is_none() => {
            format!("which inverter has the {end} health")
        }
        Question::Savings if one || of_sites(before.request, loggers) => return None,
        // An answer in kWh is continued in kWh.
        question @ (Question::Savings | Question::Compare)
            if question == Question::Savings || is_by_energy(before.request, loggers) =>
        {
            let end = if is_worse(end) { "least" } else { "most" };
            match (nth, count) {
                (Some(nth), _) => format!("which inverter made the {nth} {end} energy"),
                (None, Some(count)) => {
                    let end = if end == "least" { "worst" } else { "top" };
                    format!("{end} {count} inverters by energy")
                }
                (None, None)
                    if question == Question::Compare
                        || asks_for_energy(before.request, loggers) =>
                {
                    format!("which inverter made the {end} energy")
                }
                (None, None) => format!("which inverter saved the {end} money"),
            }
        }
        Question::Compare => match (nth, count) {
            (Some(nth), _) => format!("which inverter is the {nth} {end}"),
            (None, Some(count)) => format!("{end} {count} inverters"),
            (None, None) => format!("which inverter is the {end}"),
        },
        _ => return None,
    };
    Some(carried(&asked, before, loggers))
}

/// Whether an end of a ranking is the worse one.
fn is_worse(end: &str) -> bool {
    matches!(
        end,
        "least" | "worst" | "lowest" | "weakest" | "bottom" | "last"
    )
}

/// Whether a request ranks devices by their energy, whatever their size.
fn is_by_energy(request: &str, loggers: &[LoggerSummary]) -> bool {
    ranks_by_energy(request)
        || matches!(
            asked_figure(request, loggers),
            Some(
                Asked::Most
                    | Asked::More
                    | Asked::Place(Place {
                        by_energy: true,
                        ..
                    })
            )
        )
}

/// Whether a request compares sites.
fn of_sites(request: &str, loggers: &[LoggerSummary]) -> bool {
    matches!(
        asked_figure(request, loggers),
        Some(Asked::Sites | Asked::EndOfSites(_) | Asked::SitesByWorth { .. })
    )
}

/// The question before with another end or place of its ranking: "and the least?", "and the
/// second?", "the top 3?".
fn other_place(message: &str, before: &Before<'_>) -> Option<String> {
    let keywords = Keywords::of(message);
    let Named { nth, end, count } = Named::by(&keywords)?;
    // "Top 3" after "which inverter made the most energy?" is another sentence.
    if count.is_some() && figures::ranked(&Keywords::of(&normalize(before.request))).is_none() {
        return None;
    }
    let text = normalize(before.request);
    let before: Vec<&str> = text.split_whitespace().collect();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let at = before
        .iter()
        .position(|word| ENDS.contains(&bare(word).as_str()) && bare(word) != "last")?;
    let old_end = bare(before[at]);
    let end = end.unwrap_or(old_end.as_str());
    let place = match (nth, count) {
        (Some(nth), _) => format!("{nth} {end}"),
        (None, Some(count)) => format!("{end} {count}"),
        (None, None) => end.to_owned(),
    };
    let first = at - usize::from(at > 0 && ORDINALS.contains(&before[at - 1]));
    let head = before[..first].join(" ");
    // "Top 3" has its number with it.
    let counted = before.get(at + 1).is_some_and(|next| {
        next.bytes().all(|byte| byte.is_ascii_digit()) || number_word(next).is_some()
    });
    let behind = at + 1 + usize::from(counted && count.is_some());
    let tail = before[behind..].join(" ");
    let changed = format!("{head} {place} {tail}");
    Some(changed.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether a request ranks devices, and from which end.
fn ranks(request: &str, loggers: &[LoggerSummary]) -> Option<&'static str> {
    let asked = asked_figure(request, loggers)?;
    let text = normalize(request);
    let keywords = Keywords::of(&text);
    let last = keywords.word(&["worst", "least", "lowest", "weakest", "bottom", "laggard"]);
    let ranked = matches!(
        asked,
        Asked::Best | Asked::Most | Asked::Place(_) | Asked::MostSaved | Asked::MostCarbon
    );
    ranked.then_some(if last { "least" } else { "most" })
}

/// "And for LTI?" after a ranking: its place among all.
fn of_one(message: &str, before: &Before<'_>, loggers: &[LoggerSummary]) -> Option<String> {
    let end = ranks(before.request, loggers)?;
    let LoggerMention::One(id) = Slots::of(message, loggers).mention else {
        return None;
    };
    // Only the device, and days perhaps.
    let mut rest = Message::new(message);
    let mut finder = Finder::new(loggers);
    finder.ids(&mut rest);
    let named_days = Slots::of(message, loggers).days;
    mask_days(&mut rest, &mut 0);
    finder.rest(&mut rest);
    let rest = words_of(rest.text());
    let keywords = Keywords::of(&rest);
    let only = keywords
        .words
        .iter()
        .all(|word| matches!(*word, "for" | "of" | "about" | "on" | "please" | "in"));
    if !only || figure(&keywords).is_some() {
        return None;
    }
    let end = if end == "least" { "worst" } else { "best" };
    let asked = format!("is {id} the {end}");
    if !named_days {
        return Some(with_days_of(before, &asked, loggers));
    }
    let days = days_of(message, loggers).unwrap_or_default();
    Some(format!("{asked} {days}").trim().to_owned())
}

/// A question with the days of the one before.
fn with_days_of(before: &Before<'_>, asked: &str, loggers: &[LoggerSummary]) -> String {
    let days = match before.period {
        Some(period) => Some(format::from_to(period.start, period.end)),
        None => days_of(before.request, loggers),
    };
    format!("{asked} {}", days.unwrap_or_default())
        .trim()
        .to_owned()
}

/// "And in money?" after a ranking: the same end of it, by money, carbon or energy.
fn in_other_unit(message: &str, before: &Before<'_>, loggers: &[LoggerSummary]) -> Option<String> {
    let end = ranks(before.request, loggers)?;
    let keywords = Keywords::of(message);
    let small = |word: &str| {
        matches!(
            word,
            "in" | "by" | "and" | "terms" | "of" | "the" | "what" | "about" | "for" | "avoided"
        )
    };
    let money = |word: &str| {
        matches!(word, "money" | "savings" | "cash" | "revenue")
            || NamedCurrency::of_word(word).is_some()
    };
    let carbon = |word: &str| matches!(word, "co2" | "carbon");
    let energy = |word: &str| matches!(word, "energy" | "kwh");
    let unit = |word: &str| money(word) || carbon(word) || energy(word);
    let words = &keywords.words;
    if !words.iter().all(|word| small(word) || unit(word)) {
        return None;
    }
    let asked = match words.iter().find(|word| unit(word))? {
        word if money(word) => format!("which inverter saved the {end} money"),
        word if carbon(word) => format!("which inverter avoided the {end} co2"),
        _ => format!("which inverter made the {end} energy"),
    };
    // "Is LTI the worst?" was asked of all.
    let of_one = matches!(
        Slots::of(before.request, loggers).mention,
        LoggerMention::One(_)
    );
    if of_one {
        return Some(with_days_of(before, &asked, loggers));
    }
    Some(carried(&asked, before, loggers))
}
