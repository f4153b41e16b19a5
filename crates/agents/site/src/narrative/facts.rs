//! What a narrative may rest on: the results of the turn's tools, and nothing else.

use contracts::tools::{
    AnomalyReport, Comparison, DiagnosticsReport, FinancialReport, FleetOverview, HealthReport,
    LoggerList, PerformanceReport, PowerCurve, ProductionForecast, SummaryStats,
};
use contracts::ui::FleetHealthRow;

use super::FleetSnapshot;

/// The results of a turn's tools.
#[derive(Debug, Clone, Copy)]
pub enum Facts<'a> {
    /// A greeting.
    Greeting {
        /// 0 to 23, on the person's clock.
        local_hour: u32,
        /// The fleet, when it could be asked.
        overview: Option<&'a FleetOverview>,
    },
    /// The whole site at a glance.
    Briefing {
        /// The fleet.
        overview: &'a FleetOverview,
        /// The error codes of offline devices.
        diagnostics: &'a [DiagnosticsReport],
        /// What the last briefing of the thread found.
        previous: Option<&'a FleetSnapshot>,
    },
    /// Energy in money and carbon.
    Financial {
        /// The period.
        report: &'a FinancialReport,
        /// The coming days.
        forecast: Option<&'a ProductionForecast>,
    },
    /// Several devices side by side.
    Audit {
        /// The comparison.
        comparison: &'a Comparison,
    },
    /// One device's health.
    Health {
        /// What was found.
        report: &'a AnomalyReport,
    },
    /// Every device's health.
    FleetHealth {
        /// One row per device, also for those that could not be judged.
        rows: &'a [FleetHealthRow],
        /// The reports behind the rows, as far as there are any.
        reports: &'a [AnomalyReport],
    },
    /// One device over one day.
    PowerCurve {
        /// The curve.
        curve: &'a PowerCurve,
        /// Its figures.
        stats: Option<&'a SummaryStats>,
    },
    /// The coming days.
    Forecast {
        /// The forecast.
        forecast: &'a ProductionForecast,
    },
    /// The performance ratio of one day.
    Performance {
        /// The ratio.
        report: &'a PerformanceReport,
    },
    /// The device's own error codes.
    Errors {
        /// What was found.
        report: &'a DiagnosticsReport,
    },
    /// Which devices there are.
    Loggers {
        /// The devices.
        list: &'a LoggerList,
    },
    /// Whether the service works.
    Service {
        /// What was found.
        report: &'a HealthReport,
    },
}
