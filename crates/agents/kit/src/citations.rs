//! Citations that exist and support what they are behind: the check of a model's sentences about
//! documents.
//!
//! A sentence is supported by a passage when its figures are in it, and enough of its words. A
//! sentence that cites another passage, or none, gets the number of the one that supports it; one
//! that nothing supports is left out. Sentences without a statement (announcements, questions, that
//! nothing was found) wait for a supported sentence: on their own they are an answer only where
//! there is nothing to quote.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use llm::FinishReason;
use regex::Regex;
use serde_json::Value;

use crate::passages::{Passages, words};
use crate::sentence_filter::{SentenceFilter, Verdict};

/// Part of a sentence's words that have to be in the passage that it cites, and in one that it does
/// not cite.
const CITED_SHARE: f64 = 0.6;
const UNCITED_SHARE: f64 = 0.7;

/// Number of words that a sentence and a passage have to share, unless the sentence has fewer.
const LEAST_SHARED: usize = 2;

/// The check of an answer from documents, and from records of a service.
pub struct CitedSentences {
    passages: Vec<Text>,
    records: Option<Text>,
    question: BTreeSet<String>,
    question_figures: BTreeSet<String>,
    /// Whether the rules could quote something.
    is_quotable: bool,
    held: Mutex<String>,
    any_supported: AtomicBool,
}

/// A text that may support a sentence.
struct Text {
    words: BTreeSet<String>,
    figures: BTreeSet<String>,
}

impl Text {
    fn of(text: &str) -> Self {
        Self {
            words: words(text),
            figures: figures(text),
        }
    }
}

impl CitedSentences {
    /// For the answer to a question, from these passages and these records.
    pub fn new(question: &str, passages: &Passages, records: &[Value]) -> Self {
        let texts = passages.as_slice().iter().map(|passage| {
            let headings = passage.headings.join(" ");
            Text::of(&format!("{headings}\n{}", passage.content))
        });
        let mut told = String::new();
        for record in records {
            spell(record, &mut told);
        }
        Self {
            passages: texts.collect(),
            records: (!told.is_empty()).then(|| Text::of(&told)),
            question: words(question),
            question_figures: figures(question),
            is_quotable: passages.tell_of(question),
            held: Mutex::default(),
            any_supported: AtomicBool::new(false),
        }
    }

    /// Whether a text supports a sentence.
    fn supports(&self, text: &Text, body: &str, share: f64) -> bool {
        let known = |figure: &String| {
            text.figures.contains(figure) || self.question_figures.contains(figure)
        };
        if !figures(body).iter().all(known) {
            return false;
        }
        let said = words(body);
        let shared = said.intersection(&text.words).count();
        // The words of the question alone prove nothing.
        let fresh = |word: &&String| !self.question.contains(*word);
        let adds = said.intersection(&text.words).any(|word| fresh(&word));
        let has_fresh = said.iter().any(|word| fresh(&word));
        shared >= LEAST_SHARED.min(said.len())
            && shared as f64 >= share * said.len() as f64
            && shared > 0
            && (adds || !has_fresh)
    }

    /// The sentence with the numbers of the passages that support it.
    fn supported(&self, sentence: &str) -> Option<String> {
        let (body, cited) = without_citations(sentence);
        let supports = |number: &usize, share: f64| {
            let text = number.checked_sub(1).and_then(|at| self.passages.get(at));
            text.is_some_and(|text| self.supports(text, &body, share))
        };
        let right: Vec<usize> = cited
            .iter()
            .copied()
            .filter(|number| supports(number, CITED_SHARE))
            .collect();
        if !cited.is_empty() && right.len() == cited.len() {
            return Some(sentence.to_owned());
        }
        if !right.is_empty() {
            return Some(with_citations(&body, &right));
        }
        let other = (1..=self.passages.len()).find(|number| supports(number, UNCITED_SHARE));
        if let Some(other) = other {
            return Some(with_citations(&body, &[other]));
        }
        let records = self.records.as_ref();
        // Figures of records are checked with their formats elsewhere.
        let told = records.is_some_and(|records| {
            let said = words(&body);
            said.intersection(&records.words).next().is_some()
        });
        told.then_some(body)
    }
}

impl SentenceFilter for CitedSentences {
    fn check(&self, sentence: &str) -> Verdict {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if states_nothing(sentence) {
            if self.any_supported.load(Ordering::Relaxed) {
                return Verdict::Pass(sentence.to_owned());
            }
            if !held.is_empty() {
                held.push(' ');
            }
            held.push_str(sentence);
            return Verdict::Hold;
        }
        let Some(supported) = self.supported(sentence) else {
            tracing::debug!("a sentence of the model is supported by no passage");
            return Verdict::LeaveOut;
        };
        self.any_supported.store(true, Ordering::Relaxed);
        let before = std::mem::take(&mut *held);
        // That nothing was found is not true then.
        let before = Some(before).filter(|before| !before.is_empty() && !finds_nothing(before));
        Verdict::Pass(match before {
            Some(before) => format!("{before} {supported}"),
            None => supported,
        })
    }

    fn at_end(&self, reason: FinishReason) -> Option<String> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let held = std::mem::take(&mut *held);
        // Before calls it announces them; otherwise quotations say more.
        let passes = reason == FinishReason::ToolCalls || !self.is_quotable;
        Some(held).filter(|held| passes && !held.is_empty())
    }
}

/// A sentence without its citations, and the numbers in them.
fn without_citations(sentence: &str) -> (String, Vec<usize>) {
    let Some(pattern) = &*CITATION else {
        return (sentence.to_owned(), Vec::new());
    };
    let numbers = pattern
        .captures_iter(sentence)
        .filter_map(|found| Some(found.get(1)?.as_str().to_owned()))
        .flat_map(|list| {
            let numbers = list.split([',', ';', ' ']);
            numbers
                .filter_map(|number| number.trim().parse().ok())
                .collect::<Vec<usize>>()
        })
        .collect();
    (pattern.replace_all(sentence, "").trim().to_owned(), numbers)
}

/// A sentence with citations before its full stop.
fn with_citations(body: &str, numbers: &[usize]) -> String {
    let text = body.trim_end_matches(['.', '!', ' ']);
    let end = body[text.len()..].trim();
    let cited: Vec<String> = numbers.iter().map(|number| format!("[{number}]")).collect();
    format!("{text} {}{end}", cited.join(" "))
}

static CITATION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\s*\[(\d+(?:\s*[,; ]\s*\d+)*)\]").ok());

/// The beginnings of sentences without a statement about the matter.
static NO_STATEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?ix)^\W*(
        (i|we)\s(could|can|did|do)\s?(not|n['’]t)\b | (i|we)\s(cannot|can['’]t)\b | i\s(found|find|have|know|see)\s(no|nothing)\b
        | (let\sme|i['’]ll|i\swill|i\sam\sgoing\sto|one\smoment)\b
        | (please|could\syou|would\syou|do\syou|which|what|if\syou)\b[^.]*\?$
        | (hello|hi|thanks|thank\syou|you['’]re\swelcome|sorry)\b
        | (here\sis|here\sare|in\sshort|in\sbrief|according\sto\s[^,:]*|the\sdocuments\ssay)[^.]*:$
        | you\s(are|have)\snot\s(yet\s)?connected
        | (there\s(is|was|are|were)\s(no|nothing)|nothing\b|no\s(document|passage|source|record|result)s?\b)
        | (the|your|my|these)\s(documents?|passages?|sources?|results?|records?)\s(do|does|did|say|contain|mention|have|hold)\s?(not|n['’]t|no|nothing)\b
    )";
    Regex::new(pattern).ok()
});

fn states_nothing(sentence: &str) -> bool {
    let is_question = sentence
        .trim_end_matches(['*', '_', '"', ' '])
        .ends_with('?');
    let fits = |pattern: &LazyLock<Option<Regex>>| {
        let pattern = pattern.as_ref();
        pattern.is_some_and(|pattern| pattern.is_match(sentence))
    };
    // A figure is always a statement.
    let has_figure = !figures(&without_citations(sentence).0).is_empty();
    (is_question || fits(&NO_STATEMENT)) && !has_figure
}

fn finds_nothing(text: &str) -> bool {
    let text = text.to_lowercase();
    ["no ", "nothing", "not ", "n't", "n\u{2019}t", "cannot"]
        .iter()
        .any(|word| text.contains(word))
}

/// The figures of a text, without separators of thousands.
fn figures(text: &str) -> BTreeSet<String> {
    let mut figures = BTreeSet::new();
    for token in text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))) {
        let token = token.trim_matches(['.', ',']);
        if token.bytes().any(|byte| byte.is_ascii_digit()) {
            figures.insert(token.replace(',', ""));
        }
    }
    figures
}

/// The names and texts of a record as words: `totalEmissions` is "total Emissions".
fn spell(value: &Value, told: &mut String) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                for c in name.chars() {
                    if c.is_uppercase() || c == '_' {
                        told.push(' ');
                    }
                    told.push(c);
                }
                told.push(' ');
                spell(value, told);
            }
        }
        Value::Array(items) => {
            for item in items {
                spell(item, told);
            }
        }
        Value::String(text) => {
            told.push_str(text);
            told.push(' ');
        }
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => {
            told.push_str(&number.to_string());
            told.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use contracts::tools::knowledge::KnowledgeMatch;
    use serde_json::json;

    use super::*;

    fn manuals() -> Passages {
        let passage = |number: u32, content: &str| KnowledgeMatch {
            filename: format!("{number}.md"),
            chunk_index: number,
            score: 0.4,
            content: content.to_owned(),
            collection: "manuals".to_owned(),
            document_id: number.to_string(),
            headings: Vec::new(),
            page: None,
            text_rank: Some(1),
            vector_rank: None,
            fused_score: 0.02,
        };
        let mut passages = Passages::default();
        passages.add([
            passage(
                0,
                "Overtime is paid at 1.5 times the hourly rate after 40 hours a week.",
            ),
            passage(
                1,
                "A holiday is requested two weeks before. The manager approves it within 3 days.",
            ),
        ]);
        passages
    }

    fn said(question: &str, text: &str, records: &[Value]) -> Vec<String> {
        let filter = CitedSentences::new(question, &manuals(), records);
        let mut said: Vec<String> = crate::prose::sentences(text)
            .iter()
            .filter_map(|sentence| match filter.check(sentence) {
                Verdict::Pass(passed) => Some(passed),
                Verdict::Hold | Verdict::LeaveOut => None,
            })
            .collect();
        said.extend(filter.at_end(FinishReason::Stop));
        said
    }

    #[test]
    fn a_sentence_cites_the_passage_that_supports_it_or_is_left_out() {
        let question = "What are the rules for overtime?";
        for (text, expected) in [
            (
                "You get 1.5 times the rate after 40 hours [1].",
                Some("You get 1.5 times the rate after 40 hours [1]."),
            ),
            // A number that does not exist, another passage, none at all.
            (
                "Overtime is paid at 1.5 times the hourly rate [9].",
                Some("Overtime is paid at 1.5 times the hourly rate [1]."),
            ),
            (
                "Overtime is paid at 1.5 times the hourly rate [2].",
                Some("Overtime is paid at 1.5 times the hourly rate [1]."),
            ),
            (
                "Overtime is paid at 1.5 times the hourly rate [1, 2].",
                Some("Overtime is paid at 1.5 times the hourly rate [1]."),
            ),
            (
                "Overtime is paid at 1.5 times the hourly rate.",
                Some("Overtime is paid at 1.5 times the hourly rate [1]."),
            ),
            // The figure of the other passage, an unknown one, and what no passage says.
            ("Overtime is paid at 3 times the hourly rate [1].", None),
            ("Overtime is paid at 2 times the hourly rate [1].", None),
            ("Overtime needs the consent of the works council [1].", None),
            ("The rules for overtime are strict.", None),
            ("Yes.", None),
        ] {
            let said = said(question, text, &[]);
            assert_eq!(said.first().map(String::as_str), expected, "{text}");
        }
    }

    #[test]
    fn an_answer_without_a_statement_stands_only_where_nothing_can_be_quoted() {
        let nothing = "I found nothing about that in the documents.";
        assert_eq!(
            said("What is the airspeed of a swallow?", nothing, &[]),
            [nothing]
        );
        assert!(said("How is overtime paid?", nothing, &[]).is_empty());
        let both = format!("{nothing} Overtime is paid at 1.5 times the hourly rate [1].");
        let told = said("How is overtime paid?", &both, &[]);
        assert_eq!(told, ["Overtime is paid at 1.5 times the hourly rate [1]."]);
        assert!(said("Hm?", "I can't say, but 77 are.", &[]).is_empty());
    }

    #[test]
    fn records_support_a_sentence_without_a_number() {
        let records = [json!({"inventoryId": "inv-1", "cityName": "Springfield"})];
        let told = said("Which do I have?", "You have Springfield [1].", &records);
        assert_eq!(told, ["You have Springfield."]);
        assert!(said("Which do I have?", "You have nine more.", &records).is_empty());
    }
}
