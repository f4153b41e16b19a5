-- The groups of a person, which open collections of documents. Those of a person of an identity provider are read at each sign-in.
ALTER TABLE bff.accounts ADD COLUMN groups text[] NOT NULL DEFAULT '{}';
