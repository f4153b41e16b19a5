//! The solar tools: a file of each, with its arguments and its result, and what several share.
//!
//! Bounds of arguments are in their schemas and are enforced: outside them a call is answered
//! 422. Times carry the site's offset; days are the site's local days; numbers follow the methods
//! that `crates/solar` documents.

mod analyze_inverter_health;
mod basis;
mod calculate_financial_savings;
mod calculate_performance_ratio;
mod check_alert;
mod compare_loggers;
mod diagnose_error_codes;
mod forecast_production;
mod get_energy_history;
mod get_fleet_overview;
mod get_power_curve;
mod health_check;
mod list_loggers;

pub use analyze_inverter_health::*;
pub use basis::*;
pub use calculate_financial_savings::*;
pub use calculate_performance_ratio::*;
pub use check_alert::*;
pub use compare_loggers::*;
pub use diagnose_error_codes::*;
pub use forecast_production::*;
pub use get_energy_history::*;
pub use get_fleet_overview::*;
pub use get_power_curve::*;
pub use health_check::*;
pub use list_loggers::*;

/// The solar tools, in the order in which
/// they are listed: the constant of the name, the module in the tools service, the type.
#[macro_export]
macro_rules! solar_tools {
    ($with:ident $($extra:tt)?) => {
        $with! {
            $($extra)?
            LIST_LOGGERS list_loggers $crate::tools::solar::ListLoggers,
            GET_FLEET_OVERVIEW get_fleet_overview $crate::tools::solar::GetFleetOverview,
            ANALYZE_INVERTER_HEALTH analyze_inverter_health $crate::tools::solar::AnalyzeInverterHealth,
            GET_POWER_CURVE get_power_curve $crate::tools::solar::GetPowerCurve,
            GET_ENERGY_HISTORY get_energy_history $crate::tools::solar::GetEnergyHistory,
            COMPARE_LOGGERS compare_loggers $crate::tools::solar::CompareLoggers,
            CALCULATE_FINANCIAL_SAVINGS calculate_financial_savings $crate::tools::solar::CalculateFinancialSavings,
            CALCULATE_PERFORMANCE_RATIO calculate_performance_ratio $crate::tools::solar::CalculatePerformanceRatio,
            FORECAST_PRODUCTION forecast_production $crate::tools::solar::ForecastProduction,
            DIAGNOSE_ERROR_CODES diagnose_error_codes $crate::tools::solar::DiagnoseErrorCodes,
            CHECK_ALERT check_alert $crate::tools::solar::CheckAlert,
            HEALTH_CHECK health_check $crate::tools::solar::HealthCheck,
        }
    };
}
