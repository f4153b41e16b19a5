-- Stores runs of error codes of a logger.
INSERT INTO tools.code_runs (logger_key, first_at, last_at, readings, codes)
SELECT $1, run.first_at, run.last_at, run.readings, run.codes
FROM unnest(
    $2::timestamptz[],
    $3::timestamptz[],
    $4::integer[],
    $5::jsonb[]
) AS run (first_at, last_at, readings, codes);
