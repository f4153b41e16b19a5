//! The curve of a device that sends no power, from what its register counts.

use super::{CurveFigures, CurvePoint, Quality};
use crate::calibration::Calibration;
use crate::context::LoggerContext;
use crate::flags::Flag;
use crate::register::{self, RegisterKind};
use crate::series::Series;

/// Steps of the curve are at least this long, seconds: shorter ones show the resolution of the
/// register.
const STEP_SECONDS: i64 = 3600;

/// The mean power between readings of the register, over steps of an hour or longer. Empty where
/// the device sends power or the register has one reading. A step over a reset is not known.
pub fn counted_curve(
    series: &Series,
    calibration: &Calibration,
    context: &LoggerContext,
) -> Vec<CurvePoint> {
    if !calibration.counts_alone() {
        return Vec::new();
    }
    let (kind, shown) = register::column(series, 0..series.len(), calibration.register);
    let is_daily = kind == RegisterKind::Daily;
    let peak = calibration.peak_of_registers(context);
    let mut points = Vec::new();
    // Where a step begins: a lifetime register of zero is that of a device that sleeps.
    let mut readings =
        (0..series.len()).filter(|&row| shown[row] > 0.0 || is_daily && shown[row] == 0.0);
    let Some(mut from) = readings.next() else {
        return points;
    };
    for row in readings {
        let (time, seconds) = (series.time()[row], series.time()[row] - series.time()[from]);
        if seconds < STEP_SECONDS {
            continue;
        }
        let rise = shown[row] - shown[from];
        let kwh = if is_daily && rise < 0.0 {
            shown[row]
        } else {
            rise
        };
        let mean_w = (kwh >= 0.0 && register::allows(peak, kwh, seconds))
            .then(|| 3_600_000.0 * kwh / seconds as f64);
        points.push(CurvePoint {
            time,
            mean_w,
            min_w: None,
            max_w: None,
            irradiance: Some(series.irradiance()[row]).filter(|light| light.is_finite()),
            records: 1,
            quality: if mean_w.is_some() {
                Quality::Good
            } else {
                Quality::Missing
            },
        });
        from = row;
    }
    points
}

impl CurveFigures {
    /// These figures with the peak and the mean of a curve by the register.
    #[must_use]
    pub fn with_counted(mut self, points: &[CurvePoint]) -> Self {
        let known = || {
            points
                .iter()
                .filter_map(|point| Some((point.time, point.mean_w?)))
        };
        let Some((time, peak)) = known().rev().max_by(|(_, a), (_, b)| a.total_cmp(b)) else {
            return self;
        };
        (self.peak_w, self.peak_time) = (Some(peak), Some(time));
        let producing = known().map(|(_, watts)| watts).filter(|watts| *watts > 0.0);
        self.average_w = crate::stats::mean(producing).or(Some(0.0));
        self.flags.insert(Flag::PowerFromRegister);
        self
    }
}
