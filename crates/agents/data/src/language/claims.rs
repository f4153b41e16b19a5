//! Statements about the organisation, which an answer without its data cannot make.

use std::sync::LazyLock;

use regex::Regex;

use super::names::{mentions, stems};

/// The beginning of a sentence that offers something or asks for a question.
static OFFER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?ix)^\W*(
        (hello|hi|hey|good\s(morning|afternoon|evening)|thanks|thank\syou|you['’]re\swelcome|sorry)\b[^.]{0,40}[.!]?$
        | i\s(can|could)\s(help|answer|look|explain|show|assist|only|not)\b | i\s(cannot|can['’]t|don['’]t|do\snot|am|was|have\sno)\b | i['’]m\b
        | (you\s(can|could|may)\s)?(ask|try|rephrase)\b | please\b | feel\sfree\b | let\sme\sknow\b
    )";
    Regex::new(pattern).ok()
});

/// Words of a sentence about the organisation, or about the present state of something.
static ABOUT_US: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?ix)\b(
        your | yours | our | ours | us | we
        | (the|this|that|their) \s (company|organi[sz]ation|business|firm|enterprise|team|staff|data|database|records?|tables?|boss|management|customers?|clients?|employees?|revenue|sales|profits?)
        | today | yesterday | tonight | currently | right\snow | at\sthe\smoment | at\spresent | so\sfar
        | (this|last|next) \s (day|week|month|quarter|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)
        | you \s (have|had|own|made|make|earn|earned|sold|sell|employ|owe|need|should|must)
        | gmbh | inc | ltd | llc | ag | corp
        | (everything|nothing|anything|all|none) \s (is|are|was|were|works|went|has|have)
    )\b";
    Regex::new(pattern).ok()
});

/// Whether a sentence states something of the organisation: of itself, or of what its tables hold.
pub(crate) fn is_about_organisation<'a>(
    sentence: &str,
    tables: impl IntoIterator<Item = &'a str>,
) -> bool {
    let fits = |pattern: &LazyLock<Option<Regex>>| {
        let pattern = pattern.as_ref();
        pattern.is_some_and(|pattern| pattern.is_match(sentence))
    };
    // An offer may name what can be asked about.
    if fits(&OFFER) || sentence.trim_end().ends_with('?') {
        return false;
    }
    if fits(&ABOUT_US) {
        return true;
    }
    let said = stems(sentence);
    tables.into_iter().any(|table| mentions(&said, table))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: [&str; 3] = ["customer", "work_order", "technician"];

    #[test]
    fn statements_about_the_organisation_are_found() {
        for sentence in [
            "Your company has many customers.",
            "Our revenue is growing.",
            "Most technicians are ill.",
            "The best customer is ACME.",
            "Miller GmbH owes money.",
            "No work orders are open.",
            "Everything is fine.",
            "Sales went up last year.",
            "You have nothing to fear.",
        ] {
            assert!(is_about_organisation(sentence, TABLES), "{sentence}");
        }
    }

    #[test]
    fn general_knowledge_and_offers_are_not() {
        for sentence in [
            "Machine learning is a way for computers to learn from examples.",
            "Paris is the capital of France.",
            "Hello!",
            "I can help with questions about your data.",
            "You could ask how many technicians there are.",
            "Which customers do you mean?",
            "A LEFT JOIN keeps the rows of the left side that have no match.",
            "Please ask it as a question about your data.",
        ] {
            assert!(!is_about_organisation(sentence, TABLES), "{sentence}");
        }
    }
}
