//! The cost of a round, turn by turn, in ratio to the floor.

use std::time::Duration;

use heliograph::terminal;

use super::database::Counts;
use super::{Round, Usage, quantile};

/// The use of resources up to one moment, by process.
pub(crate) type Used = Vec<(&'static str, Usage)>;

/// A round, with the usage before and after it.
pub(crate) struct Measured {
    pub(crate) round: Round,
    pub(crate) before: Used,
    pub(crate) after: Used,
}

impl Measured {
    /// CPU milliseconds of a turn, of the processes with this name.
    fn cpu_ms(&self, number: usize) -> f64 {
        let used = self.after[number].1.cpu_seconds - self.before[number].1.cpu_seconds;
        1000.0 * used / self.turns()
    }

    fn turns(&self) -> f64 {
        self.round.answered.max(1) as f64
    }

    fn rate(&self) -> f64 {
        self.round.answered as f64 / self.round.elapsed.as_secs_f64()
    }
}

/// Prints a round of the services beside one of the floor, and what the database did.
pub(crate) fn report(measured: &Measured, floor: &Measured, (before, after): (Counts, Counts)) {
    let (round, least) = (&measured.round, &floor.round);
    terminal::say(format!(
        "{} streams: {:.0} turns/s ({} of the floor), {} errors",
        round.streams,
        measured.rate(),
        ratio(measured.rate(), floor.rate()),
        round.errors.iter().map(|(_, count)| count).sum::<usize>(),
    ));
    for (error, count) in &round.errors {
        terminal::say(format!("  {count} x {error}"));
    }
    for (what, times, least) in [
        ("first byte", &round.first_byte, &least.first_byte),
        ("whole turn", &round.whole, &least.whole),
    ] {
        let [p50, p90, p99] = [0.5, 0.9, 0.99].map(|share| quantile(times, share));
        let (floor, ratio) = (quantile(least, 0.5), ratio_of(p50, quantile(least, 0.5)));
        terminal::say(format!(
            "  {what}    p50 {:>7} p90 {:>7} p99 {:>7} ms   floor {:>6} ms, {ratio} x",
            ms(p50),
            ms(p90),
            ms(p99),
            ms(floor)
        ));
    }
    let least = floor.cpu_ms(0);
    let mut together = 0.0;
    for (number, (service, usage)) in measured.after.iter().enumerate() {
        let each = measured.cpu_ms(number);
        together += each;
        terminal::say(format!(
            "  {service:<13} {each:>7.2} ms CPU a turn, {:>6} x floor, {:>5.0} MiB",
            ratio(each, least),
            usage.memory_mib
        ));
    }
    terminal::say(format!(
        "  {:<13} {together:>7.2} ms CPU a turn, {:>6} x floor",
        "together",
        ratio(together, least)
    ));
    terminal::say(format!("  {:<13} {least:>7.2} ms CPU a turn", "floor"));
    let each =
        |count: fn(&Counts) -> i64| (count(&after) - count(&before)) as f64 / measured.turns();
    let statements = match (before.statements, after.statements) {
        (Some(before), Some(after)) => {
            format!(
                "{:.2} statements",
                (after - before) as f64 / measured.turns()
            )
        }
        _ => "statements not counted".to_owned(),
    };
    terminal::say(format!(
        "  a turn: {:.2} transactions, {statements}, {:.1} rows, {:.1} WAL records, {:.1} KiB of WAL",
        each(|counts| counts.transactions),
        each(|counts| counts.rows),
        each(|counts| counts.wal_records),
        each(|counts| counts.wal_bytes) / 1024.0,
    ));
    terminal::say("");
}

pub(crate) fn ms(time: Duration) -> String {
    format!("{:.1}", 1000.0 * time.as_secs_f64())
}

fn ratio_of(one: Duration, other: Duration) -> String {
    ratio(one.as_secs_f64(), other.as_secs_f64())
}

/// A ratio; none to what is too small to be measured.
fn ratio(one: f64, other: f64) -> String {
    if other > 0.0 {
        format!("{:.2}", one / other)
    } else {
        "-".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_ratio_to_nothing() {
        assert_eq!(ratio(3.0, 2.0), "1.50");
        assert_eq!(ratio(3.0, 0.0), "-");
    }
}
