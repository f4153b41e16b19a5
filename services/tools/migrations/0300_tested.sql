-- The newest test of each target, search source and upstream, those of the configuration included.
-- A process that was not asked for the test learns of it here, and forgets what it found before.

CREATE TABLE tools.tested (
    kind           text NOT NULL CHECK (kind IN ('target', 'source', 'upstream')),
    tenant         text NOT NULL CHECK (tenant <> ''),
    name           text NOT NULL CHECK (name <> ''),
    is_fine        boolean NOT NULL,
    -- Each test has a number of its own. Processes look for numbers that they do not know.
    version        bigint NOT NULL DEFAULT nextval('tools.added_versions'),
    PRIMARY KEY (kind, tenant, name)
);
