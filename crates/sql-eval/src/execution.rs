//! Execution accuracy: whether a model's statement returns the same result as the correct
//! statement. This module has the questions, the prompt, and the comparison. The caller asks the
//! model and runs the statements.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Error;
use crate::lines::{SkippedLine, Tally, on_all_cores};

/// A question with its correct statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalQuestion {
    /// The id of the question.
    pub id: String,
    /// The question in words.
    pub question: String,
    /// The correct statement.
    pub sql: String,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: String,
    db: String,
    question: String,
    sql: String,
}

#[derive(Default)]
struct Asked(Vec<(usize, String, EvalQuestion)>);

impl Tally for Asked {
    fn add(&mut self, other: Asked) {
        self.0.extend(other.0);
    }

    /// Unusable lines were reported when the file was checked.
    fn skipped(&mut self, _odd: SkippedLine) {}
}

/// The questions of a file, grouped by database, in the order of the file.
pub fn questions(cases: &Path) -> Result<BTreeMap<String, Vec<EvalQuestion>>, Error> {
    let mut asked: Asked = on_all_cores(cases, |asked: &mut Asked, number, line: Line| {
        let Line {
            id,
            db,
            question,
            sql,
        } = line;
        asked
            .0
            .push((number, db, EvalQuestion { id, question, sql }));
        Ok(())
    })?;
    asked.0.sort_by_key(|(number, ..)| *number);
    let mut by_database: BTreeMap<String, Vec<EvalQuestion>> = BTreeMap::new();
    for (_, db, question) in asked.0 {
        by_database.entry(db).or_default().push(question);
    }
    Ok(by_database)
}

/// The prompt for a model: the dialect, the schema as text, the question.
pub fn prompt(dialect: &str, schema: &str, question: &str) -> String {
    format!(
        "Write one {dialect} SELECT statement that answers the question, from these tables only. Select what is asked for and \
         nothing else. Answer with the statement alone.\n\n{schema}\nQuestion: {question}"
    )
}

/// The statement in a model's answer: the contents of a code fence, otherwise the whole answer.
pub fn statement(answer: &str) -> &str {
    let fenced = answer.split_once("```").map(|(_, rest)| {
        let body = rest.split_once("```").map_or(rest, |(body, _)| body);
        let tag = body.split_once('\n');
        tag.filter(|(tag, _)| tag.chars().all(char::is_alphanumeric))
            .map_or(body, |(_, body)| body)
    });
    fenced.unwrap_or(answer).trim()
}

/// The comparison of a result with the correct one. Column names are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// The result has the same columns, in any order, and the same rows.
    pub exact: bool,
    /// The result contains the correct columns, with the same rows.
    pub subset: bool,
}

/// Compares results row by row and column by column. The order of rows matters if `ordered` is set.
pub fn compare(correct: &[Vec<Value>], result: &[Vec<Value>], ordered: bool) -> Verdict {
    let (correct, result) = (texts(correct), texts(result));
    let width = |rows: &[Vec<String>]| rows.first().map_or(0, Vec::len);
    let subset = correct.len() == result.len()
        && (correct.is_empty() || fits(&correct, &result, &mut Vec::new(), ordered));
    let same_width = correct.is_empty() || width(&correct) == width(&result);
    Verdict {
        exact: subset && same_width,
        subset,
    }
}

/// Whether a statement has an `ORDER BY` at the outermost level.
pub fn is_ordered(sql: &str) -> bool {
    let sql = sql.to_lowercase();
    let last = sql.split("order by").count() > 1;
    last && sql
        .rsplit_once("order by")
        .is_some_and(|(_, rest)| rest.matches(')').count() <= rest.matches('(').count())
}

/// Searches a column of the result for each correct column. Columns with the same set of values are
/// tried first.
fn fits(
    correct: &[Vec<String>],
    result: &[Vec<String>],
    chosen: &mut Vec<usize>,
    ordered: bool,
) -> bool {
    let at = chosen.len();
    if at == correct[0].len() {
        let mut projected: Vec<Vec<&String>> = result
            .iter()
            .map(|row| chosen.iter().map(|&column| &row[column]).collect())
            .collect();
        let mut wanted: Vec<Vec<&String>> =
            correct.iter().map(|row| row.iter().collect()).collect();
        if !ordered {
            projected.sort_unstable();
            wanted.sort_unstable();
        }
        return projected == wanted;
    }
    let values = column(correct, at);
    for candidate in 0..result[0].len() {
        if !chosen.contains(&candidate) && column(result, candidate) == values {
            chosen.push(candidate);
            if fits(correct, result, chosen, ordered) {
                return true;
            }
            chosen.pop();
        }
    }
    false
}

fn column(rows: &[Vec<String>], at: usize) -> Vec<&String> {
    let mut values: Vec<&String> = rows.iter().map(|row| &row[at]).collect();
    values.sort_unstable();
    values
}

/// The values in the form for comparison: `3`, `3.0` and `"3.00"` are equal.
fn texts(rows: &[Vec<Value>]) -> Vec<Vec<String>> {
    let text = |value: &Value| {
        let written = match value {
            Value::String(text) => text.clone(),
            Value::Bool(truth) => u8::from(*truth).to_string(),
            other => other.to_string(),
        };
        written
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
            .map_or(written, |number| format!("{number:.6e}"))
    };
    rows.iter()
        .map(|row| row.iter().map(text).collect())
        .collect()
}

/// The results of asking a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Accuracy {
    /// Number of questions whose correct statement ran.
    pub questions: usize,
    /// Number of answers with exactly the correct result.
    pub exact: usize,
    /// Number of answers whose columns include the correct result.
    pub subset: usize,
    /// Number of statements that the guard rejected.
    pub refused: usize,
    /// Number of statements that the database rejected.
    pub failed: usize,
    /// Number of questions without an answer of the model.
    pub unanswered: usize,
    /// Number of questions left out because their correct statement does not run here.
    pub left_out: usize,
}

/// The lines of the printed table.
impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: usize| 100.0 * part as f64 / self.questions.max(1) as f64;
        let mut text = String::new();
        writeln!(
            text,
            "\nexecution accuracy    {:>7} questions",
            self.questions
        )?;
        writeln!(text, "  exact               {:>7.2} %", percent(self.exact))?;
        writeln!(
            text,
            "  subset              {:>7.2} %",
            percent(self.subset)
        )?;
        let Accuracy {
            refused,
            failed,
            unanswered,
            left_out,
            ..
        } = self;
        writeln!(
            text,
            "  {refused} refused by the guard, {failed} by the database, {unanswered} without an answer; {left_out} left out: \
             the correct statement does not run here"
        )?;
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows(value: &Value) -> Vec<Vec<Value>> {
        serde_json::from_value(value.clone()).unwrap()
    }

    fn verdict(correct: &Value, result: &Value, ordered: bool) -> (bool, bool) {
        let Verdict { exact, subset } = compare(&rows(correct), &rows(result), ordered);
        (exact, subset)
    }

    #[test]
    fn columns_and_rows_may_change_places_and_more_columns_are_a_subset() {
        let correct = json!([["Ada", 1], ["Ben", 2]]);
        assert_eq!(
            verdict(&correct, &json!([["2.0", "Ben"], [1, "Ada"]]), false),
            (true, true)
        );
        assert_eq!(
            verdict(&correct, &json!([["2.0", "Ben"], [1, "Ada"]]), true),
            (false, false)
        );
        assert_eq!(
            verdict(&correct, &json!([["Ada", 9, 1], ["Ben", 9, 2]]), false),
            (false, true)
        );
        assert_eq!(
            verdict(&correct, &json!([["Ada", 2], ["Ben", 1]]), false),
            (false, false)
        );
        assert_eq!(
            verdict(&correct, &json!([["Ada", 1]]), false),
            (false, false)
        );
        assert_eq!(verdict(&json!([]), &json!([]), false), (true, true));
        assert_eq!(
            verdict(&json!([[1, 2, 1]]), &json!([[1, 1, 2]]), false),
            (true, true)
        );
        assert_eq!(
            verdict(&json!([[1, 1]]), &json!([[1, 2]]), false),
            (false, false)
        );
    }

    #[test]
    fn statements_are_taken_out_of_their_fence() {
        assert_eq!(statement("SELECT 1;\n"), "SELECT 1;");
        assert_eq!(statement("Here:\n```sql\nSELECT 1\n```\nDone."), "SELECT 1");
        assert_eq!(statement("```\nSELECT 1\n"), "SELECT 1");
    }

    #[test]
    fn only_an_outer_order_counts() {
        assert!(is_ordered("SELECT a FROM t ORDER BY COUNT(a) DESC LIMIT 1"));
        assert!(!is_ordered("SELECT a FROM (SELECT a FROM t ORDER BY a) q"));
        assert!(!is_ordered("SELECT a FROM t"));
    }
}
