-- The energy of a logger's local days from $2 to $3, both included, and what it is based on.
SELECT d.logger_key, d.day, d.records, d.valid, d.dropped, d.completeness, d.power_kwh, d.daily_register_kwh, d.lifetime_register_kwh,
       d.register_suspect, d.unallocated_kwh, d.bridged, d.night_import_kwh, d.clipped, d.stale, d.irradiance_suspect
FROM tools.daily AS d
WHERE d.logger_key = $1
  AND d.day BETWEEN $2 AND $3
  AND NOT d.midnight_only
ORDER BY d.day
LIMIT 100000;
