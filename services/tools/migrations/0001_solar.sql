-- Sites, loggers, readings and the daily figures that are kept beside them. The schema `tools` is made by the migrator.

CREATE TABLE tools.sites (
    site_key       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant         text NOT NULL CHECK (tenant <> ''),
    site_id        text NOT NULL CHECK (length(site_id) BETWEEN 1 AND 64),
    name           text NOT NULL CHECK (name <> ''),
    -- IANA name; it decides what a day is.
    timezone       text NOT NULL DEFAULT 'UTC',
    latitude       double precision CHECK (latitude BETWEEN -90 AND 90),
    longitude      double precision CHECK (longitude BETWEEN -180 AND 180),
    altitude_m     double precision CHECK (altitude_m BETWEEN -500 AND 9000),
    tilt_deg       double precision CHECK (tilt_deg BETWEEN 0 AND 90),
    azimuth_deg    double precision CHECK (azimuth_deg BETWEEN 0 AND 360),
    -- Money per kWh; NULL takes the service's default.
    tariff_per_kwh double precision CHECK (tariff_per_kwh >= 0),
    currency       text NOT NULL DEFAULT 'USD' CHECK (currency ~ '^[A-Z]{3}$'),
    -- NULL takes the service's default factor, with its name and year.
    co2_kg_per_kwh  double precision CHECK (co2_kg_per_kwh >= 0),
    co2_factor_name text,
    co2_factor_year integer,
    created_at     timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant, site_id),
    -- For the loggers' reference below: a logger can not join another tenant's site.
    UNIQUE (site_key, tenant),
    CHECK ((latitude IS NULL) = (longitude IS NULL)),
    CHECK (co2_kg_per_kwh IS NULL OR (co2_factor_name IS NOT NULL AND co2_factor_year IS NOT NULL))
);

CREATE TABLE tools.loggers (
    logger_key     integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    site_key       integer NOT NULL,
    tenant         text NOT NULL,
    logger_id      text NOT NULL CHECK (length(logger_id) BETWEEN 1 AND 64),
    logger_type    text NOT NULL DEFAULT 'unknown' CHECK (length(logger_type) BETWEEN 1 AND 20),
    role           text NOT NULL DEFAULT 'inverter' CHECK (role IN ('inverter', 'meter', 'weather')),
    -- DC nameplate at standard test conditions, when stated.
    capacity_kw    double precision CHECK (capacity_kw > 0),
    -- Relative change of power per kelvin of module temperature; NULL takes the default of crystalline silicon.
    temperature_coefficient double precision CHECK (temperature_coefficient BETWEEN -0.02 AND 0),
    -- Whether a reading is the mean of the step that ends at its time stamp, or was taken at it.
    sample_label   text NOT NULL DEFAULT 'right' CHECK (sample_label IN ('right', 'instantaneous')),
    irradiance_basis text NOT NULL DEFAULT 'unknown' CHECK (irradiance_basis IN ('poa', 'ghi', 'unknown')),
    -- The sensor that serves a logger without irradiance of its own; NULL takes the median of the site's.
    irradiance_logger_key integer REFERENCES tools.loggers (logger_key) ON DELETE SET NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),

    -- Everything below is kept by the roll-up, in the transaction that stores the readings.
    first_at       timestamptz,
    last_at        timestamptz,
    record_count   bigint NOT NULL DEFAULT 0,
    -- The newest valid power, cleaned, and the newest irradiance of its own.
    latest_power_at      timestamptz,
    latest_power_watts   double precision,
    latest_irradiance_at timestamptz,
    latest_irradiance    double precision,
    -- The long-run figures, and those that the rows of `daily` were computed with.
    calibration      jsonb,
    days_calibration jsonb,
    -- The newest day when they were computed, and how many readings were written since.
    calibrated_day   date,
    pending_records  bigint NOT NULL DEFAULT 0,
    -- How a day's energy spreads over the 24 local hours, from the last two weeks.
    hourly_shape     double precision[],

    UNIQUE (tenant, logger_id),
    FOREIGN KEY (site_key, tenant) REFERENCES tools.sites (site_key, tenant),
    CHECK (irradiance_logger_key <> logger_key)
);

CREATE INDEX loggers_site ON tools.loggers (site_key);

-- One row per logger and instant: the three golden metrics typed, everything else the device said as JSON.
--
-- Laid out for hundreds of millions of rows: the primary key serves the one question that is asked of readings, "this logger,
-- this range", and is the only index, as each further one would cost every insert. A partition holds a year (UTC): a range of
-- days touches one or two, an index stays some gigabytes at a thousand loggers, twenty years stay few enough to plan in
-- microseconds, and old years can be detached whole. Rows of one device arrive in time order, so no BRIN index is needed beside
-- the key. There is no default partition: rows in one would have to be checked whenever a year is added, under a lock.
-- Partitions are made by `tools.ensure_partitions`, which ingestion calls.
CREATE TABLE tools.measurements (
    logger_key         integer NOT NULL,
    "timestamp"        timestamptz NOT NULL,
    active_power_watts double precision,
    energy_daily_kwh   double precision,
    irradiance         double precision,
    metadata           jsonb,
    created_at         timestamptz NOT NULL DEFAULT now(),
    -- Read with every row by the analytics, so extracted once instead of on each read. Numbers only, and only such as fit:
    -- a reading must not be refused for its metadata.
    energy_lifetime_kwh double precision GENERATED ALWAYS AS (
        CASE WHEN jsonb_typeof(metadata -> 'energyLifetimeKwh') = 'number'
              AND (metadata -> 'energyLifetimeKwh')::numeric BETWEEN -1e15 AND 1e15
             THEN (metadata -> 'energyLifetimeKwh')::double precision END) STORED,
    temperature_module_c double precision GENERATED ALWAYS AS (
        CASE WHEN jsonb_typeof(metadata -> 'temperatureModuleC') = 'number'
              AND (metadata -> 'temperatureModuleC')::numeric BETWEEN -1e6 AND 1e6
             THEN (metadata -> 'temperatureModuleC')::double precision
             WHEN jsonb_typeof(metadata -> 'moduleTemperature') = 'number'
              AND (metadata -> 'moduleTemperature')::numeric BETWEEN -1e6 AND 1e6
             THEN (metadata -> 'moduleTemperature')::double precision END) STORED,
    PRIMARY KEY (logger_key, "timestamp")
) PARTITION BY RANGE ("timestamp");

-- Makes the partitions that readings between the two instants need. Call it before storing them, in a transaction of its own:
-- a table that is made apart and then attached keeps nobody from reading or writing the others.
CREATE FUNCTION tools.ensure_partitions(from_at timestamptz, to_at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    year integer;
    name text;
    made boolean;
BEGIN
    IF from_at < '1970-01-01Z' OR to_at >= '2201-01-01Z' THEN
        RAISE EXCEPTION 'readings must lie between the years 1970 and 2200' USING ERRCODE = 'datetime_field_overflow';
    END IF;
    FOR year IN extract(year FROM from_at)::integer .. extract(year FROM to_at)::integer LOOP
        name := 'measurements_' || year;
        -- Asked of the table, not by to_regclass(), which may still remember that there was none.
        SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = 'tools'::regnamespace AND relname = name) INTO made;
        CONTINUE WHEN made;
        -- Two ingestions may want the same year; the second waits here and then finds it made.
        PERFORM pg_advisory_xact_lock(hashtextextended('tools.ensure_partitions', 0));
        SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = 'tools'::regnamespace AND relname = name) INTO made;
        CONTINUE WHEN made;
        EXECUTE format(
            'CREATE TABLE tools.%I (LIKE tools.measurements INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING CONSTRAINTS)', name);
        EXECUTE format(
            'ALTER TABLE tools.measurements ATTACH PARTITION tools.%I FOR VALUES FROM (%L) TO (%L)',
            name, make_timestamptz(year, 1, 1, 0, 0, 0, 'UTC'), make_timestamptz(year + 1, 1, 1, 0, 0, 0, 'UTC'));
    END LOOP;
END
$$;

-- What each local day of a logger came to, kept at ingestion, so that questions about long periods read no readings.
-- The figures are those of the crate `solar`; a `midnight_only` row stands for a day whose only reading is the one at its closing
-- midnight: it has no figures, just a count and what it hands to the next day.
CREATE TABLE tools.daily (
    logger_key            integer NOT NULL REFERENCES tools.loggers (logger_key) ON DELETE CASCADE,
    day                   date NOT NULL,
    records               integer NOT NULL,
    midnight_only         boolean NOT NULL,
    day_hours             double precision NOT NULL,
    valid                 integer NOT NULL,
    null_power            integer NOT NULL,
    dropped               integer NOT NULL,
    completeness          double precision NOT NULL,
    power_kwh             double precision NOT NULL,
    daily_register_kwh    double precision,
    lifetime_register_kwh double precision,
    register_suspect      boolean NOT NULL,
    unallocated_kwh       double precision NOT NULL,
    hole_hours            double precision NOT NULL,
    bridged               integer NOT NULL,
    night_import_kwh      double precision NOT NULL,
    peak_w                double precision,
    peak_at               timestamptz,
    producing             integer NOT NULL,
    producing_mean_w      double precision,
    centroid_hour         double precision,
    sun_records           integer NOT NULL,
    daylight              integer NOT NULL,
    insolation_kwh_m2     double precision NOT NULL,
    pairs                 integer NOT NULL,
    pairs_kwh             double precision NOT NULL,
    pairs_insolation      double precision NOT NULL,
    corrected             integer NOT NULL,
    corrected_kwh         double precision NOT NULL,
    corrected_insolation  double precision NOT NULL,
    bright                integer NOT NULL,
    bright_kwh            double precision NOT NULL,
    bright_insolation     double precision NOT NULL,
    sunny                 integer NOT NULL,
    sunny_valid           integer NOT NULL,
    peak_irradiance       double precision NOT NULL,
    irradiance_suspect    boolean NOT NULL,
    clipped               integer NOT NULL,
    stale                 integer NOT NULL,
    closing_power_at      timestamptz,
    closing_power_w       double precision,
    closing_daily_kwh     double precision,
    closing_lifetime_day  date,
    closing_lifetime_kwh  double precision,
    PRIMARY KEY (logger_key, day)
);

-- A logger with what its site says and the sensors that serve it: the assigned one, else up to five of the site's loggers that have
-- irradiance, weather stations first. None for a logger with irradiance of its own.
CREATE VIEW tools.logger_details AS
SELECT l.logger_key, l.tenant, l.logger_id, l.logger_type, l.role, l.capacity_kw, l.temperature_coefficient, l.sample_label,
       CASE WHEN l.irradiance_basis = 'unknown' AND l.latest_irradiance_at IS NULL
            THEN coalesce(sensors.basis, 'unknown') ELSE l.irradiance_basis END AS irradiance_basis,
       coalesce(sensors.keys, '{}') AS sensor_keys,
       l.first_at, l.last_at, l.record_count, l.latest_power_at, l.latest_power_watts, l.latest_irradiance_at, l.latest_irradiance,
       l.calibration, l.days_calibration, l.calibrated_day, l.pending_records, l.hourly_shape,
       s.site_key, s.site_id, s.name AS site_name, s.timezone, s.latitude, s.longitude, s.tariff_per_kwh, s.currency,
       s.co2_kg_per_kwh, s.co2_factor_name, s.co2_factor_year
FROM tools.loggers AS l
JOIN tools.sites AS s ON s.site_key = l.site_key
LEFT JOIN LATERAL (
    SELECT array_agg(o.logger_key) AS keys, (array_agg(o.irradiance_basis))[1] AS basis
    FROM (SELECT o.logger_key, o.irradiance_basis
          FROM tools.loggers AS o
          WHERE l.latest_irradiance_at IS NULL
            AND o.site_key = l.site_key
            AND o.logger_key <> l.logger_key
            AND CASE WHEN l.irradiance_logger_key IS NULL THEN o.latest_irradiance_at IS NOT NULL
                     ELSE o.logger_key = l.irradiance_logger_key END
          ORDER BY o.role = 'weather' DESC, o.logger_id
          LIMIT 5) AS o
) AS sensors ON true;
