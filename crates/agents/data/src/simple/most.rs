//! "Which 10 customers have the most orders?"

use std::sync::LazyLock;

use regex::Regex;

use super::{Asks, Reads, Shape, normal};

/// Groups that are shown where no number is said.
const SHOWN: u32 = 10;

/// A verb between the groups and their rows: only those that do not limit the rows. "Cancelled the
/// most rentals" counts cancelled ones.
const END: &str = r"(?:the\ )?(?P<end>most|(?:largest|highest|greatest|biggest)\ (?:number|count|amount)\ of|fewest|least|(?:smallest|lowest)\ (?:number|count)\ of)\ (?P<what>[^?]+?)$";

static MOST: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let begin = r"(?ix)^(?:please\ )?";
    let by = r"(?:the\ )?(?:top\ )?(?:(?P<most>[1-9]\d{0,2})\ )?(?P<by>[\w\ ]+?)";
    [
        format!(
            r"{begin}(?:which|what|(?:show|list|tell|give)(?:\ me)?)\ (?:(?:are|is)\ )?{by}
            \ (?:have|has|had|with|got|placed|made|wrote|took|did|received|holds?|owns?)\ (?:got\ )?{END}"
        ),
        format!(r"{begin}(?:(?:who|what|which)\ (?:are|is)\ )?{by}\ (?:with|having|that\ (?:has|have)|who\ (?:has|have))\ {END}"),
        format!(
            r"{begin}(?:(?:which|what|who)(?:\ (?:are|is))?\ |(?:show|list|give)(?:\ me)?\ )?(?:the\ )?(?P<end>top|bottom)\ (?:(?P<most>[1-9]\d{{0,2}})\ )?(?P<by>[\w\ ]+?)
            \ by\ (?:the\ )?(?:number|count)\ of\ (?P<what>[^?]+?)$"
        ),
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// The groups of a list that are the largest or the smallest ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ranking {
    pub(crate) most: u32,
    /// The smallest ones: those without any are among them.
    pub(crate) fewest: bool,
}

/// The words of a question for the largest or the smallest groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Superlative {
    by: String,
    pub(crate) what: String,
    most: Option<u32>,
    pub(crate) fewest: bool,
}

impl Superlative {
    pub(crate) fn of(question: &str) -> Option<Self> {
        let question = normal(question);
        let found = MOST.iter().find_map(|form| form.captures(&question))?;
        let end = found["end"].to_lowercase();
        let fewest = ["fewest", "least", "smallest", "lowest", "bottom"];
        Some(Self {
            by: found["by"].to_owned(),
            what: found["what"].to_owned(),
            most: found
                .name("most")
                .and_then(|most| most.as_str().parse().ok()),
            fewest: fewest.iter().any(|word| end.starts_with(word)),
        })
    }
}

/// Which of one have the most or the fewest of the other.
pub(super) fn shape(question: &str, reads: &Reads<'_>) -> Option<Shape> {
    let asked = Superlative::of(question)?;
    let asks = Asks::Ranked {
        by: asked.by,
        ranking: Ranking {
            most: asked.most.unwrap_or(SHOWN),
            fewest: asked.fewest,
        },
    };
    Some(Shape::of(reads(&asked.what)?, asks))
}
