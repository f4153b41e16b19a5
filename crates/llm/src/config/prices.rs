//! `[llm.prices]`: what the tokens of models cost.

use configuration::{Invalid, Validate};
use serde::{Deserialize, Serialize};

use crate::Usage;

/// Tokens that a price is for.
const UNIT: f64 = 1_000_000.0;

/// The price of a model's tokens, per million, in the currency that all prices have.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceConfig {
    /// Input tokens.
    pub input: f64,
    /// Input tokens that the provider read from its cache. Absent: as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<f64>,
    /// Output tokens, those of reasoning included.
    pub output: f64,
}

impl PriceConfig {
    /// The cost of these tokens, in millionths.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "tokens of a call are far below the limits, and prices are not negative"
    )]
    pub(crate) fn of(&self, usage: Usage) -> u64 {
        let cached = usage.cached_input_tokens.min(usage.input_tokens);
        let fresh = usage.input_tokens - cached;
        let millions = |tokens: u64, price: f64| tokens as f64 / UNIT * price;
        let cost = millions(fresh, self.input)
            + millions(cached, self.cached_input.unwrap_or(self.input))
            + millions(usage.output_tokens, self.output);
        (cost * 1_000_000.0).round() as u64
    }
}

impl Validate for PriceConfig {
    fn validate(&self) -> Result<(), Invalid> {
        let prices = [
            ("input", Some(self.input)),
            ("cached_input", self.cached_input),
            ("output", Some(self.output)),
        ];
        for (key, price) in prices {
            if price.is_some_and(|price| !price.is_finite() || price < 0.0) {
                return Err(Invalid::new(key, "must not be negative"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_tokens_have_a_price_of_their_own() {
        let price = PriceConfig {
            input: 3.0,
            cached_input: Some(0.3),
            output: 15.0,
        };
        let usage = Usage {
            input_tokens: 10_000,
            cached_input_tokens: 8_000,
            output_tokens: 100,
            reasoning_tokens: 40,
            cost_micros: 0,
        };
        assert_eq!(price.of(usage), 6_000 + 2_400 + 1_500);
        assert!(
            PriceConfig {
                input: -1.0,
                ..price
            }
            .validate()
            .is_err()
        );
    }
}
