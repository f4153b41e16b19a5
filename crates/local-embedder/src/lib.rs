//! Sentence embeddings from a model on this machine.
