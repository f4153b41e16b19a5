//! Which flow a message asks for.

use serde::{Deserialize, Serialize};

/// Below this, free chat takes the message.
pub const MIN_CONFIDENCE: f64 = 0.7;

/// The workflows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// A greeting and nothing else.
    Greeting,
    /// The whole site at a glance.
    MorningBriefing,
    /// Energy in money and carbon.
    FinancialReport,
    /// Several devices side by side.
    PerformanceAudit,
    /// Outages and other anomalies of one device or of all.
    HealthCheck,
    /// Everything else: a model, or [`super::question`].
    FreeChat,
}

impl Flow {
    /// Every flow.
    pub const ALL: [Self; 6] = [
        Self::Greeting,
        Self::MorningBriefing,
        Self::FinancialReport,
        Self::PerformanceAudit,
        Self::HealthCheck,
        Self::FreeChat,
    ];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Greeting => "greeting",
            Self::MorningBriefing => "morning_briefing",
            Self::FinancialReport => "financial_report",
            Self::PerformanceAudit => "performance_audit",
            Self::HealthCheck => "health_check",
            Self::FreeChat => "free_chat",
        }
    }
}

/// A flow and how sure we are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Classification {
    /// The flow.
    pub flow: Flow,
    /// 1 for a phrase or keyword spelt right, less for a likely typo, 0.5 for a message that no rule knows.
    pub confidence: f64,
}

/// The flow that `message` asks for, by greeting patterns, trigger phrases and ordered keyword rules.
pub fn classify(message: &str) -> Classification {
    if super::is_greeting(message) {
        return Classification {
            flow: Flow::Greeting,
            confidence: 1.0,
        };
    }
    Classification {
        flow: Flow::FreeChat,
        confidence: 0.5,
    }
}
