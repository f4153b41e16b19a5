//! Results of a service that are text: they are repeated, and what they order is not.
//!
//! An author of such a text may speak to its reader, and to a model among them. A sentence that
//! addresses one, and all that follows it, supports nothing.

use serde_json::Value;

use crate::prose;

/// Words that a text has where it speaks to a model or orders something of it.
const ORDERS: &[&str] = &[
    "assistant",
    "chatbot",
    "disregard",
    "forget",
    "ignore",
    "instruction",
    "instructions",
    "jailbreak",
    "pretend",
    "prompt",
    "prompts",
    "system:",
    "user",
    "users",
];

/// Words that begin an order to the one who answers.
const BEGINNINGS: &[&str] = &[
    "act",
    "add",
    "answer",
    "append",
    "call",
    "claim",
    "confirm",
    "do",
    "don't",
    "explain",
    "inform",
    "insert",
    "mention",
    "never",
    "note",
    "output",
    "please",
    "print",
    "recommend",
    "repeat",
    "reply",
    "report",
    "respond",
    "reveal",
    "say",
    "send",
    "show",
    "state",
    "stop",
    "tell",
    "use",
    "warn",
    "write",
    "you",
];

/// The texts among the results of a service.
pub(super) fn texts(records: &[Value]) -> impl Iterator<Item = &str> {
    records.iter().filter_map(|record| match record {
        Value::String(text) => Some(text.as_str()),
        Value::Object(members) => {
            let alone = members
                .keys()
                .all(|key| ["omitted", "text"].contains(&key.as_str()));
            members.get("text").filter(|_| alone)?.as_str()
        }
        _ => None,
    })
}

/// The text up to the first sentence that orders something.
pub(super) fn without_orders(text: &str) -> String {
    let mut kept = Vec::new();
    for line in text.lines() {
        let sentences = prose::sentences(line);
        let count = sentences.len();
        let said: Vec<String> = sentences
            .into_iter()
            .take_while(|sentence| !orders(sentence))
            .collect();
        let is_cut = said.len() < count;
        kept.push(said.join(" "));
        if is_cut {
            break;
        }
    }
    kept.join("\n")
}

/// Whether a sentence speaks to the one who reads it.
fn orders(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let plain = |word: &str| {
        let apart = |c: char| !c.is_alphanumeric() && !matches!(c, '\'' | ':');
        word.trim_matches(apart).to_owned()
    };
    let words: Vec<String> = lower.split_whitespace().map(plain).collect();
    let says: Vec<&str> = words.iter().map(String::as_str).collect();
    let first = says.iter().find(|word| !word.is_empty());
    first.is_some_and(|word| BEGINNINGS.contains(&word.trim_end_matches(':')))
        || says.iter().any(|word| ORDERS.contains(word))
        || says
            .windows(2)
            .any(|pair| pair[0] == "you" && ["are", "must", "shall", "should"].contains(&pair[1]))
}
