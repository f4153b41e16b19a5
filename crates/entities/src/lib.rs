//! Which known things and fields the words of a person mean.
