//! The report of an evaluation, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::Figures;

/// The results of an evaluation.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// Number of questions.
    pub questions: usize,
    /// Number of passages in the library.
    pub passages: usize,
    /// The embedding model, if there is one.
    pub model: Option<String>,
    /// The results per available mode.
    pub modes: BTreeMap<String, ModeReport>,
}

/// The results of one search mode.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModeReport {
    /// The figures over all questions.
    pub figures: Figures,
    /// The figures by kind of question.
    pub by_kind: BTreeMap<String, Figures>,
    /// The median time of a search in milliseconds.
    pub median_ms: f64,
    /// The questions whose passage was not among the first five.
    pub missed: Vec<Miss>,
}

/// A question whose passage did not rank among the first five.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Miss {
    /// The question in words.
    pub question: String,
    /// The rank of the passage, from 1; `None` beyond rank ten.
    pub rank: Option<usize>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self
            .model
            .as_deref()
            .unwrap_or("no embedding model: text search only");
        writeln!(
            f,
            "{} questions, {} passages, {model}\n",
            self.questions, self.passages
        )?;
        writeln!(
            f,
            "{:<8} {:<12} {:>9} {:>9} {:>9} {:>10} {:>8} {:>8} {:>10}",
            "",
            "questions",
            "recall@1",
            "recall@3",
            "recall@5",
            "recall@10",
            "MRR@10",
            "nDCG@10",
            "median ms"
        )?;
        for (name, mode) in &self.modes {
            write_row(f, name, "all", &mode.figures)?;
            writeln!(f, " {:>10.2}", mode.median_ms)?;
            for (kind, figures) in &mode.by_kind {
                write_row(f, "", kind, figures)?;
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, name: &str, kind: &str, figures: &Figures) -> fmt::Result {
    let Figures {
        recall_at_1,
        recall_at_3,
        recall_at_5,
        recall_at_10,
        mrr_at_10,
        ndcg_at_10,
    } = figures;
    write!(
        f,
        "{name:<8} {kind:<12} {recall_at_1:>9.3} {recall_at_3:>9.3} {recall_at_5:>9.3} {recall_at_10:>10.3} {mrr_at_10:>8.3} {ndcg_at_10:>8.3}"
    )
}
