//! Messages that lean on the one before: "and last week?", "same for MEIER", "what about its error
//! codes?".
//!
//! What they mean is spelt out as a whole request, which is then read like any other: the question
//! before with another device or other days, or another question about the device and the days
//! before.

mod measure;
mod others;
mod ranking;

use chrono::{Datelike, Months, NaiveDate};
use contracts::tools::{LoggerSummary, Period, names, registry};

use super::classify::mentions_error_code;
use super::coverage::{self, mask_days};
use super::dates::{beside, part_alone, same_month};
use super::keywords::{Concept as C, Keywords, concept};
use super::loggers::{Finder, masked_between, says_all};
use super::question::{about_losses, was_out};
use super::text::{Kind, Message, normalize, tokens};
use super::{Horizon, LoggerMention, Question, extract_for, figures, understand};
use crate::arguments;
use crate::narrative::format;

/// The task before.
#[derive(Debug, Clone, Copy, Default)]
pub struct Before<'a> {
    /// The person's words.
    pub request: &'a str,
    /// The devices chosen in a picker.
    pub loggers: &'a [String],
    /// The days chosen in a picker.
    pub period: Option<Period>,
    /// Today, where the data reach so far.
    pub today: Option<NaiveDate>,
}

/// Number of words that a message without a leading "and" may have and still lean on the one
/// before.
const SHORT: usize = 8;

/// Words with which such a message begins; they are not part of what it asks.
const LEADS: &[&[&str]] = &[
    &["and", "what", "about"],
    &["and", "how", "about"],
    &["what", "about"],
    &["how", "about"],
    &["what", "of"],
    &["and", "for"],
    &["and"],
    &["also"],
    &["same", "question"],
    &["same", "thing"],
    &["the", "same", "thing"],
    &["the", "same"],
    &["do", "the", "same"],
    &["same", "again"],
    &["same"],
    &["ditto"],
    &["likewise"],
    &["repeat", "that"],
    &["repeat"],
    &["again"],
    &["now"],
    &["then"],
    &["or"],
    &["but"],
    &["ok"],
    &["okay"],
    &["so"],
    &["please"],
    &["can", "you", "do", "the", "same"],
    &["try"],
    &["make", "it"],
    &["instead"],
    &["show", "me", "the", "same"],
    &["what", "if"],
    &["no"],
    &["no", "i", "meant"],
    &["no", "i", "mean"],
    &["i", "meant"],
    &["i", "mean"],
    &["sorry"],
    &["wait"],
    &["actually"],
    &["rather"],
    &["only"],
    &["just"],
];

/// Words that represent the devices of the message before.
const PRONOUNS: &[&str] = &[
    "it", "its", "it's", "they", "their", "them", "that", "those", "these", "this",
];

/// Whether `message` could lean on the one before, by its words alone.
pub fn may_lean(message: &str) -> bool {
    let text = normalize(message);
    let (rest, led) = without_lead(&text);
    let words = Keywords::of(rest).words;
    led || (1..=SHORT).contains(&words.len())
        || words.iter().any(|word| PRONOUNS.contains(word))
        || words.is_empty() && rest.chars().any(char::is_alphanumeric)
}

/// The request that `message` means, when it leans on the one `before`; `None` when it stands
/// alone.
pub fn resume(message: &str, before: &Before<'_>, loggers: &[LoggerSummary]) -> Option<String> {
    if before.request.trim().is_empty() {
        return None;
    }
    let text = normalize(message);
    let (rest, led) = without_lead(&text);
    if rest.trim().is_empty() {
        return None;
    }
    let numbered = of_number(rest);
    let rest = numbered.as_deref().unwrap_or(rest);
    if let Some(request) = ranking::continued(rest, before, loggers) {
        return Some(request);
    }
    if let Some(request) = others::changed(rest, before, loggers) {
        return Some(request);
    }
    if let Some(request) = measure::in_other_unit(&text, before, loggers) {
        return Some(request);
    }
    if let Some(request) = measure::for_each_kw(rest, before, loggers) {
        return Some(request);
    }
    if let Some(request) = of_what_was_found(rest, before, loggers) {
        return Some(request);
    }
    if let Some(request) = by_other_interval(rest, before, loggers) {
        return Some(request);
    }
    if let Some(request) = by_device(rest, before, loggers) {
        return Some(request);
    }
    let spelt = with_days(rest, before, loggers)
        .or_else(|| with_month(rest, before, loggers))
        .or_else(|| with_whole(rest, before, loggers));
    let rest = spelt.as_deref().unwrap_or(rest);
    let found = coverage::of(rest, loggers);
    let keywords = Keywords::of(rest);
    let metric_only = found.concepts <= 1
        && !keywords.hits.is_empty()
        && keywords
            .hits
            .iter()
            .all(|hit| matches!(hit.concept, C::Production | C::Device | C::Site))
        && figures::metric(&keywords).is_some()
        && understand(before.request, loggers).question == Question::Compare;
    // "On energy" is how a comparison offers its other side.
    let led =
        led || metric_only && matches!(keywords.words.as_slice(), ["on" | "by" | "in", _, ..]);
    let words = keywords.words.len();
    let names_all = says_all(&keywords.words);
    let asks_of_faults =
        about_losses(&keywords) || was_out(&keywords) || mentions_error_code(&keywords);
    let replaces = found.unexplained.is_empty()
        && !asks_of_faults
        && (found.concepts == 0 || metric_only)
        && (found.slots > 0 || names_all || metric_only && led)
        && (led || words <= SHORT);
    if replaces {
        return Some(replaced(rest, before, loggers));
    }
    let asks = found.concepts > 0 || asks_of_faults;
    let definite = names_what_was_found(&keywords) || only_a_matter(rest, &keywords);
    let leans = led || definite || keywords.words.iter().any(|word| PRONOUNS.contains(word));
    let led = led || definite;
    (leans && asks && names_device_by_pronoun_or_not_at_all(&keywords, rest, loggers, led))
        .then(|| carried(rest, before, loggers))
}

/// The message with "inverter 5" for "number 5".
fn of_number(message: &str) -> Option<String> {
    let all = tokens(message);
    let at = all.windows(2).position(|pair| {
        matches!(pair[0].text, "number" | "nr" | "no" | "#") && pair[1].number().is_some()
    })?;
    let owned = at
        .checked_sub(1)
        .and_then(|before| all.get(before))
        .is_some_and(|before| {
            let word = before.text;
            matches!(
                word,
                "error" | "code" | "inverter" | "device" | "logger" | "unit" | "meter"
            )
        });
    let (head, tail) = (
        message.get(..all[at].start)?,
        message.get(all[at + 1].start..)?,
    );
    (!owned).then(|| format!("{head}inverter {tail}"))
}

/// The question before with its energy by day, week or month: "and per week?".
fn by_other_interval(
    message: &str,
    before: &Before<'_>,
    loggers: &[LoggerSummary],
) -> Option<String> {
    let keywords = Keywords::of(message);
    let tool = registry::descriptor(names::GET_ENERGY_HISTORY)?;
    let phrases = tool.asked_for?.phrases;
    let said = keywords.words.join(" ");
    let said = said.strip_prefix("the ").unwrap_or(&said);
    let asked = phrases.iter().find(|phrase| **phrase == said)?;
    let text = normalize(before.request);
    let request = match super::question::tool_asked_for(&Keywords::of(&text)) {
        Some((_, phrase)) => text.replacen(phrase, asked, 1),
        None => format!("{} {asked}", words_of(&text)),
    };
    let changed = Before {
        request: &request,
        ..*before
    };
    let request = replaced("", &changed, loggers);
    matches!(understand(&request, loggers).question, Question::Tool(_)).then_some(request)
}

/// The question before for each of its devices: "and per device?". `None` if it names no device
/// and no site.
fn by_device(message: &str, before: &Before<'_>, loggers: &[LoggerSummary]) -> Option<String> {
    let keywords = Keywords::of(message);
    let only_split = keywords.words.iter().all(|word| {
        matches!(
            *word,
            "per"
                | "by"
                | "for"
                | "each"
                | "every"
                | "please"
                | "the"
                | "of"
                | "them"
                | "single"
                | "one"
                | "individual"
        ) || concept(word, false).is_some_and(|(found, _)| found == C::Device)
    });
    let named = Slots::of(before.request, loggers).devices || !before.loggers.is_empty();
    if !only_split || !says_all(&keywords.words) || !named {
        return None;
    }
    let request = format!("{} per device", words_of(&normalize(before.request)));
    let changed = Before {
        request: &request,
        ..*before
    };
    Some(replaced("", &changed, loggers))
}

/// The question of a short message about the answer before: "when was it?" and "what did it cost?"
/// after a report on faults, "what does it mean?" after error codes.
fn of_what_was_found(
    message: &str,
    before: &Before<'_>,
    loggers: &[LoggerSummary],
) -> Option<String> {
    let keywords = Keywords::of(message);
    if keywords.words.len() > 6 || coverage::of(message, loggers).slots > 0 {
        return None;
    }
    let report = understand(before.request, loggers).question;
    let when = keywords.says_any(&["at what time", "what time", "when was", "how long"])
        || matches!(keywords.words.as_slice(), ["when"] | ["how", "long"]);
    let cost = keywords.word(&["cost", "costs", "lose", "lost"])
        && keywords.says_any(&[
            "it cost",
            "that cost",
            "they cost",
            "we lose",
            "i lose",
            "it costs",
        ]);
    let mean = keywords.word(&["mean", "means"])
        && keywords.word(&["it", "that", "this", "they", "those"]);
    let asked = match report {
        Question::Health if cost => "what did the outages cost",
        Question::Health if when => "when was the outage",
        Question::ErrorCodes if mean || when => "error codes",
        _ => return None,
    };
    Some(carried(asked, before, loggers))
}

/// "Health?", "the PR?": only a matter, put as a question.
fn only_a_matter(message: &str, keywords: &Keywords<'_>) -> bool {
    message.trim_end().ends_with('?')
        && matches!(keywords.words.as_slice(), [_] | [_, _])
        && !keywords.hits.is_empty()
        && !keywords.has(C::Briefing)
        && !super::question::asks_of_any(keywords)
        && keywords.words.iter().all(|word| {
            matches!(*word, "the" | "its") || concept(word, false).is_some() || *word == "codes"
        })
}

/// Whether the message speaks of what the answer before was about: "the outage", "those days",
/// "at what time".
fn names_what_was_found(keywords: &Keywords<'_>) -> bool {
    let short = keywords.words.len() <= SHORT;
    short
        && keywords.says_any(&[
            "the outage",
            "the outages",
            "the downtime",
            "the fault",
            "the failure",
            "the dead day",
            "the dead days",
            "the loss",
            "the losses",
            "that outage",
            "those days",
        ])
        && !keywords.says_any(&["last outage", "latest outage"])
}

/// The message with days that it names by those of the message before ("the week before") spelt
/// out; `None` when it names none so.
fn with_days(message: &str, before: &Before<'_>, loggers: &[LoggerSummary]) -> Option<String> {
    let text = Message::new(message);
    // Only where it names any so is the message before read for its days.
    let any = Period {
        start: NaiveDate::default(),
        end: NaiveDate::default(),
    };
    let (period, span) = if beside(&text, any).is_some() {
        beside(&text, days_before(before, loggers))?
    } else {
        same_month(&text, any)?;
        let found = same_month(&text, days_before(before, loggers))?;
        // A day after the newest one is that of an earlier month.
        let all: Vec<&LoggerSummary> = loggers.iter().collect();
        let newest = before.today.or_else(|| arguments::newest_day(&all))?;
        (found.0.start <= newest).then_some(found)?
    };
    let days = format::from_to(period.start, period.end);
    let (head, tail) = (text.text().get(..span.start)?, text.text().get(span.end..)?);
    Some(format!("{head}{days}{tail}"))
}

/// The message with a part of a month that it names without the month ("and the second week?") in
/// the month of the message before; `None` when it names none so.
fn with_month(message: &str, before: &Before<'_>, loggers: &[LoggerSummary]) -> Option<String> {
    let text = Message::new(message);
    let span = part_alone(&text)?;
    let Period { start, end } = days_before(before, loggers);
    if start.with_day(1) != end.with_day(1) {
        return None;
    }
    let (head, tail) = (text.text().get(..span.end)?, text.text().get(span.end..)?);
    Some(format!("{head} of {}{tail}", start.format("%B %Y")))
}

/// The week, month or year around the days of the message before, if the message is only that:
/// "the whole month".
fn with_whole(message: &str, before: &Before<'_>, loggers: &[LoggerSummary]) -> Option<String> {
    let keywords = Keywords::of(message);
    let words = keywords.words.strip_prefix(&["the"]);
    let ["whole" | "entire" | "full" | "complete", unit] = words.unwrap_or(&keywords.words) else {
        return None;
    };
    let Period { start, .. } = days_before(before, loggers);
    let (start, end) = match *unit {
        "week" => {
            let week = start.week(chrono::Weekday::Mon);
            (week.first_day(), week.last_day())
        }
        "month" => {
            let first = start.with_day(1)?;
            (first, first.checked_add_months(Months::new(1))?.pred_opt()?)
        }
        "year" => (
            NaiveDate::from_ymd_opt(start.year(), 1, 1)?,
            NaiveDate::from_ymd_opt(start.year(), 12, 31)?,
        ),
        _ => return None,
    };
    let all: Vec<&LoggerSummary> = loggers.iter().collect();
    let newest = before.today.or_else(|| arguments::newest_day(&all))?;
    Some(format::from_to(start, end.min(newest)))
}

/// The days of the message before; where it named none, those that its answer was about.
fn days_before(before: &Before<'_>, loggers: &[LoggerSummary]) -> Period {
    if let Some(period) = before.period {
        return period;
    }
    let named = Slots::of(before.request, loggers);
    let devices = match named.mention {
        LoggerMention::One(id) => vec![id],
        LoggerMention::Several(ids) => ids,
        _ => before.loggers.to_vec(),
    };
    let site = named.site.filter(|_| devices.is_empty());
    let meant: Vec<&LoggerSummary> = loggers
        .iter()
        .filter(|logger| devices.is_empty() || devices.contains(&logger.logger_id))
        .filter(|logger| site.as_ref().is_none_or(|site| logger.site_id == *site))
        .collect();
    let dated_by = arguments::dated_by(&meant, loggers);
    let anchor = arguments::newest_day(&dated_by).unwrap_or_default();
    let horizon = Horizon {
        loggers,
        anchor,
        today: before.today.unwrap_or(anchor),
    };
    let named = extract_for(before.request, &horizon, &meant).when;
    named.and_then(|when| when.period()).unwrap_or_else(|| {
        let days = match understand(before.request, loggers).question {
            Question::Savings | Question::Tool(_) => 30,
            Question::Health | Question::ErrorCodes => 7,
            _ => 1,
        };
        Period {
            start: arguments::days_before(anchor, days - 1),
            end: anchor,
        }
    })
}

/// The question before, with what the new message names in place of what was named.
fn replaced(message: &str, before: &Before<'_>, loggers: &[LoggerSummary]) -> String {
    let new = Slots::of(message, loggers);
    let mut old = Message::new(before.request);
    let old_slots = Slots::of(before.request, loggers);
    if new.days {
        mask_days(&mut old, &mut 0);
    }
    if new.rate {
        figures::take_rate(&mut old);
    }
    if new.devices {
        let mut finder = Finder::new(loggers);
        finder.ids(&mut old);
        // Days are hidden from the looser search, which takes numbers for devices.
        let mut hidden = old.clone();
        mask_days(&mut hidden, &mut 0);
        let shown = hidden.text().to_owned();
        finder.rest(&mut hidden);
        for span in masked_between(&shown, hidden.text()) {
            old.mask(span);
        }
    }
    let mut request = words_of(old.text());
    if new.devices {
        request = without_all(&request);
    }
    if !new.devices && !before.loggers.is_empty() && !old_slots.devices {
        request.push_str(" of ");
        request.push_str(&format::list(before.loggers));
    }
    if !new.days
        && let Some(period) = before.period
    {
        request = with_period(&request, period);
    }
    let joint = if new.devices
        && !message.trim_start().starts_with("for ")
        && !message.trim_start().starts_with("of ")
    {
        " of "
    } else {
        " "
    };
    let joined = |request: &str| format!("{}{joint}{}", request.trim(), message.trim());
    let whole = joined(&request).trim().to_owned();
    if new.days || !new.devices || before.period.is_some() {
        return whole;
    }
    // "September" is that of the same year, whenever the data of the other device end.
    let changed = Before {
        request: &whole,
        loggers: &[],
        ..*before
    };
    let (meant, read) = (days_before(before, loggers), days_before(&changed, loggers));
    let same_days = meant.start.month() == read.start.month()
        && (meant.start.day(), meant.end - meant.start)
            == (read.start.day(), read.end - read.start);
    if same_days && meant != read {
        return joined(&with_period(&request, meant)).trim().to_owned();
    }
    whole
}

/// The request with other days.
fn with_period(request: &str, period: Period) -> String {
    let mut without = Message::new(request);
    mask_days(&mut without, &mut 0);
    let request = words_of(without.text());
    format!("{request} {}", format::from_to(period.start, period.end))
}

/// The new question about the devices, and the days, of the one before.
fn carried(message: &str, before: &Before<'_>, loggers: &[LoggerSummary]) -> String {
    let new = Slots::of(message, loggers);
    let devices = if before.loggers.is_empty() {
        match Slots::of(before.request, loggers).mention {
            LoggerMention::One(id) => vec![id],
            LoggerMention::Several(ids) => ids,
            _ => Vec::new(),
        }
    } else {
        before.loggers.to_vec()
    };
    let mut request = message.trim().trim_end_matches(['?', '.', '!']).to_owned();
    let keywords = Keywords::of(message);
    let whole = keywords.has(C::Site) || says_all(&keywords.words);
    if !new.devices && !whole && !devices.is_empty() {
        request.push_str(" of ");
        request.push_str(&format::list(&devices));
    } else if !new.devices
        && !whole
        && let Some(site) = Slots::of(before.request, loggers).site
        && let Some(one) = loggers.iter().find(|logger| logger.site_id == site)
    {
        request.push_str(" of ");
        request.push_str(&one.site_name);
    }
    if !new.days && !super::question::forecasts(&keywords) {
        let days = before.period.map_or_else(
            || days_of(before.request, loggers),
            |period| Some(format::from_to(period.start, period.end)),
        );
        if let Some(days) = days {
            request.push(' ');
            request.push_str(&days);
        }
    }
    request
}

/// The kinds of things that a message names.
struct Slots {
    devices: bool,
    days: bool,
    rate: bool,
    mention: LoggerMention,
    /// The id of a site.
    site: Option<String>,
}

impl Slots {
    fn of(message: &str, loggers: &[LoggerSummary]) -> Self {
        let mut message = Message::new(message);
        let mut days = 0;
        let mut finder = Finder::new(loggers);
        finder.ids(&mut message);
        let rate = figures::take_rate(&mut message).is_some();
        mask_days(&mut message, &mut days);
        let (mention, site) = finder.rest(&mut message);
        Self {
            devices: site.is_some() || mention != LoggerMention::None,
            days: days > 0,
            rate,
            mention,
            site,
        }
    }
}

/// A new question that leans on the one before names no device of its own.
fn names_device_by_pronoun_or_not_at_all(
    keywords: &Keywords<'_>,
    message: &str,
    loggers: &[LoggerSummary],
    led: bool,
) -> bool {
    let named = Slots::of(message, loggers).devices;
    let pronoun = keywords
        .words
        .iter()
        .any(|word| matches!(*word, "it" | "its" | "they" | "their" | "them"));
    !named && (led || pronoun)
}

/// The text behind the leading words, and whether there were any that lean on something.
fn without_lead(text: &str) -> (&str, bool) {
    let mut rest = text;
    let mut led = false;
    loop {
        let here = tokens(rest);
        let words: Vec<_> = here.iter().take(5).collect();
        let lead = LEADS
            .iter()
            .filter(|lead| {
                words.len() > lead.len()
                    && lead.iter().zip(&words).all(|(word, token)| token.is(word))
            })
            .max_by_key(|lead| lead.len());
        let Some(lead) = lead else {
            return (rest, led);
        };
        led |= !matches!(
            lead,
            ["please" | "ok" | "okay" | "so" | "now" | "then" | "or" | "but" | "try" | "again"]
        );
        // Marks behind the lead go with it: "same, for MEIER".
        let mut end = words[lead.len() - 1].end;
        end = here
            .iter()
            .skip(lead.len())
            .take_while(|token| {
                token.kind == Kind::Mark && matches!(token.text, "," | ":" | ";" | "-")
            })
            .last()
            .map_or(end, |token| token.end);
        rest = &rest[end..];
    }
}

/// The words with which a request names its days.
fn days_of(request: &str, loggers: &[LoggerSummary]) -> Option<String> {
    let mut message = Message::new(request);
    // The number at the end of an id is not a day of a month behind it: "MILL-2 november".
    Finder::new(loggers).ids(&mut message);
    let anchor = NaiveDate::from_ymd_opt(2025, 6, 15)?;
    let found = super::dates::find(&message, anchor, anchor)?;
    let words = message.words_of(found.span.clone()).to_owned();
    let introduced = ["on ", "in ", "for ", "from ", "since "]
        .iter()
        .find(|word| {
            request[..]
                .to_lowercase()
                .contains(&format!("{word}{}", words.to_lowercase()))
        });
    Some(match introduced {
        Some(word) if *word != "from " => format!("{word}{words}"),
        _ => words,
    })
}

/// A text without its masks, and without prepositions that lost what they introduced.
fn words_of(text: &str) -> String {
    const DANGLING: &[&str] = &[
        "of", "for", "on", "in", "from", "during", "since", "with", "at", "over", "by", "and",
        "the", "to", "between",
    ];
    let mut words: Vec<&str> = Vec::new();
    for piece in text.split('\u{1}') {
        let mut these: Vec<&str> = piece.split_whitespace().collect();
        let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        if piece.len() < text.len() {
            while these.last().is_some_and(|word| {
                DANGLING.contains(&bare(word).as_str()) || bare(word).is_empty()
            }) {
                these.pop();
            }
        }
        words.extend(these);
    }
    while words
        .last()
        .is_some_and(|word| !word.chars().any(char::is_alphanumeric))
    {
        words.pop();
    }
    words.join(" ").trim_end_matches(['?', '!', '.']).to_owned()
}

/// A request without the words that mean every device.
fn without_all(request: &str) -> String {
    let mut text = format!(" {request} ");
    for phrase in [
        " of all inverters ",
        " of all devices ",
        " of all loggers ",
        " for the fleet ",
        " across all loggers ",
        " all inverters ",
        " all devices ",
        " all loggers ",
        " all my inverters ",
        " for all ",
        " the whole site ",
        " every inverter ",
        " for all of them ",
        " all of them ",
        " the fleet ",
    ] {
        text = text.replace(phrase, " ");
    }
    text.trim().to_owned()
}
