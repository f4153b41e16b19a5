-- What a person chose when words could mean several things: for the same words it is not asked again.

CREATE TABLE tools.remembered_choices (
    tenant      text NOT NULL CHECK (tenant <> ''),
    -- Whose choice it is: nobody else's words are understood by it.
    subject     text NOT NULL CHECK (subject <> ''),
    -- Without case, accents and punctuation.
    mention     text NOT NULL CHECK (mention <> '' AND octet_length(mention) <= 512),
    source      text NOT NULL,
    entity_type text NOT NULL,
    -- Whether the thing is still there is looked up when the choice is used.
    entity_id   text NOT NULL,
    chosen_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant, subject, mention)
);
