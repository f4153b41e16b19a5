//! Finds thoughts that a model wrote into its text between tags, and control tokens.

/// The tags around thoughts, by family of models.
const THOUGHTS: [(&str, &str); 8] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
    ("<seed:think>", "</seed:think>"),
];

/// Tokens without a meaning for people: of templates, and the ends of thoughts that the template
/// began.
const TOKENS: [&str; 15] = [
    "</think>",
    "</thinking>",
    "</thought>",
    "</reasoning>",
    "[/THINK]",
    "<|begin_of_solution|>",
    "<|end_of_solution|>",
    "<|channel|>final<|message|>",
    "<|channel|>commentary<|message|>",
    "<|start|>assistant",
    "<|end|>",
    "<|return|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|endoftext|>",
];

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Text for people.
    Text(String),
    /// A thought.
    Thought(String),
}

/// The text of an answer that still streams.
#[derive(Debug, Default)]
pub(super) struct WrittenThoughts {
    /// Text that may be the beginning of a tag.
    held: String,
    /// The end of the thought that has begun.
    closing: Option<&'static str>,
    /// Text for people has come. The space between a thought and the first of it belongs to
    /// neither.
    has_text: bool,
    /// A tag has come.
    has_tag: bool,
}

impl WrittenThoughts {
    /// Adds text, and returns what is decided.
    pub(super) fn add(&mut self, more: &str) -> Vec<Part> {
        self.held.push_str(more);
        let mut parts = Vec::new();
        loop {
            if let Some(closing) = self.closing {
                let Some(end) = self.held.find(closing) else {
                    let begun = begun(&self.held, [closing].into_iter());
                    let rest = self.held.split_off(self.held.len() - begun);
                    let thought = std::mem::replace(&mut self.held, rest);
                    parts.extend(some(thought).map(Part::Thought));
                    return parts;
                };
                let thought = self.take(end, closing.len());
                parts.extend(some(thought).map(Part::Thought));
                self.closing = None;
                continue;
            }
            let Some((at, tag, closing)) = self.next_tag() else {
                let begun = begun(&self.held, tags().map(|(tag, _)| tag));
                let rest = self.held.split_off(self.held.len() - begun);
                let text = std::mem::replace(&mut self.held, rest);
                parts.extend(self.text(text));
                return parts;
            };
            let text = self.take(at, tag.len());
            parts.extend(self.text(text));
            self.closing = closing;
            self.has_tag = true;
        }
    }

    /// Ends the text: what was held is what it looks like.
    pub(super) fn finish(&mut self) -> Vec<Part> {
        let rest = std::mem::take(&mut self.held);
        match self.closing.take() {
            Some(_) => some(rest).map(Part::Thought).into_iter().collect(),
            None => self.text(rest).into_iter().collect(),
        }
    }

    fn next_tag(&self) -> Option<(usize, &'static str, Option<&'static str>)> {
        if !self.held.contains(['<', '[']) {
            return None;
        }
        tags()
            .filter_map(|(tag, closing)| Some((self.held.find(tag)?, tag, closing)))
            .min_by_key(|(at, tag, _)| (*at, std::cmp::Reverse(tag.len())))
    }

    /// Takes what is before a tag, and the tag with it.
    fn take(&mut self, at: usize, tag: usize) -> String {
        let rest = self.held.split_off(at + tag);
        let mut before = std::mem::replace(&mut self.held, rest);
        before.truncate(at);
        before
    }

    fn text(&mut self, text: String) -> Option<Part> {
        let text = if self.has_tag && !self.has_text {
            text.trim_start().to_owned()
        } else {
            text
        };
        self.has_text |= !text.is_empty();
        some(text).map(Part::Text)
    }
}

/// All tags, with what ends a thought.
fn tags() -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    let thoughts = THOUGHTS.iter().map(|(open, close)| (*open, Some(*close)));
    thoughts.chain(TOKENS.iter().map(|token| (*token, None)))
}

/// The number of bytes at the end of a text that may begin a tag.
fn begun(text: &str, tags: impl Iterator<Item = &'static str>) -> usize {
    let longest = |tag: &str| {
        (1..tag.len())
            .rfind(|&length| tag.is_char_boundary(length) && text.ends_with(&tag[..length]))
    };
    tags.filter_map(longest).max().unwrap_or(0)
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}
