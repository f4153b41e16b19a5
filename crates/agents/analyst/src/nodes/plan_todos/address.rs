//! Which earlier query a message points at: "the first query", "the Shanghai results", else the newest.

use crate::{KeptQuery, MemoryError, scene::Scene};

/// User turns that are looked through.
const TURNS: u32 = 50;
/// Queries that are read.
const QUERIES: usize = 20;

/// What a message says of the place of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// From the oldest, from 0.
    FromFirst(usize),
    /// From the newest, from 0.
    FromLast(usize),
}

/// The query; `None` when there is none at all.
pub(super) async fn find(scene: &Scene, text: &str) -> Result<Option<KeptQuery>, MemoryError> {
    let place = place(text);
    let names = names(text);
    if place.is_none() && names.is_empty() {
        return scene.turn.query(None).await;
    }
    let ids = scene.turn.queries(TURNS).await?;
    let chosen = match place {
        Some(Place::FromFirst(at)) => ids.get(at).copied(),
        Some(Place::FromLast(at)) => ids.iter().rev().nth(at).copied(),
        None => None,
    };
    if chosen.is_some() {
        return scene.turn.query(chosen).await;
    }
    let mut best: Option<(usize, KeptQuery)> = None;
    for id in ids.iter().rev().take(QUERIES) {
        let Some(kept) = scene.turn.query(Some(*id)).await? else {
            continue;
        };
        let request = kept.metadata.request.to_lowercase();
        let text = kept.metadata.how_to_retrieve.text.to_lowercase();
        let hits = names
            .iter()
            .filter(|name| request.contains(*name) || text.contains(*name));
        let hits = hits.count();
        if hits > 0 && best.as_ref().is_none_or(|(most, _)| hits > *most) {
            best = Some((hits, kept));
        }
    }
    match best {
        Some((_, kept)) => Ok(Some(kept)),
        None => scene.turn.query(None).await,
    }
}

/// Whether the message names an earlier query, by its place or by its words.
pub(crate) fn points(text: &str) -> bool {
    let before_results = |name: &String| {
        let lower = text.to_lowercase();
        ["results", "result", "query"]
            .iter()
            .any(|thing| lower.contains(&format!("{name} {thing}")))
    };
    place(text).is_some() || names(text).iter().any(before_results)
}

/// An ordinal before a word for a query.
fn place(text: &str) -> Option<Place> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.windows(2).find_map(|pair| {
        let thing = [
            "query", "queries", "result", "results", "search", "request", "question",
        ];
        if !thing.contains(&pair[1]) {
            return None;
        }
        match pair[0] {
            "first" | "1st" => Some(Place::FromFirst(0)),
            "second" | "2nd" => Some(Place::FromFirst(1)),
            "third" | "3rd" => Some(Place::FromFirst(2)),
            "fourth" | "4th" => Some(Place::FromFirst(3)),
            "last" | "latest" | "newest" | "previous" => Some(Place::FromLast(0)),
            _ => None,
        }
    })
}

/// Names in the message: capital letters that do not begin it.
fn names(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || c == ',')
        .skip(1)
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| word.len() > 1 && word.chars().next().is_some_and(char::is_uppercase))
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_and_names_point_at_queries() {
        for (text, expected) in [
            ("analyze the first query", Some(Place::FromFirst(0))),
            ("look at the last results", Some(Place::FromLast(0))),
            ("analyze delay patterns in these results", None),
            ("the first shipments", None),
        ] {
            assert_eq!(place(text), expected, "{text}");
        }
        assert!(points("analyze delays in the Shanghai results"));
        assert!(!points("Analyze delays from Shanghai"));
        assert_eq!(names("Analyze the Shanghai results"), ["shanghai"]);
        assert!(names("Analyze these results").is_empty());
    }
}
