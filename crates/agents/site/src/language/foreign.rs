//! Messages in another language, recognised by their function words and letters.

use std::{collections::HashSet, sync::LazyLock};

use super::beyond::Tongue;
use super::keywords::{Concept as C, Keywords, concept};
use super::text::{Kind, Message};

/// Function words and everyday words that are no English ones.
const WORDS: &[(Tongue, &str)] = &[
    (
        Tongue::German,
        "wie viel viele habe ich wir hat haben im letzten letzte letzter monat woche jahr gespart der das und ist nicht zeige zeig mir von für \
         fuer bitte gestern heute welche welcher welches warum wurde kannst du auf mit dem den ein eine einen meine mein meiner unsere sind \
         gibt es bei zur zum vom erzeugt leistung ertrag anlage wechselrichter vergleiche alle geht störung fehler schalte aus einschalten \
         läuft laeuft lief gebracht gemacht produziert geliefert war waren gut guten morgen uebersicht übersicht strom hallo wieviel kaputt defekt verschmutzt",
    ),
    (
        Tongue::Dutch,
        "hoeveel heb ik vorige maand bespaard het een van toon mij zijn niet gisteren vandaag waarom welke kun je jij voor met mijn onze gaat \
         werkt kapot nog is er wat hoe opbrengst omvormer vergelijk alles week jaar geef en de",
    ),
    (
        Tongue::Spanish,
        "cuánto cuanto cuánta cuánta he ahorrado ahorré el mes pasado pasada la los las qué que está esta como cómo ayer hoy por favor muestra muéstrame \
         muestrame cuál cual cuáles una un para con mi mis nuestra del hay inversor inversores rendimiento energía energia comparar compara \
         todos todas semana año buenos días por qué funciona hola",
    ),
    (
        Tongue::French,
        "combien ai j'ai je nous avons économisé economise le mois dernier dernière les est que quel quelle quels quelles hier montre montrez moi \
         s'il vous plaît plait pour avec une des du mon ma mes notre nos comment aujourd'hui pourquoi onduleur onduleurs comparer compare-moi \
         tous toutes semaine année bonjour production d'énergie l'énergie a-t-il c'est qu'est",
    ),
    (
        Tongue::Italian,
        "quanto quanta ho abbiamo risparmiato il lo gli mese scorso scorsa che è della delle dei ieri oggi mostra mostrami per favore perché quale \
         quali sono con mio mia nostro inverter confronta tutti settimana anno buongiorno come va",
    ),
    (
        Tongue::Portuguese,
        "quanto economizei poupei mês passado não ontem hoje mostre mostra-me qual quais por favor meu minha nosso com uma um inversor inversores \
         comparar todos semana ano bom dia olá você está",
    ),
];

/// Words of [`WORDS`] that are English, too, or occur everywhere, so that they do not identify a
/// language.
const SHARED: &str = "is es a an en de er me war com la los con he we do per o fault production inverter hat come un si no ho van";

/// Function words that only English has.
const ENGLISH: &str = "the of and to for is are was were how what which who why when where do does did my me i you it its this that with from by on in at \
     show give tell much many all any please can could last next yesterday today week month year between be has have had not there per than";

/// The language of a message that is not English.
pub(super) fn tongue(message: &str) -> Option<Tongue> {
    let message = Message::new(message);
    let letters = message.text().chars().filter(|c| c.is_alphabetic()).count();
    let other = message
        .text()
        .chars()
        .filter(|c| c.is_alphabetic() && !is_latin(*c))
        .count();
    if other >= 2 && other * 2 > letters {
        return Some(Tongue::Foreign);
    }
    let keywords = Keywords::of(message.text());
    let words: Vec<&str> = keywords
        .tokens
        .iter()
        .filter(|token| token.kind == Kind::Word)
        .map(|token| token.text)
        .take(60)
        .collect();
    let tables = &*TABLES;
    let english = words
        .iter()
        .filter(|word| tables.english.contains(**word))
        .count();
    let meant = words.iter().any(|word| {
        concept(word, false).is_some_and(|(found, _)| !matches!(found, C::Device | C::Site))
            && !tables.shared.contains(word)
    });
    let count = |table: &HashSet<&str>| words.iter().filter(|word| table.contains(**word)).count();
    let (own, _, tongue) = tables
        .tongues
        .iter()
        .map(|(tongue, own, shared)| (count(own), count(shared), *tongue))
        .max_by_key(|(own, shared, _)| (*own, *shared))?;
    let foreign = match own {
        0 => false,
        1 => english == 0 && !meant && words.len() > 1,
        own => own > english,
    };
    foreign.then_some(tongue)
}

/// The tables as sets.
struct Tables {
    english: HashSet<&'static str>,
    shared: HashSet<&'static str>,
    /// Per language the words that only it has, and those that it has, too.
    tongues: Vec<(Tongue, HashSet<&'static str>, HashSet<&'static str>)>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let set =
        |table: &'static str| -> HashSet<&'static str> { table.split_ascii_whitespace().collect() };
    let (english, shared) = (set(ENGLISH), set(SHARED));
    let tongues = WORDS
        .iter()
        .map(|(tongue, table)| {
            let (common, own) = set(table)
                .into_iter()
                .partition(|word| shared.contains(word) || english.contains(word));
            (*tongue, own, common)
        })
        .collect();
    Tables {
        english,
        shared,
        tongues,
    }
});

fn is_latin(c: char) -> bool {
    c.is_ascii()
        || matches!(c, '\u{aa}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{fb00}'..='\u{fb06}' | '\u{300}'..='\u{36f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_languages_are_recognised() {
        for (message, expected) in [
            ("Wie viel habe ich letzten Monat gespart?", Tongue::German),
            ("Ist LTI-INV-001 kaputt?", Tongue::German),
            (
                "Zeige mir den Ertrag von MEIER-INV-001 gestern",
                Tongue::German,
            ),
            ("Schalte GW-INV-001 aus", Tongue::German),
            ("Guten Morgen", Tongue::German),
            ("¿Cuánto ahorré el mes pasado?", Tongue::Spanish),
            ("¿Cómo está MEIER-INV-001?", Tongue::Spanish),
            ("muestra la energía de GW-INV-001 ayer", Tongue::Spanish),
            ("Combien ai-je économisé le mois dernier ?", Tongue::French),
            ("Comment va LTI-INV-001 aujourd'hui ?", Tongue::French),
            ("Hoeveel heb ik vorige maand bespaard?", Tongue::Dutch),
            ("Waarom werkt LTI-INV-001 niet?", Tongue::Dutch),
            ("Quanto ho risparmiato il mese scorso?", Tongue::Italian),
            ("Quanto economizei no mês passado?", Tongue::Portuguese),
            ("上个月我省了多少钱？", Tongue::Foreign),
            ("Сколько я сэкономил?", Tongue::Foreign),
        ] {
            assert_eq!(tongue(message), Some(expected), "{message}");
        }
    }

    #[test]
    fn english_is_not_foreign() {
        for message in [
            "How much did I save last month?",
            "Compare LTI and MEIER",
            "GW-INV-001",
            "hi",
            "Los Angeles savings",
            "is the LTI ok?",
            "de facto the best inverter",
            "power curve of the Müller roof",
            "savings en gros please for the site",
            "",
            "12345",
            "🙂",
        ] {
            assert_eq!(tongue(message), None, "{message}");
        }
    }
}
