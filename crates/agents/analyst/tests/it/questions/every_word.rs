//! A property of generated sentences: each word with content is in the answer's own words, or the
//! query would be another without it. No word is passed over in silence.

use super::Talk;

/// Words with which a sentence is made, and that ask for nothing by themselves.
const SMALL: &[&str] = &[
    "the", "a", "of", "to", "from", "in", "on", "by", "per", "with", "that", "are", "is", "were",
    "and", "how", "many", "than", "show", "me", "which", "have", "via", "at", "for", "we", "did",
    "went",
];

const HEADS: &[&str] = &[
    "shipments",
    "how many shipments",
    "late shipments",
    "hazardous shipments",
    "average delay of shipments",
    "total weight of shipments",
    "how many containers",
    "how many late",
    "weight",
    "insured shipments",
    "top 5 shipments",
    "the heaviest shipments",
    "delivered shipments",
    "most shipments",
];

const PARTS: &[&str] = &[
    "to Hamburg",
    "from Shanghai",
    "to Germany",
    "of coffee",
    "over 20 tonnes",
    "with more than 2 containers",
    "worth less than 100000",
    "in December 2024",
    "last week",
    "by carrier",
    "per month",
    "not from Singapore",
    "with insurance",
    "on MSC ANNA",
    "of Pacific Crown",
    "without delay",
    "arrived early",
    "that are booked",
    "twice",
    "there",
    "exactly",
    "in transit",
    "between Shanghai and Rotterdam",
    "more than 3 days late",
    "compared with average",
    "never",
    "half",
    "other",
];

/// A sequence of numbers that is always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

fn sentence(numbers: &mut Numbers) -> String {
    let mut words = vec![HEADS[numbers.below(HEADS.len())]];
    for _ in 0..=numbers.below(3) {
        let part = PARTS[numbers.below(PARTS.len())];
        if !words.contains(&part) {
            words.push(part);
        }
    }
    words.join(" ")
}

/// Words that the answer has in others: a delay is late or early, and only what arrived has one.
const MEANT: &[(&str, &str)] = &[
    ("late", "delay"),
    ("early", "delay"),
    ("arrived", "delay"),
    ("total", "weight"),
];

async fn answered(text: &str) -> (String, String) {
    let mut talk = Talk::new();
    let said = talk.say(text).await;
    (talk.demo.last(), said.to_lowercase())
}

/// The part of a word that its other forms have.
fn root(word: &str) -> String {
    let word = word.to_lowercase();
    let kept = word.len().saturating_sub(2).max(3).min(word.len());
    word[..kept].to_owned()
}

#[tokio::test]
async fn each_word_is_in_the_answer_or_changes_the_query() {
    let mut numbers = Numbers(20_250_115);
    let mut silent = Vec::new();
    for _ in 0..160 {
        let text = sentence(&mut numbers);
        let (query, said) = answered(&text).await;
        if query == "nothing" {
            continue;
        }
        let words: Vec<&str> = text.split(' ').collect();
        for (at, word) in words.iter().enumerate() {
            let small = SMALL.contains(&word.to_lowercase().as_str());
            let mut meant = MEANT.iter();
            let other = meant.any(|(own, words)| own == word && said.contains(words));
            if small || other || said.contains(&root(word)) {
                continue;
            }
            let mut rest = words.clone();
            rest.remove(at);
            let (without, _) = answered(&rest.join(" ")).await;
            if without == query {
                silent.push(format!("{word}: {text}\n   {query}\n   {said}"));
            }
        }
    }
    assert!(
        silent.is_empty(),
        "{}:\n{}",
        silent.len(),
        silent.join("\n")
    );
}
