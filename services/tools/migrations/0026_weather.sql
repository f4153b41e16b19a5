-- Irradiance that was forecast for a site. Every issue is kept: what came of those of the past decides whether a forecast of production
-- uses the newest.

CREATE TABLE tools.weather (
    site_key     integer NOT NULL REFERENCES tools.sites (site_key) ON DELETE CASCADE,
    -- The end of the step that the value stands for.
    "timestamp"  timestamptz NOT NULL,
    issued_at    timestamptz NOT NULL,
    step_minutes integer NOT NULL CHECK (step_minutes BETWEEN 1 AND 1440),
    -- Mean over the step, W/m2.
    irradiance   double precision NOT NULL CHECK (irradiance BETWEEN 0 AND 2000),
    PRIMARY KEY (site_key, "timestamp", issued_at)
);
