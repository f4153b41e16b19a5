//! What of earlier results is to be analysed.

use super::text::{Token, tokens};

/// A request for an analysis.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnalysisRequest {
    /// The quantity that is analysed, in the person's words: `delay`.
    pub topic: Option<String>,
    /// The kinds of findings; empty when the words do not say.
    pub kinds: Vec<AnalysisKind>,
    /// By what groups are compared: `carrier`.
    pub by: Option<String>,
}

/// A kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum AnalysisKind {
    Summary,
    Distribution,
    Trend,
    Correlation,
    Comparison,
    Anomalies,
    Seasonality,
    ChangePoints,
}

impl AnalysisKind {
    /// One word for it.
    const fn word(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Distribution => "distribution",
            Self::Trend => "trend",
            Self::Correlation => "correlation",
            Self::Comparison => "comparison",
            Self::Anomalies => "anomaly",
            Self::Seasonality => "seasonal",
            Self::ChangePoints => "change",
        }
    }
}

impl AnalysisRequest {
    /// The key of the task that looks for patterns: `identify_delay_patterns`.
    pub fn pattern_task(&self) -> String {
        let of = match (&self.topic, self.kinds.as_slice()) {
            (Some(topic), _) => topic.as_str(),
            (None, [kind]) => kind.word(),
            _ => return "identify_patterns".to_owned(),
        };
        let words: Vec<String> = tokens(of)
            .into_iter()
            .filter(|token| token.is_word() && token.text.is_ascii())
            .map(|token| token.text)
            .collect();
        if words.is_empty() {
            return "identify_patterns".to_owned();
        }
        format!("identify_{}_patterns", words.join("_"))
    }
}

/// Words that begin with these say what is looked for.
const KINDS: &[(&str, AnalysisKind)] = &[
    ("trend", AnalysisKind::Trend),
    ("develop", AnalysisKind::Trend),
    ("distribut", AnalysisKind::Distribution),
    ("histogram", AnalysisKind::Distribution),
    ("spread", AnalysisKind::Distribution),
    ("correlat", AnalysisKind::Correlation),
    ("relation", AnalysisKind::Correlation),
    ("compar", AnalysisKind::Comparison),
    ("differ", AnalysisKind::Comparison),
    ("anomal", AnalysisKind::Anomalies),
    ("outlier", AnalysisKind::Anomalies),
    ("unusual", AnalysisKind::Anomalies),
    ("season", AnalysisKind::Seasonality),
    ("cycl", AnalysisKind::Seasonality),
    ("summar", AnalysisKind::Summary),
    ("statistic", AnalysisKind::Summary),
    ("overview", AnalysisKind::Summary),
];

/// Words that are never what is looked at.
const NOT_TOPICS: &[&str] = &[
    "a",
    "all",
    "an",
    "analyse",
    "analysis",
    "analyze",
    "and",
    "any",
    "are",
    "at",
    "between",
    "by",
    "can",
    "could",
    "data",
    "do",
    "does",
    "explain",
    "find",
    "for",
    "from",
    "get",
    "give",
    "has",
    "have",
    "how",
    "i",
    "identify",
    "in",
    "insight",
    "insights",
    "is",
    "it",
    "its",
    "key",
    "last",
    "look",
    "main",
    "me",
    "now",
    "of",
    "on",
    "or",
    "out",
    "over",
    "pattern",
    "patterns",
    "per",
    "please",
    "point",
    "points",
    "previous",
    "record",
    "records",
    "result",
    "results",
    "row",
    "rows",
    "show",
    "some",
    "stand",
    "stands",
    "tell",
    "that",
    "the",
    "their",
    "them",
    "there",
    "these",
    "this",
    "those",
    "time",
    "to",
    "us",
    "want",
    "was",
    "were",
    "what",
    "where",
    "which",
    "why",
    "with",
    "you",
    "about",
    "ones",
    "common",
    "across",
    "above",
    "run",
    "do",
    "change",
    "changes",
    "numbers",
    "figures",
    "also",
    "then",
    "detect",
    "check",
    "see",
    "interesting",
    "strange",
    "table",
    "list",
];

/// The analysis of earlier results that the message `text` asks for.
pub fn read_analysis(text: &str) -> AnalysisRequest {
    let tokens: Vec<Token> = tokens(text).into_iter().take(128).collect();
    let mut kinds = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let kind = kind_of(token).or_else(|| {
            let next = |words: &[&str]| tokens.get(at + 1).is_some_and(|next| next.is(words));
            match token.text.as_str() {
                "over" if next(&["time"]) => Some(AnalysisKind::Trend),
                "change" if next(&["point", "points"]) => Some(AnalysisKind::ChangePoints),
                "stands" | "stand" if next(&["out"]) => Some(AnalysisKind::Anomalies),
                _ => None,
            }
        });
        kinds.extend(kind.filter(|kind| !kinds.contains(kind)));
    }
    let by = tokens
        .iter()
        .position(|token| token.is(&["by", "per", "across"]))
        .and_then(|at| run(&tokens, at + 1));
    AnalysisRequest {
        topic: topic(&tokens, by.as_deref()),
        kinds,
        by,
    }
}

fn kind_of(token: &Token) -> Option<AnalysisKind> {
    KINDS
        .iter()
        .find(|(beginning, _)| token.text.starts_with(beginning))
        .map(|(_, kind)| *kind)
}

/// "Delay patterns", "distribution of delays", "analyze delays".
fn topic(tokens: &[Token], by: Option<&str>) -> Option<String> {
    let names_it = |at: usize| {
        tokens[at].is(&["pattern", "patterns", "analysis"]) || kind_of(&tokens[at]).is_some()
    };
    for at in 0..tokens.len() {
        if names_it(at) {
            let from =
                (at.saturating_sub(2)..at).find(|from| (*from..at).all(|at| is_topic(&tokens[at])));
            if let Some(from) = from {
                return Some(singular(&tokens[from..at]));
            }
        }
    }
    let introduced = (0..tokens.len()).find_map(|at| {
        let begins = tokens[at].is(&[
            "of", "in", "between", "for", "analyze", "analyse", "explain", "about",
        ]);
        begins.then(|| run(tokens, at + 1))?
    });
    introduced.filter(|topic| Some(topic.as_str()) != by)
}

/// Up to two words that can be looked at, behind an article.
fn run(tokens: &[Token], at: usize) -> Option<String> {
    let begin = at + usize::from(tokens.get(at)?.is(&["the", "their", "its", "each"]));
    let words = tokens
        .get(begin..)?
        .iter()
        .take_while(|token| is_topic(token))
        .take(2)
        .count();
    (words > 0).then(|| singular(&tokens[begin..begin + words]))
}

fn is_topic(token: &Token) -> bool {
    token.is_word() && !token.is(NOT_TOPICS) && kind_of(token).is_none()
}

/// The words, the last in the singular.
fn singular(tokens: &[Token]) -> String {
    let mut words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    if let Some(last) = words.last_mut()
        && last.len() > 3
        && let Some(cut) = last.strip_suffix('s')
        && !cut.ends_with(['s', 'u', 'i'])
        && !cut.ends_with("ie")
    {
        *last = cut;
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use AnalysisKind as K;

    /// A text with its topic, kinds, groups and task.
    type Row = (
        &'static str,
        Option<&'static str>,
        &'static [K],
        Option<&'static str>,
        &'static str,
    );

    #[test]
    fn what_is_analysed() {
        let table: &[Row] = &[
            (
                "analyze delay patterns in these results",
                Some("delay"),
                &[],
                None,
                "identify_delay_patterns",
            ),
            (
                "Analyse the delay patterns in the results",
                Some("delay"),
                &[],
                None,
                "identify_delay_patterns",
            ),
            (
                "what about trends in that",
                None,
                &[K::Trend],
                None,
                "identify_trend_patterns",
            ),
            (
                "find anomalies in it",
                None,
                &[K::Anomalies],
                None,
                "identify_anomaly_patterns",
            ),
            (
                "show the distribution of delays in those results by carrier",
                Some("delay"),
                &[K::Distribution],
                Some("carrier"),
                "identify_delay_patterns",
            ),
            (
                "analyze delays by vessel",
                Some("delay"),
                &[],
                Some("vessel"),
                "identify_delay_patterns",
            ),
            (
                "weight anomalies in this data",
                Some("weight"),
                &[K::Anomalies],
                None,
                "identify_weight_patterns",
            ),
            (
                "what stands out in these results",
                None,
                &[K::Anomalies],
                None,
                "identify_anomaly_patterns",
            ),
            (
                "are there change points in the arrival delay",
                Some("arrival delay"),
                &[K::ChangePoints],
                None,
                "identify_arrival_delay_patterns",
            ),
            (
                "analyze these results",
                None,
                &[],
                None,
                "identify_patterns",
            ),
            (
                "correlation between weight and delay in these",
                Some("weight"),
                &[K::Correlation],
                None,
                "identify_weight_patterns",
            ),
            ("", None, &[], None, "identify_patterns"),
        ];
        for (text, topic, kinds, by, task) in table {
            let read = read_analysis(text);
            assert_eq!(read.topic.as_deref(), *topic, "{text}");
            assert_eq!(read.kinds, *kinds, "{text}");
            assert_eq!(read.by.as_deref(), *by, "{text}");
            assert_eq!(read.pattern_task(), *task, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_read() {
        let read = read_analysis(&"delay patterns by ".repeat(1000));
        assert_eq!(read.topic.as_deref(), Some("delay"));
    }
}
