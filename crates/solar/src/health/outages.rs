//! Runs of readings in sunshine without power, or without data.

use std::ops::Range;

use chrono::NaiveDate;

use crate::calendar::{self, DaySpan};
use crate::clean::Limits;
use crate::context::Label;
use crate::days::{PRODUCING_SHARE, reads_light_at_night};
use crate::energy::adjacent;
use crate::health::gaps::usual_production;
use crate::health::moved::is_moved;
use crate::health::{Event, EventKind, Evidence, HealthQuestion};

/// A run must last this long, hours, and have two readings.
const SHORTEST_HOURS: f64 = 0.25;
const FEWEST_RECORDS: usize = 2;

/// The source of a reading's sunshine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Own,
    Site,
    Neighbours,
    /// Its own power, at a time of which the neighbours have no reading.
    Power,
    Nothing,
}

/// Per reading of the series, how much sun there was.
pub(super) struct Sunlight {
    rows: Vec<SunReading>,
}

#[derive(Clone, Copy)]
struct SunReading {
    source: Source,
    sunny: bool,
    /// Irradiance, or the neighbours' share of their peaks.
    strength: f64,
    /// The expected power of the logger, W.
    expected_w: f64,
}

impl Sunlight {
    /// Own irradiance where the sensor is sound, otherwise the site's, otherwise the neighbours'
    /// power.
    pub(super) fn of(question: &HealthQuestion<'_>) -> Self {
        let series = question.series;
        let own = trusted_irradiance(question);
        let threshold = question.context.sun_threshold();
        let ratio = question.calibration.power_per_irradiance;
        let peak = question.calibration.robust_peak_w;
        let known = |column: Option<&[f64]>, row: usize| {
            column
                .and_then(|column| column.get(row))
                .copied()
                .filter(|value| value.is_finite())
        };
        let rows = (0..series.len()).map(|row| {
            let irradiance = own[row]
                .then(|| series.irradiance()[row])
                .filter(|g| g.is_finite());
            let site = || known(question.surroundings.irradiance, row);
            let lit = |source, g: f64| SunReading {
                source,
                sunny: g > threshold,
                strength: g,
                expected_w: ratio.unwrap_or(peak / 1000.0) * g,
            };
            if let Some(g) = irradiance {
                lit(Source::Own, g)
            } else if let Some(g) = site() {
                lit(Source::Site, g)
            } else if let Some(share) = known(question.surroundings.utilisation, row) {
                SunReading {
                    source: Source::Neighbours,
                    sunny: share > PRODUCING_SHARE,
                    strength: share,
                    expected_w: share * peak,
                }
            } else {
                SunReading {
                    source: Source::Nothing,
                    sunny: false,
                    strength: f64::NAN,
                    expected_w: 0.0,
                }
            }
        });
        let mut rows: Vec<SunReading> = rows.collect();
        if rows.iter().any(|row| row.source != Source::Nothing) && !series.has_irradiance() {
            seen_by_its_power(question, &mut rows);
        }
        Self { rows }
    }
}

/// A gap in the readings of the neighbours says nothing about a logger without a sensor: what it
/// delivers then shows that the sun shone and that it ran. Without any reading of sunshine, its own
/// power alone cannot be the measure, as no standstill would be found.
fn seen_by_its_power(question: &HealthQuestion<'_>, rows: &mut [SunReading]) {
    let limits = Limits::of(question.calibration.robust_peak_w);
    let producing_w = question.calibration.producing_w();
    for (row, &power) in rows.iter_mut().zip(question.series.power_w()) {
        let power = limits.clean(power);
        if row.source == Source::Nothing && power > producing_w {
            *row = SunReading {
                source: Source::Power,
                sunny: true,
                strength: f64::NAN,
                expected_w: power,
            };
        }
    }
}

/// Per reading whether the logger's own sensor may be used: not on a day on which it reads light at
/// night.
fn trusted_irradiance(question: &HealthQuestion<'_>) -> Vec<bool> {
    let series = question.series;
    if !series.has_irradiance() {
        return vec![false; series.len()];
    }
    let mut trusted = vec![true; series.len()];
    for (span, rows) in calendar::split_days(series.time(), question.context.zone) {
        let (time, irradiance) = (
            &series.time()[rows.clone()],
            &series.irradiance()[rows.clone()],
        );
        if reads_light_at_night(time, irradiance, span, question.context) {
            trusted[rows].fill(false);
        }
    }
    trusted
}

/// The outages of a window and what they cost.
pub(super) struct Found {
    pub(super) events: Vec<Event>,
    pub(super) rows: Vec<usize>,
    pub(super) sun_hours: f64,
    pub(super) outage_hours: f64,
    pub(super) lost_kwh: f64,
    pub(super) expected_kwh: f64,
    pub(super) availability_time: Option<f64>,
    pub(super) availability_energy: Option<f64>,
}

pub(super) fn find(question: &HealthQuestion<'_>, sunlight: &Sunlight) -> Found {
    let (series, calibration) = (question.series, question.calibration);
    let limits = Limits::of(calibration.robust_peak_w);
    let step = calibration.step_hours;
    let window = series.rows(question.window.after, question.window.until);
    let producing_w = calibration.producing_w();
    // A logger that sends energies and no power has none to miss.
    let counts_alone = calibration.counts_alone();
    let (mut sunny_records, mut expected_wh) = (0_u32, 0.0);
    let mut runs = Runs {
        question,
        sunlight,
        events: Vec::new(),
        rows: Vec::new(),
        run: None,
    };
    for row in window {
        let sun = sunlight.rows[row];
        let raw = series.power_w()[row];
        let power = limits.clean(raw);
        // A logger that never produced has no peak to measure a standstill by.
        let standing =
            sun.sunny && !power.is_nan() && power <= producing_w && calibration.robust_peak_w > 0.0;
        if sun.sunny && !power.is_nan() {
            sunny_records += 1;
            expected_wh += sun.expected_w * step;
        }
        let kind = match () {
            () if standing => Some(EventKind::Outage),
            () if sun.sunny && power.is_nan() && !counts_alone => Some(EventKind::DataOutage),
            () => None,
        };
        runs.next(row, kind, (sun.expected_w - power.max(0.0)) * step / 1000.0);
    }
    runs.close();
    let moved = moved_ends(question, sunlight, producing_w);
    runs.leave_out(&moved);
    let outages = || {
        runs.events
            .iter()
            .filter(|event| event.kind == EventKind::Outage)
    };
    let lost_kwh: f64 = outages().map(|event| event.lost_kwh).sum();
    let hours = runs.rows.len() as f64 * step;
    Found {
        sun_hours: f64::from(sunny_records) * step,
        outage_hours: hours,
        lost_kwh,
        expected_kwh: expected_wh / 1000.0,
        availability_time: (sunny_records > 0)
            .then(|| 1.0 - runs.rows.len() as f64 / f64::from(sunny_records)),
        availability_energy: (expected_wh > 0.0)
            .then(|| (1.0 - 1000.0 * lost_kwh / expected_wh).max(0.0)),
        rows: runs.rows,
        events: runs.events,
    }
}

impl Found {
    /// Counts the dead days of which no other device says when the sun shone: the device stood
    /// still for as long as it usually produces.
    pub(super) fn count_unseen(
        &mut self,
        question: &HealthQuestion<'_>,
        sunlight: &Sunlight,
        dead: &[NaiveDate],
        events: &[Event],
    ) {
        if self.availability_time.is_none() || question.series.has_irradiance() {
            return;
        }
        for date in dead {
            let span = DaySpan::of_day(*date, question.context.zone);
            let mut rows = question.series.rows(span.after, span.until);
            if rows.any(|row| sunlight.rows[row].source != Source::Nothing) {
                continue;
            }
            let Some((_, hours)) = usual_production(question, *date) else {
                continue;
            };
            let of_day =
                |event: &&Event| event.kind == EventKind::DeadDay && event.start == span.after;
            let lost: f64 = events
                .iter()
                .filter(of_day)
                .map(|event| event.lost_kwh)
                .sum();
            self.sun_hours += hours;
            self.outage_hours += hours;
            self.expected_kwh += lost;
            self.lost_kwh += lost;
        }
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| (1.0 - part / whole).max(0.0));
        self.availability_time = share(self.outage_hours, self.sun_hours);
        self.availability_energy = share(self.lost_kwh, self.expected_kwh);
    }
}

/// The ends of days that are moved as a whole against what others of the site saw of the sun: the
/// time before the first production, or after the last one. The clock is set wrong there, and the
/// device did not stand still.
fn moved_ends(
    question: &HealthQuestion<'_>,
    sunlight: &Sunlight,
    producing_w: f64,
) -> Vec<Range<i64>> {
    let series = question.series;
    let limits = Limits::of(question.calibration.robust_peak_w);
    let mut ends = Vec::new();
    for (_, rows) in calendar::split_days(series.time(), question.context.zone) {
        let times = |wanted: &dyn Fn(usize) -> bool| {
            let mut found = rows.clone().filter(|row| wanted(*row));
            let first = found.next()?;
            let last = found.next_back().unwrap_or(first);
            Some((series.time()[first], series.time()[last]))
        };
        let by_others = |row: usize| {
            let sun = sunlight.rows[row];
            sun.sunny && matches!(sun.source, Source::Site | Source::Neighbours)
        };
        let produces = |row: usize| limits.clean(series.power_w()[row]) > producing_w;
        let (Some(sun), Some(own)) = (times(&by_others), times(&produces)) else {
            continue;
        };
        let (late, longer) = (own.0 - sun.0, own.1 - sun.1);
        if is_moved(late, longer) {
            ends.push(if late > 0 { sun.0..own.0 } else { own.1..sun.1 });
        }
    }
    ends
}

/// Collects readings of one kind in a row.
struct Runs<'a> {
    question: &'a HealthQuestion<'a>,
    sunlight: &'a Sunlight,
    events: Vec<Event>,
    rows: Vec<usize>,
    run: Option<Run>,
}

#[derive(Clone, Copy)]
struct Run {
    kind: EventKind,
    first: usize,
    last: usize,
    lost_kwh: f64,
}

impl Runs<'_> {
    fn next(&mut self, row: usize, kind: Option<EventKind>, lost_kwh: f64) {
        let time = self.question.series.time();
        let step = self.question.calibration.step_hours;
        match (&mut self.run, kind) {
            (Some(run), Some(kind))
                if run.kind == kind && adjacent(time[run.last], time[row], step) =>
            {
                run.last = row;
                run.lost_kwh += lost_kwh;
            }
            (_, kind) => {
                self.close();
                self.run = kind.map(|kind| Run {
                    kind,
                    first: row,
                    last: row,
                    lost_kwh,
                });
            }
        }
    }

    /// Takes the outages back that lie at these ends of days.
    fn leave_out(&mut self, ends: &[Range<i64>]) {
        let time = self.question.series.time();
        let at_end = |at: i64| ends.iter().any(|end| (end.start..=end.end).contains(&at));
        self.rows.retain(|row| !at_end(time[*row]));
        let is_kept = |event: &Event| {
            event.kind != EventKind::Outage || !(at_end(event.start) || at_end(event.end))
        };
        self.events.retain(is_kept);
    }

    fn close(&mut self) {
        let Some(run) = self.run.take() else { return };
        let records = run.last - run.first + 1;
        let step = self.question.calibration.step_hours;
        if records < FEWEST_RECORDS || records as f64 * step < SHORTEST_HOURS - 1e-9 {
            return;
        }
        let time = self.question.series.time();
        let step_seconds = i64::try_from(crate::stats::to_index(step * 3600.0)).unwrap_or(0);
        let (before, after) = match self.question.context.label {
            Label::Right => (step_seconds, 0),
            Label::Instantaneous => (0, step_seconds),
        };
        let outage = run.kind == EventKind::Outage;
        if outage {
            self.rows.extend(run.first..=run.last);
        }
        self.events.push(Event {
            kind: run.kind,
            start: time[run.first] - before,
            end: time[run.last] + after,
            minutes: records as f64 * step * 60.0,
            lost_kwh: if outage { run.lost_kwh.max(0.0) } else { 0.0 },
            evidence: self.evidence(run),
        });
    }

    fn evidence(&self, run: Run) -> Evidence {
        let rows = &self.sunlight.rows[run.first..=run.last];
        let mean = crate::stats::mean(rows.iter().map(|row| row.strength)).unwrap_or(f64::NAN);
        match rows.first().map(|row| row.source) {
            Some(Source::Neighbours) => Evidence::Neighbours(mean),
            Some(Source::Site) => Evidence::SiteIrradiance(mean),
            _ => Evidence::OwnIrradiance(mean),
        }
    }
}
