//! Requests to offer in place of one that has a limit: the same words without it, with one of its
//! periods, or with a site that exists.

use contracts::tools::LoggerSummary;

use super::figures::NamedCurrency;
use super::keywords::{Concept, Keywords};
use super::limits::{self, Limit};
use super::text::Message;
use super::{Beyond, Extraction, Horizon, Question, When, coverage, extract, several, understand};
use crate::narrative::format;

/// Most requests that are offered.
const MOST: usize = 3;

/// Requests that are answered, made from the words of `message`.
pub fn instead(message: &str, horizon: &Horizon<'_>) -> Vec<String> {
    let loggers = horizon.loggers;
    let mut offers: Vec<String> = match understand(message, loggers).question {
        Question::Beyond(Beyond::Limit(Limit::TwoQuestions)) => {
            several::questions(message, loggers)
        }
        Question::Beyond(Beyond::Limit(Limit::Unknown)) => at_known_sites(message, loggers),
        Question::Beyond(Beyond::Limit(Limit::Periods)) => with_one_period(message, horizon),
        // Without its bound the question has no figure left: "did I save in October?".
        Question::Beyond(Beyond::Limit(Limit::Bound)) => Vec::new(),
        Question::Beyond(Beyond::Limit(_)) => vec![without_limits(message, loggers)],
        _ => Vec::new(),
    };
    offers.retain(|offer| is_whole(offer));
    offers.retain(|offer| {
        let question = understand(offer, loggers).question;
        !offer.is_empty() && !matches!(question, Question::Beyond(_) | Question::Unknown)
    });
    offers.dedup();
    offers.truncate(MOST);
    offers
}

/// The request that asks for money "in euros" with the currency as a word of its own: the report is
/// in the currency of the site, and says if that is another one.
pub fn in_currency(message: &str, loggers: &[LoggerSummary]) -> Option<String> {
    let conversion = Question::Beyond(Beyond::Limit(Limit::Conversion));
    if understand(message, loggers).question != conversion {
        return None;
    }
    let named = NamedCurrency::asked(message)?;
    let only = limits::find(message, loggers)
        .iter()
        .all(|one| one.limit == Limit::Conversion);
    let rest = without_limits(message, loggers);
    let rest = rest.trim_end_matches(['?', '!', '.']);
    let request = format!("{rest} {}", named.name().to_lowercase());
    let question = understand(&request, loggers).question;
    (only && question == Question::Savings).then_some(request)
}

/// The message without the rate that it names.
pub fn without_rate(message: &str) -> Option<String> {
    let before = Message::new(message);
    let mut after = before.clone();
    super::figures::take_rate(&mut after)?;
    let spans = super::loggers::masked_between(before.text(), after.text());
    let cuts: Vec<_> = spans
        .into_iter()
        .map(|span| (span, String::new()))
        .collect();
    Some(without(message, &cuts))
}

fn without_limits(message: &str, loggers: &[LoggerSummary]) -> String {
    let text = Message::new(message);
    let cuts: Vec<_> = limits::find(message, loggers)
        .into_iter()
        .map(|one| {
            let cut = text.text().get(one.out.clone()).unwrap_or_default();
            let picks = matches!(one.limit, Limit::Property | Limit::Count | Limit::State);
            (one.out, if picks { picked(cut) } else { String::new() })
        })
        .collect();
    without(message, &cuts)
}

/// The replacement of devices that are picked by a property: they are a part of the
/// sentence.
fn picked(cut: &str) -> String {
    let keywords = Keywords::of(cut);
    if !keywords.has(Concept::Device) && !keywords.has(Concept::Site) {
        return String::new();
    }
    match keywords.words.first() {
        Some(first @ &("of" | "for" | "at" | "by" | "from" | "with")) => {
            format!("{first} all inverters")
        }
        _ => "all inverters".to_owned(),
    }
}

/// Whether a request still has its parts: no verb without a subject, no number without what it
/// counts.
fn is_whole(request: &str) -> bool {
    const AUXILIARIES: &[&str] = &[
        "did", "does", "do", "has", "have", "is", "was", "are", "were",
    ];
    const VERBS: &[&str] = &[
        "make", "made", "produce", "produced", "generate", "deliver", "save", "saved", "earn",
        "run", "yield", "work", "have",
    ];
    const OPEN: &[&str] = &[
        "last", "first", "two", "three", "four", "five", "next", "past", "previous", "did", "does",
        "do", "has", "have", "is", "are", "was", "were", "all", "every", "each", "which", "what",
        "who", "than",
    ];
    let request = request.to_lowercase();
    let words: Vec<&str> = request
        .split(|letter: char| !letter.is_alphanumeric() && letter != '\'' && letter != '-')
        .filter(|word| !word.is_empty())
        .collect();
    let headless = words
        .windows(2)
        .any(|pair| AUXILIARIES.contains(&pair[0]) && VERBS.contains(&pair[1]));
    let open = match words.as_slice() {
        [] => true,
        [.., before, last] => {
            let number = last.bytes().all(|byte| byte.is_ascii_digit());
            OPEN.contains(last) || number && OPEN.contains(before)
        }
        [last] => OPEN.contains(last),
    };
    let asks_what = words.starts_with(&["what", "is", "all"])
        || words.starts_with(&["what's", "all"])
        || words.starts_with(&["what", "is", "of"])
        || words.starts_with(&["what's", "of"]);
    !headless && !open && !asks_what
}

/// The message without some places of it, each with the words in its place.
fn without(message: &str, cuts: &[(std::ops::Range<usize>, String)]) -> String {
    let read = Message::new(message);
    let mut left = String::with_capacity(message.len());
    let mut end = 0;
    for (cut, instead) in cuts {
        left.push_str(read.words_of(end..cut.start.max(end)));
        left.push(' ');
        left.push_str(instead);
        left.push(' ');
        end = cut.end.max(end);
    }
    left.push_str(read.words_of(end..read.text().len()));
    tidy(&left)
}

/// One space between words, no mark or small word left hanging at an end.
fn tidy(text: &str) -> String {
    const HANGING: &[&str] = &[
        "of", "for", "on", "in", "from", "at", "by", "and", "with", "the", "but", "a", "or", "to",
        "its", "their",
    ];
    // "In, , during": a mark whose words were cut.
    let mut words: Vec<&str> = text
        .split_whitespace()
        .filter(|word| !matches!(*word, "," | ";" | ":"))
        .collect();
    let bare = |word: &str| {
        word.trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase()
    };
    while words
        .last()
        .is_some_and(|word| bare(word).is_empty() || HANGING.contains(&bare(word).as_str()))
    {
        words.pop();
    }
    while words.first().is_some_and(|word| {
        bare(word).is_empty() || matches!(bare(word).as_str(), "of" | "and" | "by" | "or")
    }) {
        words.remove(0);
    }
    // "In of": a preposition that lost its noun.
    let mut kept: Vec<&str> = Vec::with_capacity(words.len());
    for word in words {
        let preposition = |word: &str| {
            matches!(
                word,
                "of" | "for" | "on" | "in" | "from" | "at" | "by" | "with"
            )
        };
        if preposition(word) && kept.last().is_some_and(|last| preposition(last)) {
            kept.pop();
        }
        kept.push(word);
    }
    kept.join(" ")
}

/// The request with each of its periods alone.
fn with_one_period(message: &str, horizon: &Horizon<'_>) -> Vec<String> {
    let Extraction {
        when: Some(When::Apart(periods)),
        ..
    } = extract(message, horizon)
    else {
        return Vec::new();
    };
    let days = limits::masked(message, horizon.loggers).days;
    let cuts: Vec<_> = days.into_iter().map(|day| (day, String::new())).collect();
    let bare = without(message, &cuts);
    periods
        .iter()
        .map(|period| {
            format!(
                "{} {}",
                bare.trim_end_matches(['?', '!', '.']),
                format::from_to(period.start, period.end)
            )
        })
        .collect()
}

/// The request with the sites that exist in place of the unknown name.
fn at_known_sites(message: &str, loggers: &[LoggerSummary]) -> Vec<String> {
    let Some(name) = coverage::of(message, loggers).placed else {
        return Vec::new();
    };
    let read = Message::new(message);
    let Some(at) = read.text().find(&name) else {
        return Vec::new();
    };
    let mut sites: Vec<&str> = loggers.iter().map(|one| one.site_name.as_str()).collect();
    sites.sort_unstable();
    sites.dedup();
    let (head, tail) = (
        read.words_of(0..at),
        read.words_of(at + name.len()..read.text().len()),
    );
    // Behind "on" stands a day: the rest is asked without it.
    let mut before = head.trim_end();
    while let Some(rest) = [
        " the", " all", " my", " our", " every", " each", " this", " that",
    ]
    .iter()
    .filter(|determiner| before.to_lowercase().ends_with(**determiner))
    .find_map(|determiner| before.get(..before.len() - determiner.len()))
    {
        before = rest;
    }
    let tail = tail.trim_start();
    let of_days = [" on", " during"];
    if let Some(rest) = of_days.iter().find_map(|word| before.strip_suffix(word)) {
        let joint = if tail.starts_with(char::is_alphanumeric) {
            " "
        } else {
            ""
        };
        return vec![tidy(&format!("{rest}{joint}{tail}"))];
    }
    let whole = |site: &str| {
        let words = tail.trim_start();
        let first = words.split(' ').next().unwrap_or_default();
        let plant = matches!(
            first.to_lowercase().as_str(),
            "plant" | "site" | "roof" | "park" | "house"
        )
        .then(|| words.get(first.len()..).unwrap_or_default());
        let article = head.trim_end();
        let head = article.strip_suffix(" the").unwrap_or(article);
        let rest = plant.unwrap_or(words);
        format!("{head} {site} {rest}").trim().to_owned()
    };
    let requests = sites.into_iter().map(|site| (site, whole(site)));
    // A ratio needs readings of the sunlight.
    let answered = requests.filter(|(site, request)| {
        let ratio = understand(request, loggers).question == Question::PerformanceRatio;
        let sunlit = loggers
            .iter()
            .any(|one| one.site_name == **site && one.has_irradiance);
        !ratio || sunlit
    });
    answered.map(|(_, request)| request).collect()
}
