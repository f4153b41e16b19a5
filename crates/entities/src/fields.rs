//! Maps the words of a request to the fields of an index.
//!
//! First, the type of a field must fit its use. Then its words decide: the name, the synonyms, the
//! description. If several fields fit about equally well, the user is asked. A mapping only
//! contains fields of the index.

mod answers;
mod dates;
mod indices;
mod lexicon;
mod of_entities;
mod terms;
mod values;

use contracts::tools::clarification::{Clarification, ClarificationOption, ClarificationPart};
use contracts::tools::meanings::{FieldMapping, FieldMappingArguments};
use contracts::tools::search::{FieldDescription, IndexDescription};

use crate::question::listed;
use lexicon::Lexicon;

pub use indices::choose_index;

/// The limits for a certain field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldThresholds {
    /// Minimum score of a certain field.
    pub accept: f64,
    /// Minimum distance to the next field.
    pub margin: f64,
    /// Maximum number of options of a question, and of fields listed as near.
    pub options: usize,
}

impl Default for FieldThresholds {
    fn default() -> Self {
        Self {
            accept: 0.6,
            margin: 0.08,
            options: 5,
        }
    }
}

/// Maps the terms and entities of a request to the fields of an index.
pub fn map(
    source: &str,
    index: &IndexDescription,
    arguments: &FieldMappingArguments,
    thresholds: &FieldThresholds,
) -> FieldMapping {
    let request = Request {
        index,
        arguments,
        thresholds,
        lexicon: Lexicon::of(&index.fields),
    };
    let mut mapping = FieldMapping {
        source: source.to_owned(),
        index: index.name.clone(),
        ..FieldMapping::default()
    };
    let mut questions = Vec::new();
    for term in &arguments.terms {
        match terms::map(&request, term) {
            Ok(field) => mapping.fields.push(field),
            Err(Unclear::Unknown(unmapped)) => mapping.unmapped.push(unmapped),
            Err(Unclear::Several(question)) => questions.push(question),
        }
    }
    for entity in &arguments.entities {
        match of_entities::map(&request, entity) {
            Ok(mapped) => {
                mapping.entities.push(mapped);
                for more in of_entities::again(&request, entity) {
                    if !mapping.entities.contains(&more) {
                        mapping.entities.push(more);
                    }
                }
            }
            Err(Unclear::Unknown(unmapped)) => mapping.unmapped.push(unmapped),
            Err(Unclear::Several(question)) => questions.push(question),
        }
    }
    if let Some(words) = &arguments.time_words {
        match dates::map(&request, words) {
            Ok(field) => mapping.date_field = Some(field),
            Err(Unclear::Unknown(unmapped)) => mapping.unmapped.push(unmapped),
            Err(Unclear::Several(question)) => questions.push(question),
        }
    }
    mapping.clarification = clarification(questions);
    mapping
}

/// A request with its index.
struct Request<'a> {
    index: &'a IndexDescription,
    arguments: &'a FieldMappingArguments,
    thresholds: &'a FieldThresholds,
    lexicon: Lexicon<'a>,
}

/// Why a term has no field.
enum Unclear {
    /// No field fits.
    Unknown(contracts::tools::meanings::UnmappedTerm),
    /// Several fields fit.
    Several(QuestionPart),
}

/// One part of the question about fields.
struct QuestionPart {
    sentence: String,
    part: ClarificationPart,
}

impl Request<'_> {
    /// Asks which of these fields the words mean.
    fn ask<'f>(
        &self,
        words: &str,
        fields: impl IntoIterator<Item = &'f FieldDescription>,
    ) -> Unclear {
        let options: Vec<ClarificationOption> = fields
            .into_iter()
            .take(self.thresholds.options)
            .map(option)
            .collect();
        let labels: Vec<String> = options.iter().map(|option| option.label.clone()).collect();
        Unclear::Several(QuestionPart {
            sentence: format!(
                "Which field is \u{201c}{words}\u{201d}: {}?",
                listed(&labels)
            ),
            part: ClarificationPart {
                about: answers::about(words),
                mention: words.to_owned(),
                options,
            },
        })
    }
}

fn option(field: &FieldDescription) -> ClarificationOption {
    ClarificationOption {
        id: field.name.clone(),
        label: field.name.replace(['_', '.'], " "),
        description: field.description.clone(),
        aliases: field.synonyms.clone(),
    }
}

fn clarification(questions: Vec<QuestionPart>) -> Option<Clarification> {
    let (sentences, parts): (Vec<String>, Vec<ClarificationPart>) = questions
        .into_iter()
        .map(|question| (question.sentence, question.part))
        .unzip();
    (!parts.is_empty()).then(|| Clarification {
        question: sentences.join(" "),
        parts,
    })
}

#[cfg(test)]
mod tests;
