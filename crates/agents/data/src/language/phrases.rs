//! Phrases that ask for something beside an answer.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern;

/// "That's right, remember it", "yes, save that": the whole message.
static REMEMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?ix)^\W*
        (?:(?:yes|yep|ok(?:ay)?|great|perfect|good|thanks|thank\ you|correct|right|exactly|please)\W+)*
        (?:(?:that(?:['’]?s|\ is|\ was)|this\ is|it(?:['’]?s|\ is))\s+(?:right|correct|good|exactly\ right|what\ i\ (?:wanted|meant))\W+(?:so\ |and\ |please\ )*)?
        (?:remember|save|keep|store|memori[sz]e|confirm)\s+
        (?:it|that|this|(?:this|that|the)\s+(?:one|question|query|answer|sql))
        (?:\s+(?:please|for\ (?:later|next\ time|me|everyone|us)))*\W*$",
    )
});

/// "Remember it as “How many …?”": the question is the rest.
static REMEMBER_AS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?isx)^\W*
        (?:(?:yes|ok(?:ay)?|great|perfect|good|thanks|correct|right|please)\W+)*
        (?:(?:that(?:['’]?s|\ is)|this\ is|it(?:['’]?s|\ is))\s+(?:right|correct|good)\W+(?:so\ |and\ |please\ )*)?
        (?:remember|save|keep|store|memori[sz]e|confirm)\s+
        (?:it|that|this|(?:this|that|the|my)\s+(?:one|query|answer|sql))\s+
        (?:as|for)(?:\s+the\s+question)?\s*:?\s*["“„'](?P<question>[^"“”„]{3,500})["”“']\W*$"#,
    )
});

/// "Forget that", "no, that's wrong", "that's not right, don't remember it": the whole message.
static FORGET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?ix)^\W*
        (?:(?:no|nope|sorry|please|actually|oh|hm+|wait|ok(?:ay)?)\W+)*
        (?:
          (?:
            (?:that|this|it)(?:['’]s|\ is|\ was)\s+(?:(?:all\ |still\ |just\ )?(?:wrong|incorrect|false)|not\s+(?:right|correct|true))
          | (?:that|this|it)\s+(?:isn|wasn)['’]?t\s+(?:right|correct|true)
          | wrong
          )
          (?:\W+(?:so\ |and\ |please\ |now\ )*FORGET)?
        | FORGET
        )
        (?:\s+(?:please|again|now))*\W*$"
        .replace(
            "FORGET",
            r"(?:forget|delete|withdraw|unlearn|un-?remember|do\ not\ (?:remember|keep|save)|don['’]?t\ (?:remember|keep|save))\s+(?:about\s+)?(?:it|that|this|(?:this|that|the)\s+(?:one|question|query|answer|sql))",
        )
        .as_str(),
    )
});

/// "Show me the plan first", "ask before you run it".
static APPROVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?ix)[\s,;:(—-]*\b(?:and\s+|but\s+|please\s+)*
        (?:
          (?:show|tell|give)\s+me\s+the\s+(?:plan|query|sql)\s+(?:first|before\s+(?:you\s+)?run(?:ning)?(?:\s+it)?)
        | (?:ask|check\s+with)\s+(?:me\s+)?(?:first|before\s+(?:you\s+)?run(?:ning)?(?:\s+it)?)
        | (?:let\s+me\s+approve|i\s+want\s+to\s+approve|with\s+(?:my\s+)?approval|approve\s+first)(?:\s+(?:it|the\s+(?:plan|query|sql)))?(?:\s+first)?
        )\b[\s.!):,]*",
    )
});

static CAPABILITY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?ix)^\W*(?:what\ can\ you\ do(?:\ for\ me)?|what\ do\ you\ do|who\ are\ you|what\ are\ you|how\ can\ you\ help(?:\ me)?|help(?:\ me)?|what\ can\ i\ ask(?:\ you)?|(?:hello|hi|hey|good\ (?:morning|afternoon|evening))(?:\ there)?)\W*$",
    )
});

fn found(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(text))
}

/// Whether the message asks to remember the answer before it, and nothing else.
pub(crate) fn asks_to_remember(text: &str) -> bool {
    text.len() <= 200 && found(&REMEMBER, text)
}

/// The question as which the answer before is to be remembered, in quotation marks.
pub(crate) fn remembered_as(text: &str) -> Option<String> {
    let found = REMEMBER_AS.as_ref()?.captures(text)?;
    Some(found["question"].trim().to_owned()).filter(|question| !question.is_empty())
}

/// Whether the message says that the answer before it is wrong, or asks to forget what is
/// remembered for it, and nothing else.
pub(crate) fn asks_to_forget(text: &str) -> bool {
    text.len() <= 200 && found(&FORGET, text)
}

/// The message without the wish to see the plan first, if it has one.
pub(crate) fn without_wish_for_approval(text: &str) -> Option<String> {
    let pattern = APPROVE.as_ref()?;
    pattern.is_match(text).then(|| {
        let rest = pattern.replace_all(text, " ");
        rest.split_whitespace().collect::<Vec<_>>().join(" ")
    })
}

/// Whether the message greets, or asks what can be asked.
pub(crate) fn asks_what_can_be_asked(text: &str) -> bool {
    found(&CAPABILITY, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_wish_is_one() {
        for text in [
            "that's right, remember it",
            "Yes, save that.",
            "Remember this",
            "Correct — keep it!",
            "yes, that's correct, please save this query",
            "save the answer for later",
        ] {
            assert!(asks_to_remember(text), "{text}");
        }
        for text in [
            "that's right",
            "yes",
            "save the whales",
            "Remember the employees that left?",
            "don't save that",
            "Which customers did we keep?",
        ] {
            assert!(!asks_to_remember(text), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_or_to_be_forgotten_is_told_from_the_rest() {
        for text in [
            "forget that",
            "Forget it!",
            "forget that question",
            "That's wrong",
            "that is wrong.",
            "No, that's wrong, forget it",
            "that's not right",
            "This isn't correct, so please forget it",
            "Wrong!",
            "please don't remember that",
            "delete that query",
        ] {
            assert!(asks_to_forget(text), "{text}");
        }
        for text in [
            "that's right",
            "that's right, remember it",
            "that is correct",
            "it's not wrong",
            "forget the employees of Bonn",
            "that's wrong, only those in Bonn",
            "Which invoices are wrong?",
            "Don't forget the crews",
            "delete that customer",
        ] {
            assert!(!asks_to_forget(text), "{text}");
        }
    }

    #[test]
    fn a_wish_for_approval_is_taken_out_of_the_question() {
        for (text, rest) in [
            (
                "How many crews are there? Show me the plan first.",
                "How many crews are there?",
            ),
            (
                "List all invoices, but ask me before you run it",
                "List all invoices",
            ),
            (
                "Ask me first: how many users are there?",
                "how many users are there?",
            ),
        ] {
            assert_eq!(
                without_wish_for_approval(text).as_deref(),
                Some(rest),
                "{text}"
            );
        }
        assert_eq!(
            without_wish_for_approval("Which plans are first class?"),
            None
        );
    }

    #[test]
    fn greetings_and_calls_for_help_are_known() {
        for text in ["Hello!", "what can you do?", "Help", "hi there"] {
            assert!(asks_what_can_be_asked(text), "{text}");
        }
        for text in ["Help me count crews", "Hi, how many crews are there?"] {
            assert!(!asks_what_can_be_asked(text), "{text}");
        }
    }
}
