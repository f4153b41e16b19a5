//! What an evaluation came to, for people and for programs.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::Figures;

/// What an evaluation came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// How many questions were asked.
    pub questions: usize,
    /// Among how many passages.
    pub passages: usize,
    /// The embedding model, where there is one.
    pub model: Option<String>,
    /// Each mode that could be had.
    pub modes: BTreeMap<String, ModeReport>,
}

/// What a mode came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModeReport {
    /// Over all questions.
    pub figures: Figures,
    /// By the questions' kinds.
    pub by_kind: BTreeMap<String, Figures>,
    /// How long half of the searches took at most.
    pub median_ms: f64,
    /// The questions whose passage was not among the first five.
    pub missed: Vec<Miss>,
}

/// A question whose passage did not stand high.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Miss {
    /// The question.
    pub question: String,
    /// Where its passage stood, from 1; `None` beyond the tenth place.
    pub rank: Option<usize>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self
            .model
            .as_deref()
            .unwrap_or("no embedding model: text alone");
        writeln!(
            f,
            "{} questions, {} passages, {model}\n",
            self.questions, self.passages
        )?;
        writeln!(
            f,
            "{:<8} {:<12} {:>9} {:>9} {:>10} {:>8} {:>8} {:>10}",
            "", "questions", "recall@1", "recall@5", "recall@10", "MRR@10", "nDCG@10", "median ms"
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
        recall_at_5,
        recall_at_10,
        mrr_at_10,
        ndcg_at_10,
    } = figures;
    write!(
        f,
        "{name:<8} {kind:<12} {recall_at_1:>9.3} {recall_at_5:>9.3} {recall_at_10:>10.3} {mrr_at_10:>8.3} {ndcg_at_10:>8.3}"
    )
}
