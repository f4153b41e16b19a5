//! The definitions of the field's terms, each with its source.

use super::coverage::Coverage;
use super::text::{Kind, normalize, tokens};

mod workings;

/// A word of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// How a text names it.
    pub name: &'static str,
    /// The definition, in one or two sentences.
    pub meaning: &'static str,
    /// The source of the definition.
    pub source: &'static str,
    /// How messages name it, without articles and in the singular.
    spellings: &'static [&'static str],
    /// A message whose answer shows it; absent when none does.
    pub shows: Option<&'static str>,
}

/// Every word that is explained.
pub const TERMS: &[Term] = &[
    Term {
        name: "performance ratio",
        meaning: "The performance ratio (PR) is the energy that a system delivered, divided by what its nameplate capacity would have delivered \
                  in the same sunlight. It leaves out how sunny it was, so days and systems can be compared; healthy systems reach about 75 to 90 %.",
        source: "IEC 61724-1:2021",
        spellings: &["performance ratio", "pr", "performance ratios"],
        shows: Some("Show performance ratio for the fleet"),
    },
    Term {
        name: "specific yield",
        meaning: "The specific yield is the energy of a system divided by its nameplate capacity, in kWh per kWp. It makes systems of different \
                  sizes comparable under the same sun; the standard calls it the final yield.",
        source: "IEC 61724-1:2021",
        spellings: &["specific yield", "final yield", "yield"],
        shows: Some("Compare all inverters on energy"),
    },
    Term {
        name: "reference yield",
        meaning: "The reference yield is the sunlight that reached the panels, counted in hours of full sun (1,000 W/m²).",
        source: "IEC 61724-1:2021",
        spellings: &[
            "reference yield",
            "peak sun hour",
            "full sun hour",
            "sun hour",
        ],
        shows: Some("Show performance ratio for the fleet"),
    },
    Term {
        name: "kWp",
        meaning: "kWp (kilowatt peak) is the nameplate capacity of solar panels: the power that they deliver under standard test conditions, \
                  with 1,000 W/m² of sunlight and cells at 25 °C.",
        source: "IEC 60904-3 for the standard test conditions",
        spellings: &[
            "kwp",
            "kilowatt peak",
            "kw peak",
            "watt peak",
            "wp",
            "nameplate",
            "nameplate capacity",
            "capacity",
            "rated power",
        ],
        shows: Some("List my devices"),
    },
    Term {
        name: "kW",
        meaning: "kW (kilowatt) is power: how fast energy flows at one moment. A system that delivers 1 kW for one hour makes 1 kWh.",
        source: "the International System of Units (SI)",
        spellings: &["kw", "kilowatt", "power", "watt", "w", "mw", "megawatt"],
        shows: Some("Morning briefing"),
    },
    Term {
        name: "kWh",
        meaning: "kWh (kilowatt hour) is energy: what 1 kW delivers in one hour. Bills and meters count it.",
        source: "the International System of Units (SI)",
        spellings: &["kwh", "kilowatt hour", "energy", "mwh", "megawatt hour"],
        shows: Some("How much energy did all inverters make in the last 7 days?"),
    },
    Term {
        name: "irradiance",
        meaning: "Irradiance is the power of the sunlight on a surface, in W/m². Bright sun gives about 1,000 W/m² on a surface that faces it.",
        source: "IEC 61724-1:2021",
        spellings: &[
            "irradiance",
            "irradiation",
            "insolation",
            "solar radiation",
            "radiation",
            "poa",
            "plane of array",
            "ghi",
        ],
        shows: Some("Compare all inverters on irradiance"),
    },
    Term {
        name: "standard test conditions",
        meaning: "Standard test conditions (STC) are 1,000 W/m² of sunlight, cells at 25 °C and the AM 1.5 spectrum. Nameplates state the power under them.",
        source: "IEC 60904-3",
        spellings: &["standard test condition", "stc", "standard test conditions"],
        shows: Some("Show performance ratio for the fleet"),
    },
    Term {
        name: "inverter",
        meaning: "An inverter turns the direct current of the panels into the alternating current of the grid.",
        source: "IEC 61836, the vocabulary of solar photovoltaic energy systems",
        spellings: &["inverter", "pv inverter", "solar inverter"],
        shows: Some("List my devices"),
    },
    Term {
        name: "data logger",
        meaning: "A logger records the readings of one device, an inverter, a meter or a weather station, and names the device here.",
        source: "the documentation of this program",
        spellings: &["logger", "data logger", "datalogger"],
        shows: Some("List my devices"),
    },
    Term {
        name: "health score",
        meaning: "The health score runs from 0 to 100. It starts at 100 and falls with outages, dead days, days not reported and output below \
                  that of its peers and its own usual.",
        source: "the documentation of this program",
        spellings: &["health score", "score", "health"],
        shows: Some("Check the health of all inverters"),
    },
    Term {
        name: "anomaly",
        meaning: "An anomaly is something unusual in the readings: an outage in full sun, a day without energy, output below the usual, or a value \
                  that does not move.",
        source: "the documentation of this program",
        spellings: &["anomaly", "anomalies"],
        shows: Some("Check the health of all inverters"),
    },
    Term {
        name: "availability",
        meaning: "Availability is the share of what a system could have delivered that its outages left. Energy-based availability weighs each hour by the sun.",
        source: "IEC TS 61724-3 and IEC TS 63019",
        spellings: &[
            "availability",
            "uptime",
            "energy availability",
            "energy-based availability",
        ],
        shows: Some("Check the health of all inverters"),
    },
    Term {
        name: "outage",
        meaning: "An outage is a time in which the sun shines on the panels and the inverter delivers nothing. The energy lost in it is estimated \
                  from the sunlight or from the devices beside it.",
        source: "IEC TS 61724-3 for the lost energy",
        spellings: &["outage", "downtime", "lost energy", "energy loss"],
        shows: Some("Check the health of all inverters"),
    },
    Term {
        name: "dead day",
        meaning: "A dead day is a day on which a device sent its readings and delivered next to nothing, although the sun, or the devices beside \
                  it, say that there was something to be had.",
        source: "the documentation of this program",
        spellings: &["dead day"],
        shows: Some("Check the health of all inverters"),
    },
    Term {
        name: "missing day",
        meaning: "A missing day is a day of which there are next to no readings. It says nothing about the device itself, which may have worked.",
        source: "the documentation of this program",
        spellings: &["missing day", "day not reported", "unreported day"],
        shows: Some("Check the health of all inverters"),
    },
    Term {
        name: "data outage",
        meaning: "A data outage is a time in which the sun shone and no power readings came. The inverter itself may have worked.",
        source: "the documentation of this program",
        spellings: &["data outage", "data gap", "gap"],
        shows: Some("Check the health of all inverters"),
    },
    Term {
        name: "stale values",
        meaning: "Stale values are readings that stay exactly the same in daylight, as if the connection to the device were stuck.",
        source: "the documentation of this program",
        spellings: &["stale value", "stuck value", "stuck reading"],
        shows: Some("Check the health of all inverters"),
    },
    Term {
        name: "underperformance",
        meaning: "Underperformance is output that stays below what the same sunlight usually brings from this device, or brings from its peers.",
        source: "the documentation of this program",
        spellings: &["underperformance", "underperformer", "underperforming"],
        shows: Some("Compare all inverters"),
    },
    Term {
        name: "clipping",
        meaning: "Clipping is when panels could deliver more than their inverter can pass on, so that power stays flat at the inverter's limit.",
        source: "IEC TS 61724-3",
        spellings: &["clipping", "inverter clipping"],
        shows: Some("Check the health of all inverters"),
    },
    Term {
        name: "power curve",
        meaning: "A power curve shows the power of a device over one day.",
        source: "the documentation of this program",
        spellings: &["power curve", "curve", "daily curve"],
        shows: None,
    },
    Term {
        name: "error code",
        meaning: "An error code is what a device reports about its own state. Its maker defines the codes; I explain the ones that are in my tables.",
        source: "the manuals of the makers",
        spellings: &["error code", "fault code", "alarm code", "status code"],
        shows: Some("Show the error codes of all inverters for the last 30 days"),
    },
    Term {
        name: "savings",
        meaning: "Savings are the energy made, times the price of electricity: what you would have paid for it, if all of it replaces purchased power.",
        source: "the documentation of this program",
        spellings: &["saving", "savings", "financial saving", "financial savings"],
        shows: Some("Show financial savings for the past month"),
    },
    Term {
        name: "CO2 offset",
        meaning: "The CO2 figure is the energy made, times the carbon dioxide that the grid's average kWh causes where the site stands.",
        source: "the factor named in each answer",
        spellings: &[
            "co2 offset",
            "co2",
            "carbon offset",
            "co2 saving",
            "co2 factor",
            "co2 figure",
            "emission factor",
            "avoided co2",
        ],
        shows: Some("Show financial savings for the past month"),
    },
    Term {
        name: "ROI",
        meaning: "The return on investment (ROI) is what an investment brings, divided by what it cost. I know what your energy is worth, and not what \
                  the system cost.",
        source: "the usual definition in accounting",
        spellings: &["roi", "return on investment", "payback", "payback time"],
        shows: Some("Show financial savings for the past month"),
    },
    Term {
        name: "forecast range",
        meaning: "The range of a forecast is where the day's energy is expected to fall in about eight of ten cases.",
        source: "the documentation of this program",
        spellings: &[
            "forecast range",
            "confidence interval",
            "prediction interval",
            "forecast interval",
            "confidence level",
            "range of forecast",
        ],
        shows: Some("Forecast production of all inverters for the next 7 days"),
    },
    Term {
        name: "tariff",
        meaning: "The tariff is the price of one kWh that savings are reckoned with. It is the site's own, unless you name another one.",
        source: "the settings of your site",
        spellings: &[
            "tariff",
            "electricity rate",
            "electricity price",
            "rate",
            "electricity tariff",
        ],
        shows: Some("Show financial savings for the past month"),
    },
    Term {
        name: "photovoltaics",
        meaning: "Photovoltaics (PV) is the direct conversion of light into electricity by solar cells.",
        source: "IEC 61836",
        spellings: &["photovoltaic", "photovoltaics", "pv", "solar power"],
        shows: Some("Morning briefing"),
    },
];

/// Beginnings of a request for a meaning, with whether the word itself has to follow without "the".
const OPENINGS: &[(&[&str], bool)] = &[
    (&["what", "does"], false),
    (&["what", "do"], false),
    (&["what", "is", "meant", "by"], false),
    (&["what", "is", "the", "meaning", "of"], false),
    (&["what", "is", "the", "definition", "of"], false),
    (&["what", "do", "you", "mean", "by"], false),
    (&["what", "do", "you", "mean", "with"], false),
    (&["what", "exactly", "is"], true),
    (&["what", "is"], true),
    (&["what", "are"], true),
    (&["whats"], true),
    (&["what's"], true),
    (&["explain"], true),
    (&["explain", "to", "me", "what"], true),
    (&["define"], false),
    (&["meaning", "of"], false),
    (&["definition", "of"], false),
    (&["tell", "me", "what"], true),
];

/// The performance ratio, percent, that `message` asks a verdict on: "is a PR of 49 % good?".
pub fn rated_ratio(message: &str) -> Option<f64> {
    let text = normalize(message);
    let tokens = tokens(&text);
    let word = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.text));
    let ratio = word(&["pr"]) || text.contains("performance ratio");
    let verdict = word(&[
        "good", "bad", "ok", "okay", "normal", "low", "high", "healthy", "fine", "poor",
    ]);
    let general = tokens
        .windows(2)
        .any(|pair| matches!(pair[0].text, "a" | "an") && pair[1].kind == Kind::Word);
    let at = tokens.iter().position(|token| token.kind == Kind::Number)?;
    let others = tokens
        .iter()
        .filter(|token| token.kind == Kind::Number)
        .count();
    let decimals = tokens
        .get(at + 2)
        .filter(|_| {
            tokens
                .get(at + 1)
                .is_some_and(|mark| mark.glued && matches!(mark.text, "." | ","))
        })
        .filter(|next| next.kind == Kind::Number);
    if !ratio || !verdict || !general || others != 1 + usize::from(decimals.is_some()) {
        return None;
    }
    let number = decimals.map_or_else(
        || tokens[at].text.to_owned(),
        |decimals| format!("{}.{}", tokens[at].text, decimals.text),
    );
    let value: f64 = number.parse().ok()?;
    let percent = if value <= 1.5 { 100.0 * value } else { value };
    (0.0..=150.0).contains(&percent).then_some(percent)
}

/// The words of the field that `message` asks the meaning of, and nothing else; empty when it asks
/// for anything more.
pub fn asked_meaning(message: &str) -> Vec<&'static Term> {
    let text = normalize(message);
    let mut words: Vec<&str> = Vec::new();
    for token in tokens(&text) {
        match token.kind {
            Kind::Word => match token.text.split_once('\'') {
                Some((head, "s")) => words.extend([head, "is"]),
                _ => words.push(token.text),
            },
            // "CO2" is one word; other numbers belong to days and devices.
            Kind::Number if token.glued && words.last() == Some(&"co") && token.is("2") => {
                words.pop();
                words.push("co2");
            }
            Kind::Number => return Vec::new(),
            Kind::Mark => {}
        }
    }
    drop_around(&mut words);
    let comparing = between(&words);
    if !comparing.is_empty() {
        return comparing;
    }
    if let Some(explained) = workings::asked(&words).and_then(term) {
        return vec![explained];
    }
    let fits = |(opening, _): &&(&[&str], bool)| words.starts_with(opening);
    let Some((opening, bare)) = OPENINGS
        .iter()
        .filter(fits)
        .max_by_key(|(words, _)| words.len())
    else {
        // "PR meaning", "kWp definition".
        return match words.as_slice() {
            [rest @ .., "meaning" | "definition" | "means"] => term(rest).into_iter().collect(),
            _ => Vec::new(),
        };
    };
    let mut rest = &words[opening.len()..];
    if let [article @ ("a" | "an" | "the" | "this" | "my"), tail @ ..] = rest {
        // "What is the performance ratio?" asks for its value.
        if *bare && *article != "a" && *article != "an" && valued(tail) {
            return Vec::new();
        }
        rest = tail;
        // "What is a good performance ratio?"
        if let [
            "good" | "normal" | "typical" | "healthy" | "usual",
            tail @ ..,
        ] = rest
            && *bare
        {
            rest = tail;
        }
    }
    let needs_end = matches!(opening, ["what", "does" | "do"]);
    let ended = match (opening.first(), rest) {
        (Some(&"what"), [head @ .., "mean" | "means" | "stand"]) if needs_end => Some(head),
        (Some(&"what"), [head @ .., "stand", "for"]) if needs_end => Some(head),
        _ if needs_end => None,
        (_, [head @ .., "is" | "are" | "mean" | "means"] | head) => Some(head),
    };
    ended.and_then(term).into_iter().collect()
}

/// The question for a meaning that a message puts after another one: "and a specific yield?",
/// "and availability?".
pub fn further_meaning(message: &str) -> Option<String> {
    let text = normalize(message);
    let tokens = tokens(&text);
    let all: Vec<&str> = tokens
        .iter()
        .filter(|token| token.kind == Kind::Word)
        .map(|token| token.text)
        .collect();
    let (["and" | "or" | "also", rest @ ..] | ["what" | "how", "about", rest @ ..]) =
        all.as_slice()
    else {
        return None;
    };
    let rest = rest.strip_prefix(&["what", "about"]).unwrap_or(rest);
    let rest = rest.strip_prefix(&["how", "about"]).unwrap_or(rest);
    let named = match rest {
        ["a" | "an", named @ ..] | named => named,
    };
    let numbers = tokens.iter().any(|token| token.kind == Kind::Number);
    let term = term(named).filter(|_| !numbers)?;
    Some(format!("what is {}", term.name))
}

/// "What's the difference between kW and kWh?"
fn between(words: &[&str]) -> Vec<&'static Term> {
    let Some(at) = words.iter().position(|word| *word == "between") else {
        return Vec::new();
    };
    let asks = words[..at].contains(&"difference")
        && words[..at].iter().all(|word| {
            matches!(
                *word,
                "what" | "is" | "the" | "difference" | "explain" | "s"
            )
        });
    let mut parts = words[at + 1..].split(|word| *word == "and");
    let (Some(one), Some(other), None) = (parts.next(), parts.next(), parts.next()) else {
        return Vec::new();
    };
    let without_article = |words: &[&str]| -> Option<&'static Term> {
        match words {
            ["a" | "an" | "the", rest @ ..] | rest => term(rest),
        }
    };
    match (asks, without_article(one), without_article(other)) {
        (true, Some(one), Some(other)) => vec![one, other],
        _ => Vec::new(),
    }
}

/// Takes away what stands around a question and carries no matter.
fn drop_around(words: &mut Vec<&str>) {
    const BEFORE: &[&[&str]] = &[
        &["please"],
        &["can", "you"],
        &["could", "you"],
        &["hey"],
        &["hi"],
        &["hello"],
        &["sorry"],
        &["ok"],
        &["okay"],
        &["so"],
        &["and"],
        &["but"],
        &["remind", "me"],
    ];
    const AFTER: &[&[&str]] = &[
        &["please"],
        &["again"],
        &["exactly"],
        &["actually"],
        &["to", "me"],
        &["for", "me"],
        &["anyway"],
        &["in", "simple", "terms"],
        &["here"],
        &["thanks"],
        &["in", "solar"],
        &["in", "pv"],
        &["then"],
    ];
    while let Some(words_before) = BEFORE
        .iter()
        .find(|before| words.len() > before.len() && words.starts_with(before))
    {
        words.drain(..words_before.len());
    }
    while let Some(words_after) = AFTER
        .iter()
        .find(|after| words.len() > after.len() && words.ends_with(after))
    {
        words.truncate(words.len() - words_after.len());
    }
}

/// The term that these words are, in the singular or the plural, spelt right.
fn term(words: &[&str]) -> Option<&'static Term> {
    if words.is_empty() || words.len() > 5 {
        return None;
    }
    let phrase = words.join(" ");
    let singular = phrase.strip_suffix('s').unwrap_or(&phrase);
    TERMS.iter().find(|term| {
        term.spellings
            .iter()
            .any(|spelling| *spelling == phrase || *spelling == singular)
    })
}

/// Whether a tool gives the value that these words name, so that "the" asks for it.
fn valued(words: &[&str]) -> bool {
    let words = words.join(" ");
    matches!(
        words.as_str(),
        "performance ratio"
            | "pr"
            | "power"
            | "energy"
            | "yield"
            | "saving"
            | "savings"
            | "health"
            | "health score"
            | "score"
            | "irradiance"
            | "availability"
            | "roi"
            | "co2"
            | "co2 saving"
            | "outage"
            | "outages"
            | "downtime"
            | "lost energy"
            | "curve"
            | "power curve"
            | "error code"
            | "error codes"
            | "energy loss"
            | "payback"
            | "payback time"
            | "anomalies"
            | "forecast range"
            | "co2 savings"
            | "anomaly"
            | "tariff"
            | "tariffs"
            | "electricity rate"
            | "electricity price"
            | "electricity tariff"
            | "rate"
    )
}

/// Whether a message that names devices or days can be about a meaning at all.
pub(super) fn is_possible(coverage: &Coverage) -> bool {
    coverage.slots == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(message: &str) -> Vec<&'static str> {
        asked_meaning(message)
            .iter()
            .map(|term| term.name)
            .collect()
    }

    #[test]
    fn meanings_are_recognised() {
        for (message, expected) in [
            ("what is a performance ratio?", "performance ratio"),
            ("What is performance ratio", "performance ratio"),
            ("what does PR mean?", "performance ratio"),
            ("what does the PR stand for", "performance ratio"),
            ("What's kWp?", "kWp"),
            ("what does kWp mean", "kWp"),
            ("explain specific yield", "specific yield"),
            (
                "could you explain specific yield to me please",
                "specific yield",
            ),
            ("Define irradiance", "irradiance"),
            ("what is an inverter", "inverter"),
            ("what are inverters?", "inverter"),
            (
                "how is the performance ratio calculated?",
                "performance ratio",
            ),
            ("how is the health score calculated", "health score"),
            ("what do you mean by availability", "availability"),
            ("meaning of clipping", "clipping"),
            ("PR meaning", "performance ratio"),
            ("what is the meaning of CO2 offset", "CO2 offset"),
            ("hey, what's an outage?", "outage"),
            ("what is STC", "standard test conditions"),
            ("what's a good performance ratio?", "performance ratio"),
            ("what is a typical PR", "performance ratio"),
        ] {
            assert_eq!(names(message), [expected], "{message}");
        }
        assert_eq!(
            names("what's the difference between kW and kWh?"),
            ["kW", "kWh"]
        );
    }

    #[test]
    fn questions_for_values_are_none() {
        for message in [
            "what is the performance ratio?",
            "what's the performance ratio of GW-INV-001",
            "what is my PR",
            "what is the performance ratio yesterday",
            "what is the meaning of life",
            "what are you",
            "what is going on",
            "what is wrong",
            "how is the site",
            "explain the outage of LTI",
            "what does E-501 mean?",
            "difference between the goodwe and the LTI",
            "what did we produce",
            "",
        ] {
            assert_eq!(names(message), Vec::<&str>::new(), "{message}");
        }
    }
}
