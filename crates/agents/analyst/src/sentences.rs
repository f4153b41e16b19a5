//! Sentences for turns without a result, with what to do then.

use contracts::todo::TodoList;

use crate::{state::Ending, words};

/// Nothing was decided, which should not be.
pub(crate) const NOTHING_CAME: &str = "I came to no answer. Please try again.";
/// A complete list without a result.
pub(crate) const DONE: &str = "Done.";

/// How a turn ends, in words.
pub(crate) fn ending(ending: &Ending, list: Option<&TodoList>) -> String {
    match ending {
        Ending::Complete => DONE.to_owned(),
        Ending::TaskFailed(message) => failed(message, list),
        Ending::TooManySteps => format!(
            "I stopped because this takes many steps; {}. Say \u{201c}continue\u{201d} to go on.",
            so_far(list)
        ),
        Ending::Cancelled => "All right, I've stopped working on that.".to_owned(),
        Ending::Declined => "Nothing was run.".to_owned(),
        Ending::NothingToCancel => "There is nothing to stop: I'm not working on anything. \u{201c}Undo\u{201d} takes the last query back.".to_owned(),
        Ending::NothingToContinue => {
            "There is nothing to go on with. Tell me what you would like to know.".to_owned()
        }
        Ending::NothingOpen => {
            "That question is not open any more. Tell me what you would like to know.".to_owned()
        }
        Ending::NoResults(why) | Ending::Answered(why) => why.clone(),
        Ending::SourcesAway => {
            "The data service cannot be reached at the moment, so I haven't begun. Please ask again shortly.".to_owned()
        }
        Ending::NoSources => "No search source is connected for you, so there is nothing that I could search. An administrator connects one: \
                               `heliograph sources add`, or a section [[sources]] in the configuration of the tools service."
            .to_owned(),
        Ending::NothingAsked(held) if held.is_empty() => "What would you like to know?".to_owned(),
        Ending::NothingAsked(held) => format!(
            "I answer questions about {}. What would you like to know?",
            words::list(held.iter().cloned())
        ),
        Ending::MemoryAway => {
            "I can't read what I remember of this conversation at the moment, so I haven't done anything. Please try again shortly."
                .to_owned()
        }
        Ending::NotSaved => {
            "I could not save how far I came, so I stopped here. Please try again shortly, or say \u{201c}continue\u{201d}.".to_owned()
        }
        Ending::Lost => "This conversation is being worked on elsewhere, so I stopped here.".to_owned(),
    }
}

fn failed(message: &str, list: Option<&TodoList>) -> String {
    let what = list
        .and_then(|list| list.tasks.get(list.current_task_key.as_ref()?))
        .map(|task| lower(&task.description));
    let message = message.trim();
    let stop = if message.ends_with(['.', '?', '!']) {
        ""
    } else {
        "."
    };
    match what {
        Some(what) => format!(
            "I could not {what}: {message}{stop} Nothing that was done is lost ({}). Say \u{201c}continue\u{201d} to try that step again, or ask \
             for something else.",
            so_far(list)
        ),
        None => format!("{message}{stop}"),
    }
}

fn so_far(list: Option<&TodoList>) -> String {
    list.map_or_else(
        || "nothing is done yet".to_owned(),
        |list| {
            format!(
                "{} of {} steps are done",
                list.completed_tasks, list.total_tasks
            )
        },
    )
}

/// With a small first letter, as descriptions begin with a verb.
fn lower(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_lowercase().to_string());
    format!("{}{}", first.unwrap_or_default(), chars.as_str())
}
