//! What no flow and no tool does, by what it is.

use super::coverage::Coverage;
use super::keywords::{Concept as C, Keywords};
use super::limits::Limit;
use super::pairs;
use super::text::{normalize, swapped};

mod periods;

pub use periods::BestOf;
pub(super) use periods::best_of;

/// A kind of request that the assistant does not serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Beyond {
    /// To switch, restart or set a device.
    Control,
    /// To work at the site: to clean the panels, say.
    Work,
    /// To say what the cause of a loss is: dirt, snow, shade.
    Cause,
    /// To hand the figures over as a file or a message.
    Export,
    /// To change, add or delete data.
    Change,
    /// To report on its own, later or regularly.
    Notify,
    /// Money that is still to come, and prices.
    FutureMoney,
    /// Faults that are still to come.
    FutureFault,
    /// To pick the best or worst day, week or month.
    Days,
    /// To set two periods side by side.
    Periods,
    /// To say when an investment has paid for itself.
    Payback,
    /// To say whether something becomes more or less.
    Trend,
    /// To say how a device is repaired.
    Repair,
    /// Weather.
    Weather,
    /// A quantity that is not measured.
    Quantity,
    /// Words that limit or change the question, and that no rule reads.
    Limit(Limit),
    /// Asked in another language.
    Language(Tongue),
    /// Anything else that was not understood.
    Other,
}

/// A language that is recognised and not spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Tongue {
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    /// Another one, by its letters.
    Foreign,
}

/// Things that are cleaned.
const PANELS: &[&str] = &["panel", "panels", "module", "modules", "roof", "glass"];

/// Stems of words that say what a request is about; they only count where nothing else explains the
/// word.
const STEMS: &[(Beyond, &str)] = &[
    (
        Beyond::Export,
        "export download csv excel xlsx xls pdf json spreadsheet email e-mail mail send forward share print attachment file upload-to",
    ),
    (
        Beyond::Change,
        "delete erase remove rename edit overwrite upload import insert install uninstall modify create correct",
    ),
    (Beyond::Repair, "repair fix mend replac technician spare"),
    (
        Beyond::Notify,
        "remind notif subscri schedul sms whatsapp slack telegram ping",
    ),
    (
        Beyond::Control,
        "turn switch shut restart reboot reset disabl enabl activat deactivat curtail throttl configur adjust disconnect set",
    ),
    (
        Beyond::Cause,
        "soil dirt dust snow shad degrad hail corro crack moss bird pollen clean wash leaf leaves ash mismatch hotspot delaminat \
         overheat burnt caus reason",
    ),
    (
        Beyond::Quantity,
        "temperatur voltage volt ampere amps frequency humidity wind phase manufactur maker brand warranty firmware serial age \
         batter storage consum household feed-in owner installer address",
    ),
    (
        Beyond::Weather,
        "weather rain cloud sunny storm thunder fog sunrise sunset umbrella",
    ),
    (
        Beyond::FutureMoney,
        "spot market stock stocks invest feed-in inflation",
    ),
];

/// What asks for a message when something happens.
const NOTIFY: &[&str] = &[
    "alert me",
    "alert us",
    "warn me",
    "warn us",
    "tell me when",
    "tell me as soon",
    "let me know when",
    "let me know if",
    "let me know as soon",
    "text me",
    "call me",
];

/// The unavailable thing that the message asks for, when a rule alone can decide.
pub(super) fn certainly(keywords: &Keywords<'_>, coverage: &Coverage) -> Option<Beyond> {
    let first = coverage.first.as_deref().unwrap_or_default();
    let second = coverage.second.as_deref().unwrap_or_default();
    let switch = matches!(second, "on" | "off" | "up" | "down");
    let device = matches!(
        second,
        "" | "the"
            | "my"
            | "our"
            | "this"
            | "that"
            | "it"
            | "all"
            | "every"
            | "inverter"
            | "inverters"
    );
    let control = match first {
        "start" | "stop" => switch || device && (coverage.slots > 0 || keywords.has(C::Device)),
        "power" => switch || second == "cycle",
        "run" | "take" | "bring" | "put" => {
            keywords.says_any(&["off line", "back online"])
                || keywords.word(&["standby", "offline"])
        }
        _ => {
            orders_device(keywords, first, second)
                && (coverage.slots > 0 || keywords.has(C::Device))
        }
    };
    if control && !keywords.has(C::Compare) {
        return Some(Beyond::Control);
    }
    let works = matches!(
        first,
        "clean" | "wash" | "wipe" | "sweep" | "scrub" | "rinse" | "polish" | "mow"
    );
    let orders = works && !keywords.word(&["should", "need", "when"]);
    if orders && (coverage.slots > 0 || keywords.has(C::Device) || keywords.word(PANELS)) {
        return Some(Beyond::Work);
    }
    if keywords.says_any(NOTIFY) {
        return Some(Beyond::Notify);
    }
    let changes = matches!(first, "update" | "change" | "add")
        && keywords.word(&[
            "tariff", "rate", "price", "capacity", "name", "timezone", "reading", "readings",
            "data", "inverter", "device", "logger", "site",
        ])
        && !keywords.word(&["last", "report", "status", "me"]);
    if changes {
        return Some(Beyond::Change);
    }
    let file = keywords.word(&["csv", "xlsx", "xls", "excel", "pdf", "spreadsheet", "json"]);
    if file {
        return Some(Beyond::Export);
    }
    let exchanged = keywords.word(&[
        "export", "exported", "import", "imported", "feed", "fed", "sell", "sold", "buy", "bought",
        "draw", "drew", "take", "took",
    ]);
    if exchanged && keywords.word(&["grid"]) {
        return Some(Beyond::Quantity);
    }
    if future_fault(keywords) {
        return Some(Beyond::FutureFault);
    }
    if first == "register" && second != "of" {
        return Some(Beyond::Change);
    }
    if pays_back(keywords) {
        return Some(Beyond::Payback);
    }
    if trends(keywords) && pairs::two_periods(keywords.text()).is_none() {
        return Some(Beyond::Trend);
    }
    if keywords.has(C::Money) && to_come(keywords) {
        return Some(Beyond::FutureMoney);
    }
    if periods::ranks_days(keywords) && best_of(keywords).is_none() {
        return Some(Beyond::Days);
    }
    let sets = periods::sets_side_by_side(keywords) || pairs::pair(keywords.text()).is_some();
    if sets && pairs::two_periods(keywords.text()).is_none() {
        return Some(Beyond::Periods);
    }
    if names_people(keywords) || super::question::asks_what_was_not_lost(keywords) {
        return Some(Beyond::Other);
    }
    (asks_by_whom(keywords) && coverage.slots > 0).then_some(Beyond::Other)
}

/// The plants of other people are not here; the neighbours of a device are.
fn names_people(keywords: &Keywords<'_>) -> bool {
    const PEOPLE: &[&str] = &[
        "my neighbour",
        "my neighbor",
        "my neighbours",
        "my neighbors",
        "our neighbour",
        "our neighbor",
    ];
    let owns = |word: &&str| matches!(*word, "neighbour's" | "neighbor's");
    keywords.says_any(PEOPLE) || keywords.words.iter().any(owns)
}

/// "Who built LTI?": no reading names people.
fn asks_by_whom(keywords: &Keywords<'_>) -> bool {
    keywords.word(&["who", "whom"])
        && keywords.word(&["made", "makes", "built", "owns", "sold"])
        && !keywords.word(&["most", "least", "more", "less"])
}

/// "Limit LTI to 50 %", "clear the errors of LTI", "make LTI produce more": orders to a device.
fn orders_device(keywords: &Keywords<'_>, first: &str, second: &str) -> bool {
    match first {
        "limit" | "lock" | "unlock" | "wake" | "kill" | "cut" | "reduce" | "increase" | "raise"
        | "boost" | "cap" | "derate" | "pause" | "resume" | "unplug" | "isolate" => {
            !matches!(second, "to" | "of" | "in" | "by")
        }
        "clear" | "acknowledge" | "ack" | "silence" => keywords.word(&[
            "error", "errors", "alarm", "alarms", "fault", "faults", "warning", "warnings", "codes",
        ]),
        "make" | "let" | "force" => {
            second.is_empty()
                && keywords.word(&[
                    "produce", "run", "work", "stop", "start", "deliver", "sleep",
                ])
        }
        _ => false,
    }
}

/// "Will LTI fail next month?", "how long will it last?".
fn future_fault(keywords: &Keywords<'_>) -> bool {
    const FAILS: &[&str] = &[
        "fail",
        "fails",
        "failing",
        "failure",
        "failures",
        "break",
        "breaks",
        "breaking",
        "die",
        "dies",
        "dead",
        "outage",
        "outages",
        "downtime",
        "fault",
        "faults",
        "faulty",
        "malfunction",
        "malfunctions",
        "broken",
        "defective",
        "problem",
        "problems",
        "trouble",
        "troubles",
        "issue",
        "issues",
        "error",
        "errors",
        "offline",
        "survive",
    ];
    let fails = keywords
        .words
        .iter()
        .any(|word| FAILS.contains(word) || FAILS.iter().any(|fails| swapped(word, fails)));
    let coming = keywords.word(&["will", "gonna", "soon"])
        || keywords.says_any(&["going to", "about to", "likely to", "expected to"]);
    let foretold = keywords.word(&["predict", "predicts", "foresee", "forecast", "anticipate"])
        && keywords.word(&[
            "fail",
            "failure",
            "failures",
            "outage",
            "outages",
            "break",
            "breakdown",
        ]);
    let lasts = keywords.says("how long will")
        && keywords.word(&["last", "live", "survive", "work", "run"]);
    coming && fails || foretold || lasts
}

/// "Payback time", "when has it paid for itself?".
fn pays_back(keywords: &Keywords<'_>) -> bool {
    keywords.word(&[
        "payback",
        "payoff",
        "amortise",
        "amortize",
        "amortised",
        "amortized",
        "amortisation",
        "amortization",
    ]) || keywords.says_any(&[
        "pay back",
        "pay off",
        "paid off",
        "pay for itself",
        "break even",
    ]) || keywords.says_any(&["paid for itself", "paid back", "pays off"])
}

/// "Are my savings going up?", "is production falling?".
fn trends(keywords: &Keywords<'_>) -> bool {
    let about = keywords.has(C::Money)
        || keywords.has(C::Production)
        || keywords.has(C::Performance)
        || keywords.has(C::Device)
        || keywords.word(&["availability", "savings", "who"]);
    let moves = keywords.word(&[
        "increasing",
        "decreasing",
        "rising",
        "falling",
        "improving",
        "growing",
        "declining",
        "shrinking",
        "worsening",
        "improved",
        "declined",
        "worsened",
        "trend",
        "trends",
        "trending",
    ]) || keywords.says_any(&[
        "going up",
        "going down",
        "getting better",
        "getting worse",
        "got better",
        "got worse",
    ]);
    about && moves && !keywords.has(C::Forecast) && !keywords.has(C::Health)
}

/// Whether the message speaks of days to come.
fn to_come(keywords: &Keywords<'_>) -> bool {
    keywords.word(&["will", "gonna", "tomorrow", "future"])
        || keywords.says_any(&[
            "going to",
            "next month",
            "next year",
            "next week",
            "next decade",
            "coming year",
            "coming month",
            "coming week",
            "per year from now",
        ])
}

/// Of the words that nothing explains the one that names a quantity, otherwise the first.
pub fn quantity(unexplained: &[String]) -> Option<&String> {
    let stems = || STEMS.iter().filter(|(kind, _)| *kind == Beyond::Quantity);
    let names = |word: &&String| {
        stems().any(|(_, stems)| {
            let mut stems = stems.split_ascii_whitespace();
            stems.any(|stem| stem.len() >= 4 && word.starts_with(stem))
        })
    };
    unexplained
        .iter()
        .find(names)
        .or_else(|| unexplained.first())
}

/// The request of a message that is not understood, as far as its words show.
pub(super) fn kind_of(message: &str, coverage: &Coverage) -> Beyond {
    let text = normalize(message);
    let unexplained = |stems: &str| {
        let mut words = coverage.unexplained.iter();
        words.any(|word| is_of_stem(word, stems))
    };
    if let Some((kind, _)) = STEMS.iter().find(|(_, stems)| unexplained(stems)) {
        return *kind;
    }
    if text.contains("weather") {
        return Beyond::Weather;
    }
    Beyond::Other
}

/// Words that begin as a stem does and mean something else.
const OTHER_WORDS: &[&str] = &["turnover", "turnovers"];

/// Whether a word is a form of one of these stems.
fn is_of_stem(word: &str, stems: &str) -> bool {
    let mut stems = stems.split_ascii_whitespace();
    !OTHER_WORDS.contains(&word)
        && stems.any(|stem| {
            word.strip_prefix(stem).is_some_and(|end| {
                end.is_empty()
                    || stem.len() >= 4 && end.len() <= 6
                    || matches!(end, "s" | "ed" | "ing" | "es" | "y" | "ty")
            })
        })
}

/// Whether a request that is not served is about something that is not known here at all, such as
/// customers, so that another assistant may know it. What no assistant does, and limits of what is
/// known here, are not.
pub fn is_of_another_subject(kind: Beyond, unexplained: &[String]) -> bool {
    match kind {
        // A name with a number is that of a device.
        Beyond::Limit(Limit::Unknown) => {
            let first = unexplained.first();
            return first.is_some_and(|name| !name.contains(|c: char| c.is_ascii_digit()));
        }
        Beyond::Control
        | Beyond::Work
        | Beyond::Change
        | Beyond::Notify
        | Beyond::Repair
        | Beyond::Weather
        | Beyond::FutureFault
        | Beyond::Days
        | Beyond::Periods
        | Beyond::Payback
        | Beyond::Trend
        | Beyond::Language(_)
        | Beyond::Limit(_) => return false,
        Beyond::Cause | Beyond::Export | Beyond::FutureMoney | Beyond::Quantity | Beyond::Other => {
        }
    }
    let is_known = |word: &String| STEMS.iter().any(|(_, stems)| is_of_stem(word, stems));
    unexplained.iter().any(|word| !is_known(word))
}
