//! Builds the guidance that comes with a result.

use contracts::tools::{
    Insight, InsightKind, InsightSeverity, NextStep, NextStepPriority, ToolContext, UiSuggestion,
};
use serde_json::Value;

/// Maximum number of insights, and of next steps, that documents and clients expect.
const MOST: usize = 3;

/// Guidance in the making.
pub(super) struct Guidance {
    context: ToolContext,
}

impl Guidance {
    /// Guidance that begins with one sentence.
    pub(super) fn new(summary: impl Into<String>) -> Self {
        Self {
            context: ToolContext {
                summary: summary.into(),
                insights: Vec::new(),
                next_steps: Vec::new(),
                ui_suggestion: None,
                alert: None,
            },
        }
    }

    /// Adds an observation; beyond three they are dropped, so the important ones come first.
    pub(super) fn insight(
        mut self,
        kind: InsightKind,
        severity: InsightSeverity,
        title: &str,
        description: impl Into<String>,
    ) -> Self {
        if self.context.insights.len() < MOST {
            self.context.insights.push(Insight {
                kind,
                severity,
                title: title.to_owned(),
                description: description.into(),
                metric: None,
                benchmark: None,
            });
        }
        self
    }

    /// Says which figure the last observation rests on, and what it is compared with.
    pub(super) fn measured(mut self, metric: impl Into<String>, benchmark: Option<String>) -> Self {
        if let Some(insight) = self.context.insights.last_mut() {
            insight.metric = Some(metric.into());
            insight.benchmark = benchmark;
        }
        self
    }

    /// Adds a call of a tool as something to do next; beyond three they are dropped.
    pub(super) fn step(
        mut self,
        priority: NextStepPriority,
        action: impl Into<String>,
        reason: impl Into<String>,
        (tool, params): (&str, Value),
    ) -> Self {
        if self.context.next_steps.len() < MOST {
            self.context.next_steps.push(NextStep {
                priority,
                action: action.into(),
                reason: reason.into(),
                tool_hint: Some(tool.to_owned()),
                params: params.as_object().cloned(),
            });
        }
        self
    }

    /// Says how to show the result.
    pub(super) fn show(
        mut self,
        component: &str,
        display_mode: &str,
        highlight: Option<&str>,
        colours: &str,
    ) -> Self {
        self.context.ui_suggestion = Some(UiSuggestion {
            preferred_component: component.to_owned(),
            display_mode: display_mode.to_owned(),
            highlight_metric: highlight.map(str::to_owned),
            color_scheme: Some(colours.to_owned()),
        });
        self
    }

    /// Says what must not be missed; the first alert counts.
    pub(super) fn alert(mut self, alert: Option<String>) -> Self {
        self.context.alert = self.context.alert.or(alert);
        self
    }

    /// The guidance, most urgent steps first.
    pub(super) fn build(mut self) -> ToolContext {
        self.context.next_steps.sort_by_key(|step| step.priority);
        self.context
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn there_are_at_most_three_of_each_and_the_urgent_come_first() {
        let mut guidance = Guidance::new("All well.");
        for title in ["1", "2", "3", "4"] {
            guidance =
                guidance.insight(InsightKind::Operational, InsightSeverity::Info, title, "x");
        }
        let steps = [
            NextStepPriority::Optional,
            NextStepPriority::Urgent,
            NextStepPriority::Suggested,
        ];
        for priority in steps.into_iter().chain(steps) {
            guidance = guidance.step(priority, "a", "b", ("list_loggers", json!({})));
        }
        let context = guidance
            .alert(Some("first".into()))
            .alert(Some("second".into()))
            .build();
        assert_eq!(context.insights.len(), 3);
        assert_eq!(context.next_steps.len(), 3);
        assert_eq!(context.next_steps[0].priority, NextStepPriority::Urgent);
        assert_eq!(context.alert.as_deref(), Some("first"));
    }
}
