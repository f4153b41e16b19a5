-- The error codes of readings, kept at ingestion, so that a question about codes does not look through the metadata of every reading.
-- A row is a run: readings of one logger and local day with the same codes, no two of them more than half an hour apart.

CREATE TABLE tools.code_runs (
    logger_key integer NOT NULL REFERENCES tools.loggers (logger_key) ON DELETE CASCADE,
    first_at   timestamptz NOT NULL,
    last_at    timestamptz NOT NULL CHECK (last_at >= first_at),
    readings   integer NOT NULL CHECK (readings > 0),
    -- The members of the metadata that hold codes, as the device named them: one object, more only when several rows have the same second.
    codes      jsonb NOT NULL,
    PRIMARY KEY (logger_key, first_at)
);

-- Whether the runs of a logger are kept. A job of the service computes them for the readings that are here already; until it has done so,
-- questions look through the readings.
ALTER TABLE tools.loggers ADD COLUMN codes_kept boolean NOT NULL DEFAULT false;
ALTER TABLE tools.loggers ALTER COLUMN codes_kept SET DEFAULT true;
