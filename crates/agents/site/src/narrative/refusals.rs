//! Refusals of requests that the assistant cannot serve: their kind, and the nearest thing that it
//! can.

use contracts::tools::{LoggerRole, LoggerSummary};

use super::format;
use crate::language::{Beyond, Limit, Term, Tongue, quantity};

/// The facts that the nearest things are chosen by.
#[derive(Debug, Clone, Copy, Default)]
pub struct Near<'a> {
    /// The devices that exist.
    pub loggers: &'a [LoggerSummary],
    /// The device that the request names, when it names one.
    pub device: Option<&'a str>,
    /// Requests that are answered, made from the person's own words.
    pub instead: &'a [String],
}

impl Near<'_> {
    /// A device to speak of: the named one, otherwise every one.
    fn whom(&self) -> String {
        self.device
            .map_or_else(|| "all inverters".to_owned(), str::to_owned)
    }

    fn inverters(&self) -> usize {
        let inverters = self.loggers.iter();
        inverters
            .filter(|logger| logger.role == LoggerRole::Inverter)
            .count()
    }

    /// Whether a performance ratio can be had of the device, or of any.
    fn has_sunlight(&self) -> bool {
        self.loggers.iter().any(|logger| {
            logger.has_irradiance && self.device.is_none_or(|device| logger.logger_id == device)
        })
    }
}

/// What cannot be had, and the three nearest things that can.
pub fn refusal(kind: Beyond, unexplained: &[String], near: &Near<'_>) -> String {
    let own = near.instead.iter().cloned();
    let mut offers: Vec<String> = Vec::new();
    for offer in own.chain(nearest(kind, near)) {
        let known = offers
            .iter()
            .any(|other| other.eq_ignore_ascii_case(&offer));
        if !known && offers.len() < 3 {
            offers.push(offer);
        }
    }
    let actions: Vec<String> = offers
        .iter()
        .map(|action| format!("\"{action}\""))
        .collect();
    let instead = format::alternatives(&actions);
    let reason = match kind {
        Beyond::Limit(limit) => limited(limit, unexplained, near),
        kind => reason(kind, unexplained),
    };
    format!("{reason} {} {instead}.", offer(kind))
}

fn offer(kind: Beyond) -> &'static str {
    match kind {
        Beyond::Other => "Try",
        _ => "What I can do:",
    }
}

fn reason(kind: Beyond, unexplained: &[String]) -> String {
    match kind {
        Beyond::Control => "I can't switch, restart or set a device: I only read what your devices record.".to_owned(),
        Beyond::Work => "I can't clean panels or do other work at your site: I only read what your devices record.".to_owned(),
        Beyond::Cause => {
            "I can't tell the cause of a loss: dirt, snow and shade don't show as such in the readings. How much a device lost, and when, I can tell.".to_owned()
        }
        Beyond::Export => {
            "I can't send or write files. Every chart has its figures below \"Data\", and they can be saved as CSV there.".to_owned()
        }
        Beyond::Change => "I can't add, change or delete anything: I only read what your devices record.".to_owned(),
        Beyond::Notify => "I can write to you at set times, or when a device fails, if you say what, when and where to: for example \"every morning at 7 the briefing to me@example.com\" or \"tell me when a device is out for an hour\".".to_owned(),
        Beyond::FutureMoney => {
            "I can't tell prices or savings that are still to come. What your energy was worth I know, and I forecast energy for up to 7 days.".to_owned()
        }
        Beyond::FutureFault => {
            "I can't predict faults. What is wrong with a device now, or was in the past, I can tell.".to_owned()
        }
        Beyond::Days => {
            "I can name the best and the worst days of a period by energy or by money, and not by another figure.".to_owned()
        }
        Beyond::Periods => {
            "I can't set two periods side by side: ask for one after the other.".to_owned()
        }
        Beyond::Payback => {
            "I can't work out a payback time: I don't know what the system cost.".to_owned()
        }
        Beyond::Trend => {
            "I can't tell whether something goes up or down: ask for one period after the other.".to_owned()
        }
        // Worded with its words; see `limited`.
        Beyond::Limit(_) => String::new(),
        Beyond::Repair => {
            "I can't say how a device is repaired. What is wrong with it I can tell, and what its error codes mean.".to_owned()
        }
        Beyond::Weather => "I don't have the weather, only the sunlight that your devices measured.".to_owned(),
        Beyond::Quantity => match quantity(unexplained) {
            Some(word) => format!("I don't have {}: I know the power, energy, irradiance and error codes of your devices.", quoted(word)),
            None => "I only know the power, energy, irradiance and error codes of your devices.".to_owned(),
        },
        Beyond::Language(tongue) => match name_of(tongue) {
            Some(name) => format!("That looks like {name}, and I only understand English so far."),
            None => "I only understand English so far.".to_owned(),
        },
        Beyond::Other => match unexplained {
            [] => "I don't know how to answer that.".to_owned(),
            words => {
                let words: Vec<String> = words.iter().take(3).map(|word| quoted(word)).collect();
                format!("I don't understand {} here, so I'd rather not guess.", format::list(&words))
            }
        },
    }
}

/// Why a request with such a limit is not answered without it.
fn limited(limit: Limit, words: &[String], near: &Near<'_>) -> String {
    let quotes: Vec<String> = words.iter().take(3).map(|word| quoted(word)).collect();
    let named = format::list(&quotes);
    match limit {
        Limit::PartOfDay => {
            format!("I can't limit figures to {named}: they are for whole days.")
        }
        Limit::Weekdays => {
            format!(
                "I can't pick {named} out of a period: I answer for a day, or for days in a row."
            )
        }
        Limit::PartOfPeriod => {
            format!("I don't know how many days {named} has: name them with their dates.")
        }
        Limit::Periods => {
            "I answer for one day or one period at a time, and these are several.".to_owned()
        }
        Limit::DaysOut => {
            format!(
                "I can't leave days out of a period, so {named} doesn't work: name the days before and after it."
            )
        }
        Limit::Series => {
            format!("I can't split figures up, as {named} asks for: I give one total for a period.")
        }
        Limit::Average => format!("I can't work out {named} here: I give totals."),
        Limit::Share => {
            format!("I can't work out shares or multiples such as {named}: I give totals.")
        }
        Limit::Property => format!("I can't pick devices by {named}: name them."),
        Limit::State => format!(
            "I can't pick devices or days by their state, as {named} asks for: ask \"which inverters were out?\", then name them."
        ),
        Limit::Count => format!("I can't tell which ones {named} are: name them."),
        Limit::Bound => format!(
            "I can't compare figures with a bound such as {named}: I give the figure itself."
        ),
        Limit::Conversion => {
            format!(
                "I can't convert, so {named} doesn't work: money is in the currency of each site, and energy in kWh."
            )
        }
        Limit::FeedIn => {
            format!(
                "I don't know how much energy is fed in or used at the site, so {named} doesn't work: I value all of it at one price."
            )
        }
        Limit::Prices => {
            format!(
                "I can't reckon with {named}: name one price per kWh, like \"at 0.30 per kWh\"."
            )
        }
        Limit::CarbonFactor => {
            format!(
                "I can't reckon with another CO2 factor such as {named}: each site has its own."
            )
        }
        Limit::Clause => {
            format!(
                "I can't tell the time that {named} stands for: name the days with their dates."
            )
        }
        Limit::Number => {
            format!("I don't know what {named} means here, so I'd rather not guess.")
        }
        Limit::TwoQuestions => "Those are two questions, and I answer one at a time.".to_owned(),
        Limit::Unknown => {
            let mut sites: Vec<&str> = near
                .loggers
                .iter()
                .map(|one| one.site_name.as_str())
                .collect();
            sites.sort_unstable();
            sites.dedup();
            let known = match sites.as_slice() {
                [] => String::new(),
                [one] => format!(" Your site is {one}."),
                several => format!(" Your sites are {}.", format::list_most(several, 5)),
            };
            format!(
                "I don't know {named}: none of your sites and devices has that name, and no day.{known}"
            )
        }
    }
}

/// A word of the person, at a length that can be shown.
fn quoted(word: &str) -> String {
    const MOST: usize = 30;
    let short: String = word
        .chars()
        .filter(|c| !c.is_control())
        .take(MOST)
        .collect();
    let more = if word.chars().count() > MOST {
        "…"
    } else {
        ""
    };
    format!("\"{short}{more}\"")
}

const fn name_of(tongue: Tongue) -> Option<&'static str> {
    match tongue {
        Tongue::German => Some("German"),
        Tongue::French => Some("French"),
        Tongue::Spanish => Some("Spanish"),
        Tongue::Italian => Some("Italian"),
        Tongue::Portuguese => Some("Portuguese"),
        Tongue::Dutch => Some("Dutch"),
        Tongue::Foreign => None,
    }
}

/// Three messages that are answered, nearest to what was asked for.
pub fn nearest(kind: Beyond, near: &Near<'_>) -> [String; 3] {
    let whom = near.whom();
    let health = format!("Check the health of {whom}");
    let codes = format!("Show the error codes of {whom} for the last 30 days");
    let savings = match near.device {
        Some(device) => format!("How much did {device} save?"),
        None => "How much did I save in the last 30 days?".to_owned(),
    };
    let energy = format!("How much energy did {whom} make in the last 7 days?");
    let forecast = format!("Forecast production of {whom} for the next 7 days");
    let briefing = "Morning briefing".to_owned();
    let ratio = match near.device {
        _ if !near.has_sunlight() => energy.clone(),
        Some(device) => format!("Show the performance ratio of {device} on the latest day"),
        None => "Show performance ratio for the fleet".to_owned(),
    };
    let compare = if near.inverters() > 1 {
        "Compare all inverters on energy".to_owned()
    } else {
        energy.clone()
    };
    match kind {
        Beyond::Control => [health, codes, briefing],
        Beyond::Cause | Beyond::Work => [health, ratio, compare].map_or_distinct(&savings),
        Beyond::Export | Beyond::Payback => [savings, energy, health],
        Beyond::Change => ["List my devices".to_owned(), briefing, health],
        Beyond::Notify => [briefing, health, codes],
        Beyond::FutureMoney => [savings, forecast, energy],
        Beyond::Trend => [
            savings,
            energy,
            match near.device {
                Some(device) => format!("How much energy did {device} make in the last 30 days?"),
                None => "How much energy did all inverters make in the last 30 days?".to_owned(),
            },
        ],
        Beyond::Weather => [forecast, energy, briefing],
        Beyond::Quantity => [energy, health, codes],
        Beyond::FutureFault => [health, codes, forecast],
        Beyond::Days => [energy, compare, health].map_or_distinct(&savings),
        Beyond::Periods => [
            energy,
            savings,
            match near.device {
                Some(device) => format!("How much energy did {device} make in the last 30 days?"),
                None => "How much energy did all inverters make in the last 30 days?".to_owned(),
            },
        ],
        Beyond::Repair => [codes, health, energy],
        Beyond::Limit(_) => [energy, savings, health],
        Beyond::Language(_) | Beyond::Other => match near.device {
            Some(_) => [health, energy, savings],
            None => [briefing, "Any problems?".to_owned(), savings],
        },
    }
}

/// Keeps three different messages.
trait Distinct {
    fn map_or_distinct(self, other: &str) -> Self;
}

impl Distinct for [String; 3] {
    fn map_or_distinct(mut self, other: &str) -> Self {
        if self[0] == self[1] {
            other.clone_into(&mut self[1]);
        } else if self[1] == self[2] {
            other.clone_into(&mut self[2]);
        }
        self
    }
}

/// The message that shows the performance ratios of all devices.
pub const SHOWS_RATIO: &str = "Show performance ratio for the fleet";

/// A verdict on a performance ratio, percent, by the same bounds as those of the reports.
/// With `offers`, it ends with the message that shows one's own.
pub fn rated(percent: f64, offers: bool) -> String {
    let verdict = if percent > 105.0 {
        "is hardly possible: it usually means that a capacity or a sensor is wrong"
    } else if percent >= 75.0 {
        "is a normal, healthy figure"
    } else if percent >= 60.0 {
        "is lower than healthy panels reach, which is 75 % and more"
    } else {
        "is far below what healthy panels reach, which is 75 % and more"
    };
    let yours = if offers {
        format!(" To see yours, ask \"{SHOWS_RATIO}\".")
    } else {
        String::new()
    };
    format!(
        "A performance ratio of {} {verdict}.{yours}",
        format::percent(percent)
    )
}

/// What words of the field mean, each with its source. With `offers`, a single one ends with the
/// message that shows it in the person's data.
pub fn meanings(terms: &[&Term], offers: bool) -> String {
    let mut parts: Vec<String> = terms
        .iter()
        .map(|term| format!("{} (Source: {}.)", term.meaning, term.source))
        .collect();
    if let [term] = terms
        && let Some(shows) = term.shows
        && offers
    {
        parts.push(format!("To see it in your data, ask \"{shows}\"."));
    }
    parts.join(" ")
}
