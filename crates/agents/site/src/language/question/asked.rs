//! Which figure of a report a question names.

use crate::language::classify::{device_hints, mentions_error_code};
use crate::language::keywords::{Concept as C, Hit, Keywords, concept};
use crate::narrative::{Asked, Place};

use super::reporting::denies;
use super::{
    about_losses, asks_of_best, asks_of_most, asks_since_when_it_lags, asks_what_was_possible,
    asks_who_lags, asks_who_ran, asks_who_reported, counts_online, counts_out, counts_producing,
    faults_cost, made_nothing, ranks_health, ranks_losses, was_out,
};
use crate::language::figures::ranked;

/// The figure that the message names, where the report that answers it has many.
pub(in crate::language) fn figure(keywords: &Keywords<'_>) -> Option<Asked> {
    let lost = keywords.word(&[
        "cost",
        "costs",
        "costing",
        "lose",
        "loses",
        "losing",
        "lost",
        "loss",
        "losses",
        "shortfall",
    ]);
    if ranks_worth(keywords) {
        Some(if about_carbon(keywords) {
            Asked::MostCarbon
        } else {
            Asked::MostSaved
        })
    } else if ranks_sites_by_worth(keywords) {
        Some(Asked::SitesByWorth {
            carbon: about_carbon(keywords),
        })
    } else if let Some(now) = of_now(keywords) {
        Some(now)
    } else if asks_who_reported(keywords) || asks_whether_it_reported(keywords) && !denies(keywords)
    {
        Some(Asked::WhoReported)
    } else if asks_who_ran(keywords) {
        Some(Asked::WhoRan)
    } else if counts_out(keywords) {
        Some(Asked::HowManyOut)
    } else if ranks_losses(keywords) {
        Some(Asked::LostMost)
    } else if let Some(worst) = ranks_health(keywords) {
        Some(Asked::Health { worst })
    } else if asks_who_lags(keywords) {
        Some(Asked::Lagging)
    } else if asks_what_was_possible(keywords) {
        Some(Asked::Possible)
    } else if asks_since_when_it_lags(keywords) {
        Some(Asked::LagsSince)
    } else if about_carbon(keywords) {
        Some(Asked::Carbon)
    } else if about_tariff(keywords) {
        Some(Asked::Tariff)
    } else if keywords.word(&["availability", "uptime"]) || keywords.says("how available") {
        Some(Asked::Availability)
    } else if asks_what_is_missing(keywords) {
        Some(Asked::Missing)
    } else if about_register(keywords) {
        Some(Asked::Register)
    } else if of_last_outage(keywords) {
        Some(Asked::LastOutage)
    } else if lost && (about_losses(keywords) || faults_cost(keywords)) {
        Some(Asked::Losses)
    } else if keywords.word(&["why"]) && (was_out(keywords) || asks_why_low(keywords)) {
        Some(Asked::Why)
    } else if asks_why_ranked(keywords) {
        Some(Asked::WhyRanked)
    } else if was_out(keywords)
        || made_nothing(keywords)
        || asks_why_low(keywords)
        || keywords.word(&["outage", "outages", "downtime"])
    {
        Some(Asked::Outages)
    } else if about_losses(keywords) {
        Some(Asked::Losses)
    } else if compares_sites(keywords) {
        Some(ranked(keywords).map_or(Asked::Sites, Asked::EndOfSites))
    } else if of_energy_ratio(keywords) {
        Some(Asked::Ratio)
    } else if of_more_energy(keywords) {
        Some(Asked::More)
    } else if of_sum(keywords) {
        Some(Asked::Together)
    } else if let Some(place) = place(keywords) {
        Some(Asked::Place(place))
    } else if of_most_energy(keywords) {
        Some(Asked::Most)
    } else if asks_of_best(keywords) {
        Some(Asked::Best)
    } else if about_sunlight(keywords) {
        Some(Asked::Sunlight)
    } else if about_errors(keywords) {
        Some(Asked::Errors)
    } else {
        None
    }
}

/// The devices that are asked for by their state now.
fn of_now(keywords: &Keywords<'_>) -> Option<Asked> {
    if counts_online(keywords) {
        Some(if denies(keywords) {
            Asked::Offline
        } else {
            Asked::Online
        })
    } else if let Some(none) = counts_producing(keywords) {
        Some(Asked::Producing { none })
    } else if is_out_now(keywords) {
        Some(if asks_who_ran(keywords) {
            Asked::Online
        } else {
            Asked::Offline
        })
    } else {
        None
    }
}

/// "Why which inverter is best?": how a follow-up "why?" to a ranking is spelt out.
fn asks_why_ranked(keywords: &Keywords<'_>) -> bool {
    keywords.words.first() == Some(&"why")
        && device_hints(&keywords.tokens) == 0
        && (asks_of_best(keywords)
            || asks_of_most(keywords)
            || place(keywords).is_some()
            || keywords.has(C::Compare))
}

fn about_carbon(keywords: &Keywords<'_>) -> bool {
    keywords.word(&["co2", "carbon", "emission", "emissions"])
}

/// "Which inverter saved the most money?", "who avoided the least CO2?": by the money or the carbon
/// of each device.
pub(in crate::language) fn ranks_worth(keywords: &Keywords<'_>) -> bool {
    const OTHERS: &[&str] = &[
        "which site",
        "which day",
        "which week",
        "which month",
        "which year",
    ];
    let saved = keywords.word(&[
        "save", "saved", "saves", "saving", "savings", "earn", "earned", "earns", "money",
        "revenue", "avoid", "avoided", "avoids",
    ]);
    let first = keywords.words.first();
    let asks = keywords.word(&["which", "who"]) || matches!(first, Some(&("most" | "least")));
    asks && keywords.word(&["most", "least", "highest", "lowest"])
        && (about_carbon(keywords) || saved)
        && crate::language::figures::ranked(keywords).is_none()
        && ordinal(keywords).is_none()
        && !about_losses(keywords)
        && !keywords.has(C::Health)
        && !keywords.has(C::Forecast)
        && !keywords.says_any(OTHERS)
        && !keywords.word(&["sites", "plants"])
}

/// "Which site saved more CO2?", "which of my plants saved the least money?".
fn ranks_sites_by_worth(keywords: &Keywords<'_>) -> bool {
    const SITES: &[&str] = &["site", "sites", "plant", "plants", "park", "parks"];
    let saved = keywords.word(&["save", "saved", "saves", "earn", "earned", "earns", "money"]);
    keywords.word(&["which", "what"])
        && keywords.word(SITES)
        && is_subject(keywords, SITES)
        && keywords.word(&["more", "most", "less", "least", "highest", "lowest"])
        && (about_carbon(keywords) || saved)
        && ranked(keywords).is_none()
        && !keywords.has(C::Device)
        && !about_losses(keywords)
        && !keywords.has(C::Health)
        && !keywords.has(C::Forecast)
        && device_hints(&keywords.tokens) == 0
}

/// "Which are offline?", "is any inverter down?": by the state now, of devices that are not named.
pub(in crate::language) fn is_out_now(keywords: &Keywords<'_>) -> bool {
    const OUT: &[&str] = &[
        "offline",
        "down",
        "out",
        "silent",
        "unreachable",
        "disconnected",
    ];
    const PAST: &[&str] = &[
        "was", "were", "did", "been", "has", "have", "had", "when", "why", "how", "long", "ever",
        "often", "cost", "lost", "since", "last",
    ];
    let counts = keywords.says("how many");
    let past = PAST
        .iter()
        .any(|word| keywords.words.contains(word) && !(counts && *word == "how"));
    let out = keywords.words.iter().enumerate().any(|(at, word)| {
        let now = matches!(
            keywords.words.get(at + 1),
            None | Some(&("now" | "right" | "currently" | "at" | "today" | "please" | "in"))
        );
        OUT.contains(word) && (now || *word == "offline" || *word == "silent")
    });
    let asks = keywords.word(&[
        "which", "who", "who's", "what", "what's", "any", "anything", "least",
    ]);
    let are = keywords.word(&["is", "are", "who's", "what's"]);
    out && are
        && (asks || counts)
        && !past
        && !keywords.speaks_of_the_past()
        && device_hints(&keywords.tokens) == 0
        && !keywords.has(C::Production)
        && !keywords.has(C::Money)
}

/// The sum of several devices: "LTI and MEIER together", "the sum of LTI and MEIER".
fn of_sum(keywords: &Keywords<'_>) -> bool {
    const WORDS: &[&str] = &["together", "sum", "plus", "altogether", "combined", "total"];
    let plus = keywords.tokens.windows(2).any(|pair| pair[0].is("+"));
    // The energy of several devices is a total already.
    (plus || keywords.word(WORDS)) && device_hints(&keywords.tokens) > 1 && !keywords.about_energy()
}

/// "Ratio of LTI to MEIER", "how many times more did LTI make than MEIER?".
fn of_energy_ratio(keywords: &Keywords<'_>) -> bool {
    let ratio = keywords.word(&["ratio"]) && !keywords.says("performance ratio");
    (ratio || keywords.says("how many times")) && device_hints(&keywords.tokens) > 1
}

/// The ordinals of places that a ranking is asked for.
pub(in crate::language) const ORDINALS: [&str; 5] = ["second", "third", "fourth", "fifth", "sixth"];

/// The number of an ordinal, and the end of the ranking that it counts from.
fn ordinal<'t>(keywords: &Keywords<'t>) -> Option<(usize, &'t str)> {
    let tokens = &keywords.tokens;
    let numbered = tokens.windows(3).find_map(|three| {
        let nth = three[0].number().filter(|nth| (2..=6).contains(nth))?;
        let ordinal = matches!(three[1].text, "nd" | "rd" | "th") && ENDS.contains(&three[2].text);
        ordinal.then_some((usize::try_from(nth).ok()?, three[2].text))
    });
    let mut words = keywords.words.windows(2);
    numbered.or_else(|| {
        words.find_map(|pair| {
            let nth = ORDINALS.iter().position(|ordinal| *ordinal == pair[0])?;
            ENDS.contains(&pair[1]).then_some((nth + 2, pair[1]))
        })
    })
}

/// Words for an end of a ranking.
const ENDS: &[&str] = &[
    "best",
    "worst",
    "most",
    "least",
    "highest",
    "lowest",
    "strongest",
    "weakest",
];

/// "The second best inverter", "which made the third most?".
pub(in crate::language) fn place(keywords: &Keywords<'_>) -> Option<Place> {
    let (nth, end) = ordinal(keywords)?;
    Some(Place {
        nth,
        worst: matches!(end, "worst" | "least" | "lowest" | "weakest"),
        by_energy: matches!(end, "most" | "least" | "highest" | "lowest"),
    })
}

/// "Errors of the depot", "any alarms?": what the devices reported, and not how they are.
fn about_errors(keywords: &Keywords<'_>) -> bool {
    const REPORTED: &[&str] = &["error", "errors", "eror", "erors", "alarm", "alarms"];
    let health = keywords.words.iter().filter(|word| {
        concept(word, true).is_some_and(|(it, _)| matches!(it, C::Health | C::Diagnose))
    });
    // Codes have a report of their own.
    !mentions_error_code(keywords)
        && keywords.word(REPORTED)
        && health.clone().all(|word| REPORTED.contains(word))
        && !keywords.has(C::Compare)
}

/// Whether the message is a question for yes or no.
pub(in crate::language) fn yes_or_no(keywords: &Keywords<'_>) -> bool {
    let polite = |word: &&&str| {
        matches!(
            **word,
            "and" | "so" | "but" | "ok" | "okay" | "please" | "hi" | "hey" | "hello" | "well"
        )
    };
    let first = keywords.words.iter().find(|word| !polite(word));
    first.is_some_and(|first| {
        matches!(
            *first,
            "was" | "were" | "is" | "are" | "did" | "has" | "have" | "does" | "do"
        )
    })
}

/// Whether a question about faults names no days and is about all of them: "when was the last
/// outage?", "how many days was LTI dead?".
pub(in crate::language) fn of_all_days(keywords: &Keywords<'_>) -> bool {
    let faults = matches!(
        figure(keywords),
        Some(Asked::Outages | Asked::LastOutage | Asked::Losses | Asked::Why | Asked::LagsSince)
    );
    let past = keywords.word(&[
        "was", "were", "did", "last", "many", "often", "when", "ever", "has", "have", "had",
        "been", "cost", "costs", "outage", "outages", "downtime", "lost", "since", "long",
    ]);
    let present = keywords.word(&[
        "now",
        "currently",
        "today",
        "still",
        "moment",
        "recovered",
        "recover",
    ]);
    let present = present && !keywords.says_any(&["stand still", "stood still"]);
    let named_code = mentions_error_code(keywords)
        && keywords.word(&[
            "mean", "means", "meaning", "explain", "is", "error", "code", "fault",
        ])
        && !keywords.word(&["codes", "errors"])
        && crate::language::classify::asked_code(keywords).is_some();
    let of_data = matches!(figure(keywords), Some(Asked::Missing | Asked::Register));
    keywords.when().is_none() && ((faults && past || of_data) && !present || named_code)
}

/// "When was the last outage?", "when did LTI last fail?".
fn of_last_outage(keywords: &Keywords<'_>) -> bool {
    let named = keywords.says_any(&[
        "last outage",
        "latest outage",
        "most recent outage",
        "newest outage",
        "last downtime",
        "last failure",
        "last dead day",
    ]);
    let failed = was_out(keywords)
        || keywords.word(&[
            "fail", "failed", "fails", "outage", "stop", "stopped", "trip", "tripped", "die",
            "died", "break", "broke", "crash", "crashed", "down", "out",
        ]);
    named
        || keywords.word(&["when"])
            && keywords.words.contains(&"last")
            && failed
            && keywords.when().is_none()
}

/// "Does the register agree with the power?", "can I trust the counter?".
pub(in crate::language) fn about_register(keywords: &Keywords<'_>) -> bool {
    keywords.word(&["register", "registers", "counter", "counters"])
        && keywords.word(&[
            "agree",
            "agrees",
            "match",
            "matches",
            "trust",
            "differ",
            "differs",
            "disagree",
            "disagrees",
            "accurate",
            "reliable",
            "wrong",
            "correct",
            "right",
            "consistent",
            "true",
            "ok",
            "okay",
            "plausible",
            "off",
            "reset",
            "resets",
            "check",
            "odd",
            "suspicious",
            "stand",
            "stands",
            "stood",
            "stuck",
            "frozen",
            "stop",
            "stopped",
        ])
}

/// "Which devices did not report?", "is any data missing?", "data gaps in November".
pub(in crate::language) fn asks_what_is_missing(keywords: &Keywords<'_>) -> bool {
    let data = keywords.word(&["data", "reading", "readings", "day", "days", "values"]);
    let devices = keywords.has(C::Device) || device_hints(&keywords.tokens) > 0;
    let gap = keywords.word(&["gap", "gaps"])
        && (data || keywords.words.len() <= 4 || devices && !keywords.word(&["lose", "lost"]));
    let lacking = data
        && (keywords.word(&["missing", "lacking", "absent", "miss", "missed", "misses"])
            || keywords.word(&["complete", "incomplete"]) && !keywords.has(C::Production));
    let silent = keywords.says_any(&[
        "not report",
        "not send",
        "didn't report",
        "didnt report",
        "didn't send",
        "not reported",
        "not reporting",
        "no data",
        "without data",
        "no readings",
        "data outage",
        "data outages",
        "haven't reported",
        "hasn't reported",
        "haven't sent",
        "hasn't sent",
        "sent nothing",
        "sent no",
        "reported nothing",
    ]);
    // "Which devices were silent yesterday?", "did all devices report on 3 June?"
    let was_silent = keywords.word(&["silent", "quiet"])
        && keywords.word(&["was", "were"])
        && keywords.when().is_some();
    let reports = yes_or_no(keywords) && keywords.word(&["report", "reported", "send", "sent"]);
    let have_all = reports && devices && keywords.word(&["all", "every", "each", "both"]);
    (gap || lacking || silent || was_silent || have_all || asks_whether_it_reported(keywords))
        && !keywords.has(C::Forecast)
}

/// "Did LTI report on 20 November?", "has MEIER sent data yesterday?".
pub(in crate::language) fn asks_whether_it_reported(keywords: &Keywords<'_>) -> bool {
    yes_or_no(keywords)
        && keywords.word(&["report", "reported", "send", "sent"])
        && device_hints(&keywords.tokens) > 0
        && keywords.when().is_some()
        && !keywords.word(&[
            "error", "errors", "alarm", "alarms", "fault", "faults", "me",
        ])
}

/// "Why was production low on 7 October?".
pub(in crate::language) fn asks_why_low(keywords: &Keywords<'_>) -> bool {
    let low = keywords.word(&[
        "low", "lower", "less", "little", "nothing", "weak", "bad", "poor", "drop", "dropped",
        "drops", "fell", "fall", "zero", "worse", "down", "small",
    ]);
    let of_something = keywords.has(C::Production)
        || keywords.has(C::Money)
        || keywords.has(C::Performance)
        || keywords.has(C::Site)
        || keywords.word(&["make", "made"])
        || device_hints(&keywords.tokens) > 0;
    keywords.word(&["why"]) && low && of_something
}

/// "Compare both sites", "which site is the best?".
pub(in crate::language) fn compares_sites(keywords: &Keywords<'_>) -> bool {
    let site = |word: &&&str| matches!(**word, "site" | "sites" | "plants" | "plant" | "parks");
    let sites = keywords.words.iter().filter(site).count();
    let several = keywords.word(&["sites", "plants", "parks"]) || sites > 1;
    let counted = ranked(keywords).is_some() && sites > 0;
    let ends = keywords.has(C::Superlative) || keywords.word(&["most", "least"]) || counted;
    let asked = keywords.word(&["which", "what", "who"]) || counted;
    let other = keywords.has(C::Device)
        || keywords.has(C::Health)
        || keywords.word(&["pr", "availability", "irradiance"])
        || keywords.says("performance ratio")
        || device_hints(&keywords.tokens) > 0;
    // "How much more did the depot make than the roof?", "did the depot make more than the roof?".
    let more = sites > 1
        && keywords.word(&["more", "less", "fewer"])
        && (keywords.has(C::Production) || keywords.word(&["make", "made", "makes"]));
    let which = sites > 0
        && asked
        && keywords.word(&["more", "less", "fewer"])
        && (keywords.has(C::Production) || keywords.word(&["make", "made", "makes"]));
    // "Who is the worst at the depot?" asks for a device, "which is the best site?" for a site.
    // "Best site in November".
    let picked = keywords.words.windows(2).any(|pair| {
        concept(pair[0], true).is_some_and(|(it, _)| it == C::Superlative) && site(&&pair[1])
    });
    let subject = sites > 1 || is_subject(keywords, &["site", "sites", "plant", "plants", "parks"]);
    (several && (keywords.has(C::Compare) || ends)
        || subject && (asked || picked) && ends
        || more
        || which)
        && !other
}

/// Whether one of `words` is not a place: not behind "at", "in", "of" and the like.
fn is_subject(keywords: &Keywords<'_>, words: &[&str]) -> bool {
    const PLACING: &[&str] = &["at", "in", "of", "on", "from", "for"];
    let all = &keywords.words;
    (0..all.len()).any(|at| {
        let small =
            |word: &&&str| matches!(**word, "the" | "my" | "our" | "this" | "that" | "whole");
        let before = all[..at].iter().rev().find(|word| !small(word));
        words.contains(&all[at]) && before.is_none_or(|word| !PLACING.contains(word))
    })
}

/// "Which made more, LTI or MEIER?", "did LTI produce more than MEIER?": in kWh, whatever their
/// size.
pub(in crate::language) fn of_more_energy(keywords: &Keywords<'_>) -> bool {
    const OTHER: &[&str] = &[
        "power",
        "peak",
        "kw",
        "yield",
        "yields",
        "kwp",
        "pr",
        "ratio",
        "efficient",
        "size",
    ];
    const DIFFERENCE: &[&str] = &["difference", "minus", "beat", "beats", "outperform"];
    let made = keywords.has(C::Production)
        || keywords.word(&["make", "made", "makes", "save", "saved", "saves"]);
    let several = device_hints(&keywords.tokens) > 1;
    let exceeds = keywords.word(&["more", "less", "fewer"]) && made;
    let differs = keywords.word(DIFFERENCE) && !keywords.word(&["savings", "money"]);
    let saves = keywords.word(&["save", "saved", "saves"]);
    (exceeds || differs)
        && several
        && (saves || !keywords.has(C::Money))
        && !keywords.has(C::Health)
        && !keywords.has(C::Forecast)
        && !keywords.word(OTHER)
}

/// "How did the depot do in October?", "how was last week?": the energy of these days answers it.
pub(in crate::language) fn how_days_went(keywords: &Keywords<'_>) -> bool {
    const WENT: &[&str] = &["how did", "how was", "how were", "how have", "how has"];
    let other = |hit: &Hit| !matches!(hit.concept, C::Site | C::Device | C::Briefing | C::Status);
    keywords.says_any(WENT)
        && keywords.names_past_days()
        && device_hints(&keywords.tokens) == 0
        && !keywords.hits.iter().any(other)
}

/// "Irradiance of LTI yesterday", "how much sunlight was there last week?".
pub(in crate::language) fn about_sunlight(keywords: &Keywords<'_>) -> bool {
    let named = keywords.word(&[
        "irradiance",
        "irradiation",
        "insolation",
        "sunlight",
        "sunshine",
        "radiation",
    ]) || keywords.says_any(&["how sunny", "how much sun"])
        && !keywords.has(C::Production);
    let others = [
        C::Money,
        C::Health,
        C::Diagnose,
        C::Forecast,
        C::Performance,
        C::Superlative,
        C::Curve,
    ];
    named && !others.iter().any(|other| keywords.has(*other))
}

/// "Specific yield of LTI", "how many kWh per kWp did it make?".
pub(in crate::language) fn specific_yield(keywords: &Keywords<'_>) -> bool {
    let named = keywords.says_any(&[
        "specific yield",
        "specific yields",
        "per kwp",
        "per kw",
        "kwh kwp",
        "per installed kw",
        "per installed kwp",
    ]);
    named
        && !keywords.has(C::Compare)
        && !keywords.has(C::Superlative)
        && !asks_of_most(keywords)
        && !compares_by_size(keywords)
}

/// "Per kWp", "in specific yield".
pub(in crate::language) fn by_size(keywords: &Keywords<'_>) -> bool {
    keywords.says_any(&["specific yield", "per kwp", "per kw", "kwh kwp"])
}

/// "Which inverter makes more per kWp?", "does LTI make more per kWp than MEIER?".
pub(in crate::language) fn compares_by_size(keywords: &Keywords<'_>) -> bool {
    by_size(keywords)
        && keywords.word(&["which", "who", "than"])
        && keywords.word(&["more", "less", "higher", "lower", "better", "worse"])
}

/// "What is my tariff?".
pub(in crate::language) fn about_tariff(keywords: &Keywords<'_>) -> bool {
    let price = keywords.word(&["tariff", "tariffs"])
        || keywords.word(&["price", "prices", "rate"])
            && keywords.word(&["electricity", "kwh", "energy", "my", "our", "what"]);
    let others = keywords.word(&[
        "save", "saved", "saving", "savings", "revenue", "earn", "earned", "earnings", "worth",
        "health", "compare",
    ]);
    price && keywords.word(&["what", "which", "show", "how", "tell"]) && !others
}

/// "Top 3 inverters by energy", "the worst 2 in kWh": an end of a ranking by kWh.
pub(in crate::language) fn ranks_by_energy(keywords: &Keywords<'_>) -> bool {
    let orders = keywords.word(&["rank", "ranking", "ranked", "order", "sort", "sorted"]);
    (orders || ranked(keywords).is_some())
        && keywords.says_any(&["by energy", "by total energy", "by kwh", "in kwh"])
        && !by_size(keywords)
        && !keywords.word(&["yield", "yields", "size", "power"])
}

/// "Which inverter made the most energy?": in kWh, whatever its size.
fn of_most_energy(keywords: &Keywords<'_>) -> bool {
    asks_of_most(keywords)
        && keywords.word(&["most", "least", "highest", "lowest"])
        && super::super::figures::ranked(keywords).is_none()
        && (keywords.has(C::Production) || keywords.word(&["make", "made", "makes"]))
        && !keywords.word(&["yield", "power", "peak"])
}

/// "Is LTI the best?": one device among all.
pub(in crate::language) fn of_one_among_all(keywords: &Keywords<'_>) -> bool {
    const ENDS: &[&str] = &["best", "worst", "strongest", "weakest", "leader", "laggard"];
    let of_days = keywords.words.windows(2).any(|pair| {
        ENDS.contains(&pair[0]) && matches!(pair[1], "day" | "week" | "month" | "year" | "days")
    });
    yes_or_no(keywords) && keywords.word(ENDS) && device_hints(&keywords.tokens) == 1 && !of_days
}
