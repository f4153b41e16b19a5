//! Curves of devices that fell silent on their day.

use chrono::TimeDelta;

use super::replies::{Replies, Reply};
use crate::{arguments, flows::Prepared, sentences};

/// The longest pause of a device beside the others of its site on a day without power, and on
/// another one: devices fall asleep at different times.
const PAUSES: [TimeDelta; 2] = [TimeDelta::hours(1), TimeDelta::hours(3)];

/// The curves of a day on which a device fell silent say so: one without power has delivered
/// nothing that is known, and is taken out.
pub(super) fn silent_curves(
    replies: Replies,
    prepared: Option<&Prepared>,
) -> (Replies, Vec<String>) {
    let known = prepared.map_or(&[][..], |prepared| &prepared.loggers.loggers);
    let mut told = Vec::new();
    let kept = replies.into_iter().filter(|reply| {
        let Ok(Reply::PowerCurve(curve, stats)) = reply else {
            return true;
        };
        let (id, day) = (&curve.logger_id, curve.date);
        let made = stats.as_ref().is_some_and(|stats| stats.peak_value > 0.0);
        let [without_power, with_power] = PAUSES;
        let pause = if made { with_power } else { without_power };
        let last = arguments::ended_on(id, day, known, pause);
        told.extend(last.map(|last| {
            if made {
                format!("{}.", sentences::no_data_since(id, last))
            } else {
                sentences::unknown_energy(id, last, day)
            }
        }));
        made || last.is_none()
    });
    (kept.collect(), told)
}
