//! `get_energy_history`.

use chrono::{Datelike, Days, Months, NaiveDate};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::{EnergySource, Flag, LeftOut, Period, Scope, ScopeKind};
use crate::figures;
use crate::tools::{AskedFor, DaysAsked, DevicesAsked, Subject, Tool, ToolCategory};
use crate::ui::{ChartSeries, ChartType, DataCard, DynamicChart, UiComponent};

/// The tool `get_energy_history`.
#[derive(Debug, Clone, Copy)]
pub struct GetEnergyHistory;

impl Tool for GetEnergyHistory {
    const NAME: &'static str = "get_energy_history";
    const CATEGORY: ToolCategory = ToolCategory::Monitoring;
    const SUMMARY: &'static str = "Energy by day, week, month or year.";
    const DESCRIPTION: &'static str = "Energy of each day, week, month or year of a period, of a logger, a list, a site or all (name none), with the highest and \
         the lowest of them and each logger's total. Use it for questions about days beside days or months beside months.";
    const ASKED_FOR: Option<AskedFor> = Some(AskedFor {
        phrases: &[
            "per day",
            "by day",
            "each day",
            "every day",
            "day by day",
            "daily",
            "per week",
            "by week",
            "each week",
            "every week",
            "week by week",
            "weekly",
            "per month",
            "by month",
            "each month",
            "every month",
            "month by month",
            "monthly",
            "per year",
            "by year",
            "each year",
            "every year",
            "year by year",
            "yearly",
            "energy history",
            "production history",
        ],
        with: &[
            "energy",
            "production",
            "produce",
            "produced",
            "yield",
            "yields",
            "kwh",
            "generation",
            "generate",
            "generated",
            "output",
            "deliver",
            "delivered",
            "harvest",
        ],
        without: &[
            "money", "save", "saved", "savings", "earn", "earned", "cost", "costs", "co2",
            "carbon", "tariff", "ratio", "ratios", "pr", "forecast", "predict", "expect",
            "expected", "health", "error", "errors", "fault", "faults", "outage", "outages",
            "compare", "average",
        ],
        devices: DevicesAsked::OneOrAll,
        days: DaysAsked::Intervals,
        working: "Adding up the energy",
    });

    type Arguments = EnergyHistoryArguments;
    type Result = EnergyHistory;

    fn arguments(subject: Subject) -> Option<EnergyHistoryArguments> {
        let period = subject.period?;
        Some(EnergyHistoryArguments {
            interval: EnergyInterval::named(&subject.words),
            logger_id: subject.logger_id,
            logger_ids: subject.logger_ids,
            site_id: subject.site_id,
            start_date: period.start,
            end_date: Some(period.end),
        })
    }

    fn facts(history: &EnergyHistory) -> Vec<String> {
        if let Some(sunlight) = &history.sunlight {
            return sunlight.facts(history);
        }
        let Period { start, end } = history.period;
        let together = if history.scope.is_some() {
            "Together "
        } else {
            ""
        };
        let mut facts = vec![format!(
            "{together}{} delivered {} from {} to {}.",
            history.subject(),
            figures::energy(history.total_energy_kwh),
            spoken(start),
            spoken(end)
        )];
        if let (Some(highest), Some(lowest)) = (&history.highest, &history.lowest) {
            let one = |one: &EnergyPeriod| {
                let energy = figures::energy(one.energy_kwh.unwrap_or_default());
                (history.interval.of(one.start), energy)
            };
            let ((most, highest), (least, lowest)) = (one(highest), one(lowest));
            let noun = history.interval.noun();
            facts.push(if highest == lowest {
                format!("Each complete {noun} has the same energy, {highest}.")
            } else {
                format!("The highest {noun} was {most} with {highest}, the lowest {least} with {lowest}.")
            });
        } else {
            facts.extend(history.listed());
        }
        facts.extend(history.not_ranked());
        if history.days_with_data < history.days_expected {
            let [with_data, all] = [history.days_with_data, history.days_expected]
                .map(|days| figures::decimal(f64::from(days), 0));
            facts.push(if history.scope.is_some() {
                format!(
                    "Counted for each device, {with_data} of {all} days have data; the others are not filled in."
                )
            } else {
                format!("{with_data} of {all} days have data; the others are not filled in.")
            });
        }
        if let Some(kwh) = history.unallocated_kwh {
            facts.push(format!(
                "The register gained another {} over days without data, which belong to no day.",
                figures::energy(kwh)
            ));
        }
        facts
    }

    fn card(history: &EnergyHistory) -> Option<UiComponent> {
        if let Some(sunlight) = &history.sunlight {
            let card = sunlight.card(history);
            return Some(UiComponent::DataCard(Box::new(card)));
        }
        let noun = history.interval.noun();
        let Period { start, end } = history.period;
        let title = format!("Energy of {} by {noun}", history.subject());
        let mut card = DataCard::new(title.clone())
            .note(format!("{} to {}", spoken(start), spoken(end)))
            .figure("Energy", figures::energy(history.total_energy_kwh));
        for (label, one) in [("Highest", &history.highest), ("Lowest", &history.lowest)] {
            if let Some(one) = one {
                let energy = figures::energy(one.energy_kwh.unwrap_or_default());
                let when = history.interval.label(one.start);
                card = card.figure(&format!("{label} {noun}"), format!("{energy}, {when}"));
            }
        }
        if history.days_with_data < history.days_expected {
            let days = format!("{} of {}", history.days_with_data, history.days_expected);
            let label = if history.scope.is_some() {
                "Days with data, counted for each device"
            } else {
                "Days with data"
            };
            card = card.figure(label, days);
        }
        let rows: Vec<Map<String, Value>> = history
            .periods
            .iter()
            .map(|one| row(json!({ "period": history.interval.label(one.start), "energyKwh": one.energy_kwh })))
            .collect();
        card = card.chart(DynamicChart {
            chart_type: ChartType::Bar,
            title,
            x_axis_key: "period".to_owned(),
            x_axis_label: None,
            y_axis_label: Some("Energy (kWh)".to_owned()),
            y_axis_right_label: None,
            series: vec![ChartSeries::new("energyKwh", "Energy", "#F59E0B")],
            data: rows.clone(),
            summary_stats: None,
        });
        card = if history.devices.is_empty() {
            card.table(
                &[("period", "Period", ""), ("energyKwh", "Energy", "kWh")],
                rows,
            )
        } else {
            let devices = history.devices.iter().map(|one| {
                row(json!({ "device": one.logger_id, "energyKwh": one.energy_kwh, "days": one.days_with_data }))
            });
            card.table(
                &[
                    ("device", "Device", ""),
                    ("energyKwh", "Energy", "kWh"),
                    ("days", "Days with data", ""),
                ],
                devices.collect(),
            )
        };
        Some(UiComponent::DataCard(Box::new(card)))
    }
}

/// Arguments of `get_energy_history`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergyHistoryArguments {
    /// One device: the answer is about it alone. Give at most one of `logger_id`, `logger_ids` and
    /// `site_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub logger_id: Option<String>,
    /// Several devices: the answer has their total, and each under `devices`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_items = 1, max_items = 1000)]
    pub logger_ids: Option<Vec<String>>,
    /// Every device of this site. Without any of the three: every device of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub site_id: Option<String>,
    /// The first local day.
    pub start_date: NaiveDate,
    /// The last local day; a period has at most 3,660 days. Default: the device's newest day; of
    /// several devices the newest day of their sites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub end_date: Option<NaiveDate>,
    /// Length of the intervals. Default: days up to 31 days, weeks up to half a year, months
    /// up to three years, otherwise years.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub interval: Option<EnergyInterval>,
}

/// What energy is summed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EnergyInterval {
    /// Local days.
    Day,
    /// Weeks from Monday to Sunday.
    Week,
    /// Calendar months.
    Month,
    /// Calendar years.
    Year,
}

impl EnergyInterval {
    /// The interval that a request names, in lower case.
    pub fn named(words: &str) -> Option<Self> {
        let says = |stems: &[&str]| {
            let mut words = words.split(|letter: char| !letter.is_alphanumeric());
            words.any(|word| stems.contains(&word))
        };
        let per = |noun: &str| {
            let ways = ["per", "by", "each", "every"];
            ways.iter()
                .any(|way| words.contains(&format!("{way} {noun}")))
        };
        if per("year") || says(&["yearly", "annual"]) {
            Some(Self::Year)
        } else if per("month") || says(&["monthly"]) {
            Some(Self::Month)
        } else if per("week") || says(&["weekly"]) {
            Some(Self::Week)
        } else if per("day") || says(&["daily"]) {
            Some(Self::Day)
        } else {
            None
        }
    }

    /// The interval for a period of this many days.
    pub fn fitting(days: i64) -> Self {
        match days {
            ..=31 => Self::Day,
            32..=184 => Self::Week,
            185..=1100 => Self::Month,
            _ => Self::Year,
        }
    }

    /// The interval that has `day`, both days included.
    pub fn around(self, day: NaiveDate) -> Period {
        let first = |first: Option<NaiveDate>| first.unwrap_or(day);
        let start = match self {
            Self::Day => day,
            Self::Week => first(
                day.checked_sub_days(Days::new(u64::from(day.weekday().num_days_from_monday()))),
            ),
            Self::Month => first(day.with_day(1)),
            Self::Year => first(NaiveDate::from_ymd_opt(day.year(), 1, 1)),
        };
        let next = match self {
            Self::Day => start.succ_opt(),
            Self::Week => start.checked_add_days(Days::new(7)),
            Self::Month => start.checked_add_months(Months::new(1)),
            Self::Year => start.checked_add_months(Months::new(12)),
        };
        let end = next.and_then(|next| next.pred_opt());
        Period {
            start,
            end: end.unwrap_or(day),
        }
    }

    /// `day`, `week`, `month` or `year`.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// The same in a sentence that has said "week".
    fn of(self, day: NaiveDate) -> String {
        match self {
            Self::Week => format!("that of {}", spoken(self.around(day).start)),
            _ => self.label(day),
        }
    }

    /// The interval that has `day` in words: `4 December 2025`, `week of 1 December 2025`,
    /// `December 2025`, `2025`.
    pub fn label(self, day: NaiveDate) -> String {
        let start = self.around(day).start;
        match self {
            Self::Day => spoken(day),
            Self::Week => format!("week of {}", spoken(start)),
            Self::Month => start.format("%B %Y").to_string(),
            Self::Year => start.year().to_string(),
        }
    }
}

/// Result of `get_energy_history`: of one device, or of several together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnergyHistory {
    /// Always `energy_history`.
    #[serde(rename = "type")]
    #[schema(example = "energy_history")]
    pub kind: String,
    /// The logger; of several devices what `scope` calls them.
    pub logger_id: String,
    /// The devices together; absent of one device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub scope: Option<Scope>,
    /// The days.
    pub period: Period,
    /// Length of the intervals.
    pub interval: EnergyInterval,
    /// Energy of the whole period, kWh.
    pub total_energy_kwh: f64,
    /// Days of the period, of several devices each device's.
    pub days_expected: u32,
    /// Of them those with data. The others are not filled in.
    pub days_with_data: u32,
    /// What lifetime registers gained over days without data, kWh: of no day, and not in the total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub unallocated_kwh: Option<f64>,
    /// Each interval of the period, in order.
    pub periods: Vec<EnergyPeriod>,
    /// The interval with most energy, of those that are complete; absent of fewer than two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub highest: Option<EnergyPeriod>,
    /// The interval with least energy, of those that are complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub lowest: Option<EnergyPeriod>,
    /// Each device's total, most energy first; absent of one device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceEnergy>,
    /// Devices without data in the period, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The sunlight of a weather station, which delivers no energy; absent of other devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sunlight: Option<Sunlight>,
    /// The source of the energy.
    pub energy_source: EnergySource,
    /// The result in a few sentences.
    pub summary: String,
    /// What to know about the figures.
    pub flags: Vec<Flag>,
}

/// Most intervals that a sentence lists.
const MOST_LISTED: usize = 6;

impl EnergyHistory {
    /// The devices that the energy is of: all, or those with data where some have none.
    fn subject(&self) -> String {
        let counted = || self.devices.iter().filter(|one| one.counted);
        let with_data = counted().count();
        let some = self.scope.as_ref().is_some_and(|scope| {
            scope.kind == ScopeKind::All
                && u32::try_from(with_data).is_ok_and(|n| n < scope.devices)
        });
        match (some, counted().next()) {
            (true, Some(only)) if with_data == 1 => only.logger_id.clone(),
            (true, Some(_)) => format!("{with_data} devices"),
            _ => self.logger_id.clone(),
        }
    }

    /// The energy of each interval, where they are few.
    fn listed(&self) -> Option<String> {
        let parts: Vec<String> = self
            .periods
            .iter()
            .filter_map(|one| {
                let energy = figures::energy(one.energy_kwh?);
                let label = self.interval.label(one.start);
                Some(match self.interval {
                    EnergyInterval::Day => format!("{energy} on {label}"),
                    EnergyInterval::Week => format!("{energy} in the {label}"),
                    EnergyInterval::Month | EnergyInterval::Year => format!("{energy} in {label}"),
                })
            })
            .collect();
        (2..=MOST_LISTED)
            .contains(&parts.len())
            .then(|| format!("That's {}.", list(&parts)))
    }

    /// The intervals that have energy and are not whole, which makes them no highest or lowest.
    fn not_ranked(&self) -> Option<String> {
        let parts: Vec<String> = self
            .periods
            .iter()
            .filter(|one| one.energy_kwh.is_some() && !one.complete)
            .map(|one| match self.interval {
                EnergyInterval::Week => format!("the {}", self.interval.label(one.start)),
                _ => self.interval.label(one.start),
            })
            .collect();
        let (they, are, named) = match parts.as_slice() {
            [] => return None,
            [one] => ("it", "is", one.clone()),
            several if several.len() <= MOST_LISTED => ("they", "are", list(several)),
            several => (
                "they",
                "are",
                format!("{} {}s", several.len(), self.interval.noun()),
            ),
        };
        let mut letters = named.chars();
        let first: String = letters
            .next()
            .into_iter()
            .flat_map(char::to_uppercase)
            .collect();
        let ranked = if self.highest.is_some() {
            format!(", so {they} {are}n't ranked")
        } else {
            String::new()
        };
        Some(format!(
            "{first}{} {are} not complete{ranked}.",
            letters.as_str()
        ))
    }
}

impl Sunlight {
    /// The day with most sunlight, of several.
    fn sunniest(&self) -> Option<&SunlightOfDay> {
        let days = self.days.iter();
        let most = days.max_by(|a, b| a.insolation_kwh_m2.total_cmp(&b.insolation_kwh_m2));
        most.filter(|_| self.days.len() > 1)
    }

    fn facts(&self, history: &EnergyHistory) -> Vec<String> {
        let Period { start, end } = history.period;
        let mut facts = vec![format!(
            "{} measured {} kWh/m² of sunlight from {} to {}, which is as many hours of full sun.",
            history.logger_id,
            figures::decimal(self.insolation_kwh_m2, 2),
            spoken(start),
            spoken(end)
        )];
        facts.extend(self.sunniest().map(|day| {
            format!(
                "The sunniest day was {} with {} kWh/m².",
                spoken(day.date),
                figures::decimal(day.insolation_kwh_m2, 2)
            )
        }));
        if history.days_with_data < history.days_expected {
            facts.push(format!(
                "{} of {} days have readings; the others are not filled in.",
                history.days_with_data, history.days_expected
            ));
        }
        facts
    }

    fn card(&self, history: &EnergyHistory) -> DataCard {
        let Period { start, end } = history.period;
        let title = format!("Sunlight of {}", history.logger_id);
        let total = format!("{} kWh/m²", figures::decimal(self.insolation_kwh_m2, 2));
        let rows: Vec<Map<String, Value>> = self
            .days
            .iter()
            .map(|day| {
                row(json!({ "day": spoken(day.date), "insolationKwhM2": day.insolation_kwh_m2 }))
            })
            .collect();
        DataCard::new(title.clone())
            .note(format!("{} to {}", spoken(start), spoken(end)))
            .figure("Sunlight", total)
            .chart(DynamicChart {
                chart_type: ChartType::Bar,
                title,
                x_axis_key: "day".to_owned(),
                x_axis_label: None,
                y_axis_label: Some("Sunlight (kWh/m²)".to_owned()),
                y_axis_right_label: None,
                series: vec![ChartSeries::new("insolationKwhM2", "Sunlight", "#F97316")],
                data: rows.clone(),
                summary_stats: None,
            })
            .table(
                &[
                    ("day", "Day", ""),
                    ("insolationKwhM2", "Sunlight", "kWh/m²"),
                ],
                rows,
            )
    }
}

/// "a", "a and b", "a, b and c".
fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

/// One day, week, month or year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnergyPeriod {
    /// Its first day within the period asked for.
    pub start: NaiveDate,
    /// Its last day within it.
    pub end: NaiveDate,
    /// Its energy, kWh; absent without data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub energy_kwh: Option<f64>,
    /// Its days, of several devices each device's.
    pub days_expected: u32,
    /// Of them those with data.
    pub days_with_data: u32,
    /// Whether it is a whole day, week, month or year with data on each day.
    pub complete: bool,
}

/// The sunlight of a weather station.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sunlight {
    /// Irradiation of the days with readings, kWh/m².
    pub insolation_kwh_m2: f64,
    /// Each of these days, in order.
    pub days: Vec<SunlightOfDay>,
}

/// The sunlight of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SunlightOfDay {
    /// The local day.
    pub date: NaiveDate,
    /// Its irradiation, kWh/m².
    pub insolation_kwh_m2: f64,
}

/// One device's energy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceEnergy {
    /// The logger.
    pub logger_id: String,
    /// Its energy, kWh.
    pub energy_kwh: f64,
    /// Its days with data.
    pub days_with_data: u32,
    /// Whether the total counts it: a meter is not added to the inverters that it measures.
    pub counted: bool,
}

fn spoken(day: NaiveDate) -> String {
    day.format("%-d %B %Y").to_string()
}

fn row(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(row) => row,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn intervals_follow_the_calendar() {
        use EnergyInterval::{Day, Month, Week, Year};
        for (interval, of, start, end) in [
            (Day, "2024-02-29", "2024-02-29", "2024-02-29"),
            (Week, "2024-02-29", "2024-02-26", "2024-03-03"),
            (Week, "2024-02-26", "2024-02-26", "2024-03-03"),
            (Month, "2024-02-29", "2024-02-01", "2024-02-29"),
            (Year, "2024-02-29", "2024-01-01", "2024-12-31"),
        ] {
            let period = interval.around(day(of));
            assert_eq!((period.start, period.end), (day(start), day(end)), "{of}");
        }
    }

    #[test]
    fn the_words_of_a_request_choose_the_interval() {
        for (words, interval) in [
            ("energy of inv-1 per week", Some(EnergyInterval::Week)),
            ("monthly production in 2025", Some(EnergyInterval::Month)),
            (
                "how much energy did we make each day last week?",
                Some(EnergyInterval::Day),
            ),
            ("yearly yield", Some(EnergyInterval::Year)),
            ("energy history of inv-1", None),
        ] {
            assert_eq!(EnergyInterval::named(words), interval, "{words}");
        }
    }

    fn history(periods: &[(&str, &str, f64, bool)]) -> EnergyHistory {
        let periods: Vec<EnergyPeriod> = periods
            .iter()
            .map(|(start, end, kwh, complete)| EnergyPeriod {
                start: day(start),
                end: day(end),
                energy_kwh: Some(*kwh),
                days_expected: 7,
                days_with_data: 7,
                complete: *complete,
            })
            .collect();
        let mut whole: Vec<_> = periods.iter().filter(|one| one.complete).cloned().collect();
        whole.sort_by(|a, b| b.energy_kwh.partial_cmp(&a.energy_kwh).unwrap());
        let several = whole.len() > 1;
        EnergyHistory {
            kind: "energy_history".to_owned(),
            logger_id: "INV-1".to_owned(),
            scope: None,
            period: Period {
                start: periods[0].start,
                end: periods[periods.len() - 1].end,
            },
            interval: EnergyInterval::Week,
            total_energy_kwh: 300.0,
            days_expected: 21,
            days_with_data: 21,
            unallocated_kwh: None,
            highest: whole.first().filter(|_| several).cloned(),
            lowest: whole.last().filter(|_| several).cloned(),
            periods,
            devices: Vec::new(),
            left_out: Vec::new(),
            sunlight: None,
            energy_source: EnergySource::Power,
            summary: String::new(),
            flags: Vec::new(),
        }
    }

    #[test]
    fn the_energy_of_all_devices_is_named_by_those_that_have_data() {
        let device = |id: &str| DeviceEnergy {
            logger_id: id.to_owned(),
            energy_kwh: 10.0,
            days_with_data: 2,
            counted: true,
        };
        let mut history = history(&[("2025-11-03", "2025-11-09", 150.0, true)]);
        history.logger_id = "all 9 devices".to_owned();
        history.scope = Some(Scope {
            kind: ScopeKind::All,
            site_id: None,
            name: "all 9 devices".to_owned(),
            devices: 9,
        });
        history.devices = vec![device("A-1"), device("A-2")];
        let first = GetEnergyHistory::facts(&history).remove(0);
        assert!(first.starts_with("Together 2 devices delivered"), "{first}");
        history.devices = vec![device("A-1"); 9];
        let first = GetEnergyHistory::facts(&history).remove(0);
        assert!(
            first.starts_with("Together all 9 devices delivered"),
            "{first}"
        );
    }

    #[test]
    fn weeks_that_are_not_whole_are_named() {
        let part = ("2025-11-01", "2025-11-02", 20.0, false);
        let weeks = [
            part,
            ("2025-11-03", "2025-11-09", 150.0, true),
            ("2025-11-10", "2025-11-16", 130.0, true),
        ];
        let facts = GetEnergyHistory::facts(&history(&weeks));
        assert_eq!(
            facts[1..],
            [
                "The highest week was that of 3 November 2025 with 150 kWh, the lowest that of 10 November 2025 with 130 kWh.",
                "The week of 27 October 2025 is not complete, so it isn't ranked.",
            ]
        );
        let facts = GetEnergyHistory::facts(&history(&weeks[..2]));
        assert_eq!(
            facts[1..],
            [
                "That's 20 kWh in the week of 27 October 2025 and 150 kWh in the week of 3 November 2025.",
                "The week of 27 October 2025 is not complete.",
            ]
        );
    }
}
