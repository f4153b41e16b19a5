//! The facts of a narrative: the results of the turn's tools, and nothing else.

use contracts::tools::{
    AnomalyReport, Comparison, DiagnosticsReport, FinancialReport, FleetOverview, HealthEventKind,
    HealthReport, LoggerList, PerformanceReport, PowerCurve, ProductionForecast, SummaryStats,
};
use contracts::ui::FleetHealthRow;
use serde_json::{Value, json};

use super::{FleetSnapshot, asked, branch, financial, fleet_health, health};
use agent_kit::figures::Known;

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
        /// The snapshot of the thread's last briefing.
        previous: Option<&'a FleetSnapshot>,
    },
    /// Energy in money and carbon.
    Financial {
        /// The period.
        report: &'a FinancialReport,
        /// The coming days.
        forecast: Option<&'a ProductionForecast>,
    },
    /// Energy of a period.
    Energy {
        /// The period.
        report: &'a FinancialReport,
    },
    /// Several devices side by side.
    Audit {
        /// The comparison.
        comparison: &'a Comparison,
    },
    /// One device's health.
    Health {
        /// The findings.
        report: &'a AnomalyReport,
    },
    /// Every device's health.
    FleetHealth {
        /// One row per device, also for those that could not be judged.
        rows: &'a [FleetHealthRow],
        /// The reports behind the rows, as far as there are any.
        reports: &'a [AnomalyReport],
        /// Availability by time of all together, as their report has it.
        availability: Option<f64>,
    },
    /// One device over one day.
    PowerCurve {
        /// The curve.
        curve: &'a PowerCurve,
        /// The figures of the curve.
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
        /// The error codes.
        report: &'a DiagnosticsReport,
    },
    /// Which devices there are.
    Loggers {
        /// The devices.
        list: &'a LoggerList,
    },
    /// The result of a tool that says itself what it says.
    Presented {
        /// A sentence each, the most important first.
        facts: &'a [String],
        /// The result.
        result: &'a Value,
    },
    /// Whether the service works.
    Service {
        /// The findings.
        report: &'a HealthReport,
    },
}

impl Facts<'_> {
    /// Every figure, day and name that a text on these facts may use: those of the results, and
    /// what follows from them by counting or subtracting.
    pub fn known(&self) -> Known {
        let mut known = Known::default();
        match *self {
            Self::Greeting { overview, .. } => fleet(overview, &mut known),
            Self::Briefing {
                overview,
                diagnostics,
                previous,
            } => {
                fleet(Some(overview), &mut known);
                known.learn(&diagnostics);
                if let Some(previous) = previous {
                    known.learn(previous);
                    known.add(previous.change_to(overview).points);
                }
            }
            Self::Energy { report } => savings(report, &mut known),
            Self::Financial { report, forecast } => {
                savings(report, &mut known);
                known.learn(&forecast);
            }
            Self::Audit { comparison } => {
                known.learn(comparison);
                known.add(asked::difference(comparison).unwrap_or_default());
            }
            Self::Health { report } => findings(report, &mut known),
            Self::FleetHealth {
                rows,
                reports,
                availability,
            } => {
                known.learn(&rows);
                for report in reports {
                    findings(report, &mut known);
                }
                known.add(fleet_health::total_lost(reports));
                let counted = reports.iter().filter(|report| report.counted);
                known.add(counted.map(asked::lost_by).sum());
                for figure in asked::missing::figures(reports) {
                    known.add(figure);
                }
                known.add(availability.unwrap_or_default());
                known.add(100.0 * availability.unwrap_or_default());
                for worth in fleet_health::worth(reports) {
                    known.add(worth.amount);
                }
                known.add(rows.iter().filter(|row| row.anomaly_count > 0).count() as f64);
            }
            Self::PowerCurve { curve, stats } => {
                known.learn(curve);
                known.learn(&stats);
            }
            Self::Forecast { forecast } => known.learn(forecast),
            Self::Performance { report } => known.learn(report),
            Self::Errors { report } => known.learn(report),
            Self::Loggers { list } => known.learn(list),
            Self::Presented { facts, result } => {
                known.learn_value(result);
                for fact in facts {
                    known.learn_text(fact, 0);
                }
            }
            Self::Service { report } => known.learn(report),
        }
        known
    }

    /// The facts as JSON, for a model that words them.
    pub(crate) fn to_value(self) -> Value {
        match self {
            Self::Greeting {
                local_hour,
                overview,
            } => json!({ "localHour": local_hour, "fleet": overview }),
            Self::Briefing {
                overview,
                diagnostics,
                previous,
            } => json!({ "fleet": overview, "errorCodes": diagnostics, "previously": previous }),
            Self::Energy { report } => json!({ "energy": report }),
            Self::Financial { report, forecast } => {
                json!({ "report": report, "forecast": forecast })
            }
            Self::Audit { comparison } => json!({ "comparison": comparison }),
            Self::Health { report } => json!({ "health": report }),
            Self::FleetHealth {
                rows,
                reports,
                availability,
            } => json!({ "devices": rows, "reports": reports, "availabilityTime": availability }),
            Self::PowerCurve { curve, stats } => json!({ "curve": curve, "statistics": stats }),
            Self::Forecast { forecast } => json!({ "forecast": forecast }),
            Self::Performance { report } => json!({ "performance": report }),
            Self::Errors { report } => json!({ "errorCodes": report }),
            Self::Loggers { list } => json!({ "devices": list }),
            Self::Presented { facts, result } => json!({ "facts": facts, "result": result }),
            Self::Service { report } => json!({ "service": report }),
        }
    }
}

fn fleet(overview: Option<&FleetOverview>, known: &mut Known) {
    if let Some(overview) = overview {
        known.learn(overview);
        known.add(
            overview
                .status
                .total_loggers
                .saturating_sub(overview.status.offline) as f64,
        );
    }
}

fn savings(report: &FinancialReport, known: &mut Known) {
    known.learn(report);
    known.add(financial::difference_of_sites(report).unwrap_or_default());
    for device in &report.devices {
        known.add(device.missing_days.len() as f64);
    }
}

fn findings(report: &AnomalyReport, known: &mut Known) {
    known.learn(report);
    known.add(branch::faulty_days(report) as f64);
    known.add(report.vs_peers_pct.unwrap_or_default().abs());
    known.add(health::events(report, HealthEventKind::DataOutage) as f64);
    known.add(health::outages_of(report).count() as f64);
    known.add(report.dead_days.len() as f64);
    known.add(asked::lost_by(report));
    known.add(asked::minutes_out(report));
    for figure in asked::missing::figures(std::slice::from_ref(report)) {
        known.add(figure);
    }
}
