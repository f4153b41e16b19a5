//! OpenAI's chat completions, and every server that speaks them, OpenRouter among them.
