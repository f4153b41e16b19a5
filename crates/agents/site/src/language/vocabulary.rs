//! The words that the grammar knows without taking anything from them: function words, the verbs of
//! an order, nouns that say only that there are data. What is in none of the tables, and names no
//! device and no day, is unexplained; see [`super::coverage`].

use std::{collections::HashSet, sync::LazyLock};

use super::text::nearly;

/// Words that carry grammar, politeness or degree, and no matter.
const FUNCTION: &str = "a about above across after afterwards again against ago ah all almost along alright already also although always \
     am among an and another any anybody anymore anyone anything anyway are area aren't arent around as aside at available away \
     back bad badly basically be because been before begin being below besides best better between bit both briefly but by can can't cannot cant certain clearly \
     come comes coming complete completely could couldn't couple course currently d daily day days dear detail detailed details did didn't \
     didnt different do does doesn't doesnt doing don't done dont down due during each early earlier either else enough entire especially etc \
     even ever every everybody everyone everything exact exactly except excluding far few fine finally first following for form former forward \
     four five from full further general get getting give given go goes going gone good got great greatly guess had half happen happened happening \
     happens has hasn't have haven't having he hello help her here hers hey hi him his honestly how hows however i i'd i'll i'm i've if im immediately \
     in including individual individually indeed instead into is isn't isnt it it'd it'll its itself just kind kindly know known large last late lately later latest \
     least left less let let's lets like likely little ll long longer look looking lot lots low lower m main mainly many mate may maybe me mean means meant \
     mention might mind mine minute moment month monthly months more morning most mostly much must my myself none name named near nearly need \
     needed needs neither never new newest next nice no nobody nope nor normal normally not nothing now number o'clock obviously of off oh ok okay \
     older on once one ones only onto or other others otherwise ought our ours out outside over overall own part particular past per perhaps \
     period please pls plz plus point possible possibly pretty previous previously prior probably properly quick quickly quite rather re \
     ready real really recent recently regarding regards rest right rough roughly round s said same say second see seem seems seen separately several shall she should \
     shouldn't show shown side similar simple simply since single six size sized slightly small so some somebody someone something sometime soon sorry sort \
     specific still stuff such sunny sup sure t table take taken team tell ten terms than thank thanks that that's the their theirs them then there \
     there's therefore these they thing things think third this those though three through throughout thus till time times to today todays \
     together tomorrow tonight too top total totally toward towards true try two under until unless up upon us use used using usual usually \
     ve versus very via vs wanna want wanted wants was wasn't way we week weekend weekly weeks well went were weren't what whatever when \
     whenever where whether which while who whole whom whose why will with within without won't wondering would wouldn't yeah year \
     yearly years yep yes yesterday yet you your yours yourself yo u ur gonna gotta lemme gimme st nd rd th am pm \
     often frequently whats wheres hour hours hourly minutes quarter ytd mtd fortnight afternoon evening noon midnight night date dates range since";

/// Verbs that order an answer, and what an answer is made of.
const ASKING: &str = "beat beats minus outperform forget put placed add amount analysis avoid avoided brief catch expect expected make makes making made skip zero analyse analyze answer asap ask assess attention breakdown bring briefing calculate calculation check checked checking checks combine \
     compute consider count data deliver describe determine diagnose display draw estimate evaluate evaluation examine explain fetch figure figures find \
     gather hand happened identify information info informed inspect investigate level list looked measure measured monitor numbers open output overview plot \
     present print-out provide pull question read reading readings regard report result results retrieve return review run running \
     scan section show showing shows sort split start stat statistics stats status sum summarise summarize summary summed taking told track trend \
     value values view visualise visualize work working works worked worry";

/// Words of the field that rules read and no concept owns.
const FIELD: &str = "code codes log logs e err electricity energies light sunlight insolation radiation irradiation pv ac dc kwp wp mw mwh gwh kva ratio \
     ratios pr rate rates price tariffs panel module modules string strings sensor station solar sun sunshine grid active inactive online live alive asleep \
     high higher highest lowest biggest largest smallest per kilowatt kilowatts hours specific availability available uptime downtime loss losses losing \
     lose loses lost unavailable silent gap gaps missing recover strong weak drop drops dropped dip dips fell fall falls decrease decreased increase \
     increased rise rose poor poorly behave behaving behaves behaviour behavior stop stopped fail failing happening delivering metadata record records recorded \
     event events incident incidents capable connected connection reachable north south east west stand stands stood standing standstill standstills timezone timezones zone responding functioning functional operating operational operation operate \
     apart bottom underperform underperforms lag lags lagging healthiest unhealthiest sickest condition shape poorest greatest interruption interruptions stayed kept ran through register registers counter counters shortfall lacking miss misses missed improve improves improved declined worsened fallen risen weaker stronger gained changed differ differs beside preceding recovered run ran began inv reported reporting sent sending quiet neighbours neighbors peer peers behind worse lagged";

/// Words for where devices stand, which may also be a part of the name of a site.
const PLACES: &str = "roof rooftop garage house home building barn";

/// Other words of the tables that the name of a site often has.
const NAMING: &str = "north south east west station";

static KNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    [FUNCTION, ASKING, FIELD, PLACES]
        .iter()
        .flat_map(|table| table.split_ascii_whitespace())
        .collect()
});

/// The words of the tables, and whether they order an answer.
static WORDS: LazyLock<Vec<(&'static str, bool)>> = LazyLock::new(|| {
    let words = |table: &'static str, orders| {
        table
            .split_ascii_whitespace()
            .map(move |word| (word, orders))
    };
    words(FUNCTION, false)
        .chain(words(ASKING, true))
        .chain(words(FIELD, false))
        .chain(words(PLACES, false))
        .collect()
});

/// Whether the grammar knows `word`.
pub(super) fn knows(word: &str) -> bool {
    KNOWN.contains(word)
}

/// Whether `word`, which the grammar knows, may nevertheless name a site.
pub(super) fn may_name_a_site(word: &str) -> bool {
    let mut words = PLACES
        .split_ascii_whitespace()
        .chain(NAMING.split_ascii_whitespace());
    words.any(|known| known == word)
}

/// Whether `word` is one of the known words but for a slip of the finger: two letters that changed
/// places, in an order also one letter too few or too many.
pub(super) fn nearly_knows(word: &str) -> bool {
    if !(3..=LONGEST).contains(&word.chars().count()) {
        return false;
    }
    let swapped = |known: &str| {
        known.len() == word.len()
            && known.len() >= 3
            && same_letters(word, known)
            && strsim::osa_distance(word, known) == 1
    };
    let one_off = |known: &str| {
        known.len() >= 4
            && known.len().abs_diff(word.len()) == 1
            && strsim::osa_distance(word, known) == 1
    };
    let first = word.as_bytes().first();
    WORDS.iter().any(|(known, orders)| {
        let same_start = known.as_bytes().first() == first;
        known.len().abs_diff(word.len()) <= 2
            && (swapped(known) || same_start && (*orders && one_off(known) || nearly(word, known)))
    })
}

/// Maximum length of a word that is compared with the tables for slips.
const LONGEST: usize = 20;

fn same_letters(a: &str, b: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(a) == sorted(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        for slip in [
            "shwo", "chek", "teh", "waht", "pleese", "hwo", "tomorow", "lst",
        ] {
            assert!(knows(slip) || nearly_knows(slip), "{slip}");
        }
        for other in [
            "turn", "restart", "reset", "soiled", "export", "clean", "delete", "send", "mail",
            "sell", "switch", "shut", "csv", "dirty",
        ] {
            assert!(!knows(other) && !nearly_knows(other), "{other}");
        }
    }
}
