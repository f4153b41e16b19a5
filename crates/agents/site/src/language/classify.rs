//! Which flow a message asks for.

use serde::{Deserialize, Serialize};

use super::Question;
use super::keywords::{Concept as C, Keywords};
use super::question::{
    about_losses, about_register, about_tariff, about_us, all_at_once, asks_of_most,
    asks_since_when_it_lags, asks_what_is_missing, asks_who_lags, asks_who_reported, asks_why_low,
    compares_beside_others, compares_by_size, compares_sites, counts_online, counts_producing,
    how_days_went, is_beside_others, is_out_now, not_producing, of_one_among_all, ranks_by_state,
    ranks_worth, specific, specific_yield, was_out, yes_or_no,
};
use super::text::{Kind, Token};

/// Below this, free chat takes the message.
pub const MIN_CONFIDENCE: f64 = 0.7;

/// The workflows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// A greeting and nothing else.
    Greeting,
    /// The whole site at a glance.
    MorningBriefing,
    /// Energy in money and carbon.
    FinancialReport,
    /// Several devices side by side.
    PerformanceAudit,
    /// Outages and other anomalies of one device or of all.
    HealthCheck,
    /// Everything else: a model, or [`super::question`].
    FreeChat,
}

impl Flow {
    /// Every flow.
    pub const ALL: [Self; 6] = [
        Self::Greeting,
        Self::MorningBriefing,
        Self::FinancialReport,
        Self::PerformanceAudit,
        Self::HealthCheck,
        Self::FreeChat,
    ];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Greeting => "greeting",
            Self::MorningBriefing => "morning_briefing",
            Self::FinancialReport => "financial_report",
            Self::PerformanceAudit => "performance_audit",
            Self::HealthCheck => "health_check",
            Self::FreeChat => "free_chat",
        }
    }
}

/// A flow and its confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Classification {
    /// The flow.
    pub flow: Flow,
    /// 1 for a phrase or keyword spelt right, less for a likely typo, 0.5 for a message that no
    /// rule knows.
    pub confidence: f64,
}

/// The flow that the words ask for, by trigger phrases and ordered keyword rules; the first rule
/// that holds decides. `None` when none does.
///
/// 1. Power curves and output, error codes by name, the assistant itself: free chat.
/// 2. Diagnosis, devices that are offline or do not produce: health check.
/// 3. Forecasts: free chat.
/// 4. Comparisons and several devices: performance audit; performance ratios: free chat.
/// 5. How the site is doing: morning briefing, of other days their energy in a financial report;
///    how one device is doing: health check.
/// 6. Money and carbon: financial report.
/// 7. Errors, anomalies, health: health check.
/// 8. Anything else: free chat.
pub(super) fn by_rules(keywords: &Keywords<'_>) -> Option<Classification> {
    rules(keywords)
}

pub(super) fn certain(flow: Flow) -> Classification {
    Classification {
        flow,
        confidence: 1.0,
    }
}

fn rules(keywords: &Keywords<'_>) -> Option<Classification> {
    let by = |flow, concept| {
        Some(Classification {
            flow,
            confidence: keywords.confidence(concept),
        })
    };
    if about_us(keywords).is_some() {
        return Some(certain(Flow::FreeChat));
    }
    if let Some(flow) = of_state_or_worth(keywords) {
        return Some(certain(flow));
    }
    if not_producing(keywords)
        || about_register(keywords)
        || asks_why_low(keywords)
        || asks_what_is_missing(keywords)
    {
        return Some(certain(Flow::HealthCheck));
    }
    // "Is LTI underperforming?" is about the one.
    let lags = yes_or_no(keywords)
        && keywords.word(&["underperforming", "underperform", "lagging", "weak"])
        && one_device(keywords);
    if lags {
        return Some(certain(Flow::HealthCheck));
    }
    if compares_sites(keywords) || specific_yield(keywords) || about_tariff(keywords) {
        return Some(certain(Flow::FinancialReport));
    }
    match specific(keywords) {
        // Bare energy and power words come last: money, health and comparisons speak of them, too.
        Some(Question::PowerCurve | Question::Fleet) if !keywords.has(C::Curve) => {}
        Some(Question::Forecast) => {
            return by(Flow::FreeChat, C::Forecast)
                .filter(|_| keywords.has(C::Forecast))
                .or(Some(certain(Flow::FreeChat)));
        }
        Some(_) => return Some(certain(Flow::FreeChat)),
        None => {}
    }
    if keywords.has(C::Diagnose) && !keywords.has(C::Compare) {
        return by(Flow::HealthCheck, C::Diagnose);
    }
    if compares_beside_others(keywords) {
        return Some(certain(Flow::PerformanceAudit));
    }
    let alone = !keywords.has(C::Compare) || is_beside_others(keywords);
    if (about_losses(keywords) || was_out(keywords)) && alone {
        return Some(certain(Flow::HealthCheck));
    }
    if let Some(concept) = compares(keywords) {
        return by(Flow::PerformanceAudit, concept);
    }
    if let Some(found) = asks_how_it_is(keywords) {
        return Some(found);
    }
    // What an outage costs is in the health report.
    let lost = keywords.word(&["outage", "outages", "downtime"])
        && keywords.word(&["cost", "costs", "lose", "lost", "money"]);
    if keywords.has(C::Money) && !lost {
        return by(Flow::FinancialReport, C::Money);
    }
    if keywords.has(C::Health) {
        return by(Flow::HealthCheck, C::Health);
    }
    if device_hints(&keywords.tokens) > 1 {
        return Some(certain(Flow::PerformanceAudit));
    }
    if super::loggers::says_all(&keywords.words)
        && keywords.word(&["check", "inspect", "analyze", "analyse", "examine"])
    {
        return Some(certain(Flow::HealthCheck));
    }
    if asks_what_happened(keywords) {
        return Some(Classification {
            flow: Flow::HealthCheck,
            confidence: 0.8,
        });
    }
    if keywords.has(C::Performance) {
        return Some(Classification {
            flow: Flow::PerformanceAudit,
            confidence: 0.75,
        });
    }
    specific(keywords).map(|_| certain(Flow::FreeChat))
}

/// "What happened on 7 June?", "inspect LTI".
fn asks_what_happened(keywords: &Keywords<'_>) -> bool {
    const LOOKS: &[&str] = &[
        "analyze",
        "analyse",
        "inspect",
        "happened",
        "examine",
        "investigate",
    ];
    let that_day = keywords.word(&["happened"])
        && keywords.when().is_some()
        && device_hints(&keywords.tokens) == 0;
    that_day || one_device(keywords) && keywords.word(LOOKS)
}

/// Who is out now, who was, who lags, and who saved the most.
fn of_state_or_worth(keywords: &Keywords<'_>) -> Option<Flow> {
    if is_out_now(keywords) || counts_online(keywords) || counts_producing(keywords).is_some() {
        return Some(Flow::MorningBriefing);
    }
    if asks_who_reported(keywords) || asks_since_when_it_lags(keywords) {
        return Some(Flow::HealthCheck);
    }
    if ranks_by_state(keywords) {
        return Some(Flow::HealthCheck);
    }
    if asks_who_lags(keywords) {
        return Some(Flow::PerformanceAudit);
    }
    ranks_worth(keywords).then_some(Flow::FinancialReport)
}

/// Rule 4. Explicit words of health or money keep several devices in their flow: it decides what to
/// do with them.
fn compares(keywords: &Keywords<'_>) -> Option<C> {
    let best = keywords.has(C::Superlative)
        && (keywords.has(C::Device)
            || keywords.has(C::Performance)
            || keywords.word(&[
                "which",
                "who",
                "one",
                "performer",
                "performers",
                "laggard",
                "leader",
            ]));
    let most = !keywords.has(C::Health) && asks_of_most(keywords);
    let than = keywords.word(&["than"]) && device_hints(&keywords.tokens) > 1;
    if keywords.has(C::Compare)
        || than
        || keywords.says("side by side")
        || compares_by_size(keywords)
    {
        Some(C::Compare)
    } else if all_at_once(keywords) && !keywords.about_energy() {
        Some(if keywords.has(C::Curve) {
            C::Curve
        } else {
            C::Production
        })
    } else if keywords.has(C::Efficiency) {
        Some(C::Efficiency)
    } else if keywords.says("performance report") {
        Some(C::Performance)
    } else if best || most || of_one_among_all(keywords) {
        Some(C::Superlative)
    } else {
        None
    }
}

/// Rule 5.
fn asks_how_it_is(keywords: &Keywords<'_>) -> Option<Classification> {
    const WHOLE: &[&str] = &[
        "how is it going",
        "how are things",
        "how is everything",
        "what is going on",
        "what is happening",
        "what is new",
        "anything new",
        "catch me up",
        "bring me up to date",
        "update me",
        "all good",
        "everything ok",
        "everything okay",
        "everything fine",
        "everything alright",
        "everything good",
        "is everything working",
        "is everything running",
        "everything all right",
        "good morning briefing",
        "morning brief",
        "daily brief",
        "morning report",
        "daily report",
        "daily summary",
        "morning summary",
        "how am i doing",
        "how are we doing",
        "how did we do",
        "brief me",
        "daily update",
        "morning update",
        "status report",
    ];
    let other = keywords.has(C::Money) || keywords.has(C::Health);
    if how_days_went(keywords) {
        return Some(certain(Flow::FinancialReport));
    }
    if keywords.has(C::Briefing)
        && (!keywords.has(C::Money) || keywords.word(&["briefing", "fleet", "morning"]))
        && !keywords.has(C::Health)
    {
        return Some(Classification {
            flow: Flow::MorningBriefing,
            confidence: keywords.confidence(C::Briefing),
        });
    }
    if other {
        return None;
    }
    let doing = (keywords.says("how is")
        || keywords.says("how are")
        || keywords.says("how did")
        || keywords.says("how was"))
        && !keywords.has(C::Production);
    let one = one_device(keywords);
    if one
        && (doing
            || keywords.word(&["status", "state", "summary"])
            || keywords.word(&["check", "inspect", "ok", "okay", "fine", "down"]))
        && !keywords.has(C::Production)
    {
        return Some(certain(Flow::HealthCheck));
    }
    let whole = keywords.says_any(WHOLE)
        || doing && (keywords.has(C::Site) || keywords.has(C::Device))
        || keywords.has(C::Site)
            && keywords.word(&["ok", "okay", "fine", "online", "running", "working"]);
    // "Are all devices online?", "which inverters are asleep?"
    let whole = whole
        || keywords.has(C::Device)
            && device_hints(&keywords.tokens) == 0
            && keywords.word(&["online", "asleep", "active", "awake"])
            && keywords.word(&["are", "is", "which", "how"]);
    if !one && whole {
        return Some(certain(Flow::MorningBriefing));
    }
    // "Status", "summary" and the like are about the site unless something else is named.
    let named = keywords.word(&["status", "state", "summary"])
        || keywords.has(C::Status) && keywords.has(C::Site);
    (!one && named && !keywords.has(C::Production)).then(|| Classification {
        flow: Flow::MorningBriefing,
        confidence: keywords.confidence(C::Status),
    })
}

/// Whether the message is about one device, by its looks: an id, a brand, "this inverter".
pub(super) fn one_device(keywords: &Keywords<'_>) -> bool {
    let hints = device_hints(&keywords.tokens);
    hints == 1 && !super::loggers::says_all(&keywords.words)
}

/// Number of devices that a message names, by their looks; which ones exist is not known here.
pub(super) fn device_hints(tokens: &[Token<'_>]) -> usize {
    let mut hints = 0;
    let mut at = 0;
    while at < tokens.len() {
        let end = chain_end(tokens, at);
        let chain = &tokens[at..end];
        let brand = chain[0].kind == Kind::Word
            && is_brand(chain[0].text)
            && !(at > 0 && tokens[at - 1].kind == Kind::Number);
        let two_words =
            chain[0].is("smart") && tokens.get(at + 1).is_some_and(|next| next.is("dog"));
        let numbered =
            at > 0 && is_device_word(tokens[at - 1].text) && chain[0].kind == Kind::Number;
        // "The Meier inverter", "GW inverter 1" are one device.
        let same = at > 0
            && chain.len() == 1
            && brand
            && is_device_word(tokens[at - 1].text)
            && at > 1
            && chain_is_id(&tokens[at - 2..at - 1]);
        if (chain_is_id(chain) || brand || two_words || numbered) && !same {
            hints += 1;
        }
        at = end;
    }
    hints
}

/// Whether `word` is a brand or its short form.
pub(super) fn is_brand(word: &str) -> bool {
    const BRANDS: &[&str] = &[
        "goodwe",
        "lti",
        "integra",
        "meier",
        "smartdog",
        "meteocontrol",
        "plexlog",
        "mbmet",
        "gw",
        "sd",
    ];
    BRANDS.contains(&word)
}

fn is_device_word(word: &str) -> bool {
    matches!(word, "inverter" | "logger" | "device" | "meter" | "unit")
}

/// The end of the run of touching words, numbers and dashes that begins at `at`.
pub(super) fn chain_end(tokens: &[Token<'_>], at: usize) -> usize {
    let mut end = at + 1;
    if tokens[at].kind == Kind::Mark {
        return end;
    }
    while end < tokens.len() && tokens[end].glued {
        let joins = match tokens[end].kind {
            Kind::Mark => {
                matches!(tokens[end].text, "-" | "_")
                    && tokens
                        .get(end + 1)
                        .is_some_and(|next| next.glued && next.kind != Kind::Mark)
            }
            _ => true,
        };
        if !joins {
            break;
        }
        end += 1;
    }
    end
}

/// Whether a chain looks like a device's id: two letters or more and a number, joined by dashes or
/// followed by two digits or more.
pub(super) fn chain_is_id(chain: &[Token<'_>]) -> bool {
    let Some(first) = chain
        .first()
        .filter(|token| token.kind == Kind::Word && token.text.len() >= 2)
    else {
        return false;
    };
    if super::dates::month(first.text).is_some()
        || matches!(
            first.text,
            "co" | "err" | "day" | "top" | "kw" | "error" | "code" | "alarm"
        )
        || is_error_code(chain)
    {
        return false;
    }
    let numbers = chain.iter().filter(|token| token.kind == Kind::Number);
    let dashed = chain.iter().any(|token| token.kind == Kind::Mark);
    let digits: usize = numbers.map(|token| token.text.len()).sum();
    digits >= 2 || dashed && digits >= 1
}

/// "E-501", "F01", "W100", "ALM001", `ERR_TEMP`.
pub(super) fn is_error_code(chain: &[Token<'_>]) -> bool {
    let first = chain[0].text;
    matches!(first, "e" | "f" | "w" | "alm")
        && chain.len() <= 3
        && chain
            .last()
            .is_some_and(|last| last.kind == Kind::Number && last.text.len() >= 2)
        || first == "err" && chain.len() > 1
}

/// Whether the message asks for a figure that the tools know, and speaks of no fault: "energy of
/// F01" is about a device.
pub(super) fn asks_measure(keywords: &Keywords<'_>) -> bool {
    const MEASURES: &[&str] = &[
        "energy",
        "kwh",
        "production",
        "yield",
        "save",
        "saved",
        "saving",
        "savings",
        "revenue",
        "earned",
        "earnings",
        "co2",
        "pr",
        "curve",
        "curves",
        "forecast",
    ];
    !keywords.has(C::Health) && (keywords.word(MEASURES) || keywords.says("performance ratio"))
}

/// "Error 512", "code 17".
fn numbered_code<'t>(tokens: &[Token<'t>]) -> Option<Token<'t>> {
    let words: Vec<&Token<'t>> = tokens
        .iter()
        .filter(|token| token.kind != Kind::Mark)
        .collect();
    words
        .windows(2)
        .find(|pair| {
            matches!(
                pair[0].text,
                "error" | "code" | "fault" | "alarm" | "failure" | "errors" | "codes" | "number"
            ) && pair[1].kind == Kind::Number
                && (pair[0].text != "number" || words[0].is("error"))
        })
        .map(|pair| *pair[1])
}

/// The error code that the message names.
pub(super) fn asked_code(keywords: &Keywords<'_>) -> Option<String> {
    let tokens = &keywords.tokens;
    if let Some(number) = numbered_code(tokens) {
        return Some(number.text.to_owned());
    }
    let chain = &tokens[error_codes(tokens).into_iter().next()?];
    Some(chain.iter().map(|token| token.text).collect())
}

/// Whether a part of the message looks like an error code.
pub(super) fn has_error_code(tokens: &[Token<'_>]) -> bool {
    !error_codes(tokens).is_empty()
}

/// The places of a message that look like error codes, as ranges of tokens.
pub(super) fn error_codes(tokens: &[Token<'_>]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let end = chain_end(tokens, at);
        if tokens[at].kind == Kind::Word && end > at + 1 && is_error_code(&tokens[at..end]) {
            found.push(at..end);
        }
        at = end;
    }
    found
}

/// Error codes by name: "error codes", "fault code E-501", "what does F01 mean".
pub(super) fn mentions_error_code(keywords: &Keywords<'_>) -> bool {
    let named = keywords.words.windows(2).any(|pair| {
        matches!(
            pair[0],
            "error" | "errors" | "fault" | "alarm" | "eror" | "failure" | "status"
        ) && matches!(
            pair[1],
            "code" | "codes" | "message" | "messages" | "log" | "logs"
        )
    });
    let code = has_error_code(&keywords.tokens);
    named
        || numbered_code(&keywords.tokens).is_some()
        || code && !keywords.word(&["health", "compare"]) && !asks_measure(keywords)
        || keywords.word(&["codes"]) && keywords.has(C::Health)
}
