//! Questions as a clerk of a harbour, a manager and a person who speaks little English put them,
//! written before the rules that read them: the query that each becomes, and the words that the
//! answer says it did not use. Where no words are named the answer may leave none out.

mod beside;
mod conditions;
mod departures;
mod ends;
mod figures;
mod follow_ups;
mod ignored;
mod mixed;
mod one_record;
mod outsider;
mod returned;
mod spans;
mod told;
mod unanswered;
mod unmeasured;

use std::sync::Arc;

use super::Talk;
use super::demo::Demo;

/// Conversations, the query of the last turn, and words of the remark that belongs to it.
pub(super) type Said = &'static [(&'static [&'static str], &'static str, &'static str)];

pub(super) async fn check(table: Said) {
    check_with(table, Demo::new).await;
}

/// The same of other sources.
pub(super) async fn check_with(table: Said, demo: impl Fn() -> Arc<Demo>) {
    let mut wrong = Vec::new();
    for (turns, expected, remark) in table {
        let mut talk = Talk::over(demo());
        let mut said = String::new();
        for turn in *turns {
            talk.demo.forget_queries();
            said = talk.say(turn).await;
        }
        let found = talk.demo.last();
        let right = match expected.strip_prefix("said: ") {
            Some(words) => found == "nothing" && said.contains(words),
            None => found == *expected,
        };
        let silent = !["did not use", "left it out", "I know nothing", "could not"]
            .iter()
            .any(|words| said.contains(words));
        let told = if remark.is_empty() {
            silent || expected.starts_with("said: ")
        } else {
            said.contains(remark)
        };
        if !right || !told {
            wrong.push(format!(
                "{turns:?}\n  expected {expected} ({remark})\n  found    {found}\n  said     {said}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        table.len(),
        wrong.join("\n")
    );
}
