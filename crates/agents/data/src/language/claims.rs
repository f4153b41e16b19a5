//! The limits of an answer from general knowledge: it explains what was asked and states nothing
//! of the organisation, of persons, or of how things stand.
//!
//! A sentence explains: it is on the question's subject, timeless and in English, and names no
//! person. Words of business come up only in the definition of what was asked. An offer or a
//! question back consists of words of the question, of tables and of courtesy.

use std::sync::LazyLock;

use agent_kit::citations::has_strange_marks;
use regex::Regex;

use super::names::{mentions, stems};

/// The beginning of a sentence that offers something or asks for a question.
static OFFER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?ix)^\W*(
        hello | hi | hey | good\s(morning|afternoon|evening) | thanks | thank\syou | you['’]re\swelcome | sorry
        | i\s(can|could)\s(help|answer|look|explain|show|assist|only|not|['’]t) | i\s(cannot|can['’]t|don['’]t|do\snot|am|have\sno) | i['’]m
        | (you\s(can|could|may)\s)?(ask|try|rephrase) | please | feel\sfree | let\sme\sknow
        | which | what | would\syou | could\syou | do\syou\s(mean|want) | shall\si
    )\b";
    Regex::new(pattern).ok()
});

/// Words of an offer, beside those of the question and of tables. Sorted.
const OFFERED: &[&str] = &[
    "a", "about", "again", "an", "and", "another", "answer", "any", "anything", "are", "as", "ask",
    "assist", "at", "be", "best", "can", "cannot", "cant", "company", "could", "data", "database",
    "detail", "do", "document", "dont", "else", "explain", "feel", "for", "free", "from",
    "general", "glad", "good", "happy", "have", "hello", "help", "here", "hey", "hi", "how", "i",
    "im", "in", "is", "it", "kind", "know", "let", "like", "look", "many", "may", "me", "mean",
    "more", "morning", "much", "my", "no", "not", "of", "on", "one", "only", "or", "other",
    "please", "question", "rephrase", "see", "shall", "show", "sorry", "specific", "such", "table",
    "tell", "thank", "that", "the", "them", "there", "thi", "this", "to", "topic", "try", "want",
    "welcome", "what", "which", "with", "word", "would", "you", "your", "youre",
];

/// Words of a sentence about the organisation, about persons, or about how something stands.
static ABOUT_US: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?ix)\b(
        your | yours | our | ours | us | we | he | she | his | her | hers | some(?:body) | someone\selse
        | (the|this|that|their) \s (company|organi[sz]ation|business|firm|enterprise|team|staff|data|database|records?|tables?|boss|management|customers?|clients?|employees?|revenue|sales|profits?)
        | today | yesterday | tonight | tomorrow | currently | now | lately | recently | at\sthe\smoment | at\spresent | so\sfar | already | still | soon
        | (this|last|next) \s (day|week|month|quarter|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday)
        | \S \s here
        | the \s plan \s to
        | (this|that|these|those) \s (place|house|office|plant|site|building|shop|town|city|invoices?|orders?)
        | the \s (people|plant|rivals?|machines|tables) \s (\w+ \s)? (are|is|in|leave|stop|that|will)
        | there \s (is|are) \s (no|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d+)
        | you \s (have|had|own|made|make|earn|earned|lose|lost|sold|sell|employ|owe|need|should|must)
        | gmbh | inc | ltd | llc | ag | corp
        | (everything|nothing|anything|everybody|everyone|no(?:body)|all|none|most|some|many|few|half|several) \s (is|are|was|were|works?|went|has|have|of)
    )\b";
    Regex::new(pattern).ok()
});

/// A state in which a certain thing is, or which a sentence ascribes to whatever was asked about.
static STANDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?ix)
        ^\W*(yes|no|yep|nope|sure|certainly|definitely|absolutely|correct|indeed|unfortunately|luckily)\b
        | \b(is|are|isn['’]t|aren['’]t|['’]s|['’]re|stays?|remains?|seems?|looks?|appears?|feels?|keeps?)
          \s ((not|fully|completely|quite|very|perfectly|all|too|always|again|back|to\sbe|almost|nearly|partly) \s)*
          (active|alive|all\sright|allowed|alright|asleep|available|away|back|bad|blocked|broken|busy|charged|clean|clear|closed|cold
          |complete|completed|compromised|connected|correct|corrupt|corrupted|critical|damaged|dangerous|dead|defective|dirty|disabled
          |disconnected|done|down|dry|empty|enabled|fast|faulty|fine|finished|flooded|forbidden|free|frozen|full|functional|gone|good
          |hacked|healthy|hot|idle|inactive|infected|installed|intact|leaking|leaky|live|loaded|locked|lost|missing|normal|off|offline|ok
          |okay|on|online|open|operational|out|over|overheated|overloaded|parked|paused|permitted|quiet|reachable|ready|responsive|risky
          |running|safe|secure|slow|sound|stable|stopped|stuck|unavailable|unblocked|unlocked|unreachable|unresponsive|unsafe|unstable
          |untouched|up|urgent|warm|well|wet|working|wrong)
          \s* ([.,;:!?…]|$|\b(and|again|but|because|since|to|for|at|in|with|right|until|so)\b)
        | \b(works|runs|functions|operates|work|run) \s (again|as\sexpected|correctly|fine|normally|perfectly|properly|smoothly|well)\b
        | \b(takes?|lasts?|costs?|needs?|weighs?) \s ((about|around|only|roughly|some|at\sleast|at\smost|up\sto) \s)? (\d|\u{2026})";
    Regex::new(pattern).ok()
});

/// The beginning of a clause of things of a kind, which defines: "a server is down when".
static OF_A_KIND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?i)^\W*(an?|any|each|every)\s|\b(means?|refers?\sto|defined|called)\b";
    Regex::new(pattern).ok()
});

/// What happened, or happens now.
static HAPPENED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?ix)\b(
        was | were | had | did | went | fell | rose | grew | stole | broke | quit | died | became | began | took | gave
        | (has|have|had) \s (been | just | \w+ed)
        | (is|are|am) \s (now\s|not\s|always\s)? \w{3,}ing
        | will | shall | going\sto
    )\b";
    Regex::new(pattern).ok()
});

/// A verb in the past that does not follow a form of "be" or precede a noun.
static PAST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(\w+)\s+(?:\w{2,}ed|paid|told|met|lost|sold|bought|said|left|won)\b").ok()
});

/// Amounts and judgements that no general answer needs.
static AMOUNT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?ix)\b(hundreds? | thousands? | millions? | billions? | dozens? | scores? | twice | double[sd]? | triple[sd]? | halve[sd]? | majority | minority | percent | per\scent
        | twenty | thirty | forty | fifty | sixty | seventy | eighty | ninety | best | worst )\b | [%$€£]";
    Regex::new(pattern).ok()
});

/// Numbers, which no definition of business needs.
static COUNTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?ix)\b(\d+ | three | four | five | six | seven | eight | nine | ten | eleven | twelve)\b";
    Regex::new(pattern).ok()
});

/// The beginning of a definition, up to its verb and what follows that.
static DEFINES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?ix)^(?P<subject>[^.;:!?]*?)\b(means? | refers?\sto | describes? | stands\sfor
        | (is|are)\s(usually\s|often\s|also\s|simply\s|typically\s)? (a | an | any | how | what | when | where | whether | used | called | defined | known | calculated | measured | something | someone | people | the\s(?:\w+\s){0,3}(of|that|which|who|from|in|by)) )\b";
    Regex::new(pattern).ok()
});

/// A form of "be" with what does not define: a state.
static STATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?ix)\b(is|are|am|isn['’]t|aren['’]t|['’]s|['’]re)\s(?P<state>\w+)";
    Regex::new(pattern).ok()
});

/// What may follow a form of "be" in an explanation.
const COMPLEMENTS: &[&str] = &[
    "a",
    "also",
    "an",
    "any",
    "based",
    "best",
    "built",
    "called",
    "calculated",
    "common",
    "defined",
    "different",
    "easy",
    "hard",
    "how",
    "important",
    "in",
    "known",
    "like",
    "made",
    "measured",
    "not",
    "often",
    "one",
    "part",
    "people",
    "possible",
    "similar",
    "simply",
    "someone",
    "something",
    "stored",
    "that",
    "the",
    "to",
    "trained",
    "typically",
    "used",
    "useful",
    "usually",
    "what",
    "when",
    "where",
    "whether",
    "why",
];

/// Words of business, by their stems.
const BUSINESS: &[&str] = &[
    "absent",
    "account",
    "asset",
    "bankrupt",
    "bill",
    "boss",
    "branch",
    "bribe",
    "broken",
    "budget",
    "business",
    "buyer",
    "cash",
    "ceo",
    "client",
    "colleague",
    "company",
    "competitor",
    "contract",
    "cost",
    "court",
    "crew",
    "customer",
    "deal",
    "debt",
    "defect",
    "delay",
    "delivery",
    "director",
    "earn",
    "employee",
    "engineer",
    "faked",
    "fault",
    "fire",
    "firm",
    "fraud",
    "hire",
    "holiday",
    "ill",
    "income",
    "insolvent",
    "invoice",
    "job",
    "late",
    "lawsuit",
    "leader",
    "lie",
    "manager",
    "market",
    "money",
    "offer",
    "office",
    "order",
    "overdue",
    "owe",
    "owner",
    "pay",
    "payment",
    "police",
    "price",
    "profit",
    "project",
    "purchase",
    "resign",
    "revenue",
    "rival",
    "salary",
    "sale",
    "sell",
    "ship",
    "shipment",
    "shop",
    "sick",
    "staff",
    "stock",
    "store",
    "strike",
    "supplier",
    "tax",
    "team",
    "technician",
    "theft",
    "thief",
    "thieve",
    "ticket",
    "turnover",
    "union",
    "vendor",
    "wage",
    "warehouse",
    "work",
    "worker",
];

/// Words that only English has.
const ENGLISH: &[&str] = &[
    "and", "are", "be", "by", "can", "each", "for", "from", "has", "have", "how", "it", "its",
    "of", "one", "or", "that", "the", "their", "these", "they", "this", "to", "what", "when",
    "where", "which", "with", "without", "you",
];

/// Words at the beginning that continue the subject.
const GOES_ON: &[&str] = &[
    "each", "example", "first", "for", "in", "instead", "it", "its", "one", "such", "that",
    "their", "then", "these", "they", "this", "those", "unlike",
];

/// Whether a general answer to this question may have this sentence. `begun` says whether another
/// one came before it, which "it" and "for example" continue.
pub(crate) fn is_general<'a>(
    sentence: &str,
    question: &str,
    begun: bool,
    tables: impl IntoIterator<Item = &'a str> + Clone,
) -> bool {
    if has_strange_marks(sentence) {
        return false;
    }
    let asked = stems(question);
    let said = stems(sentence);
    if said.is_empty() {
        return false;
    }
    let fits = |pattern: &LazyLock<Option<Regex>>| {
        let pattern = pattern.as_ref();
        pattern.is_some_and(|pattern| pattern.is_match(sentence))
    };
    let is_question = sentence.trim_end().ends_with('?');
    if fits(&OFFER) && is_offer(&said, &asked, tables.clone()) {
        return true;
    }
    if is_question || fits(&ABOUT_US) || fits(&HAPPENED) || fits(&AMOUNT) || has_past(sentence) {
        return false;
    }
    // What breaks off says less than its words seem to.
    let breaks_off = sentence.trim_end().ends_with('\u{2026}');
    if breaks_off || fits(&STANDS) && !fits(&OF_A_KIND) {
        return false;
    }
    let is_english = said.iter().any(|word| ENGLISH.contains(&word.as_str()));
    let carries = |word: &&String| word.len() > 3 && asked.contains(word);
    let goes_on = begun && GOES_ON.contains(&said[0].as_str());
    let on_subject = said.iter().any(|word| carries(&word));
    if !is_english || !goes_on && !on_subject {
        return false;
    }
    let defines = defines(sentence, &asked);
    let business = |word: &String| is_business(word) && !asked.contains(word);
    let is_of_tables = tables
        .clone()
        .into_iter()
        .any(|table| mentions(&said, table));
    // What the world is like is not a claim; how revenue or customers are may be one.
    let of_business = asked.iter().any(|word| is_business(word))
        || tables.into_iter().any(|table| mentions(&asked, table));
    // A matter outside business is explained without words of business.
    if (said.iter().any(business) || is_of_tables) && !(defines && of_business) {
        return false;
    }
    if of_business && (fits(&COUNTED) || names_some(&said, &asked)) {
        return false;
    }
    names_nobody(sentence, question, &asked)
        && (on_subject && !of_business || is_timeless(sentence))
}

/// Whether a sentence speaks of certain people or things of a business: "the managers", but not
/// "the money that a company earns".
fn names_some(said: &[String], asked: &[String]) -> bool {
    (1..said.len()).any(|at| {
        let certain = said[at - 1] == "the" && is_business(&said[at]) && !asked.contains(&said[at]);
        let behind = said.get(at + 1).map_or("", String::as_str);
        certain && !["from", "of", "that", "which", "who"].contains(&behind)
    })
}

fn is_business(word: &str) -> bool {
    BUSINESS.binary_search(&word).is_ok()
}

/// Whether a sentence has no words but those of an offer, of the question and of tables.
fn is_offer<'a>(
    said: &[String],
    asked: &[String],
    tables: impl IntoIterator<Item = &'a str>,
) -> bool {
    let tables: Vec<String> = tables.into_iter().flat_map(stems).collect();
    let mut indirect = false;
    said.iter().all(|word| {
        indirect |= ["how", "what", "which"].contains(&word.as_str());
        let listed = OFFERED.binary_search(&word.as_str()).is_ok();
        let known = listed || asked.contains(word) || tables.contains(word);
        let finite = ["is", "are", "have", "that", "thi"].contains(&word.as_str());
        known && (!finite || word == "thi" || indirect || said[0] == "i" && word == "have")
    })
}

/// Whether a sentence says what a word of the question is.
fn defines(sentence: &str, asked: &[String]) -> bool {
    let found = DEFINES
        .as_ref()
        .and_then(|pattern| pattern.captures(sentence));
    let subject = found.and_then(|found| found.name("subject"));
    subject.is_some_and(|subject| {
        let subject = stems(subject.as_str());
        subject
            .iter()
            .any(|word| word.len() > 3 && asked.contains(word))
    })
}

/// Whether every form of "be" is followed by what explains.
fn is_timeless(sentence: &str) -> bool {
    STATE.as_ref().is_some_and(|pattern| {
        pattern.captures_iter(sentence).all(|found| {
            let state = found["state"].to_lowercase();
            COMPLEMENTS.contains(&state.as_str())
        })
    })
}

fn has_past(sentence: &str) -> bool {
    PAST.as_ref().is_some_and(|pattern| {
        pattern.captures_iter(sentence).any(|found| {
            let before = found[1].to_lowercase();
            ![
                "a", "an", "and", "are", "as", "be", "being", "by", "called", "from", "in", "is",
                "labelled", "labeled", "not", "the", "of", "often", "or", "the", "to", "usually",
                "with",
            ]
            .contains(&before.as_str())
        })
    })
}

/// Whether a sentence has no name but those of the question. A question about something in the
/// world that has a name may be answered with another one.
fn names_nobody(sentence: &str, question: &str, asked: &[String]) -> bool {
    if !asked.iter().any(|word| is_business(word)) && names(question).next().is_some() {
        return true;
    }
    let known = question.to_lowercase();
    let mut names = names(sentence);
    names.all(|name| known.contains(&name.to_lowercase())) && !begins_with_name(sentence, asked)
}

/// Words with a capital that does not come from the beginning of a sentence, without abbreviations.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).skip(1);
    words.filter(|word| {
        let is_short = word.chars().count() <= 5 && word.chars().all(char::is_uppercase);
        word.starts_with(char::is_uppercase) && !is_short
    })
}

/// Whether the first word may be a name: nothing of the question or of grammar.
fn begins_with_name(sentence: &str, asked: &[String]) -> bool {
    let said = stems(sentence);
    let Some(first) = said.first() else {
        return false;
    };
    let grammar = GOES_ON.contains(&first.as_str())
        || ENGLISH.contains(&first.as_str())
        || [
            "a", "an", "if", "here", "there", "most", "using", "use", "machine", "computer",
        ]
        .contains(&first.as_str());
    // "Algorithms find patterns": a plural or an -ing form is not a name.
    let begin = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    let word: String = begin.chars().take_while(|c| c.is_alphanumeric()).collect();
    let common = word.ends_with("ing") || word.ends_with('s') && !word.ends_with("ss");
    !grammar && !common && !asked.contains(first)
}

#[cfg(test)]
mod tests;
