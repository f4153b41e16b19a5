-- Makes a site of the tenant, or updates it.
INSERT INTO tools.sites AS s (tenant, site_id, name, timezone, latitude, longitude, altitude_m, tilt_deg, azimuth_deg,
                              tariff_per_kwh, currency, co2_kg_per_kwh, co2_factor_name, co2_factor_year)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
ON CONFLICT (tenant, site_id) DO UPDATE
SET name            = excluded.name,
    timezone        = excluded.timezone,
    latitude        = excluded.latitude,
    longitude       = excluded.longitude,
    altitude_m      = excluded.altitude_m,
    tilt_deg        = excluded.tilt_deg,
    azimuth_deg     = excluded.azimuth_deg,
    tariff_per_kwh  = excluded.tariff_per_kwh,
    currency        = excluded.currency,
    co2_kg_per_kwh  = excluded.co2_kg_per_kwh,
    co2_factor_name = excluded.co2_factor_name,
    co2_factor_year = excluded.co2_factor_year
RETURNING s.site_key;
