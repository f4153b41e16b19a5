//! "Which 10 customers have the most orders?"

use std::sync::LazyLock;

use regex::Regex;

use super::{Asks, Shape};
use crate::language::names::named;

/// Groups that are shown where no number is said.
const SHOWN: u32 = 10;

static MOST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^(?:please\ )?(?:which|what|(?:show|list|tell)(?:\ me)?)\ (?:(?:are|is)\ )?(?:the\ )?(?:top\ )?(?:(?P<most>[1-9]\d{0,2})\ )?(?P<by>[\w\ ]+?)
        \ (?:have|has|had|with|got)\ (?:got\ )?(?:the\ )?(?P<end>most|largest\ number\ of|highest\ number\ of|fewest|least|smallest\ number\ of|lowest\ number\ of)\ (?P<what>[\w\ ]+?)$",
    )
    .ok()
});

/// The groups of a list that are the largest or the smallest ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ranking {
    pub(crate) most: u32,
    /// The smallest ones: those without any are among them.
    pub(crate) fewest: bool,
}

/// Which of one have the most or the fewest of the other.
pub(super) fn shape<'a>(
    question: &str,
    tables: impl IntoIterator<Item = &'a str>,
) -> Option<Shape> {
    let found = MOST.as_ref()?.captures(question)?;
    let end = found["end"].to_lowercase();
    let most = found.name("most").map(|most| most.as_str().parse());
    Some(Shape {
        table: named(&found["what"], tables)?.to_owned(),
        asks: Asks::Ranked {
            by: found["by"].to_owned(),
            ranking: Ranking {
                most: most.and_then(Result::ok).unwrap_or(SHOWN),
                fewest: !["most", "largest", "highest"]
                    .iter()
                    .any(|word| end.starts_with(word)),
            },
        },
    })
}
