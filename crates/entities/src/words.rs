//! Common words, which name a thing only if they are written like a name.

/// Words inside names that do not distinguish them.
const LINKS: &[&str] = &[
    "a", "and", "at", "da", "de", "del", "den", "der", "des", "di", "do", "du", "el", "en", "et",
    "la", "las", "le", "les", "los", "of", "on", "the", "und", "van", "von", "y",
];

/// Common words, and words of questions and of requests about records.
const COMMON: &str = "a able about above according across active actual actually add added after afterwards again against age ago all almost \
    along already also although always am among amount an analyse analysis analyze and another any anything api are area around arrange arrival \
    arrivals arrive arrived arrives arriving as ask at available average avg away back bar based be because been before began begin being below \
    best better between big both bottom bound break breakdown brief bring broken busiest but by calculate came can cancel cancelled cannot cargo cases \
    category change changed chart cheap check city clear close closed code column columns come comes coming company compare compared \
    comparison complete completed consider contain containing contains continue correlation correct could count countries country counts csv current currently \
    customer daily dashboard data database date dates day days default define delay delayed delays delete deliver delivered delivery depart departed \
    departing departs departure departures describe description detail details did differ difference different display distinct distribution do does \
    doing done don down draw during each early earlier earliest east edit either elasticsearch else empty end ended enough entire entries entry equal es eta etd ever \
    every everything exact exactly exclude excluding exist expected explain export express fast fastest few field fields fifty figure file filter filtered \
    filters final finally find fine first five fix following for forget forty found four fourth from full further general get gets give given gives go \
    goes going good got gql graph graphql great greater group grouped groups grow had half handle happen happened has have having he heaviest \
    heavy hello help her here hey hi high higher highest him his history hold home hour hours how however hundred i id identify ids if ignore \
    important in inbound include included including increase indeed index individual info information inside instead into invalid is it item items its \
    join json just keep kind know known large larger largest last late later latest lead least leave leaves leaving left less let level light like \
    likely limit line list listed listing little load loaded location locations long longer longest look lot low lower lowest made main make makes \
    many map max maximum may me mean means measure median medium meet mention met metric mid middle million min minimum minute \
    minutes missing mode month monthly months more most move moved much must my name named names national near nearest need needed never new newest next nice \
    night no non none nor normal north not note nothing now number numbers of off often old older oldest on once one ones only onto open or orange order \
    ordered orders origin other others our out outbound over overdue overview own page part past pattern patterns pending per percent percentage \
    period pick place plan planned plans please plus possible predict present previous previously print prior priority problem progress \
    provide put q1 q2 q3 q4 quantity quarter query question quick quickly rank ranking rate rather ratio read reading ready real really reason \
    recent recently record records region related relative remaining remove report reports request required rest result results retrieve \
    return returned right row rows run same save say schedule scheduled search second see seem select send sent separate several she shift \
    ship shipped short should show showed showing shown shows side similar simple since single six size slow slowest small smaller smallest \
    so some something sort sorted source south specific split sql start started starting state stats statistics status statuses still stop \
    such sum summaries summarise summarize summary sure table take taken takes task tell ten test text than thank thanks that the their them then \
    there these they thing things think third thirty this those thousand three through thus till time times tiny to today together told \
    tomorrow tonight too took top total totals toward towards track travel trend trends true try turn twenty two type types under undo until up update \
    updated upcoming us usd use used user using usual value values various very via view visualise visualize vs wait want wanted was way we week \
    weekday weekend weekly weeks weight well went were west what when where whether which while who whole whom whose why will wish with \
    within without wonder word work worked working worst would wrong year yearly years yes yesterday yet you your zero zone";

/// Words of dates.
const DATES: &[&str] = &[
    "apr",
    "april",
    "aug",
    "august",
    "autumn",
    "dec",
    "december",
    "fall",
    "feb",
    "february",
    "fri",
    "friday",
    "jan",
    "january",
    "jul",
    "july",
    "jun",
    "june",
    "mar",
    "march",
    "may",
    "mon",
    "monday",
    "nov",
    "november",
    "oct",
    "october",
    "sat",
    "saturday",
    "sep",
    "sept",
    "september",
    "spring",
    "summer",
    "sun",
    "sunday",
    "thu",
    "thur",
    "thurs",
    "thursday",
    "tue",
    "tues",
    "tuesday",
    "wed",
    "wednesday",
    "winter",
];

/// Words that precede a name: `to Miami`, `aboard MSC Anna`.
const CUES: &[&str] = &[
    "aboard", "arrive", "arrived", "arriving", "at", "between", "by", "called", "entering", "for",
    "from", "in", "into", "leaving", "like", "named", "near", "on", "onto", "reaching", "to",
    "toward", "towards", "under", "via", "with",
];

/// Words that turn the next word into a date: `in May`.
const BEFORE_DATES: &[&str] = &[
    "after", "and", "before", "between", "by", "during", "early", "end", "for", "from", "in",
    "last", "late", "mid", "next", "of", "on", "or", "since", "this", "through", "till", "to",
    "until",
];

/// Whether a folded word is only a link within names.
pub(crate) fn is_link(word: &str) -> bool {
    LINKS.binary_search(&word).is_ok()
}

/// Whether a folded word is common.
pub(crate) fn is_common(word: &str) -> bool {
    use std::collections::HashSet;
    use std::sync::LazyLock;
    static ALL: LazyLock<HashSet<&str>> = LazyLock::new(|| COMMON.split_whitespace().collect());
    ALL.contains(word) || word.chars().count() < 2
}

/// Whether a folded word is a month, a day of the week or a season.
pub(crate) fn is_date_word(word: &str) -> bool {
    DATES.binary_search(&word).is_ok()
}

/// Whether a name can follow a folded word.
pub(crate) fn is_cue(word: &str) -> bool {
    CUES.binary_search(&word).is_ok()
}

/// Whether a folded word turns the next word into a date.
pub(crate) fn is_before_date(word: &str) -> bool {
    BEFORE_DATES.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order() {
        for list in [LINKS, DATES, CUES, BEFORE_DATES] {
            assert!(list.is_sorted(), "{list:?}");
        }
        assert!(is_common("show") && is_date_word("may") && is_link("of") && is_cue("to"));
        assert!(!is_common("miami") && !is_cue("miami"));
    }
}
