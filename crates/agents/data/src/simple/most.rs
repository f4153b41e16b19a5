//! "Which 10 customers have the most orders?"

use std::sync::LazyLock;

use regex::Regex;

use super::{Adds, Asks, Limits, Reads, Shape, normal};
use crate::language::names::named;

/// Groups that are shown where no number is said.
pub(super) const SHOWN: u32 = 10;

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

/// The largest ones by a figure: "top 5 customers by total amount of invoices", "which customer has
/// the highest average fee of rentals?"
static BY_FIGURE: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let begin = r"(?ix)^(?:please\ )?(?:(?:which|what|who)(?:\ (?:are|is))?\ |(?:show|list|give|name|tell)(?:\ me)?\ )?(?:(?:the|our)\ )*";
    let figure = r"(?:the\ |their\ )*(?P<adds>total|sum\ of|overall|average|mean|avg)?\ ?(?:the\ |their\ )?(?P<measure>[\w\ ]+?)(?:\ of\ (?:(?:the|our|their|all)\ )*(?P<what>[^?]+?))?$";
    [
        format!(r"{begin}(?P<end>top|bottom|best|highest|largest|biggest|lowest|smallest)\ (?:(?P<most>[1-9]\d{{0,2}})\ )?(?P<by>[\w\ ]+?)\ by\ {figure}"),
        format!(r"{begin}(?:(?P<most>[1-9]\d{{0,2}})\ )?(?P<by>[\w\ ]+?)\ (?:have|has|had|with|having)\ the\ (?P<end>highest|largest|biggest|greatest|lowest|smallest)\ {figure}"),
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

static ARTICLES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:(?:the|our|their|all)\ )+").ok());

/// The largest or smallest of one by a sum, an average or a figure of their own.
pub(super) fn by_figure(question: &str, reads: &Reads<'_>, tables: &[&str]) -> Option<Shape> {
    let found = BY_FIGURE.iter().find_map(|form| form.captures(question))?;
    let text = |name: &str| found.name(name).map(|part| part.as_str().trim());
    let adds = text("adds").map(|word| match &*word.to_lowercase() {
        "average" | "mean" | "avg" => Adds::Average,
        _ => Adds::Sum,
    });
    let end = text("end")?.to_lowercase();
    let ranking = Ranking {
        most: text("most")
            .and_then(|most| most.parse().ok())
            .unwrap_or(SHOWN),
        fewest: ["bottom", "lowest", "smallest"].contains(&&*end),
    };
    let (by, measure) = (text("by")?, text("measure")?);
    let total = |rows: (String, Limits), measure: &str| {
        let asks = Asks::RankedTotal {
            adds: adds.unwrap_or(Adds::Sum),
            measure: measure.to_owned(),
            by: by.to_owned(),
            ranking,
        };
        Shape::of(rows, asks)
    };
    // "The highest total of invoices" names no column.
    let bare = measure.strip_prefix("of ").filter(|_| adds.is_some());
    let (measure, what) = bare.map_or((measure, text("what")), |what| ("", Some(what)));
    if let Some(what) = what {
        let what = ARTICLES.as_ref()?.replace(what, "");
        return Some(total(reads(&what)?, measure));
    }
    // "By total invoice amount": the table is named before the column.
    let said: Vec<&str> = measure.split(' ').collect();
    let of_table = (1..=said.len()).rev().find_map(|at| {
        let table = named(&said[..at].join(" "), tables.iter().copied())?;
        Some((table, said[at..].join(" ")))
    });
    if let Some((table, measure)) = of_table.filter(|(table, _)| named(by, [*table]).is_none())
        && (adds.is_some() || !measure.is_empty())
    {
        return Some(total((table.to_owned(), Limits::default()), &measure));
    }
    let measure = measure.to_owned();
    Some(Shape::of(
        reads(by)?,
        Asks::Top {
            adds,
            measure,
            ranking,
        },
    ))
}
