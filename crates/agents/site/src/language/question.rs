//! Which single tool answers a message in free chat.

use contracts::tools::{Descriptor, registry};

use super::classify::{device_hints, mentions_error_code, one_device};
use super::keywords::{Concept as C, Keywords, concept};
use super::loggers::says_all;
use super::{Beyond, Flow, When};

mod asked;
mod faults;
mod ranked;
mod reporting;
mod silence;
mod sites;

pub(super) use asked::{
    ORDINALS, about_register, about_sunlight, about_tariff, asks_what_is_missing,
    asks_whether_it_reported, asks_why_low, by_size, compares_by_size, compares_sites, figure,
    how_days_went, is_out_now, of_all_days, of_more_energy, of_one_among_all, place,
    ranks_by_energy, ranks_worth, specific_yield, yes_or_no,
};
pub(super) use faults::{
    about_losses, asks_since_when_it_lags, asks_what_was_not_lost, asks_what_was_possible,
    compares_beside_others, faults_cost, is_beside_others, made_nothing, names_others,
    not_producing, was_out,
};
pub(super) use ranked::{
    asks_who_lags, asks_who_ran, counts_online, counts_out, counts_producing, ranks_by_state,
    ranks_health, ranks_losses,
};
pub(crate) use reporting::Reporting;
pub(super) use reporting::{asks_who_reported, reporting};
pub(super) use silence::silent_for;
pub(super) use sites::asks_for_sites;

/// What free chat can answer without a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Question {
    /// `get_power_curve`: one device, one day.
    PowerCurve,
    /// `get_fleet_overview`: the newest reading of devices that are named.
    PowerNow,
    /// `forecast_production`.
    Forecast,
    /// `compare_loggers`.
    Compare,
    /// `calculate_financial_savings`; also energy over several days.
    Savings,
    /// `calculate_performance_ratio`: one device, one day.
    PerformanceRatio,
    /// `analyze_inverter_health`.
    Health,
    /// `diagnose_error_codes`.
    ErrorCodes,
    /// `get_fleet_overview`.
    Fleet,
    /// `list_loggers`.
    ListLoggers,
    /// `list_loggers`: the devices that have sent nothing for some time.
    Silence,
    /// `list_loggers`: the devices that send data now, or sent some today.
    Reporting,
    /// `health_check`: the service itself.
    ServiceHealth,
    /// A tool that is asked for by its own words, by its name; see
    /// [`contracts::tools::AskedFor`].
    Tool(&'static str),
    /// The assistant's abilities.
    Help,
    /// The definition of a term.
    Definition,
    /// Thanks, or a goodbye.
    Thanks,
    /// Something that no flow and no tool does.
    Beyond(Beyond),
    /// None of these.
    Unknown,
}

/// The question that the words put, when `flow` is what they ask for.
pub(super) fn by_rules(keywords: &Keywords<'_>, flow: Flow) -> Question {
    if let Some(question) = about_us(keywords).or_else(|| specific(keywords)) {
        let energy = question == Question::PowerCurve && keywords.about_energy();
        return if energy && keywords.speaks_of_days() {
            Question::Savings
        } else {
            question
        };
    }
    match flow {
        Flow::PerformanceAudit => Question::Compare,
        Flow::HealthCheck => Question::Health,
        Flow::FinancialReport => Question::Savings,
        Flow::MorningBriefing => Question::Fleet,
        // A device and nothing to go by: its day, when there is one, otherwise how it is.
        Flow::FreeChat if one_device(keywords) => match keywords.when() {
            _ if asks_for_something(keywords) => Question::Beyond(Beyond::Other),
            Some((When::Day(_), _)) => Question::PowerCurve,
            _ => Question::Health,
        },
        Flow::Greeting | Flow::FreeChat => Question::Unknown,
    }
}

/// Whether a message that names a device and no matter asks for something nevertheless, that no
/// rule knows: "where is LTI?", "how many days was LTI missing?".
fn asks_for_something(keywords: &Keywords<'_>) -> bool {
    let wh = keywords
        .words
        .iter()
        .any(|word| matches!(*word, "who" | "whom" | "whose" | "where" | "when" | "which"));
    let how = keywords.words.windows(2).any(|pair| {
        pair[0] == "how"
            && matches!(
                pair[1],
                "long"
                    | "many"
                    | "much"
                    | "often"
                    | "old"
                    | "big"
                    | "large"
                    | "far"
                    | "high"
                    | "hot"
                    | "soon"
            )
    });
    // "Did LTI have more than usual?": a device is named, and what is asked of it is not known.
    let asks = yes_or_no(keywords) && keywords.word(&["have", "had", "more", "less", "than"])
        || keywords.word(&["than"]);
    wh || how || asks
}

/// Whether the message asks what a device, or a site, is: its capacity, its site, when it sent
/// something last.
fn asks_what_it_is(keywords: &Keywords<'_>) -> bool {
    const FACTS: &[&str] = &[
        "capacity",
        "nameplate",
        "size",
        "big",
        "large",
        "kwp",
        "timezone",
        "timezones",
    ];
    // "Is LTI smaller than the others?"
    const SIZES: &[&str] = &["smaller", "bigger", "larger"];
    const PHRASES: &[&str] = &[
        "last send",
        "last sent",
        "last seen",
        "last reading",
        "last report",
        "last heard",
        "last deliver",
        "latest reading",
        "newest reading",
        "first reading",
        "first send",
        "first sent",
        "belong to",
        "belongs to",
        "since when do i have",
        "where is",
        "where are",
        "first day",
        "since when does",
        "since when is it there",
        "what type",
        "what kind",
        "which type",
        "which site",
        "what site",
        "time zone",
        "as big as",
        "as large as",
    ];
    let orders = keywords.words.first().is_some_and(|word| {
        matches!(
            *word,
            "update" | "change" | "set" | "add" | "make" | "edit" | "correct"
        )
    });
    // "Is LTI new?", "when did LTI start?".
    let new = yes_or_no(keywords) && keywords.words.last() == Some(&"new");
    let began = keywords.says("when did")
        && keywords.words.last().is_some_and(|last| {
            matches!(
                *last,
                "start" | "begin" | "started" | "come" | "online" | "installed"
            )
        });
    let sized = keywords.word(SIZES) && keywords.word(&["than", "is", "are"]);
    // "Which inverter is the best for its size?" compares.
    let ranks = keywords.has(C::Superlative)
        && keywords.says_any(&["for its size", "for their size", "for size", "by size"]);
    !orders
        && !ranks
        && (keywords.word(FACTS) || keywords.says_any(PHRASES) || new || began || sized)
}

/// "Which devices are at the depot?", "what inverters does the depot have?": and nothing else.
fn asks_what_is_there(keywords: &Keywords<'_>) -> bool {
    const ELSE: &[&str] = &[
        "which",
        "what",
        "list",
        "name",
        "all",
        "the",
        "my",
        "our",
        "me",
        "of",
        "at",
        "in",
        "on",
        "to",
        "are",
        "is",
        "do",
        "does",
        "have",
        "has",
        "stand",
        "stands",
        "belong",
        "belongs",
        "there",
        "please",
        "and",
        "installed",
        "located",
    ];
    let carries = |word: &&str| {
        ELSE.contains(word)
            || concept(word, true)
                .is_some_and(|(it, _)| matches!(it, C::Device | C::Site | C::List))
    };
    keywords.has(C::Device)
        && keywords.has(C::Site)
        && keywords.word(&["which", "what", "list", "name"])
        && keywords.words.iter().all(carries)
}

/// Questions about what the assistant can do.
const HELP: &[&str] = &[
    "what can you do",
    "what can i ask",
    "what do you do",
    "who are you",
    "how does this work",
    "what are you",
    "how can you help",
    "what are your capabilities",
    "what questions",
];

/// Questions about the assistant and what it looks after; no data of a device.
pub(super) fn about_us(keywords: &Keywords<'_>) -> Option<Question> {
    if keywords.says_any(HELP)
        || matches!(
            keywords.words.as_slice(),
            ["help"] | ["help", "me" | "please"] | ["please", "help"]
        )
    {
        return Some(Question::Help);
    }
    if keywords.has(C::Service)
        && (keywords.has(C::Health)
            || keywords.has(C::Status)
            || keywords.word(&[
                "up",
                "running",
                "working",
                "ok",
                "okay",
                "reachable",
                "connected",
                "connectivity",
                "down",
                "available",
            ]))
    {
        return Some(Question::ServiceHealth);
    }
    if asks_for_sites(keywords) {
        return Some(Question::ListLoggers);
    }
    if reporting(keywords).is_some() {
        return Some(Question::Reporting);
    }
    if silent_for(keywords).is_some() {
        return Some(Question::Silence);
    }
    if counts_online(keywords)
        || counts_producing(keywords).is_some()
        || asks_since_when_it_lags(keywords)
        || asks_who_reported(keywords)
        || asks_who_lags(keywords)
        || compares_sites(keywords)
        || specific_yield(keywords)
        || ranks_by_state(keywords)
    {
        return None;
    }
    let listing = keywords.word(&["list", "lists"])
        || keywords.says_any(&[
            "do i have",
            "do we have",
            "do you have",
            "do you know",
            "are there",
            "are available",
            "are connected",
            "can you see",
        ]);
    let others = [
        C::Compare,
        C::Money,
        C::Health,
        C::Diagnose,
        C::Forecast,
        C::Production,
        C::Curve,
        C::Performance,
        C::Efficiency,
    ];
    let about_devices = !others.iter().any(|concept| keywords.has(*concept))
        && !keywords.word(&["make", "made", "makes"]);
    let hints = device_hints(&keywords.tokens);
    let named = hints > 0 || keywords.has(C::Device) || keywords.has(C::Site);
    if about_devices && named && asks_what_it_is(keywords) {
        return Some(Question::ListLoggers);
    }
    let bare = about_devices && hints == 0;
    if bare && asks_what_is_there(keywords) {
        return Some(Question::ListLoggers);
    }
    let sites = keywords.has(C::Site) && keywords.word(&["sites", "plants"]);
    let stations = keywords.says_any(&["weather station", "weather stations"]);
    if (keywords.has(C::Device) || sites || stations)
        && bare
        && (listing
            || keywords.says_any(&[
                "show all",
                "show me all",
                "show my",
                "show me my",
                "show the",
                "how many",
                "what are my",
            ]))
    {
        return Some(Question::ListLoggers);
    }
    None
}

/// The tool whose own words the message has, with the phrase.
pub(super) fn tool_asked_for(
    keywords: &Keywords<'_>,
) -> Option<(&'static Descriptor, &'static str)> {
    registry::SOLAR.iter().find_map(|tool| {
        let asked_for = tool.asked_for?;
        let said = asked_for
            .phrases
            .iter()
            .find(|phrase| keywords.says(phrase))?;
        let with = asked_for.with.is_empty() || keywords.word(asked_for.with);
        (with && !keywords.word(asked_for.without)).then_some((tool, *said))
    })
}

/// Questions that one tool answers and that no flow asks.
pub(super) fn specific(keywords: &Keywords<'_>) -> Option<Question> {
    if let Some((tool, _)) = tool_asked_for(keywords) {
        return Some(Question::Tool(tool.name));
    }
    if is_out_now(keywords)
        || counts_online(keywords)
        || counts_producing(keywords).is_some()
        || asks_since_when_it_lags(keywords)
        || ranks_worth(keywords)
        || ranks_by_state(keywords)
        || asks_who_lags(keywords)
    {
        return None;
    }
    let several = device_hints(&keywords.tokens) > 1;
    let compared = keywords.has(C::Compare) || several || all_at_once(keywords);
    let than = keywords.word(&["than"]) && several || compares_beside_others(keywords);
    // "Which inverter has the lowest performance ratio?": the report has both ends.
    if names_ratio(keywords) && asks_of_most(keywords) && !keywords.has(C::Compare) {
        return Some(Question::PerformanceRatio);
    }
    if not_producing(keywords)
        || about_register(keywords)
        || asks_why_low(keywords)
        || asks_what_is_missing(keywords)
        || compares_sites(keywords)
        || specific_yield(keywords)
        || about_tariff(keywords)
        || asks_of_most(keywords) && !keywords.has(C::Curve)
        || of_more_energy(keywords)
        || than
    {
        return None;
    }
    if about_sunlight(keywords) && !keywords.has(C::Compare) {
        let one_day = one_device(keywords) && !keywords.speaks_of_days();
        return Some(if one_day {
            Question::PowerCurve
        } else {
            Question::PerformanceRatio
        });
    }
    if mentions_error_code(keywords) {
        return Some(Question::ErrorCodes);
    }
    if about_losses(keywords) || was_out(keywords) {
        return None;
    }
    if of_power_now(keywords) {
        return Some(Question::PowerNow);
    }
    let curve = keywords.has(C::Curve) && !keywords.has(C::Forecast) && !keywords.has(C::Money);
    if curve && !compared {
        return Some(Question::PowerCurve);
    }
    if keywords.has(C::Diagnose) {
        return None;
    }
    if forecasts(keywords) && !keywords.has(C::Compare) {
        return Some(Question::Forecast);
    }
    let named = names_ratio(keywords);
    let ratio = keywords.has(C::Performance) || keywords.has(C::Efficiency);
    // The ratio of several has the lowest and the highest of them.
    if named || ratio && !compared && one_device(keywords) {
        return Some(Question::PerformanceRatio);
    }
    let flows = [
        C::Compare,
        C::Efficiency,
        C::Superlative,
        C::Money,
        C::Health,
        C::Briefing,
        C::Performance,
    ];
    let made = keywords.asks_how_much_was_made();
    if flows.iter().any(|concept| keywords.has(*concept)) || !keywords.has(C::Production) && !made {
        return None;
    }
    if made && !keywords.has(C::Production) {
        return Some(Question::Savings);
    }
    if compared {
        // The energy of several devices is their sum, with each of them below.
        return keywords.about_energy().then_some(Question::Savings);
    }
    Some(production(keywords))
}

fn names_ratio(keywords: &Keywords<'_>) -> bool {
    keywords.says("performance ratio")
        || keywords.says("performance ratios")
        || keywords.word(&["pr"])
}

/// "Power of LTI right now", "what is MEIER producing at the moment?": of devices that are named.
fn of_power_now(keywords: &Keywords<'_>) -> bool {
    // "Now show me the power of LTI" continues with something else.
    let goes_on = keywords.words.first() == Some(&"now");
    let now = keywords.word(&["currently", "current", "moment", "live"])
        || keywords.word(&["now"]) && !goes_on
        || keywords.says("at present");
    let others = [
        C::Money,
        C::Health,
        C::Diagnose,
        C::Forecast,
        C::Performance,
        C::Efficiency,
        C::Superlative,
    ];
    let power = keywords.has(C::Production) || keywords.word(&["output", "making", "make"]);
    now && power
        && device_hints(&keywords.tokens) > 0
        && !says_all(&keywords.words)
        && !keywords.word(&[
            "energy",
            "kwh",
            "yield",
            "curve",
            "chart",
            "graph",
            "irradiance",
        ])
        && !keywords.speaks_of_the_past()
        && !others.iter().any(|other| keywords.has(*other))
}

/// Power and energy of one device, or of the whole site now.
fn production(keywords: &Keywords<'_>) -> Question {
    let now = keywords.word(&["now", "currently", "current", "moment", "right"]);
    let whole = keywords.has(C::Site) || keywords.word(&["we", "total", "all"]);
    let device =
        device_hints(&keywords.tokens) > 0 || keywords.word(&["inverter", "logger", "device"]);
    let past = keywords.speaks_of_the_past() || keywords.word(&["hours", "hrs"]);
    // "Energy without LTI yesterday" is that of all others.
    let others = keywords.word(&["except", "without", "excluding", "besides", "minus"])
        || keywords.says_any(&["all but", "everything but", "apart from", "aside from"]);
    if others && keywords.about_energy() {
        return Question::Savings;
    }
    if !device && past && keywords.about_energy() {
        Question::Savings
    } else if !device && (now || whole || keywords.about_energy()) && !past {
        Question::Fleet
    } else {
        Question::PowerCurve
    }
}

/// "Which inverter produces the most?", "top 3 inverters", "the worst two".
pub(super) fn asks_of_most(keywords: &Keywords<'_>) -> bool {
    let asks = keywords.word(&["which", "who"]);
    let ranked = super::figures::ranked(keywords).is_some();
    asks && keywords.word(&["most", "least", "highest", "lowest", "strongest", "weakest"])
        || ranked
        || place(keywords).is_some()
}

/// Whether the question is which device is best or worst: "best inverter last month".
pub(super) fn asks_of_best(keywords: &Keywords<'_>) -> bool {
    let ends = keywords.word(&[
        "best",
        "worst",
        "better",
        "worse",
        "strongest",
        "weakest",
        "laggard",
        "leader",
    ]);
    let device = keywords.has(C::Device)
        || keywords.has(C::Performance)
        || keywords.word(&["which", "who", "one", "performer", "performers"]);
    ends && device
        || asks_of_most(keywords)
        || of_one_among_all(keywords)
        || asks_who_lags(keywords)
        || ranks_devices(keywords)
}

/// "Rank the inverters".
fn ranks_devices(keywords: &Keywords<'_>) -> bool {
    keywords.word(&["rank", "ranking"])
        && keywords.has(C::Device)
        && device_hints(&keywords.tokens) == 0
}

/// Whether a question about health, error codes or the like that names no device is about every
/// one: "any problems?", "who was out?".
pub(super) fn asks_of_any(keywords: &Keywords<'_>) -> bool {
    const ANY: &[&str] = &[
        "any",
        "anything",
        "anyone",
        "anybody",
        "anywhere",
        "some",
        "something",
        "someone",
        "who",
        "which",
        "what",
        "everything",
        "all",
        "each",
        "every",
        "there",
        "everyone",
        "nothing",
        "no",
        "nobody",
        "none",
    ];
    // "Did it run on 14 October?" is about one that the message before named.
    let pointed = keywords.word(&["it", "its"]);
    keywords.word(ANY)
        || ranks_by_state(keywords)
        || about_losses(keywords)
        || keywords.says("how many")
        || was_out(keywords) && !pointed
        || keywords.word(&["outages", "outage", "why"])
        || asks_what_is_missing(keywords)
        || about_register(keywords)
        || keywords.says_any(&["last outage", "dead days", "dead day"])
}

/// Power or energy of every device in the past: only a comparison shows them together.
pub(super) fn all_at_once(keywords: &Keywords<'_>) -> bool {
    let asked =
        keywords.has(C::Curve) || keywords.has(C::Production) && keywords.speaks_of_the_past();
    let other = [C::Money, C::Health, C::Forecast]
        .iter()
        .any(|concept| keywords.has(*concept));
    asked && says_all(&keywords.words) && !other
}

/// A forecast, by name or by a question about the days to come.
pub(super) fn forecasts(keywords: &Keywords<'_>) -> bool {
    const AHEAD: &[&str] = &[
        "next week",
        "next few days",
        "coming week",
        "coming days",
        "upcoming week",
        "week ahead",
        "days ahead",
        "next days",
        "in the future",
    ];
    if keywords.denies(C::Forecast) {
        return false;
    }
    // The assistant does not forecast the weather.
    if keywords.word(&["weather", "rain", "snow", "sunny"]) && !keywords.has(C::Production) {
        return false;
    }
    let ahead = keywords.says_any(AHEAD) || next_days(keywords) || will_make(keywords);
    // "The expected energy of LTI on Wednesday", and not "less than expected".
    let expected = keywords.word(&["expected", "expect"])
        && keywords.about_energy()
        && !keywords.word(&[
            "than",
            "as",
            "did",
            "was",
            "were",
            "made",
            "why",
            "yesterday",
            "last",
        ])
        && !keywords.has(C::Health);
    keywords.has(C::Forecast)
        || expected
        || ahead
            && (keywords.has(C::Production)
                || will_make(keywords)
                || keywords.word(&["expect", "expected", "will", "should", "estimate", "going"]))
}

/// "How much will LTI make in December?".
fn will_make(keywords: &Keywords<'_>) -> bool {
    keywords.word(&["will"])
        && keywords.word(&["make", "produce", "generate", "yield", "deliver"])
        && !keywords.has(C::Money)
        && !keywords.has(C::Health)
}

/// "Next 3 days".
fn next_days(keywords: &Keywords<'_>) -> bool {
    keywords.tokens.windows(3).any(|three| {
        matches!(three[0].text, "next" | "coming" | "following")
            && three[1].number().is_some()
            && matches!(three[2].text, "day" | "days" | "week" | "weeks")
    })
}
