//! The request of a message, all of its words weighed: the rules propose, and words that they do
//! not explain object.

use contracts::tools::{EnergyInterval, LoggerRole, LoggerSummary, names};

use super::classify::{self, Classification, Flow, certain};
use super::figures;
use super::keywords::{Concept, Keywords};
use super::limits::{self, Limit};
use super::loggers::{Finder, LoggerMention, Place, is_id, masked_between};
use super::question::{self, Question, Reporting};
use super::text::{Kind, Message, normalize, tokens};
use super::{
    BestOf, Beyond, Change, Horizon, When, beyond, courtesy, coverage, extract, foreign, glossary,
    pairs, several, vocabulary,
};
use crate::narrative::Asked;

/// The confidence of a message that no rule knows.
const NO_RULE: f64 = 0.5;

/// The confidence of a message that a rule knows and whose other words say that it asks for
/// something else.
const DOUBTFUL: f64 = 0.4;

/// Most tokens of a message that asks how something is.
const SHORT: usize = 16;

/// The request of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Understanding {
    /// Which flow.
    pub classification: Classification,
    /// Which single tool answers, when free chat has no model.
    pub question: Question,
    /// The words that nothing explains.
    pub unexplained: Vec<String>,
    /// Whether any of its words has matter that the grammar knows: a concept, a device, a day.
    pub is_about_something: bool,
}

/// The flow that `message` asks for, by its words alone.
pub fn classify(message: &str) -> Classification {
    understand(message, &[]).classification
}

/// The question that `message` puts, by its words alone.
pub fn question(message: &str) -> Question {
    understand(message, &[]).question
}

/// Whether `message` asks how much energy there was, and not for money or carbon.
/// Names of the `loggers` and of their sites are read as such.
pub fn asks_for_energy(message: &str, loggers: &[LoggerSummary]) -> bool {
    let text = readable(message, loggers);
    let keywords = Keywords::of(&text);
    let sites = question::compares_sites(&keywords) || question::how_days_went(&keywords);
    (keywords.about_energy() || sites) && !keywords.has(Concept::Money)
}

/// Whether `message` ranks devices by their energy, whatever their size: "top 3 by energy".
pub fn ranks_by_energy(message: &str) -> bool {
    question::ranks_by_energy(&Keywords::of(&normalize(message)))
}

/// The figure that `message` names, where the report that answers it has many. Names of the
/// `loggers` and of their sites are read as such.
pub fn asked_figure(message: &str, loggers: &[LoggerSummary]) -> Option<Asked> {
    question::figure(&Keywords::of(&readable(message, loggers)))
}

/// Whether `message` asks about faults of the past without saying when, so that all days count.
pub fn asks_of_all_days(message: &str) -> bool {
    question::of_all_days(&Keywords::of(&readable(message, &[])))
}

/// Whether `message` asks which sites there are.
pub fn asks_for_sites(message: &str, loggers: &[LoggerSummary]) -> bool {
    question::asks_for_sites(&Keywords::of(&readable(message, loggers)))
}

/// The hours of silence of devices that `message` asks for.
pub fn silent_for(message: &str) -> Option<u32> {
    question::silent_for(&Keywords::of(&readable(message, &[])))
}

/// The devices that `message` asks for by whether they send data.
pub(crate) fn asked_reporting(message: &str) -> Option<Reporting> {
    question::reporting(&Keywords::of(&readable(message, &[])))
}

/// Whether `message` asks whether devices sent data on some days.
pub fn asks_for_reports(message: &str, loggers: &[LoggerSummary]) -> bool {
    let text = readable(message, loggers);
    let keywords = Keywords::of(&text);
    question::asks_who_reported(&keywords) || question::asks_what_is_missing(&keywords)
}

/// Whether `message` asks for the energy of a day on average.
pub fn asks_daily_average(message: &str) -> bool {
    figures::daily_average(&Keywords::of(&readable(message, &[])))
}

/// Whether `message` asks for the energy for each kW of capacity.
pub fn asks_specific_yield(message: &str) -> bool {
    question::specific_yield(&Keywords::of(&readable(message, &[])))
}

/// Whether `message` compares sites by their energy for each kW of capacity: "which site is better
/// per kWp?".
pub fn compares_sites_by_size(message: &str, loggers: &[LoggerSummary]) -> bool {
    let text = readable(message, loggers);
    let keywords = Keywords::of(&text);
    question::compares_sites(&keywords) && question::by_size(&keywords)
}

/// The days, weeks, months or years of which `message` asks for the best or the worst.
pub fn best_interval(message: &str) -> Option<EnergyInterval> {
    best_intervals(message).map(|best| best.interval)
}

/// The same, with their number and the end of the ranking that is asked for.
pub fn best_intervals(message: &str) -> Option<BestOf> {
    beyond::best_of(&Keywords::of(&readable(message, &[])))
}

/// Whether `message` sets the energy of two periods side by side, and not their money.
pub fn sets_energy_beside(message: &str) -> bool {
    let text = readable(message, &[]);
    let keywords = Keywords::of(&text);
    pairs::two_periods(&text).is_some() && !keywords.has(Concept::Money)
}

/// The direction of the change between two periods that `message` asks devices for.
pub fn asked_change(message: &str) -> Option<Change> {
    let text = readable(message, &[]);
    pairs::two_periods(&text).and_then(|_| pairs::change(&text))
}

/// The error code that `message` asks about.
pub fn asked_code(message: &str) -> Option<String> {
    classify::asked_code(&Keywords::of(&normalize(message)))
}

/// What `message` asks for. Names of the `loggers` that exist, and of their sites, are no
/// unexplained words.
pub fn understand(message: &str, loggers: &[LoggerSummary]) -> Understanding {
    if super::is_greeting(message) {
        return Understanding {
            classification: certain(Flow::Greeting),
            question: Question::Unknown,
            unexplained: Vec::new(),
            is_about_something: false,
        };
    }
    if courtesy::is_thanks(message) {
        return Understanding {
            classification: Classification {
                flow: Flow::FreeChat,
                confidence: NO_RULE,
            },
            question: Question::Thanks,
            unexplained: Vec::new(),
            is_about_something: false,
        };
    }
    if let Some(tongue) = foreign::tongue(message) {
        let names = coverage::of(message, &[]).slots > 0;
        return refused(Beyond::Language(tongue), Vec::new(), names);
    }
    let text = readable(message, loggers);
    let keywords = Keywords::of(&text);
    let asked_tool = question::tool_asked_for(&keywords);
    let coverage = match asked_tool {
        Some((_, phrase)) => coverage::of(&without(message, phrase), loggers),
        None => coverage::of(message, loggers),
    };
    let meaning = glossary::is_possible(&coverage) && !glossary::asked_meaning(message).is_empty();
    if meaning || glossary::rated_ratio(message).is_some() {
        return Understanding {
            classification: certain(Flow::FreeChat),
            question: Question::Definition,
            unexplained: Vec::new(),
            is_about_something: true,
        };
    }
    let is_about_something = coverage.concepts + coverage.slots > 0;
    let answered = question::about_us(&keywords).is_some()
        || question::about_register(&keywords)
        || question::asks_who_reported(&keywords)
        || question::asks_whether_it_reported(&keywords);
    let best = beyond::best_of(&keywords);
    let of_periods = pairs::two_periods(&text).is_some();
    let read = Read {
        by_tool: asked_tool.is_some() || best.is_some(),
        of_periods,
    };
    if !answered && let Some(found) = beyond_rules(message, &keywords, &coverage, loggers, read) {
        return found;
    }
    if best.is_some() || of_periods {
        let (flow, question) = if of_periods {
            (Flow::FinancialReport, Question::Savings)
        } else {
            (Flow::FreeChat, Question::Tool(names::GET_ENERGY_HISTORY))
        };
        return Understanding {
            classification: certain(flow),
            question,
            unexplained: coverage.unexplained,
            is_about_something,
        };
    }
    let classification = classify::by_rules(&keywords).unwrap_or(Classification {
        flow: Flow::FreeChat,
        confidence: NO_RULE,
    });
    let mut question = question::by_rules(&keywords, classification.flow);
    // "Energy today at Bern": the overview has every site.
    if question == Question::Fleet
        && classification.flow == Flow::FreeChat
        && keywords.about_energy()
        && (keywords.when().is_some() && names_one_of_several_sites(message, loggers)
            || names_no_date(message, loggers))
    {
        question = Question::Savings;
    }
    // "Power of the depot yesterday": a curve is one device's, so a site's devices are set side by
    // side.
    if question == Question::PowerCurve
        && !keywords.about_energy()
        && classify::device_hints(&keywords.tokens) == 0
        && names_a_site_of_several(message, loggers)
    {
        return Understanding {
            classification: certain(Flow::PerformanceAudit),
            question: Question::Compare,
            unexplained: coverage.unexplained,
            is_about_something,
        };
    }
    Understanding {
        classification,
        question,
        unexplained: coverage.unexplained,
        is_about_something,
    }
}

/// Whether the message names a site that has several inverters, and none of its devices.
fn names_a_site_of_several(message: &str, loggers: &[LoggerSummary]) -> bool {
    let mut message = Message::new(message);
    let (devices, site) = Finder::new(loggers).rest(&mut message);
    let Some(site) = site else { return false };
    let inverters = loggers
        .iter()
        .filter(|one| one.site_id == site && one.role == LoggerRole::Inverter);
    inverters.count() > 1 && devices == LoggerMention::None
}

/// Whether the message names a day that does not exist: "31 November".
fn names_no_date(message: &str, loggers: &[LoggerSummary]) -> bool {
    let (anchor, _) = limits::meaningless();
    let horizon = Horizon {
        loggers,
        anchor,
        today: anchor,
    };
    matches!(extract(message, &horizon).when, Some(When::NotADate { .. }))
}

/// Whether the message names a site, and others exist.
fn names_one_of_several_sites(message: &str, loggers: &[LoggerSummary]) -> bool {
    let several = loggers.iter().any(|one| one.site_id != loggers[0].site_id);
    let mut message = Message::new(message);
    several && Finder::new(loggers).rest(&mut message).1.is_some()
}

/// Words of the message in the person's own letters.
fn as_written(message: &str, words: &str) -> String {
    let read = Message::new(message);
    let at = read.text().find(words);
    at.map_or(words, |at| read.words_of(at..at + words.len()))
        .to_owned()
}

/// The refusal of a message that no rule serves.
fn beyond_rules(
    message: &str,
    keywords: &Keywords<'_>,
    coverage: &coverage::Coverage,
    loggers: &[LoggerSummary],
    read: Read,
) -> Option<Understanding> {
    let is_about_something = coverage.concepts + coverage.slots > 0;
    let mut limited = limits::find(message, loggers);
    if read.by_tool {
        // The tool that is asked for by its own words has the figure per day, week or month.
        limited.retain(|one| one.limit != Limit::Series);
    }
    if read.of_periods {
        limited.retain(|one| !is_of_periods(one));
    }
    let bounded = limited.iter().any(|one| one.limit == Limit::Bound);
    let certain = beyond::certainly(keywords, coverage)
        .filter(|kind| !(bounded && matches!(kind, Beyond::Periods | Beyond::Days)));
    if let Some(kind) = certain {
        return Some(refused(kind, coverage.unexplained.clone(), true));
    }
    let placed = coverage
        .placed
        .as_ref()
        .filter(|_| !coverage.head)
        .map(|name| as_written(message, name));
    if coverage.is_doubtful() {
        let kind = beyond::kind_of(message, coverage);
        let named = placed.filter(|_| kind == Beyond::Other && coverage.concepts > 0);
        return Some(match named {
            Some(name) if !keywords.word(&["my"]) => refused(
                Beyond::Limit(Limit::Unknown),
                vec![name],
                is_about_something,
            ),
            _ => refused(kind, coverage.unexplained.clone(), is_about_something),
        });
    }
    if let Some(first) = limited.first() {
        let words = limited.iter().map(|one| one.words.clone()).collect();
        return Some(refused(Beyond::Limit(first.limit), words, true));
    }
    if let Some(name) = placed.filter(|_| coverage.concepts > 0) {
        return Some(refused(Beyond::Limit(Limit::Unknown), vec![name], true));
    }
    (!several::questions(message, loggers).is_empty())
        .then(|| refused(Beyond::Limit(Limit::TwoQuestions), Vec::new(), true))
}

/// The rules that read words of a message which are limits otherwise.
#[derive(Clone, Copy)]
struct Read {
    /// A tool answers that is asked for by its own words.
    by_tool: bool,
    /// Two periods are set side by side.
    of_periods: bool,
}

/// Whether the comparison of two periods reads the words of a limit: the periods themselves, and
/// the mean of a day.
fn is_of_periods(limited: &limits::Limited) -> bool {
    let daily = ["day", "daily"]
        .iter()
        .any(|word| limited.words.contains(word));
    match limited.limit {
        Limit::Periods => true,
        Limit::Series | Limit::Average => daily,
        _ => false,
    }
}

/// The message with a word that the grammar knows in the place of a phrase that asks for a tool.
fn without(message: &str, phrase: &str) -> String {
    normalize(message).replacen(phrase, "energy", 1)
}

fn refused(kind: Beyond, unexplained: Vec<String>, is_about_something: bool) -> Understanding {
    Understanding {
        classification: Classification {
            flow: Flow::FreeChat,
            confidence: DOUBTFUL,
        },
        question: if kind == Beyond::Other && !is_about_something {
            Question::Unknown
        } else {
            Question::Beyond(kind)
        },
        unexplained,
        is_about_something,
    }
}

/// Whether `message` may ask how something is that only the list of devices knows: "how is Mesa
/// doing?", "is MESA-B ok?".
pub fn may_ask_how_it_is(message: &str) -> bool {
    let text = normalize(message);
    let tokens = tokens(&text);
    let asks = ["how is ", "how was ", "how are ", "how's ", "hows "]
        .iter()
        .any(|start| text.trim_start().starts_with(start));
    // Words that a dash joins to a part that is not a word: "mesa-b", "roof-2".
    let joined = tokens.windows(3).any(|three| {
        three[1].is("-") && three[1].glued && three[2].glued && three[2].text.len() <= 2
    });
    (asks || joined) && tokens.len() <= SHORT
}

/// Whether words of `message` that nothing explains may be names: there are some, and none of them
/// is a thing of its own kind, as "a joke" is.
pub fn may_be_names(message: &str, unexplained: &[String]) -> bool {
    let text = normalize(message);
    let tokens = tokens(&text);
    let of_a_kind = tokens.windows(2).any(|pair| {
        matches!(pair[0].text, "a" | "an") && unexplained.iter().any(|word| pair[1].is(word))
    });
    !unexplained.is_empty() && !of_a_kind
}

/// Whether `message` may name a site or a device: a word of it is one, or nothing explains it.
pub fn names_something(message: &str) -> bool {
    let coverage = coverage::of(message, &[]);
    coverage.slots > 0 || !coverage.unexplained.is_empty() || may_name_a_site(message)
}

/// Whether a word of `message` that the grammar knows may be the name of a site: "the barn".
pub fn may_name_a_site(message: &str) -> bool {
    let text = normalize(message);
    // What looks like a slip of a keyword may be a name, too.
    let slips = Keywords::of(&text).hits.iter().any(|hit| !hit.exact);
    slips
        || tokens(&text)
            .iter()
            .any(|token| vocabulary::may_name_a_site(token.text))
}

/// Whether a part of `message` looks like an error code, so that only the list of devices can say
/// which of the two it is.
pub fn may_name_a_device(message: &str) -> bool {
    let text = normalize(message);
    let tokens = tokens(&text);
    // "LIN-INV-1 and 2 November": two devices, or one and a day.
    let listed = tokens.windows(3).any(|three| {
        three[0].kind == Kind::Number
            && matches!(three[1].text, "and" | "," | "&" | "+")
            && three[2].kind == Kind::Number
    });
    listed || classify::has_error_code(&tokens)
}

/// The message as the rules read it: with "dev-001" for what is a device and "site" for what is a
/// site.
fn readable(message: &str, loggers: &[LoggerSummary]) -> String {
    let text = normalize(message);
    let text = with_codes(&text, loggers).unwrap_or(text);
    let text = with_names(&text, loggers).unwrap_or(text);
    let text = with_siblings(&text, loggers).unwrap_or(text);
    with_ids(&text)
}

/// The text with "dev-001" in the places of the ids that exist, also of those that say their last
/// part alone: "LIN-INV-1 and 2".
fn with_siblings(text: &str, loggers: &[LoggerSummary]) -> Option<String> {
    let mut message = Message::new(text);
    Finder::new(loggers).ids(&mut message);
    let spans = masked_between(text, message.text());
    if spans.is_empty() {
        return None;
    }
    let mut named = String::with_capacity(text.len());
    let mut end = 0;
    for span in spans {
        named.push_str(text.get(end..span.start)?);
        named.push_str("dev-001");
        end = span.end;
    }
    named.push_str(text.get(end..)?);
    Some(named)
}

/// The text with "dev-001" in the places of what looks like an id, so that the number at its end
/// is not read with a month behind it.
fn with_ids(text: &str) -> String {
    let tokens = tokens(text);
    let mut named = String::with_capacity(text.len());
    let (mut at, mut end) = (0, 0);
    while at < tokens.len() {
        let next = classify::chain_end(&tokens, at);
        let chain = &tokens[at..next];
        if classify::chain_is_id(chain)
            && let (Some(first), Some(last)) = (chain.first(), chain.last())
        {
            named.push_str(text.get(end..first.start).unwrap_or_default());
            named.push_str("dev-001");
            end = last.end;
        }
        at = next;
    }
    named.push_str(text.get(end..).unwrap_or_default());
    named
}

/// The text with "dev-001" in the places of devices whose ids look like error codes ("F01").
fn with_codes(text: &str, loggers: &[LoggerSummary]) -> Option<String> {
    if loggers.is_empty() {
        return None;
    }
    let tokens = tokens(text);
    let mut named = String::with_capacity(text.len());
    let mut end = 0;
    for code in classify::error_codes(&tokens) {
        let chain = &tokens[code];
        let (first, last) = (chain.first()?, chain.last()?);
        if is_id(chain, loggers) {
            named.push_str(text.get(end..first.start)?);
            named.push_str("dev-001");
            end = last.end;
        }
    }
    if end == 0 {
        return None;
    }
    named.push_str(text.get(end..)?);
    Some(named)
}

/// The text with "dev-001" and "site" in the places of devices and sites that only the list of
/// devices distinguishes from other words, so that the rules see them like those that they
/// recognize by form.
fn with_names(text: &str, loggers: &[LoggerSummary]) -> Option<String> {
    if loggers.is_empty() || classify::device_hints(&tokens(text)) > 0 {
        return None;
    }
    let mut message = Message::new(text);
    let mut finder = Finder::new(loggers);
    // An id may have a number at its end that a day begins with, too: "inv 1 oct".
    finder.ids(&mut message);
    coverage::mask_days(&mut message, &mut 0);
    let places = finder.places(&mut message);
    if places.is_empty() {
        return None;
    }
    let mut named = String::with_capacity(text.len());
    let mut end = 0;
    for (span, place) in places {
        named.push_str(text.get(end..span.start)?);
        named.push_str(match place {
            Place::Device => "dev-001",
            Place::Site => "site",
        });
        end = span.end;
    }
    named.push_str(text.get(end..)?);
    Some(named)
}
