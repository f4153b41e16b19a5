//! Two periods beside each other: the sum of the devices that have data in both, each of them, and
//! those that have data in one of the two.

use std::collections::BTreeMap;

use contracts::tools::{FinancialReport, Flag, Period, ScopeKind};
use contracts::ui::{ChartSeries, ChartType, DataCard, DynamicChart};
use serde_json::{Map, Value};

use super::{REGISTERS_DIFFER, format};
use crate::language::Change;

/// Most devices that sentences list; the table has all of them.
const LISTED: usize = 8;

/// Most devices that are named together.
const NAMED: usize = 5;

/// A device that fell further behind than this is behind the others, in percentage points.
const APART: f64 = 5.0;

/// The quantity of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    Energy,
    Money,
    Carbon,
}

impl Measure {
    fn of(self, report: &FinancialReport) -> f64 {
        match self {
            Self::Energy => report.total_energy_kwh,
            Self::Money => report.savings.unwrap_or_default(),
            Self::Carbon => report.co2_offset_kg,
        }
    }

    const fn verb(self) -> &'static str {
        match self {
            Self::Energy => "made",
            Self::Money => "saved",
            Self::Carbon => "avoided",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Energy => "Energy",
            Self::Money => "Savings",
            Self::Carbon => "Avoided CO2",
        }
    }
}

/// The figure of a device in one of the periods.
#[derive(Debug, Clone, Copy)]
struct Part {
    value: f64,
    days: u32,
}

impl Part {
    fn daily(self) -> f64 {
        self.value / f64::from(self.days.max(1))
    }
}

/// A device in both periods.
#[derive(Debug, Clone)]
struct Row {
    name: String,
    earlier: Option<Part>,
    later: Option<Part>,
}

impl Row {
    fn both(&self) -> Option<(Part, Part)> {
        self.earlier.zip(self.later)
    }

    /// The change of a day's mean, percent.
    fn change(&self) -> f64 {
        let change = |(earlier, later): (Part, Part)| percent(earlier.daily(), later.daily());
        self.both().and_then(change).unwrap_or_default()
    }
}

fn percent(earlier: f64, later: f64) -> Option<f64> {
    (earlier > 0.0).then(|| 100.0 * (later - earlier) / earlier)
}

/// Two periods of the same devices.
#[derive(Debug, Clone)]
pub(crate) struct Beside {
    measure: Measure,
    currency: Option<String>,
    earlier: Period,
    later: Period,
    /// The subject of the sum.
    subject: String,
    /// Whether the days of a row are those of several devices.
    is_sum: bool,
    /// The devices with data in either period.
    rows: Vec<Row>,
    /// The devices with data in neither.
    silent: Vec<String>,
    registers_differ: bool,
    default_rate: Option<String>,
}

impl Beside {
    /// The reports of the two periods; `None` for one without any data.
    pub(crate) fn of(
        (earlier, of_earlier): (Period, Option<&FinancialReport>),
        (later, of_later): (Period, Option<&FinancialReport>),
        measure: Measure,
    ) -> Self {
        let reports = || of_later.into_iter().chain(of_earlier);
        let (rows, mut silent) = rows(of_earlier, of_later, measure);
        silent.sort_unstable();
        silent.dedup();
        let differs =
            |report: &FinancialReport| report.flags.contains(&Flag::RegisterPowerMismatch);
        let default = reports().find(|report| report.default_tariff);
        let rate = default.and_then(|report| {
            let rate = report.electricity_rate?;
            Some(format::rate(rate, report.currency.as_deref()?))
        });
        Self {
            measure,
            currency: reports().find_map(|report| report.currency.clone()),
            earlier,
            later,
            subject: subject(of_later.or(of_earlier), &rows),
            is_sum: reports().any(|report| report.scope.is_some() && report.devices.is_empty()),
            rows,
            silent,
            registers_differ: reports().any(differs),
            default_rate: rate.filter(|_| measure == Measure::Money),
        }
    }

    fn shown(&self, value: f64) -> String {
        match (self.measure, &self.currency) {
            (Measure::Money, Some(currency)) => format::money(value, currency),
            (Measure::Carbon, _) => format::mass(value),
            _ => format::energy(value),
        }
    }

    fn common(&self) -> impl Iterator<Item = (&Row, Part, Part)> {
        let both = |row: &Row| row.both();
        let rows = self.rows.iter();
        rows.filter_map(move |row| both(row).map(|(earlier, later)| (row, earlier, later)))
    }

    /// Whether a device has another number of days with data in one period than in the other.
    fn days_differ(&self) -> bool {
        self.common()
            .any(|(_, earlier, later)| earlier.days != later.days)
    }

    /// The sums of the devices with data in both periods, and their means of a day.
    fn sums(&self) -> ((f64, f64), (f64, f64)) {
        let mut sums = ((0.0, 0.0), (0.0, 0.0));
        for (_, earlier, later) in self.common() {
            sums.0.0 += earlier.value;
            sums.0.1 += later.value;
            sums.1.0 += earlier.daily();
            sums.1.1 += later.daily();
        }
        sums
    }

    /// The answer: the sentence on the sum, then what else there is to say.
    pub(crate) fn tell(&self, change: Option<Change>) -> (String, Vec<String>) {
        let mut more = Vec::new();
        let count = self.common().count();
        let lead = if count == 0 {
            self.nothing_common()
        } else {
            let lead = self.total();
            more.extend(self.daily());
            lead
        };
        let lead = match change.filter(|_| count > 1) {
            Some(change) => {
                more.insert(0, lead);
                self.changed(change)
            }
            None => lead,
        };
        if count > 1 {
            more.push(self.each(change));
        }
        if count > 0 {
            more.extend(self.in_one());
        }
        if !self.silent.is_empty() && !self.rows.is_empty() {
            let has = if self.silent.len() == 1 {
                "has"
            } else {
                "have"
            };
            more.push(format!(
                "{} {has} no data in either period.",
                format::list_most(&self.silent, NAMED)
            ));
        }
        if self.registers_differ {
            more.push(REGISTERS_DIFFER.to_owned());
        }
        if let Some(rate) = &self.default_rate {
            more.push(format!(
                "No tariff is set, so I took the default of {rate} per kWh."
            ));
        }
        (lead, more)
    }

    fn total(&self) -> String {
        let ((earlier, later), _) = self.sums();
        let (id, verb) = (format::capitalized(&self.subject), self.measure.verb());
        let when = |period: Period| format::from_to(period.start, period.end);
        let (now, then) = (self.shown(later), self.shown(earlier));
        if now == then {
            return format!(
                "{id} {verb} the same {} and {}, {now} each.",
                when(self.earlier),
                when(self.later)
            );
        }
        format!(
            "{id} {verb} {} {} than {}: {now} against {then}.",
            self.difference(earlier, later),
            when(self.later),
            when(self.earlier)
        )
    }

    /// "779 kWh (25.4 %) less".
    fn difference(&self, earlier: f64, later: f64) -> String {
        let share = percent(earlier, later).map_or_else(String::new, |percent| {
            format!(" ({})", format::percent(percent.abs()))
        });
        let amount = self.shown((later - earlier).abs());
        format!("{amount}{share} {}", more_or_less(earlier, later))
    }

    /// The means of a day, where the numbers of days differ.
    fn daily(&self) -> Option<String> {
        if !self.days_differ() {
            return None;
        }
        let (_, (earlier, later)) = self.sums();
        let unit = if self.is_sum { "device and day" } else { "day" };
        let mut days = self
            .common()
            .map(|(_, earlier, later)| (later.days, earlier.days));
        let first = days.next()?;
        let numbers = if days.all(|other| other == first) && !self.is_sum {
            format!(", {} and {}", first.0, first.1)
        } else {
            String::new()
        };
        let (now, then) = (self.shown(later), self.shown(earlier));
        let share =
            percent(earlier, later)
                .filter(|_| now != then)
                .map_or_else(String::new, |percent| {
                    let change = format::percent(percent.abs());
                    format!(", {change} {}", more_or_less(earlier, later))
                });
        Some(format!(
            "They have different numbers of days with data{numbers}: per {unit} it's {now} against {then}{share}."
        ))
    }

    /// The devices with data in both periods, those that changed most in the direction first.
    fn ordered(&self, change: Option<Change>) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.common().map(|(row, ..)| row).collect();
        rows.sort_by(|a, b| {
            let order = a.change().total_cmp(&b.change());
            if change == Some(Change::More) {
                order.reverse()
            } else {
                order
            }
        });
        rows
    }

    /// The change of each device.
    fn each(&self, change: Option<Change>) -> String {
        let rows = self.ordered(change);
        let differ = self.days_differ();
        let told: Vec<String> = rows
            .iter()
            .take(LISTED)
            .filter_map(|row| {
                let (earlier, later) = row.both()?;
                let (now, then) = (self.shown(later.value), self.shown(earlier.value));
                let verb = self.measure.verb();
                if now == then {
                    return Some(format!("{} {verb} the same, {now}", row.name));
                }
                let daily = percent(earlier.daily(), later.daily())
                    .filter(|_| differ)
                    .map_or_else(String::new, |percent| {
                        format!(", per day {}", signed(percent))
                    });
                Some(format!(
                    "{} {verb} {}, {now} against {then}{daily}",
                    row.name,
                    self.difference(earlier.value, later.value)
                ))
            })
            .collect();
        let rest = rows.len().saturating_sub(LISTED);
        let rest = if rest > 0 {
            format!(" The table has the other {rest}.")
        } else {
            String::new()
        };
        format!("{}.{rest}", told.join("; "))
    }

    /// Which devices changed in the direction that is asked for.
    fn changed(&self, change: Change) -> String {
        let rows = self.ordered(Some(change));
        let (verb, word) = (
            self.measure.verb(),
            match change {
                Change::Less => "less",
                Change::More => "more",
            },
        );
        let goes = |row: &&&Row| match change {
            Change::Less => row.change() < 0.0,
            Change::More => row.change() > 0.0,
        };
        let per_day = if self.days_differ() { " per day" } else { "" };
        let told: Vec<String> = rows
            .iter()
            .filter(goes)
            .map(|row| format!("{} ({})", row.name, signed(row.change())))
            .collect();
        let all = format::count(rows.len() as u64, "device");
        if told.is_empty() {
            return format!("None of the {all} with data in both periods {verb} {word}{per_day}.");
        }
        let number = if told.len() == rows.len() {
            format!("All {all} with data in both periods")
        } else {
            format!("{} of the {all} with data in both periods", told.len())
        };
        let (_, (earlier, later)) = self.sums();
        let together = percent(earlier, later).unwrap_or_default();
        let apart: Vec<&str> = rows
            .iter()
            .filter(|row| match change {
                Change::Less => row.change() < together - APART,
                Change::More => row.change() > together + APART,
            })
            .map(|row| row.name.as_str())
            .collect();
        let beside = if apart.is_empty() {
            format!(
                "Together they changed by {}, and none of them by clearly {word} than that, so weather and season may explain it.",
                signed(together)
            )
        } else {
            format!(
                "Together they changed by {}; {} did clearly {} than that.",
                signed(together),
                format::list_most(&apart, NAMED),
                match change {
                    Change::Less => "worse",
                    Change::More => "better",
                }
            )
        };
        format!(
            "{number} {verb} {word}{per_day}: {}. {beside}",
            format::list_most(&told, LISTED)
        )
    }

    /// The devices with data in one of the two periods.
    fn in_one(&self) -> Vec<String> {
        let only = |of: fn(&Row) -> (Option<Part>, Option<Part>), period: Period| {
            let told: Vec<String> = self
                .rows
                .iter()
                .filter_map(|row| match of(row) {
                    (Some(part), None) => {
                        Some(format!("{} ({})", row.name, self.shown(part.value)))
                    }
                    _ => None,
                })
                .collect();
            let (has, it) = if told.len() == 1 {
                ("has", "it isn't")
            } else {
                ("have", "they aren't")
            };
            (!told.is_empty()).then(|| {
                format!(
                    "{} {has} data only {}, so {it} in the sums.",
                    format::list_most(&told, NAMED),
                    format::from_to(period.start, period.end)
                )
            })
        };
        let earlier = only(|row| (row.earlier, row.later), self.earlier);
        let later = only(|row| (row.later, row.earlier), self.later);
        earlier.into_iter().chain(later).collect()
    }

    /// No device has data in both periods.
    fn nothing_common(&self) -> String {
        let of = |part: fn(&Row) -> Option<Part>, period: Period| {
            let parts: Vec<Part> = self.rows.iter().filter_map(part).collect();
            let when = format::from_to(period.start, period.end);
            if parts.is_empty() {
                return format!("{when} there are no data");
            }
            let sum: f64 = parts.iter().map(|part| part.value).sum();
            format!("{when} it's {}", self.shown(sum))
        };
        let earlier = of(|row| row.earlier, self.earlier);
        let later = of(|row| row.later, self.later);
        let id = if self.rows.len() == 1 {
            self.rows[0].name.as_str()
        } else {
            "no device"
        };
        let has = if self.rows.len() == 1 {
            format!("{id} doesn't have")
        } else {
            format!("{} has", format::capitalized(id))
        };
        format!("{has} data in both periods, so I can't compare them: {earlier}, and {later}.")
    }

    /// The card: both figures, a chart and a table of the devices.
    pub(crate) fn card(&self) -> DataCard {
        let (then, now) = (format::period(self.earlier), format::period(self.later));
        let title = format!("{}: {now} beside {then}", self.measure.name());
        let mut card = DataCard::new(title.clone());
        if self.common().next().is_some() {
            let ((earlier, later), (daily, daily_later)) = self.sums();
            card = card
                .figure(&now, self.shown(later))
                .figure(&then, self.shown(earlier));
            if let Some(percent) = percent(earlier, later) {
                card = card.figure("Change", signed(percent));
            }
            if let Some(percent) = percent(daily, daily_later).filter(|_| self.days_differ()) {
                card = card.figure("Change per day", signed(percent));
            }
        }
        let unit = match self.measure {
            Measure::Energy => "kWh",
            Measure::Carbon => "kg",
            Measure::Money => self.currency.as_deref().unwrap_or_default(),
        };
        let rows: Vec<Map<String, Value>> = self.rows.iter().map(cells).collect();
        if self.rows.len() > 1 {
            card = card.chart(DynamicChart {
                chart_type: ChartType::Bar,
                title,
                x_axis_key: "device".to_owned(),
                x_axis_label: None,
                y_axis_label: Some(format!("{} ({unit})", self.measure.name())),
                y_axis_right_label: None,
                series: vec![
                    ChartSeries::new("earlier", &then, "#94A3B8"),
                    ChartSeries::new("later", &now, "#F59E0B"),
                ],
                data: rows.clone(),
                summary_stats: None,
            });
        }
        let columns = [
            ("device", "Device", ""),
            ("earlier", then.as_str(), unit),
            ("later", now.as_str(), unit),
            ("difference", "Difference", unit),
            ("percent", "Change", "%"),
            ("dailyPercent", "Change per day", "%"),
            ("daysEarlier", "Days with data, earlier", ""),
            ("daysLater", "Days with data, later", ""),
        ];
        let has = |key: &str| rows.iter().any(|row| row.contains_key(key));
        let columns: Vec<_> = columns
            .into_iter()
            .filter(|(key, ..)| rows.is_empty() || has(key))
            .collect();
        card.table(&columns, rows)
    }
}

const fn more_or_less(earlier: f64, later: f64) -> &'static str {
    if later > earlier { "more" } else { "less" }
}

/// "+3.2 %", "-4 %".
fn signed(percent: f64) -> String {
    let sign = if percent > 0.0 { "+" } else { "" };
    format!("{sign}{}", format::percent(percent))
}

/// A row of the table.
fn cells(row: &Row) -> Map<String, Value> {
    let rounded = |value: f64| Value::from((value * 100.0).round() / 100.0);
    let mut cells = Map::new();
    let mut put = |key: &str, value: Value| cells.insert(key.to_owned(), value);
    put("device", Value::from(row.name.as_str()));
    if let Some(part) = row.earlier {
        put("earlier", rounded(part.value));
        put("daysEarlier", Value::from(part.days));
    }
    if let Some(part) = row.later {
        put("later", rounded(part.value));
        put("daysLater", Value::from(part.days));
    }
    if let Some((earlier, later)) = row.both() {
        put("difference", rounded(later.value - earlier.value));
        if let Some(percent) = percent(earlier.value, later.value) {
            put("percent", rounded(percent));
        }
        if let Some(percent) = percent(earlier.daily(), later.daily()) {
            put("dailyPercent", rounded(percent));
        }
    }
    cells
}

/// The devices with data in either period, most energy first, and those with data in neither.
fn rows(
    earlier: Option<&FinancialReport>,
    later: Option<&FinancialReport>,
    measure: Measure,
) -> (Vec<Row>, Vec<String>) {
    let mut rows: Vec<Row> = Vec::new();
    let mut silent: Vec<String> = Vec::new();
    for (report, is_later) in [(later, true), (earlier, false)] {
        let Some(report) = report else { continue };
        let alone = std::slice::from_ref(report);
        let devices = if report.devices.is_empty() {
            alone
        } else {
            &report.devices
        };
        let out = report.left_out.iter().map(|out| out.logger_id.clone());
        silent.extend(out);
        for device in devices.iter().filter(|device| device.counted) {
            let at = rows.iter().position(|row| row.name == device.logger_id);
            let part = (device.days_with_data > 0).then(|| Part {
                value: measure.of(device),
                days: device.days_with_data,
            });
            let at = at.unwrap_or_else(|| {
                rows.push(Row {
                    name: device.logger_id.clone(),
                    earlier: None,
                    later: None,
                });
                rows.len() - 1
            });
            if is_later {
                rows[at].later = part;
            } else {
                rows[at].earlier = part;
            }
        }
    }
    rows.retain(|row| {
        let known = row.earlier.is_some() || row.later.is_some();
        if !known {
            silent.push(row.name.clone());
        }
        known
    });
    silent.retain(|id| rows.iter().all(|row| row.name != *id));
    (rows, silent)
}

/// The subject of the sum: the device, the site, the devices by name, or their number.
fn subject(report: Option<&FinancialReport>, rows: &[Row]) -> String {
    let common: Vec<&str> = rows
        .iter()
        .filter(|row| row.both().is_some())
        .map(|row| row.name.as_str())
        .collect();
    let scope = report.and_then(|report| report.scope.as_ref());
    let here = scope.filter(|scope| scope.kind == ScopeKind::Site);
    match (common.as_slice(), here, scope) {
        ([one], ..) => (*one).to_owned(),
        (common, Some(site), _) if common.len() == rows.len() => site.name.clone(),
        (common, Some(site), _) => {
            let devices = format::count(common.len() as u64, "device");
            format!("{devices} of {}", site.name)
        }
        (common, _, Some(scope)) if scope.kind == ScopeKind::Loggers && common.len() <= 3 => {
            format!("{} together", format::list(common))
        }
        (common, ..) => format::count(common.len() as u64, "device"),
    }
}

/// The devices of each site as one row of its name, where sites are compared.
pub(crate) fn by_site(report: &FinancialReport) -> FinancialReport {
    let mut sites: BTreeMap<&str, FinancialReport> = BTreeMap::new();
    let counted = report.devices.iter().filter(|device| device.counted);
    for device in counted.filter(|device| device.days_with_data > 0) {
        let own = report
            .sites
            .iter()
            .find(|site| Some(site.site_id.as_str()) == device.site_id.as_deref());
        let Some(own) = own else { continue };
        let Some(site) = sites.get_mut(own.name.as_str()) else {
            let mut site = device.clone();
            site.logger_id.clone_from(&own.name);
            sites.insert(&own.name, site);
            continue;
        };
        site.total_energy_kwh += device.total_energy_kwh;
        site.co2_offset_kg += device.co2_offset_kg;
        site.savings = site
            .savings
            .zip(device.savings)
            .map(|(one, other)| one + other);
        site.days_with_data = site.days_with_data.max(device.days_with_data);
    }
    FinancialReport {
        devices: sites.into_values().collect(),
        left_out: Vec::new(),
        ..report.clone()
    }
}
