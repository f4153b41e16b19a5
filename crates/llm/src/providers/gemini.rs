//! Google's Gemini API.
