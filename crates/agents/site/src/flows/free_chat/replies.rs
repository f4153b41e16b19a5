//! What tools said, by tool.

use contracts::{
    tools::{
        AnomalyReport, Comparison, Descriptor, DiagnosticsReport, EnergyHistory, FinancialReport,
        FleetOverview, HealthReport, LoggerList, PerformanceReport, PowerCurve, Presented,
        ProductionForecast, SummaryStats, names, registry,
    },
    ui::UiComponent,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    cards,
    findings::{Diagnostics, Failure, HealthFindings},
    narrative::Facts,
};

/// The tools' answers to one question: a result per device, or the reason why there is none.
pub(crate) type Replies = Vec<Result<Reply, Failure>>;

/// One tool's result.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    PowerCurve(PowerCurve, Option<SummaryStats>),
    Forecast(ProductionForecast),
    Performance(Box<PerformanceReport>),
    Errors(Box<DiagnosticsReport>),
    Service(HealthReport),
    Fleet(Box<FleetOverview>),
    Health(Box<AnomalyReport>),
    FleetHealth(HealthFindings),
    Comparison(Box<Comparison>),
    Savings(Box<FinancialReport>),
    Loggers(LoggerList),
    /// Of a tool that says itself what its result says; see [`contracts::tools::Tool::facts`].
    Presented(Box<PresentedReply>),
}

/// A result with what its tool says and shows of it.
#[derive(Debug, Clone)]
pub(crate) struct PresentedReply {
    result: Value,
    presented: Presented,
}

impl Reply {
    /// Reads a good envelope of a known tool.
    pub(super) fn read(tool: &str, envelope: &Value) -> Option<Self> {
        let result = envelope.get("result")?;
        Some(match tool {
            names::GET_POWER_CURVE => {
                Self::PowerCurve(of(result)?, envelope.get("summaryStats").and_then(of))
            }
            names::FORECAST_PRODUCTION => Self::Forecast(of(result)?),
            names::CALCULATE_PERFORMANCE_RATIO => Self::Performance(of(result)?),
            names::DIAGNOSE_ERROR_CODES => Self::Errors(of(result)?),
            names::HEALTH_CHECK => Self::Service(of(result)?),
            names::GET_FLEET_OVERVIEW => Self::Fleet(of(result)?),
            names::ANALYZE_INVERTER_HEALTH => {
                let report: Box<AnomalyReport> = of(result)?;
                if report.scope.is_some() {
                    Self::FleetHealth(cards::findings_of_several(*report))
                } else {
                    Self::Health(report)
                }
            }
            names::COMPARE_LOGGERS => Self::Comparison(of(result)?),
            names::CALCULATE_FINANCIAL_SAVINGS => Self::Savings(of(result)?),
            names::LIST_LOGGERS => Self::Loggers(of(result)?),
            _ => return Self::by_contract(registry::descriptor(tool)?, result.clone()),
        })
    }

    /// The result of a tool that says itself what its result says; `None` of another one.
    pub(super) fn by_contract(tool: &Descriptor, result: Value) -> Option<Self> {
        let presented = tool.present(&result)?;
        let says = !presented.facts.is_empty() || presented.card.is_some();
        says.then(|| Self::Presented(Box::new(PresentedReply { result, presented })))
    }

    /// The energy by day, week, month or year, if it is that.
    pub(super) fn energy_history(&self) -> Option<EnergyHistory> {
        match self {
            Self::Presented(reply) => of(&reply.result),
            _ => None,
        }
    }

    /// Takes out what the tool says that begins so, because the answer says more of it.
    pub(super) fn leave_out(&mut self, beginning: &str) {
        if let Self::Presented(reply) = self {
            let facts = &mut reply.presented.facts;
            facts.retain(|fact| !fact.starts_with(beginning));
        }
    }

    pub(super) fn facts(&self) -> Facts<'_> {
        match self {
            Self::PowerCurve(curve, stats) => Facts::PowerCurve {
                curve,
                stats: stats.as_ref(),
            },
            Self::Forecast(forecast) => Facts::Forecast { forecast },
            Self::Performance(report) => Facts::Performance { report },
            Self::Errors(report) => Facts::Errors { report },
            Self::Service(report) => Facts::Service { report },
            Self::Fleet(overview) => Facts::Briefing {
                overview,
                diagnostics: &[],
                previous: None,
            },
            Self::Health(report) => Facts::Health { report },
            Self::FleetHealth(health) => Facts::FleetHealth {
                rows: &health.rows,
                reports: &health.reports,
                availability: health.availability,
            },
            Self::Comparison(comparison) => Facts::Audit { comparison },
            Self::Savings(report) => Facts::Financial {
                report,
                forecast: None,
            },
            Self::Loggers(list) => Facts::Loggers { list },
            Self::Presented(reply) => Facts::Presented {
                facts: &reply.presented.facts,
                result: &reply.result,
            },
        }
    }

    /// The card that belongs to it, if it has one.
    pub(super) fn card(&self) -> Option<UiComponent> {
        match self {
            Self::PowerCurve(curve, stats) => Some(cards::power_curve_chart(curve, stats.clone())),
            Self::Forecast(forecast) if !forecast.forecasts.is_empty() => {
                Some(cards::forecast_chart(forecast))
            }
            Self::Fleet(overview) => Some(cards::fleet_card(overview, &Diagnostics::default())),
            Self::Health(report) => Some(cards::health_card(report)),
            Self::FleetHealth(health) => Some(cards::fleet_health_card(health)),
            Self::Comparison(comparison) => Some(cards::comparison_chart(comparison)),
            Self::Savings(report) => Some(cards::financial_card(report, None)),
            Self::Performance(report) => Some(cards::performance_chart(report)),
            Self::Errors(report) => Some(cards::error_codes_chart(report)),
            Self::Presented(reply) => reply.presented.card.clone(),
            Self::Forecast(_) | Self::Service(_) | Self::Loggers(_) => None,
        }
    }
}

fn of<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}
