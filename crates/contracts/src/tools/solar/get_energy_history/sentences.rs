//! The energy of a period in sentences.

use super::{EnergyHistory, EnergyInterval, EnergyPeriod, spoken};
use crate::figures;
use crate::tools::solar::Period;

/// Most intervals that a sentence lists.
const MOST_LISTED: usize = 6;

impl EnergyHistory {
    /// The result in sentences.
    pub(super) fn facts(&self) -> Vec<String> {
        let Period { start, end } = self.period;
        let together = if self.scope.is_some() {
            "Together "
        } else {
            ""
        };
        let mut facts = vec![format!(
            "{together}{} delivered {} from {} to {}.",
            self.subject(),
            figures::energy(self.total_energy_kwh),
            spoken(start),
            spoken(end)
        )];
        if let (Some(highest), Some(lowest)) = (&self.highest, &self.lowest) {
            let one = |one: &EnergyPeriod| {
                let energy = figures::energy(one.energy_kwh.unwrap_or_default());
                (self.interval.of(one.start), energy)
            };
            let ((most, highest), (least, lowest)) = (one(highest), one(lowest));
            let noun = self.interval.noun();
            facts.push(if highest == lowest {
                format!("Each complete {noun} has the same energy, {highest}.")
            } else {
                format!("The highest {noun} was {most} with {highest}, the lowest {least} with {lowest}.")
            });
        } else {
            facts.extend(self.listed());
        }
        facts.extend(self.not_ranked());
        if self.days_with_data < self.days_expected {
            let [with_data, all] = [self.days_with_data, self.days_expected]
                .map(|days| figures::decimal(f64::from(days), 0));
            facts.push(if self.scope.is_some() {
                format!(
                    "Counted for each device, {with_data} of {all} days have data; the others are not filled in."
                )
            } else {
                format!("{with_data} of {all} days have data; the others are not filled in.")
            });
        }
        if let Some(kwh) = self.unallocated_kwh {
            facts.push(format!(
                "The register gained another {} over days without data, which belong to no day.",
                figures::energy(kwh)
            ));
        }
        facts
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

/// "a", "a and b", "a, b and c".
fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;
    use crate::tools::Tool;
    use crate::tools::solar::{DeviceEnergy, EnergySource, GetEnergyHistory, Scope, ScopeKind};

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
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
