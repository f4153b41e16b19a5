//! The cards and charts that an answer shows, made of tool results and nothing else.

mod charts;
mod figures;
mod fleet;
mod reports;

pub(crate) use charts::{comparison_chart, forecast_chart, power_curve_chart};
pub(crate) use figures::{error_codes_chart, performance_chart};
pub(crate) use fleet::fleet_card;
#[cfg(test)]
pub(crate) use reports::health_word;
pub(crate) use reports::{
    error_card, financial_card, findings_of_several, fleet_health_card, fleet_health_row,
    health_card,
};

use contracts::ui::{RenderUiComponent, Suggestion, UiComponent};

/// A card with what to ask next.
pub(crate) fn card(component: UiComponent, suggestions: Vec<Suggestion>) -> RenderUiComponent {
    RenderUiComponent {
        component,
        suggestions,
    }
}

#[cfg(test)]
mod tests;
