-- Stores what was forecast for a site; answers how many values are new and how many were there.
WITH stored AS (
    INSERT INTO tools.weather AS w (site_key, "timestamp", issued_at, step_minutes, irradiance)
    SELECT $1, v.at, $2, $3, v.irradiance
    FROM unnest($4::timestamptz[], $5::double precision[]) AS v (at, irradiance)
    ON CONFLICT (site_key, "timestamp", issued_at) DO UPDATE
    SET step_minutes = excluded.step_minutes,
        irradiance   = excluded.irradiance
    RETURNING w.xmax = 0 AS is_new
)
SELECT count(*) FILTER (WHERE s.is_new) AS "new!", count(*) FILTER (WHERE NOT s.is_new) AS "replaced!"
FROM stored AS s;
