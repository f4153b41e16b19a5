-- The sites of a tenant as they were described.
SELECT s.site_key, s.site_id, s.name, s.timezone, s.latitude, s.longitude, s.altitude_m, s.tilt_deg, s.azimuth_deg,
       s.tariff_per_kwh, s.currency, s.co2_kg_per_kwh, s.co2_factor_name, s.co2_factor_year
FROM tools.sites AS s
WHERE s.tenant = $1
ORDER BY s.site_id
LIMIT 10000;
