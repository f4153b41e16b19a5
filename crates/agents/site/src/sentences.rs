//! Sentences that only the workflows need; everything else that the assistant says is in
//! [`crate::narrative`].

use chrono::{DateTime, FixedOffset, NaiveDate};
use contracts::tools::Period;

use crate::{language::Ranked, narrative::format};

/// An answer came and no question is open.
pub(crate) const NO_OPEN_QUESTION: &str = "There's no open question that this would answer. Tell me what you'd like to look at, and I'll ask for what I need.";

/// An answer came a second time.
pub(crate) const ANSWERED_BEFORE: &str =
    "I already have your answer to that one, so there's nothing more to choose.";

/// An answer came in a form that cannot be read.
pub(crate) const UNREADABLE_ANSWER: &str = "I can't read that answer.";

/// The model has been asked as often as it may be.
pub(crate) const LOOKED_LONG_ENOUGH: &str =
    "I've looked things up long enough for one answer, so I'm going with what I have.";

/// The answer became too long.
pub(crate) const ANSWER_CUT: &str = "The answer became too long, so its end is missing.";

/// The provider of the model held back the end of the answer.
pub(crate) const REST_HELD_BACK: &str = "The language model held back the rest of this answer.";

/// Sentences of the model had figures that are in no result.
pub(crate) fn left_out(sentences: u32) -> String {
    if sentences == 1 {
        "I left out one sentence that I can't find in your data.".to_owned()
    } else {
        format!("I left out {sentences} sentences that I can't find in your data.")
    }
}

/// The facts give nothing to say.
pub(crate) const THAT_IS_ALL: &str = "That's what I found.";

/// Several days were named where one is needed.
pub(crate) fn one_day_only(range: Period) -> String {
    format!(
        "I can show one day at a time, and {} has several.",
        format::period(range)
    )
}

/// Fewer devices than a comparison needs.
pub(crate) fn too_few_loggers(found: usize, least: usize) -> String {
    format!("A comparison needs at least {least} devices, and I have {found}.")
}

/// The place of one device in a ranking.
pub(crate) fn rank_of(id: &str, place: usize, all: usize) -> String {
    format!("{id} is number {place} of {all}.")
}

/// One device beside the mean of the others: its figure, as it is and as it is shown.
pub(crate) fn beside_mean(own: f64, shown: &str, mean: f64) -> String {
    let places = if mean < 1.0 { 3 } else { 2 };
    let others = format::decimal(mean, places);
    let percent = format::percent((100.0 * (own / mean - 1.0)).abs());
    if format::decimal(own, places) == others {
        return format!("It made {shown}, as much as the others on average.");
    }
    let difference = if own > mean { "more" } else { "less" };
    format!("It made {shown}, the others {others} on average: that is {percent} {difference}.")
}

/// A device without any other inverter at its site.
pub(crate) fn without_peers(id: &str, site: &str) -> String {
    format!(
        "{id} is the only one of its kind at {site}, so it has no neighbours to compare it with."
    )
}

/// Only an end of the ranking is shown: by what, and each device with its figure.
pub(crate) fn end_of_ranking(
    ranked: Ranked,
    all: usize,
    by: &str,
    shown: &[(String, String)],
) -> String {
    let end = if ranked.worst { "last" } else { "best" };
    let told: Vec<String> = shown
        .iter()
        .map(|(id, figure)| format!("{id} ({figure})"))
        .collect();
    let told = if told.is_empty() {
        String::new()
    } else {
        format!(": {}", format::list_most(&told, 5))
    };
    format!(
        "These are the {end} {} of {all} devices, ranked by {by}{told}.",
        ranked.count
    )
}

/// Devices that a ranking cuts off though they are as good as the last that it shows.
pub(crate) fn level_with(others: &[&str], edge: &str) -> String {
    let are = if others.len() == 1 { "is" } else { "are" };
    format!("{} {are} level with {edge}.", format::list_most(others, 4))
}

/// The days are ranked by energy though money is asked for.
pub(crate) const TARIFFS_DIFFER: &str =
    "The energy doesn't have one price, so I rank by energy and not by money.";

/// The best or the worst days of a period, each with its figure.
pub(crate) fn best_periods(
    noun: &str,
    (count, worst): (usize, bool),
    named: &[(String, String)],
    by_money: bool,
) -> String {
    let end = if worst { "worst" } else { "best" };
    let by = if by_money { "money" } else { "energy" };
    let told: Vec<String> = named
        .iter()
        .map(|(when, figure)| format!("{when} with {figure}"))
        .collect();
    if let [one] = told.as_slice() {
        return format!("The {end} {noun} by {by} was {one}.");
    }
    let few = if named.len() < count {
        format!("Only {} {noun}s are complete. ", named.len())
    } else {
        String::new()
    };
    format!(
        "{few}The {} {end} {noun}s by {by} were {}.",
        named.len(),
        format::list(&told)
    )
}

/// Sites without data in the days on which sites are compared, each with its last day of data.
pub(crate) fn sites_without_data(sites: &[(&str, Option<NaiveDate>)]) -> String {
    let told: Vec<String> = sites
        .iter()
        .map(|(name, last)| match last {
            Some(last) => format!("{name} (its data end on {})", format::date(*last)),
            None => format!("{name} (it has sent nothing yet)"),
        })
        .collect();
    format!(
        "There are no data then from {}.",
        format::list_most(&told, 4)
    )
}

/// A briefing is about one site.
pub(crate) fn about_one_site(name: &str) -> String {
    format!("All of that is about {name} alone.")
}

/// A site has nothing to brief on.
pub(crate) fn without_inverters(name: &str) -> String {
    format!("{name} has no inverters, so there is nothing to brief you on.")
}

/// A rate is in another currency than the money of the sites.
pub(crate) fn other_currency(named: &str, sites: &[(String, String)], instead: &str) -> String {
    let own: Vec<String> = sites
        .iter()
        .map(|(site, currency)| format!("{currency} at {site}"))
        .collect();
    format!(
        "Your rate is in {named}, and the money is in {}: I can't convert. What I can do: \"{instead}\", or the same with a rate in that currency.",
        format::list_most(&own, 4)
    )
}

/// The money of a report is in another currency than the one that is named.
pub(crate) fn in_own_currency(named: &str, own: &str) -> String {
    format!("That's in {own}, the currency of the tariff; I don't convert it to {named}.")
}

/// The data of devices ended long before those of the others.
pub(crate) fn ended_before(devices: &[String]) -> String {
    let (have, them) = if devices.len() == 1 {
        ("has", "it")
    } else {
        ("have", "them")
    };
    format!(
        "{} {have} sent nothing for long, so I left {them} out.",
        format::list_most(devices, 4)
    )
}

/// A device that sends nothing while others of its site do.
pub(crate) fn silent(id: &str, last: NaiveDate, days: i64) -> String {
    format!(
        "{id} has not reported since {} ({}).",
        format::date(last),
        format::count(u64::try_from(days).unwrap_or(0), "day")
    )
}

/// A device whose energy of a day is not known, because it fell silent on that day or before.
pub(crate) fn unknown_energy(id: &str, last: DateTime<FixedOffset>, day: NaiveDate) -> String {
    let that = if last.date_naive() == day {
        "that day".to_owned()
    } else {
        format!("on {}", format::date(day))
    };
    format!(
        "{}, so I can't say what it made {that}.",
        no_data_since(id, last)
    )
}

/// A device that sends nothing since this reading.
pub(crate) fn no_data_since(id: &str, last: DateTime<FixedOffset>) -> String {
    format!(
        "{id} has sent no data since {} on {}",
        format::clock(last),
        format::date(last.date_naive())
    )
}

/// Devices whose energy a total of a day lacks, each with the time of its newest reading.
pub(crate) fn not_in_total(devices: &[(String, DateTime<FixedOffset>)], day: NaiveDate) -> String {
    let told: Vec<String> = devices
        .iter()
        .map(|(id, last)| {
            if last.date_naive() == day {
                format!("{id} has sent no data since {}", format::clock(*last))
            } else {
                no_data_since(id, *last)
            }
        })
        .collect();
    format!(
        "{}, so the total lacks what {} made since.",
        format::list_most(&told, 4),
        if devices.len() == 1 { "it" } else { "they" }
    )
}

/// Several of them, with the day of the newest reading of each.
pub(crate) fn several_silent(devices: &[(&str, NaiveDate)]) -> String {
    let told: Vec<String> = devices
        .iter()
        .map(|(id, last)| format!("{id} since {}", format::date(*last)))
        .collect();
    format!("Not reporting: {}.", format::list_most(&told, 4))
}

/// The devices have no data in the days of a report.
pub(crate) fn none_then(devices: &[&str]) -> String {
    let (have, them) = if devices.len() == 1 {
        ("has", "it")
    } else {
        ("have", "them")
    };
    format!(
        "{} {have} no data then, so I left {them} out.",
        format::list_most(devices, 4)
    )
}

/// The clocks of sites.
pub(crate) fn zones(sites: &[(&str, &str)]) -> String {
    let zones: Vec<String> = sites
        .iter()
        .map(|(name, zone)| format!("{name} is in the time zone {zone}"))
        .collect();
    format!("{}.", format::list(&zones))
}

/// The stated sizes of devices, and those that are not stated.
pub(crate) fn sizes(stated: &[(&str, f64)], unknown: &[&str]) -> String {
    let sizes: Vec<String> = stated
        .iter()
        .map(|(id, kw)| format!("{id} {} kW", format::figure(*kw)))
        .collect();
    let total: f64 = stated.iter().map(|(_, kw)| kw).sum();
    let mut parts = Vec::new();
    if !sizes.is_empty() {
        let together = match sizes.len() {
            1 => String::new(),
            _ => format!(", together {} kW", format::figure(total)),
        };
        let listed = format::list_most(&sizes, 12);
        parts.push(format!("The stated capacities are {listed}{together}."));
    }
    if !unknown.is_empty() {
        parts.push(format!(
            "The capacity of {} isn't stated.",
            format::list_most(unknown, 6)
        ));
    }
    parts.join(" ")
}

/// The forecasts of several devices together.
pub(crate) fn forecast_together(kwh: f64, days: &[NaiveDate]) -> String {
    format!(
        "Together that's about {} {}.",
        format::energy(kwh),
        format::on_days(days)
    )
}

/// A period is longer than can be looked at.
pub(crate) fn only_the_last_days(asked: Period, looked_at: Period) -> String {
    format!(
        "{} is longer than I can look at, so this is {} only.",
        format::period(asked),
        format::period(looked_at)
    )
}

/// There are too few devices to compare, whatever is chosen.
pub(crate) fn nothing_to_compare(only: &str) -> String {
    format!("{only} is your only device, so there is nothing to compare it with.")
}

/// A briefing was asked for other days than the newest.
pub(crate) fn only_the_newest_day(asked: Period, whom: &str) -> String {
    format!(
        "That's the newest day. For {0}, ask \"How much energy did {whom} make {1}?\".",
        format::period(asked),
        format::from_to(asked.start, asked.end)
    )
}

/// A performance ratio is asked for of devices without readings of the sunlight. `comparable` says
/// whether there are inverters to compare.
pub(crate) fn no_sunlight(devices: &[&str], comparable: bool) -> String {
    let have = if devices.len() == 1 { "has" } else { "have" };
    let instead = match devices {
        _ if comparable => {
            "\"Compare all inverters on energy\" shows who makes most for its size.".to_owned()
        }
        [one] => {
            format!("\"How much energy did {one} make in the last 7 days?\" shows what it made.")
        }
        _ => "\"How much energy did all inverters make in the last 7 days?\" shows what they made."
            .to_owned(),
    };
    format!(
        "I can't work out a performance ratio: {} {have} no readings of the sunlight. {instead}",
        format::list_most(devices, 4)
    )
}

/// The last day of the answer is today.
pub(crate) fn still_runs(day: NaiveDate) -> String {
    format!(
        "{} isn't over, so it counts with what it has so far.",
        format::date(day)
    )
}

/// The energy of a day on average.
pub(crate) fn daily_average(kwh: f64, days: u32) -> String {
    format!(
        "That's {} a day on average, over {} with data.",
        format::energy(kwh),
        format::count(u64::from(days), "day")
    )
}

/// The energy for each kW of capacity, of which that of some devices is estimated.
///
/// The figure has the days that it is about, in words. `estimated` are the devices without a stated
/// capacity: those whose own best days show it, and those that are taken to be as large as the
/// others of their site.
pub(crate) fn specific_yield(
    (per_kw, days): (f64, &str),
    capacity_kw: f64,
    devices: usize,
    estimated: (&[&str], &[&str]),
) -> String {
    let (yields, kw) = (format::decimal(per_kw, 1), format::figure(capacity_kw));
    let sources = [
        (estimated.0, "by the best of other days"),
        (estimated.1, "by the size of the others at the site"),
    ];
    let known: Vec<_> = sources.iter().filter(|(ids, _)| !ids.is_empty()).collect();
    match known.as_slice() {
        [] => format!("That's {yields} kWh per kWp{days}, for a stated capacity of {kw} kWp."),
        [(ids, how)] if ids.len() == devices => {
            format!("That's {yields} kWh per kWp{days}, for {kw} kWp, which is estimated {how}.")
        }
        some => {
            let some: Vec<String> = some
                .iter()
                .map(|(ids, how)| format!("that of {} {how}", format::list_most(ids, 4)))
                .collect();
            format!(
                "That's {yields} kWh per kWp{days}, for {kw} kWp, partly estimated: {}.",
                format::list(&some)
            )
        }
    }
}

/// The first of several intervals that are not all complete.
pub(crate) fn first_of_parts(label: &str, energy: &str, worst: bool) -> String {
    let end = if worst { "least" } else { "most" };
    format!(
        "Of the days with data, {label} has the {end}, {energy}; not all of these are complete."
    )
}

/// The days of a specific yield of several devices that have different ones.
pub(crate) const EACH_OVER_ITS_DAYS: &str = ", each device counted for the days it has data";

/// The days of a specific yield of a device that lacks some.
pub(crate) fn over_its_days(days: u32) -> String {
    let count = format::count(u64::from(days), "day");
    format!(" over the {count} it has data")
}

/// Capacities that are not stated keep a specific yield from being worked out.
pub(crate) fn no_capacity(devices: &[&str]) -> String {
    let their = if devices.len() == 1 { "its" } else { "their" };
    format!(
        "I can't say how much that is per kWp for {}: {their} capacity isn't stated, and there are too few days to estimate it by.",
        format::list_most(devices, 4)
    )
}

/// The energy of sites for each kWp, most first.
pub(crate) fn yields_of_sites(yields: &[(&str, f64)], estimated: bool) -> String {
    let told: Vec<String> = yields
        .iter()
        .map(|(site, per_kw)| format!("{} at {site}", format::decimal(*per_kw, 1)))
        .collect();
    let basis = if estimated {
        ", with capacities that are partly estimated"
    } else {
        ""
    };
    format!("In kWh per kWp that's {}{basis}.", format::list(&told))
}

/// The report stands, but its forecast is missing.
pub(crate) fn without_forecast(reason: &str) -> String {
    format!(
        "The forecast is missing from this report: {}",
        format::sentence(reason)
    )
}

/// Some devices could not be judged.
pub(crate) fn some_left_out(devices: &[String], what: &str) -> String {
    format!(
        "I could not get {what} of {}.",
        format::list_most(devices, 5)
    )
}

/// More devices than one answer covers.
pub(crate) fn only_the_first(shown: usize, all: usize) -> String {
    format!("These are the first {shown} of {all} devices; name the ones you mean for the others.")
}
