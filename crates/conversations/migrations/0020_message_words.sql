-- Messages are found by their words. Of a very long one the beginning counts: the words of a text have to fit into a megabyte.

CREATE INDEX messages_words ON orchestrator.messages USING gin (to_tsvector('simple'::regconfig, left(text, 100000)));
