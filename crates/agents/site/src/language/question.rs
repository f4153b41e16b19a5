//! Which single tool answers a message in free chat.

/// What free chat can answer without a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Question {
    /// `get_power_curve`: one device, one day.
    PowerCurve,
    /// `forecast_production`.
    Forecast,
    /// `compare_loggers`.
    Compare,
    /// `calculate_financial_savings`.
    Savings,
    /// `calculate_performance_ratio`: one device, one day.
    PerformanceRatio,
    /// `analyze_inverter_health`.
    Health,
    /// `diagnose_error_codes`.
    ErrorCodes,
    /// `get_fleet_overview`.
    Fleet,
    /// `list_loggers`.
    ListLoggers,
    /// `health_check`: the service itself.
    ServiceHealth,
    /// What the assistant can do.
    Help,
    /// None of these.
    Unknown,
}

/// The question that `message` puts.
pub fn question(message: &str) -> Question {
    let _ = message;
    Question::Unknown
}
