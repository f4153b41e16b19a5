//! Figures, amounts and days in words.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate};
use contracts::tools::{AnomalyReport, LeftOut, Money, Period};

pub use contracts::figures::{decimal, energy, figure, mass, percent, power};

/// An amount of money, the ISO code first.
pub fn money(amount: f64, currency: &str) -> String {
    format!("{currency} {}", decimal(amount, 2))
}

/// What lost energy is worth, with a word about a tariff that is not stated.
pub fn lost_money(lost: &Money) -> String {
    let default = if lost.default_tariff {
        " at the default tariff"
    } else {
        ""
    };
    format!("{}{default}", money(lost.amount, &lost.currency))
}

/// Money per kWh: up to four places, two at least.
pub fn rate(amount: f64, currency: &str) -> String {
    let text = decimal(amount, 4);
    let short = text
        .strip_suffix("00")
        .or_else(|| text.strip_suffix('0'))
        .unwrap_or(&text);
    format!("{currency} {short}")
}

/// "4 December 2025".
pub fn date(day: NaiveDate) -> String {
    format!("{} {}", day.day(), day.format("%B %Y"))
}

/// The local day that a stamp belongs to: it ends its step, so midnight is of the day before.
pub fn day_of(stamp: DateTime<FixedOffset>) -> NaiveDate {
    (stamp - chrono::TimeDelta::seconds(1)).date_naive()
}

/// "4 December".
pub fn day_month(day: NaiveDate) -> String {
    format!("{} {}", day.day(), day.format("%B"))
}

/// "13:45", in the time's own zone.
pub fn clock(at: DateTime<FixedOffset>) -> String {
    at.format("%H:%M").to_string()
}

/// "from 5 November 2025 to 4 December 2025", or "on 4 December 2025".
pub fn from_to(start: NaiveDate, end: NaiveDate) -> String {
    if start == end {
        format!("on {}", date(end))
    } else {
        format!("from {} to {}", short_of(start, end), date(end))
    }
}

/// Days, in order: one period if they follow one another, otherwise each.
pub fn on_days(days: &[NaiveDate]) -> String {
    let follow = days
        .windows(2)
        .all(|pair| pair[0].succ_opt() == Some(pair[1]));
    match days {
        [first, .., last] if follow => from_to(*first, *last),
        _ => {
            let each: Vec<String> = days.iter().map(|day| date(*day)).collect();
            format!("on {}", list(&each))
        }
    }
}

/// The windows of health reports: one for all, or each site's with its name.
pub fn windows(reports: &[AnomalyReport]) -> Vec<(Option<&str>, Period)> {
    let Some(first) = reports.first() else {
        return Vec::new();
    };
    if reports.iter().all(|report| report.period == first.period) {
        return vec![(None, first.period)];
    }
    let mut windows: Vec<(Option<&str>, Period)> = Vec::new();
    for report in reports {
        let name = report.site_id.as_deref().unwrap_or(&report.logger_id);
        let window = (Some(name), report.period);
        if !windows.contains(&window) {
            windows.push(window);
        }
    }
    windows
}

/// "28 November to 4 December 2025", or one day.
pub fn period(period: Period) -> String {
    if period.start == period.end {
        date(period.end)
    } else {
        format!(
            "{} to {}",
            short_of(period.start, period.end),
            date(period.end)
        )
    }
}

/// A start that leaves out the year when the end says it.
fn short_of(start: NaiveDate, end: NaiveDate) -> String {
    if start.year() == end.year() {
        format!("{} {}", start.day(), start.format("%B"))
    } else {
        date(start)
    }
}

/// A length given in minutes.
pub fn duration(minutes: f64) -> String {
    match minutes {
        m if m < 59.5 => plural(m, "minute"),
        m => plural_figure(m / 60.0, "hour"),
    }
}

/// The time since something: in days from two days on.
pub fn age(minutes: f64) -> String {
    if minutes < 48.0 * 60.0 {
        return duration(minutes.max(0.0));
    }
    plural((minutes / (24.0 * 60.0)).floor(), "day")
}

fn plural(count: f64, unit: &str) -> String {
    let text = decimal(count, 0);
    let s = if text == "1" { "" } else { "s" };
    format!("{text} {unit}{s}")
}

fn plural_figure(count: f64, unit: &str) -> String {
    let text = decimal(count, 1);
    let text = text.strip_suffix(".0").unwrap_or(&text);
    let s = if text == "1" { "" } else { "s" };
    format!("{text} {unit}{s}")
}

/// "1 device", "3 devices".
pub fn count(number: u64, unit: &str) -> String {
    plural(number as f64, unit)
}

/// "1 anomaly", "3 anomalies".
pub fn count_of(number: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        decimal(number as f64, 0),
        if number == 1 { one } else { many }
    )
}

/// "a", "a and b", "a, b and c".
pub fn list<T: AsRef<str>>(items: &[T]) -> String {
    joined(items, "and")
}

/// "a", "a or b", "a, b or c".
pub fn alternatives<T: AsRef<str>>(items: &[T]) -> String {
    joined(items, "or")
}

fn joined<T: AsRef<str>>(items: &[T], word: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [head @ .., last] => {
            let head: Vec<&str> = head.iter().map(AsRef::as_ref).collect();
            format!("{} {word} {}", head.join(", "), last.as_ref())
        }
    }
}

/// At most `most` of the items by name, then how many more.
pub fn list_most<T: AsRef<str>>(items: &[T], most: usize) -> String {
    if items.len() <= most {
        return list(items);
    }
    let head: Vec<&str> = items.iter().take(most).map(AsRef::as_ref).collect();
    format!("{} and {} more", head.join(", "), items.len() - most)
}

/// The devices that an answer leaves out, at most four by name, in the sentence that the closure
/// makes from them and their number; empty when there are none.
pub fn left_out(devices: &[LeftOut], tell: impl FnOnce(&str, usize) -> String) -> String {
    let ids: Vec<&str> = devices
        .iter()
        .map(|device| device.logger_id.as_str())
        .collect();
    match ids.len() {
        0 => String::new(),
        count => tell(&list_most(&ids, 4), count),
    }
}

/// The name at the beginning of a sentence: "All 5 devices". Ids stay as they are.
pub fn capitalized(name: &str) -> String {
    match name.strip_prefix("all ") {
        Some(rest) => format!("All {rest}"),
        None => name.to_owned(),
    }
}

/// The text with a full stop when it has no other end.
pub fn sentence(text: &str) -> String {
    let text = text.trim();
    match text.chars().last() {
        Some('.' | '!' | '?') | None => text.to_owned(),
        Some(_) => format!("{text}."),
    }
}
