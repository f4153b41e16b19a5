-- Registers of the day that are sums of the energy of intervals, of the days that a batch wrote in: a file has its rows in any
-- order, and a day comes in several files. A stamp at local midnight ends the day before.
WITH written AS (
    SELECT l.logger_key, s.timezone,
        ((t.first_at - interval '1 second') AT TIME ZONE s.timezone)::date AS first_day,
        ((t.last_at - interval '1 second') AT TIME ZONE s.timezone)::date AS last_day
    FROM unnest($1::integer[], $2::timestamptz[], $3::timestamptz[]) AS t (logger_key, first_at, last_at)
    JOIN tools.loggers AS l USING (logger_key)
    JOIN tools.sites AS s USING (site_key)
), summed AS (
    SELECT m.logger_key, m."timestamp",
        sum((m.metadata -> 'energyIntervalKwh')::double precision) OVER (
            PARTITION BY m.logger_key, ((m."timestamp" - interval '1 second') AT TIME ZONE w.timezone)::date
            ORDER BY m."timestamp"
        ) AS kwh
    FROM written AS w
    JOIN tools.measurements AS m
        ON m.logger_key = w.logger_key
        AND m."timestamp" > w.first_day::timestamp AT TIME ZONE w.timezone
        AND m."timestamp" <= (w.last_day + 1)::timestamp AT TIME ZONE w.timezone
    WHERE m.metadata ->> 'energyDailyDerivedFrom' = 'energyIntervalKwh'
        AND jsonb_typeof(m.metadata -> 'energyIntervalKwh') = 'number'
        AND (m.metadata -> 'energyIntervalKwh')::numeric BETWEEN -1e15 AND 1e15
)
UPDATE tools.measurements AS m
SET energy_daily_kwh = summed.kwh
FROM summed
WHERE m.logger_key = summed.logger_key
    AND m."timestamp" = summed."timestamp"
    AND m.energy_daily_kwh IS DISTINCT FROM summed.kwh
