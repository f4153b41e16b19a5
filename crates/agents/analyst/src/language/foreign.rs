//! Messages in another language, recognised by words that neither English nor names have.

use contracts::tools::search::SourceList;

use super::text::tokens;

/// Languages, and words of questions in them without accents.
const WORDS: &[(&str, &[&str])] = &[
    (
        "German",
        &[
            "wie",
            "viel",
            "viele",
            "wieviele",
            "zeige",
            "zeig",
            "mir",
            "alle",
            "nach",
            "nicht",
            "welche",
            "welcher",
            "welches",
            "sind",
            "gibt",
            "haben",
            "wurde",
            "wurden",
            "gehen",
            "ging",
            "gingen",
            "kamen",
            "bitte",
            "von",
            "und",
            "oder",
            "mit",
            "aus",
            "im",
            "letzten",
            "letzte",
            "monat",
            "woche",
            "sendungen",
            "lieferungen",
            "schiffe",
            "versp\u{e4}tet",
            "verspatet",
            "wann",
            "wer",
            "ist",
            "der",
            "das",
        ],
    ),
    (
        "Spanish",
        &[
            "cuantos",
            "cuantas",
            "cuanto",
            "cuales",
            "cual",
            "envios",
            "hay",
            "muestra",
            "muestrame",
            "llegaron",
            "salieron",
            "tarde",
            "todos",
            "todas",
            "desde",
            "hacia",
            "quien",
            "cuando",
            "donde",
            "buques",
            "puertos",
            "con",
            "mes",
            "pasado",
            "semana",
            "por",
            "estan",
            "fueron",
        ],
    ),
    (
        "French",
        &[
            "combien",
            "quels",
            "quelles",
            "quel",
            "quelle",
            "sont",
            "vont",
            "montre",
            "montrez",
            "moi",
            "tous",
            "toutes",
            "vers",
            "avec",
            "depuis",
            "mois",
            "dernier",
            "semaine",
            "cargaisons",
            "navires",
            "retard",
            "quand",
            "arrivent",
            "partent",
            "dans",
        ],
    ),
    (
        "Italian",
        &[
            "quanti",
            "quante",
            "quali",
            "quale",
            "sono",
            "mostra",
            "mostrami",
            "tutti",
            "tutte",
            "verso",
            "della",
            "delle",
            "spedizioni",
            "navi",
            "ritardo",
            "mese",
            "scorso",
            "settimana",
            "quando",
            "arrivano",
        ],
    ),
    (
        "Portuguese",
        &[
            "quantos",
            "quantas",
            "quais",
            "qual",
            "mostre",
            "remessas",
            "navios",
            "chegaram",
            "atrasadas",
            "atrasados",
            "nao",
            "sao",
            "mes",
            "passado",
            "semana",
            "para",
        ],
    ),
    (
        "Dutch",
        &[
            "hoeveel",
            "welke",
            "toon",
            "zijn",
            "naar",
            "niet",
            "alle",
            "zendingen",
            "schepen",
            "vorige",
            "maand",
            "het",
            "een",
            "wanneer",
            "gaan",
            "vertraagd",
        ],
    ),
];

/// Words of English questions.
const ENGLISH: &[&str] = &[
    "the", "of", "and", "to", "for", "is", "are", "was", "were", "how", "what", "which", "who",
    "when", "where", "many", "much", "show", "list", "by", "from", "with", "that", "it", "than",
    "per", "have", "has", "had", "there", "me", "all", "late", "arrived", "last", "in",
];

/// Returns why a message in another language is not read; `None` of an English one. The nouns of
/// `sources` are words of English questions.
pub fn foreign(text: &str, sources: &SourceList) -> Option<String> {
    let all = tokens(text);
    let indices = sources.sources.iter().flat_map(|source| &source.indices);
    let nouns: Vec<String> = indices
        .flat_map(|index| &index.nouns)
        .map(|noun| noun.to_lowercase())
        .collect();
    // A name in capitals says nothing about the language.
    let words: Vec<&str> = all
        .iter()
        .enumerate()
        .filter(|(at, token)| token.is_word() && (*at < 2 || !token.capital))
        .map(|(_, token)| token.text.as_str())
        .collect();
    let letters = || text.chars().filter(|letter| letter.is_alphabetic());
    let others = letters().filter(|letter| *letter > '\u{24f}').count();
    if others >= 2 && others * 2 > letters().count() {
        return Some(told(None, &nouns));
    }
    let english = words
        .iter()
        .filter(|word| ENGLISH.contains(*word) || nouns.iter().any(|noun| noun == *word))
        .count();
    let (own, name) = WORDS
        .iter()
        .map(|(name, own)| {
            (
                words.iter().filter(|word| own.contains(*word)).count(),
                *name,
            )
        })
        .max_by_key(|(own, _)| *own)?;
    let is_marked = text.contains(['\u{bf}', '\u{a1}']);
    let is_foreign = own >= 2 && own > english || own == 1 && (english == 0 && is_marked);
    is_foreign.then(|| told(Some(name), &nouns))
}

fn told(name: Option<&str>, nouns: &[String]) -> String {
    let looks = name.map_or_else(
        || "I only understand English so far.".to_owned(),
        |name| format!("The message looks like {name}, and I only understand English so far."),
    );
    let records = nouns
        .get(1)
        .or(nouns.first())
        .map_or("records", String::as_str);
    format!("{looks} Ask, for example, \u{201c}how many {records} are there?\u{201d}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::fixture::shipping;

    #[test]
    fn other_languages_are_recognised() {
        let sources = shipping();
        for (text, name) in [
            ("\u{bf}Cu\u{e1}ntos env\u{ed}os hay a Rotterdam?", "Spanish"),
            ("Wie viele Sendungen gehen nach Hamburg?", "German"),
            (
                "Zeige alle Lieferungen nach Rotterdam im Dezember",
                "German",
            ),
            ("Combien de cargaisons vont \u{e0} Hambourg?", "French"),
            ("quali spedizioni sono in ritardo?", "Italian"),
            ("Quantos navios chegaram em Santos?", "Portuguese"),
            ("Hoeveel zendingen zijn er naar Rotterdam?", "Dutch"),
        ] {
            let said = foreign(text, &sources).unwrap_or_default();
            assert!(said.contains(name), "{text}: {said}");
        }
        let said = foreign(
            "\u{421}\u{43a}\u{43e}\u{43b}\u{44c}\u{43a}\u{43e}?",
            &sources,
        );
        assert!(said.is_some());
    }

    #[test]
    fn english_is_not_foreign() {
        let sources = shipping();
        for text in [
            "shipments to Las Palmas and Le Havre",
            "how many shipments went to Los Angeles?",
            "shipments of De Haan via Von Humboldt",
            "by carrier",
            "and tarde?",
            "coffee",
            "",
        ] {
            assert_eq!(foreign(text, &sources), None, "{text}");
        }
    }
}
