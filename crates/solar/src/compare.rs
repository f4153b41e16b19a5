//! Loggers against each other: what a logger's days come to, by its size and beside the others.
//!
//! A logger's energy, peak and mean are those of its daily figures, so they are the same whatever
//! it is compared with. Only the ranking looks at the others: where a logger lacks days that others
//! of its site have, these days count at the relation that it has to them on the days that both
//! have. Where register and power of a day differ, the lower of the two is ranked.

mod chart;
mod days;

use std::collections::BTreeMap;

use chrono::NaiveDate;

use crate::calibration::Calibration;
use crate::days::DayFigures;
use crate::stats;

pub use chart::{AlignedChart, Candidate, Metric, align, common_records};

/// A logger whose register and power differ on more than a tenth of its days does not lead.
const DOUBTFUL_DAYS: u32 = 10;

/// One logger of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Entrant<'a> {
    /// Its days in the range compared, in order.
    pub days: &'a [DayFigures],
    /// Its long-run figures.
    pub calibration: &'a Calibration,
    /// What its energy is divided by, kW.
    pub size_kw: Option<f64>,
    /// Whether that is a stated capacity that its production contradicts: such a logger has a
    /// specific yield, and no rank by it.
    pub is_implausible: bool,
    /// Whether that is an estimate, from its own best days or its peers: such a logger is not
    /// ranked by it among others whose sizes are stated.
    pub is_estimated: bool,
    /// Whether it is a meter among inverters: it measures what they deliver, and has no rank.
    pub is_meter: bool,
    /// Its site: days are filled from loggers of the same site only.
    pub site: &'a str,
    /// The irradiation of its site on each day that is known of, kWh/m2.
    pub sunlight: Option<&'a Sunlight>,
}

/// The irradiation of days, kWh/m2.
pub type Sunlight = BTreeMap<NaiveDate, f64>;

/// Whether loggers have the same sun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Places {
    /// They are near each other.
    #[default]
    Same,
    /// They are far apart, and each is ranked by its energy for the sunlight of its own site.
    OwnSun,
    /// They are far apart, and the sunlight of one of the sites is not known: a logger lags only
    /// behind those of its own site.
    Different,
}

impl Entrant<'_> {
    /// The size that it is ranked by.
    fn rank_size_kw(&self) -> Option<f64> {
        self.size_kw
            .filter(|_| !self.is_implausible && !self.is_meter)
    }
}

/// How one logger compares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// Energy of its days, kWh; `None` without a day that has any.
    pub energy_kwh: Option<f64>,
    /// kWh/kW.
    pub specific_yield: Option<f64>,
    /// The ranked figure: the specific yield, or the energy if no size is known; for missing days,
    /// with the others' figures. Of places with different sun it is divided by the irradiation.
    pub compared: Option<f64>,
    /// Days of the ranking that it lacks, and that count as those of the others of its site.
    pub filled_days: u32,
    /// Days that the ranking is about.
    pub ranked_days: u32,
    /// Whether register and power differ on more than a tenth of its days, by more than missing
    /// readings explain, so that its place is in doubt.
    pub doubtful: bool,
    /// Its place, from 0.
    pub rank: Option<usize>,
    /// Deviation from the median of all, percent; needs three loggers.
    pub vs_median_pct: Option<f64>,
    /// The same in robust standard deviations; needs three loggers that are not all equal.
    pub robust_z: Option<f64>,
    /// Clearly below the others: more than 10 % and three robust standard deviations.
    pub underperformer: bool,
    /// Highest valid power, W.
    pub peak_w: Option<f64>,
    /// Mean power of its producing readings, W.
    pub average_w: Option<f64>,
    /// Mean local time of production weighted by power, hours; a shifted one means another plane
    /// before it means a fault.
    pub centroid_hour: Option<f64>,
    /// Days with energy.
    pub days: u32,
    /// Of them with clearly fewer readings than usual.
    pub incomplete_days: u32,
}

impl Compared {
    /// Whether it may be the first: its register is not in doubt, and it made something.
    fn may_lead(&self) -> bool {
        !self.doubtful && self.energy_kwh.is_some_and(|kwh| kwh > 0.0)
    }
}

/// A comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// One per logger, in the order given.
    pub loggers: Vec<Compared>,
    /// The loggers that could be ranked, best first, by their place in `loggers`.
    pub ranking: Vec<usize>,
    /// Whether sizes are known, so that specific yields are ranked and not energies.
    pub by_size: bool,
    /// Whether only loggers with stated sizes are ranked, and others have an estimate.
    pub stated_only: bool,
    /// Whether all that are ranked have the same days.
    pub same_days: bool,
    /// Distance of the last from the first, percent of the first.
    pub spread_pct: Option<f64>,
}

/// Compares loggers that have the same sun by what their days come to.
pub fn compare(loggers: &[Entrant<'_>]) -> Comparison {
    compare_at(loggers, Places::Same)
}

/// Compares loggers by what their days come to.
pub fn compare_at(loggers: &[Entrant<'_>], places: Places) -> Comparison {
    let mut compared: Vec<Compared> = loggers.iter().map(own_figures).collect();
    let measured = compared
        .iter()
        .filter(|own| own.energy_kwh.is_some())
        .count();
    let sizes_of = |is_estimated: bool| {
        let sized = loggers.iter().zip(&compared).filter(|(logger, own)| {
            own.energy_kwh.is_some()
                && logger.rank_size_kw().is_some()
                && logger.is_estimated == is_estimated
        });
        sized.count()
    };
    let (stated, estimated) = (sizes_of(false), sizes_of(true));
    let sizes = stated + estimated;
    let stated_only = stated > 1 && estimated > 0;
    // One size says nothing about the others, nor does a stated one about estimates.
    let by_size = (sizes > 1 || sizes > 0 && sizes == measured) && (stated != 1 || estimated == 0);
    let ranked: Vec<Entrant<'_>> = loggers
        .iter()
        .map(|logger| Entrant {
            size_kw: logger
                .size_kw
                .filter(|_| !(stated_only && logger.is_estimated)),
            ..*logger
        })
        .collect();
    for (own, worth) in compared
        .iter_mut()
        .zip(days::worth(&ranked, by_size, places))
    {
        let Some(worth) = worth else { continue };
        own.compared = Some(worth.total);
        (own.filled_days, own.ranked_days) = (worth.filled, worth.days);
    }
    let same_days = compared
        .iter()
        .filter(|own| own.compared.is_some())
        .all(|own| own.filled_days == 0 && own.ranked_days == own.days);
    let mut ranking: Vec<usize> = (0..compared.len())
        .filter(|&logger| compared[logger].compared.is_some())
        .collect();
    // Stable: of equals the one asked for first is first.
    ranking.sort_by(|&a, &b| {
        let value = |logger: usize| compared[logger].compared.unwrap_or(0.0);
        value(b).total_cmp(&value(a))
    });
    let trusted = ranking
        .iter()
        .position(|&logger| compared[logger].may_lead())
        .or_else(|| {
            ranking
                .iter()
                .position(|&logger| !compared[logger].doubtful)
        });
    if let Some(place) = trusted {
        ranking[..=place].rotate_right(1);
    }
    for (place, &logger) in ranking.iter().enumerate() {
        compared[logger].rank = Some(place);
    }
    if places == Places::Different {
        beside_their_own_sites(loggers, &mut compared);
    } else {
        beside_the_median(compared.iter_mut().collect());
    }
    let ends = ranking.first().zip(ranking.last());
    let spread_pct = ends
        .filter(|_| ranking.len() > 1)
        .and_then(|(&best, &worst)| {
            let (best, worst) = (compared[best].compared?, compared[worst].compared?);
            (best > 0.0).then(|| (100.0 * (best - worst) / best).max(0.0))
        });
    Comparison {
        loggers: compared,
        ranking,
        by_size,
        stated_only,
        same_days,
        spread_pct,
    }
}

/// The figures that need no other logger.
fn own_figures(logger: &Entrant<'_>) -> Compared {
    let mut own = Compared::default();
    let (mut kwh, mut valid, mut producing, mut sum_w, mut moment) = (0.0, 0, 0, 0.0, 0.0);
    let mut differing = 0;
    for day in logger.days {
        if let Some((energy, _)) = day.energy() {
            kwh += energy;
            own.days += 1;
            own.incomplete_days += u32::from(!days::is_complete(day, logger.calibration));
            differing += u32::from(day.register_is_doubtful(logger.calibration));
        }
        own.peak_w = match (own.peak_w, day.peak_w) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        valid += day.valid;
        if let Some(mean) = day.producing_mean_w {
            let weight = mean * f64::from(day.producing);
            producing += day.producing;
            sum_w += weight;
            moment += weight * day.centroid_hour.unwrap_or(0.0);
        }
    }
    own.doubtful = differing * DOUBTFUL_DAYS > own.days;
    own.energy_kwh = (own.days > 0).then_some(kwh);
    own.specific_yield = own.energy_kwh.zip(logger.size_kw).map(|(kwh, kw)| kwh / kw);
    own.average_w = match (producing, valid) {
        (0, 0) => None,
        (0, _) => Some(0.0),
        (count, _) => Some(sum_w / f64::from(count)),
    };
    own.centroid_hour = (sum_w > 0.0).then(|| moment / sum_w);
    own
}

/// Each logger beside those of its own site.
fn beside_their_own_sites(loggers: &[Entrant<'_>], compared: &mut [Compared]) {
    let mut sites: BTreeMap<&str, Vec<&mut Compared>> = BTreeMap::new();
    for (logger, own) in loggers.iter().zip(compared) {
        sites.entry(logger.site).or_default().push(own);
    }
    for site in sites.into_values() {
        beside_the_median(site);
    }
}

fn beside_the_median(compared: Vec<&mut Compared>) {
    let mut known: Vec<f64> = compared.iter().filter_map(|own| own.compared).collect();
    if known.len() < 3 {
        return;
    }
    let Some(median) = stats::median(&mut known).filter(|median| *median > 0.0) else {
        return;
    };
    let mut distances: Vec<f64> = known.iter().map(|value| (value - median).abs()).collect();
    let sigma = stats::spread(&mut distances);
    for own in compared {
        let Some(value) = own.compared else { continue };
        let pct = 100.0 * (value - median) / median;
        let z = (sigma > 0.0).then(|| (value - median) / sigma);
        own.vs_median_pct = Some(pct);
        own.robust_z = z;
        // Where most are equal, whatever is not equal is beyond chance; a logger that was not
        // measured all day is not proof.
        own.underperformer =
            pct < -10.0 && z.is_none_or(|z| z < -3.0) && own.incomplete_days < own.days;
    }
}
