-- Where a batch of readings waits to be stored; dropped when the transaction ends.
CREATE TEMPORARY TABLE measurements_staging (
    logger_key         integer NOT NULL,
    "timestamp"        timestamptz NOT NULL,
    active_power_watts double precision,
    energy_daily_kwh   double precision,
    irradiance         double precision,
    metadata           jsonb
) ON COMMIT DROP;
