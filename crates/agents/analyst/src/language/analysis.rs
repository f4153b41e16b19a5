//! What of earlier results is to be analysed.

/// What is to be found out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnalysisRequest {
    /// What is looked at, in the person's words: `delay`.
    pub topic: Option<String>,
    /// What is looked for; empty when the words do not say.
    pub kinds: Vec<AnalysisKind>,
    /// By what groups are compared: `carrier`.
    pub by: Option<String>,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum AnalysisKind {
    Summary,
    Distribution,
    Trend,
    Correlation,
    Comparison,
    Anomalies,
    Seasonality,
    ChangePoints,
}

impl AnalysisRequest {
    /// The key of the task that looks for patterns: `identify_delay_patterns`.
    pub fn pattern_task(&self) -> String {
        "identify_patterns".to_owned()
    }
}

/// What the message `text` wants to know about earlier results.
pub fn read_analysis(text: &str) -> AnalysisRequest {
    let _ = text;
    AnalysisRequest::default()
}
