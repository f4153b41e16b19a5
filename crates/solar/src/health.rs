//! Faults of a logger: standstill in sunshine, lost data, dead days, worn-out arrays,
//! stuck and shifted clocks.

mod clock;
mod daywise;
mod gaps;
mod lag;
mod moved;
mod outages;
mod peers;
mod score;
mod stretches;
mod surroundings;

use chrono::NaiveDate;

use crate::calendar::DaySpan;
use crate::calibration::Calibration;
use crate::context::{IrradianceBasis, LoggerContext};
use crate::days::DayFigures;
use crate::flags::{Flag, Flags};
use crate::series::Series;

pub use clock::{ClockOffset, clock_offsets};
pub use gaps::{Gap, gaps};
pub use lag::Lag;
pub use peers::Peer;
pub use score::health_score;
pub use surroundings::{site_irradiance, site_utilisation};

/// The data of one question about a logger's health.
#[derive(Clone, Copy, Debug)]
pub struct HealthQuestion<'a> {
    /// The readings of the window.
    pub series: &'a Series,
    /// The days of the window.
    pub window: DaySpan,
    /// Daily figures of the window and, if possible, of the weeks around it, in order.
    pub days: &'a [DayFigures],
    /// The newest day of a logger that has stopped sending while others of its site continue: each
    /// later day is missing, however long ago it stopped.
    pub silent_after: Option<NaiveDate>,
    /// The logger's long-run figures.
    pub calibration: &'a Calibration,
    /// The context of the logger.
    pub context: &'a LoggerContext,
    /// The measurements of the rest of the site.
    pub surroundings: Surroundings<'a>,
    /// The site's other inverters, to judge an inverter by; of a meter none.
    pub peers: &'a [&'a Peer],
}

/// The measurements of the rest of the site at the time stamps of a series: one value per reading,
/// NaN where unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// Irradiance of another sensor, or the median of the site's other loggers
    /// ([`site_irradiance`]), W/m2.
    pub irradiance: Option<&'a [f64]>,
    /// The neighbours' power as a share of their peaks ([`site_utilisation`]).
    pub utilisation: Option<&'a [f64]>,
}

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// No power in sunshine.
    Outage,
    /// No data in sunshine; not a fault of the inverter.
    DataOutage,
    /// A day with readings and no energy.
    DeadDay,
    /// A day without readings.
    MissingDay,
    /// A day far below what the logger usually makes of its irradiance, or a window far below its
    /// peers.
    Underperformance,
    /// The same value over and over.
    StaleValues,
    /// The inverter at its limit.
    Clipping,
    /// Light at night: the sensor was not used this day.
    IrradianceSuspect,
    /// The clock seems to have been moved.
    ClockShift,
    /// The register counts clearly more or less than the power.
    RegisterMismatch,
}

impl EventKind {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            EventKind::Outage => "outage",
            EventKind::DataOutage => "data_outage",
            EventKind::DeadDay => "dead_day",
            EventKind::MissingDay => "missing_day",
            EventKind::Underperformance => "underperformance",
            EventKind::StaleValues => "stale_values",
            EventKind::Clipping => "clipping",
            EventKind::IrradianceSuspect => "irradiance_suspect",
            EventKind::ClockShift => "clock_shift",
            EventKind::RegisterMismatch => "register_mismatch",
        }
    }
}

/// The evidence of a finding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// The logger's own irradiance, mean over the event, W/m2.
    OwnIrradiance(f64),
    /// Irradiance of the site's other loggers, mean over the event, W/m2.
    SiteIrradiance(f64),
    /// Neighbours delivered this share of their peaks.
    Neighbours(f64),
    /// Energy of the day and the median day, kWh.
    DayEnergy(f64, f64),
    /// Energy of the day, and what the site's other inverters (or the sun, at the stated capacity)
    /// say that it should be, kWh.
    ExpectedEnergy(f64, f64),
    /// Share by which the yield per capacity is below that of this number of peers.
    Peers(f64, u32),
    /// Share by which the yield is below the logger's own usual share of its peers'.
    OwnShare(f64),
    /// A performance ratio below what is normal.
    PerformanceRatio(f64),
    /// Completeness of the day and the usual one.
    Completeness(f64, f64),
    /// P/G of the day divided by the usual one.
    RelativeRatio(f64),
    /// Readings.
    Records(u32),
    /// Shift, minutes.
    ShiftMinutes(f64),
    /// What register and power make of the days on which they differ.
    Registers {
        /// By the register, kWh.
        register_kwh: f64,
        /// By the power, kWh.
        power_kwh: f64,
        /// Number of these days.
        days: u32,
        /// Whether one of them has all its readings: missing ones alone make the register count
        /// more.
        whole: bool,
    },
}

/// A finding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// The kind of the finding.
    pub kind: EventKind,
    /// Start, seconds since 1970. Of a run of readings, the start of the first one's step.
    pub start: i64,
    /// End.
    pub end: i64,
    /// Length.
    pub minutes: f64,
    /// Energy that was not produced, kWh; 0 where nothing can be said.
    pub lost_kwh: f64,
    /// The evidence.
    pub evidence: Evidence,
}

/// The health of a logger in a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Health {
    /// All findings by start.
    pub events: Vec<Event>,
    /// Rows (indices into the series) that belong to an outage.
    pub outage_rows: Vec<usize>,
    /// Readings in the window.
    pub records: u32,
    /// Readings that are known to be in daylight and have a valid power, as hours.
    pub sun_hours: f64,
    /// Hours of outage.
    pub outage_hours: f64,
    /// Energy lost in outages and on dead days, kWh: the sum over these events.
    pub lost_kwh: f64,
    /// Energy lost in outages alone, reading by reading, those on dead days among them, kWh.
    pub outage_kwh: f64,
    /// The expected energy of the readings in sunshine, kWh: the base of the availability by
    /// energy.
    pub expected_kwh: f64,
    /// Share by which it fell short of its peers, its own past, or a sound array while it ran.
    pub shortfall_share: f64,
    /// The same in kWh; not part of the lost energy.
    pub shortfall_kwh: f64,
    /// Its deviation from its peers as a share, when there are any.
    pub vs_peers: Option<f64>,
    /// Whether it fell behind its peers, and since when. `None` when too few days can be compared.
    pub lag: Option<Lag>,
    /// 1 - outage / sunny readings with valid power. `None` when nothing says when the sun shone.
    pub availability_time: Option<f64>,
    /// 1 - lost / expected energy.
    pub availability_energy: Option<f64>,
    /// Days with readings and no energy.
    pub dead_days: Vec<NaiveDate>,
    /// Days without readings.
    pub missing_days: Vec<NaiveDate>,
    /// Days far below the usual P/G.
    pub underperforming_days: Vec<NaiveDate>,
    /// Days whose irradiance was not used.
    pub irradiance_suspect_days: Vec<NaiveDate>,
    /// Readings at the inverter's limit.
    pub clipped_samples: u32,
    /// Readings of repeated values in daylight.
    pub stale_samples: u32,
    /// 0 to 100; see [`health_score`].
    pub score: f64,
    /// What to know about it.
    pub flags: Flags,
}

impl Health {
    /// Number of findings of a kind.
    pub fn count(&self, kind: EventKind) -> usize {
        self.events
            .iter()
            .filter(|event| event.kind == kind)
            .count()
    }
}

/// Examines a logger.
pub fn analyze(question: &HealthQuestion<'_>) -> Health {
    let sunlight = outages::Sunlight::of(question);
    let mut found = outages::find(question, &sunlight);
    let mut events = std::mem::take(&mut found.events);
    let daywise = daywise::find(question, &mut events);
    found.count_unseen(question, &sunlight, &daywise.dead, &events);
    clock::find(question, &mut events);
    events.sort_by_key(|event| (event.start, event.kind));
    let standstill_kwh = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Outage | EventKind::DeadDay))
        .map(|event| event.lost_kwh)
        .sum();

    let mut flags = daywise.flags;
    flags.insert_if(Flag::IrradianceMissing, !question.series.has_irradiance());
    flags.insert_if(
        Flag::IrradianceNotPoa,
        question.context.irradiance_basis == IrradianceBasis::Ghi,
    );
    flags.insert_if(
        Flag::ClockShift,
        events
            .iter()
            .any(|event| event.kind == EventKind::ClockShift),
    );
    flags.insert_if(Flag::FewDays, question.calibration.days < 7);
    let capacity = question.context.capacity;
    flags.insert_if(
        Flag::CapacityInferred,
        capacity.is_some_and(|capacity| !capacity.is_stated()),
    );
    let mut health = Health {
        events,
        outage_rows: found.rows,
        records: u32::try_from(
            question
                .series
                .rows(question.window.after, question.window.until)
                .len(),
        )
        .unwrap_or(u32::MAX),
        sun_hours: found.sun_hours,
        outage_hours: found.outage_hours,
        lost_kwh: standstill_kwh,
        outage_kwh: found.lost_kwh,
        expected_kwh: found.expected_kwh,
        shortfall_share: daywise.shortfall.as_ref().map_or(0.0, |found| found.share),
        shortfall_kwh: daywise.shortfall.as_ref().map_or(0.0, |found| found.kwh),
        vs_peers: daywise.vs_peers,
        lag: daywise.lag,
        availability_time: found.availability_time,
        availability_energy: found.availability_energy,
        dead_days: daywise.dead,
        missing_days: daywise.missing,
        underperforming_days: daywise.underperforming,
        irradiance_suspect_days: daywise.irradiance_suspect,
        clipped_samples: daywise.clipped,
        stale_samples: daywise.stale,
        score: 0.0,
        flags,
    };
    health.score = health_score(&health, judged_days(question));
    health
}

/// Days of the window on which the logger existed.
fn judged_days(question: &HealthQuestion<'_>) -> usize {
    let window = question.window;
    let begun = question
        .days
        .first()
        .map(|day| (day.date - window.first).num_days())
        .and_then(|days| usize::try_from(days).ok())
        .unwrap_or(0);
    window.days().saturating_sub(begun).max(1)
}
