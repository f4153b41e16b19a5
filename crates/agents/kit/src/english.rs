//! Whether a text is in another language than English, as far as its commonest words show it: for
//! the reason why a model's words are not said, and a question is not understood.

use std::collections::BTreeSet;

/// English words that hardly any sentence is without. Sorted.
const ENGLISH: &[&str] = &[
    "a", "all", "an", "and", "are", "at", "average", "be", "by", "count", "did", "does", "each",
    "for", "from", "had", "has", "have", "here", "how", "i", "in", "is", "it", "its", "let",
    "list", "made", "many", "most", "much", "not", "of", "on", "or", "our", "per", "show", "that",
    "the", "there", "this", "to", "total", "was", "were", "what", "when", "where", "which", "who",
    "why", "with", "without", "you", "your",
];

/// Such words of Dutch, French, German, Italian, Portuguese and Spanish that English does not have.
/// Sorted.
const OTHER: &[&str] = &[
    "al",
    "aus",
    "che",
    "da",
    "dans",
    "das",
    "de",
    "deine",
    "del",
    "dem",
    "den",
    "der",
    "des",
    "det",
    "di",
    "ein",
    "eine",
    "el",
    "en",
    "er",
    "es",
    "est",
    "est\u{e1}",
    "et",
    "foi",
    "gli",
    "ha",
    "haben",
    "hat",
    "heeft",
    "het",
    "ich",
    "ihr",
    "ihre",
    "il",
    "ist",
    "la",
    "las",
    "le",
    "les",
    "lo",
    "los",
    "mit",
    "niet",
    "nicht",
    "non",
    "n\u{e3}o",
    "os",
    "par",
    "pas",
    "para",
    "per",
    "por",
    "pour",
    "que",
    "sein",
    "sie",
    "sind",
    "son",
    "sono",
    "sont",
    "su",
    "sua",
    "sul",
    "sur",
    "s\u{e3}o",
    "todo",
    "tout",
    "tus",
    "um",
    "uma",
    "un",
    "una",
    "und",
    "une",
    "van",
    "von",
    "vous",
    "wurde",
    "y",
    "zijn",
    "\u{e0}",
    "\u{e8}",
    "\u{e9}",
];

/// Whether a text is in another language.
pub fn is_other_language(text: &str) -> bool {
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    let foreign = letters().filter(|c| !is_latin(*c)).count();
    if foreign * 2 > letters().count() {
        return true;
    }
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphabetic() && c != '\u{2019}' && c != '\'');
    let words: BTreeSet<&str> = words.collect();
    let count = |list: &[&str]| words.iter().filter(|word| list.contains(word)).count();
    count(OTHER) > count(ENGLISH)
}

/// Letters of English and its neighbours. Letters of mathematics are none of any language.
fn is_latin(letter: char) -> bool {
    matches!(letter, '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{2100}'..='\u{218f}' | '\u{1d400}'..='\u{1d7ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_sentence_is_seen() {
        for text in [
            "Alle Ger\u{e4}te sind online.",
            "GW-INV-001 hat 43 kWh erzeugt.",
            "Todo est\u{e1} bien, y la planta produce.",
            "Tous les onduleurs sont en ligne.",
            "Alle omvormers zijn online.",
            "Tutti gli inverter sono attivi.",
            "Wie viele Lieferungen gibt es pro Status?",
            "\u{bf}Cu\u{e1}ntos bares hay por ciudad?",
            "Os inversores n\u{e3}o produzem.",
            "\u{412}\u{441}\u{435} \u{440}\u{430}\u{431}\u{43e}\u{442}\u{430}\u{435}\u{442}.",
            "\u{6240}\u{6709}\u{8bbe}\u{5907}\u{6b63}\u{5e38}",
        ] {
            assert!(is_other_language(text), "{text}");
        }
        for text in [
            "",
            "GW-INV-001: 43 kWh",
            "All devices are online and nothing is wrong.",
            "Everything looks great.",
            "You have the El Paso site.",
            "Let me look.",
            "How many work orders per moon?",
            "Total kegs per pub",
            "Which 5 pubs of La Rochelle have the most deliveries?",
        ] {
            assert!(!is_other_language(text), "{text}");
        }
    }
}
