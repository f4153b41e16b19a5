//! `[budgets]`: what the models of answers may cost in a day.

use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate};

/// `[budgets]`. Days are those of UTC. A limit that is absent is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetsConfig {
    /// Tokens that one person's answers may read and write.
    pub person_tokens: Option<u64>,
    /// Cost of one person's answers, in the currency of `[llm.prices]`.
    pub person_cost: Option<f64>,
    /// The same for all persons of a tenant together.
    pub tenant_tokens: Option<u64>,
    /// The same for all persons of a tenant together.
    pub tenant_cost: Option<f64>,
    /// What happens when a budget is used up.
    pub when_spent: WhenSpent,
}

/// What happens when a budget is used up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenSpent {
    /// Rules answer, and say why.
    #[default]
    Rules,
    /// New messages are refused until the next day.
    Refuse,
}

impl BudgetsConfig {
    /// Whether there is any limit.
    pub(crate) fn is_limited(&self) -> bool {
        let limits = [self.person_tokens, self.tenant_tokens];
        let costs = [self.person_cost, self.tenant_cost];
        limits.iter().any(Option::is_some) || costs.iter().any(Option::is_some)
    }
}

impl Validate for BudgetsConfig {
    fn validate(&self) -> Result<(), Invalid> {
        let costs = [
            ("person_cost", self.person_cost),
            ("tenant_cost", self.tenant_cost),
        ];
        for (key, cost) in costs {
            if cost.is_some_and(|cost| !cost.is_finite() || cost < 0.0) {
                return Err(Invalid::new(key, "must not be negative"));
            }
        }
        Ok(())
    }
}
