//! How large a device is without a stated size: what it reached on its best days, or what its peers
//! have.
//!
//! Never from the days that are judged: a device that delivers 41 % less would be found 41 %
//! smaller, and flawless.

use crate::calibration::{Calibration, STC_AC_PER_DC};
use crate::context::{Capacity, CapacityBasis, IrradianceBasis};
use crate::stats;

/// Days with readings that say how large a device is; fewer do not.
pub const ENOUGH_DAYS: u32 = 5;

/// No array delivers more than its capacity times this, not even in cold air beside a bright cloud.
const HIGHEST_PEAK: f64 = 1.4;

/// An array whose usual response to irradiance in its own plane is outside of this range of its
/// capacity has another capacity.
const POSSIBLE_RATIOS: std::ops::RangeInclusive<f64> = 0.2..=1.05;

/// The same for irradiance in another plane, which may be weaker by far than that of the array.
const HIGHEST_OTHER_RATIO: f64 = 2.0;

/// A peak below this share of the capacity is none of a device of that size, if it is that of many
/// days.
const LOWEST_PEAK: f64 = 0.1;
const MANY_DAYS: u64 = 30;

/// The same of few days, which may be dark.
const LOWEST_PEAK_OF_FEW: f64 = 0.02;

/// A device below this peak, W, or this energy of a usual day, kWh, does not produce, whatever its
/// size.
const LEAST_PEAK_W: f64 = 200.0;
const LEAST_DAY_KWH: f64 = 0.5;

/// Whether what a device delivers contradicts its stated capacity: it delivers more than an array
/// of that capacity can, or so little that the capacity is in another unit.
pub fn is_implausible(
    stated_kw: f64,
    calibration: &Calibration,
    irradiance: IrradianceBasis,
) -> bool {
    if stated_kw <= 0.0 || calibration.days < u64::from(ENOUGH_DAYS) {
        return false;
    }
    let stated_w = 1000.0 * stated_kw;
    let peak = calibration.robust_peak_w / stated_w;
    let ratio = calibration.median_day_ratio.map(|ratio| ratio / stated_w);
    let in_plane = irradiance == IrradianceBasis::Poa;
    let too_small = peak > HIGHEST_PEAK
        || ratio.is_some_and(|ratio| {
            let highest = if in_plane {
                *POSSIBLE_RATIOS.end()
            } else {
                HIGHEST_OTHER_RATIO
            };
            ratio > highest
        });
    let produces = calibration.robust_peak_w >= LEAST_PEAK_W
        && calibration
            .median_day_kwh
            .is_some_and(|kwh| kwh >= LEAST_DAY_KWH);
    let lowest_peak = if calibration.days >= MANY_DAYS {
        LOWEST_PEAK
    } else {
        LOWEST_PEAK_OF_FEW
    };
    let too_large =
        peak < lowest_peak || ratio.is_some_and(|ratio| ratio < *POSSIBLE_RATIOS.start());
    too_small || produces && too_large
}

/// Peers within this of their median are of one size.
const ALIKE: f64 = 0.15;

/// A device below this share of its peers' usual size is behind them, not a little smaller.
const AS_LARGE: f64 = 0.9;

/// A device below this share of them is another kind of device.
const FAR_SMALLER: f64 = 0.4;

/// The known facts about the size of a device; the best days are days that are not judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clues {
    /// The stated nameplate, kW.
    pub stated_kw: Option<f64>,
    /// Power per irradiance on its best days, W per W/m2, which is kW at 1000 W/m2.
    pub best_ratio: Option<f64>,
    /// Peak power of its best days, W.
    pub best_peak_w: Option<f64>,
    /// What kind of device it is: peers are of one kind.
    pub kind: String,
    /// Whether it has [`ENOUGH_DAYS`] with readings that are not judged. Without them nothing says
    /// how large it is, nor whether it is of the size of its peers.
    pub is_known: bool,
}

/// The source of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeBasis {
    /// Stated.
    Stated,
    /// Power and irradiance on its best days.
    BestDays,
    /// Peaks of its best days.
    BestPeaks,
    /// The usual size of its peers.
    Peers,
}

/// The size of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// DC nameplate, kW.
    pub kw: f64,
    /// The source of the size.
    pub basis: SizeBasis,
}

impl From<Size> for Capacity {
    fn from(size: Size) -> Self {
        Self {
            kw: size.kw,
            basis: match size.basis {
                SizeBasis::Stated => CapacityBasis::Configured,
                SizeBasis::BestDays | SizeBasis::BestPeaks => CapacityBasis::Inferred,
                SizeBasis::Peers => CapacityBasis::Peers,
            },
        }
    }
}

/// The sizes of the devices of one site.
pub fn sizes(site: &[Clues]) -> Vec<Option<Size>> {
    let own: Vec<Option<Size>> = site.iter().map(own_size).collect();
    (0..site.len())
        .map(|device| match own[device] {
            Some(size) if size.basis == SizeBasis::Stated => Some(size),
            None if !site[device].is_known => None,
            known => beside_peers(known, peers(site, &own, device)),
        })
        .collect()
}

fn own_size(clues: &Clues) -> Option<Size> {
    let positive = |value: Option<f64>| value.filter(|kw| kw.is_finite() && *kw > 0.0);
    if let Some(kw) = positive(clues.stated_kw) {
        return Some(Size {
            kw,
            basis: SizeBasis::Stated,
        });
    }
    let (ac_kw, basis) = match (positive(clues.best_ratio), positive(clues.best_peak_w)) {
        (Some(ratio), _) => (ratio, SizeBasis::BestDays),
        (None, Some(peak_w)) => (peak_w / 1000.0, SizeBasis::BestPeaks),
        (None, None) => return None,
    };
    Some(Size {
        kw: ac_kw / STC_AC_PER_DC,
        basis,
    })
}

/// The usual size of the others of its kind; `None` when they have none. The estimate of a single
/// one says nothing about another: either may be smaller, or weak.
fn peers(site: &[Clues], own: &[Option<Size>], device: usize) -> Option<f64> {
    let sizes: Vec<Size> = (0..site.len())
        .filter(|&other| other != device && site[other].kind == site[device].kind)
        .filter_map(|other| own[other])
        .collect();
    if let [one] = sizes[..]
        && one.basis != SizeBasis::Stated
    {
        return None;
    }
    let sizes: Vec<f64> = sizes.into_iter().map(|size| size.kw).collect();
    let usual = stats::median(&mut sizes.clone())?;
    let alike = sizes
        .iter()
        .filter(|kw| (**kw - usual).abs() <= ALIKE * usual)
        .count();
    (alike * 2 > sizes.len()).then_some(usual)
}

fn beside_peers(own: Option<Size>, usual: Option<f64>) -> Option<Size> {
    let Some(usual) = usual else {
        return own;
    };
    match own {
        Some(size) if size.kw >= AS_LARGE * usual || size.kw < FAR_SMALLER * usual => Some(size),
        _ => Some(Size {
            kw: usual,
            basis: SizeBasis::Peers,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(stated_kw: Option<f64>, best_ratio: Option<f64>) -> Clues {
        Clues {
            stated_kw,
            best_ratio,
            is_known: best_ratio.is_some(),
            ..Clues::default()
        }
    }

    fn found(site: &[Clues]) -> Vec<Option<(String, SizeBasis)>> {
        sizes(site)
            .into_iter()
            .map(|size| size.map(|size| (format!("{:.1}", size.kw), size.basis)))
            .collect()
    }

    #[test]
    fn a_stated_size_holds_whatever_the_data_say() {
        let site = [unit(Some(5.0), Some(1.0)), unit(Some(10.0), Some(8.2))];
        assert_eq!(
            found(&site),
            [
                Some(("5.0".to_owned(), SizeBasis::Stated)),
                Some(("10.0".to_owned(), SizeBasis::Stated))
            ]
        );
    }

    #[test]
    fn a_unit_that_always_lagged_has_the_size_of_its_peers() {
        let healthy = unit(None, Some(8.248));
        let sick = unit(None, Some(0.59 * 8.248));
        let site = [
            healthy.clone(),
            sick.clone(),
            healthy.clone(),
            healthy.clone(),
        ];
        assert_eq!(found(&site)[1], Some(("10.0".to_owned(), SizeBasis::Peers)));
        assert_eq!(
            found(&site)[0],
            Some(("10.0".to_owned(), SizeBasis::BestDays))
        );
        // One of two devices may be smaller, or weak.
        assert_eq!(
            found(&[sick.clone(), healthy])[0],
            Some(("5.9".to_owned(), SizeBasis::BestDays))
        );
        let stated = unit(Some(10.0), Some(8.248));
        assert_eq!(
            found(&[sick, stated])[0],
            Some(("10.0".to_owned(), SizeBasis::Peers))
        );
    }

    #[test]
    fn larger_units_far_smaller_ones_and_those_of_another_kind_keep_what_they_reached() {
        let usual = unit(None, Some(8.248));
        let site = [
            usual.clone(),
            usual.clone(),
            unit(None, Some(16.496)),
            unit(None, Some(2.4744)),
            Clues {
                kind: "other".to_owned(),
                ..unit(None, Some(5.0))
            },
        ];
        let kw: Vec<String> = found(&site)
            .into_iter()
            .map(|size| size.unwrap().0)
            .collect();
        assert_eq!(kw, ["10.0", "10.0", "20.0", "3.0", "6.1"]);
    }

    #[test]
    fn peers_of_all_sizes_tell_nothing() {
        let site: Vec<Clues> = [2.0, 4.0, 8.0, 16.0]
            .into_iter()
            .map(|ratio| unit(None, Some(ratio)))
            .collect();
        assert!(
            sizes(&site)
                .iter()
                .all(|size| size.unwrap().basis == SizeBasis::BestDays)
        );
    }

    #[test]
    fn a_device_of_too_few_days_has_no_size_and_one_that_never_produced_that_of_its_peers() {
        let usual = unit(None, Some(8.248));
        let silent = Clues {
            is_known: true,
            ..Clues::default()
        };
        let site = [usual.clone(), usual.clone(), Clues::default(), silent];
        assert_eq!(found(&site)[2], None);
        assert_eq!(found(&site)[3], Some(("10.0".to_owned(), SizeBasis::Peers)));
    }

    #[test]
    fn a_stated_capacity_that_what_is_delivered_contradicts_is_implausible() {
        let delivers = |peak_w: f64, ratio: Option<f64>, days| Calibration {
            robust_peak_w: peak_w,
            median_day_kwh: Some(peak_w / 200.0),
            median_day_ratio: ratio.map(|ratio| 1000.0 * ratio),
            days,
            ..Calibration::default()
        };
        let wrong = |stated_kw, calibration: &Calibration| {
            is_implausible(stated_kw, calibration, IrradianceBasis::Poa)
        };
        let usual = delivers(8000.0, Some(8.0), 60);
        for (stated_kw, expected) in [
            (2.0, true),
            (7.0, true),
            (8.0, false),
            (10.0, false),
            (30.0, false),
            (100.0, true),
            (10_000.0, true),
        ] {
            assert_eq!(wrong(stated_kw, &usual), expected, "{stated_kw}");
        }
        // Without irradiance the peak says it, of many days.
        let unlit = delivers(8000.0, None, 60);
        assert!(wrong(5.0, &unlit) && !wrong(6.0, &unlit) && wrong(100.0, &unlit));
        assert!(!wrong(100.0, &delivers(8000.0, None, 10)));
        // Too few days, or a device that does not produce, say nothing.
        assert!(!wrong(2.0, &delivers(8000.0, Some(8.0), 4)));
        assert!(!wrong(10.0, &delivers(5.0, Some(0.001), 60)));
        let flat = is_implausible(7.0, &usual, IrradianceBasis::Ghi);
        assert!(!flat);
    }

    #[test]
    fn without_irradiance_the_peaks_of_the_best_days_tell_the_size() {
        let clues = Clues {
            best_peak_w: Some(8248.0),
            ..Clues::default()
        };
        assert_eq!(
            found(&[clues]),
            [Some(("10.0".to_owned(), SizeBasis::BestPeaks))]
        );
        assert_eq!(found(&[Clues::default()]), [None]);
    }
}
