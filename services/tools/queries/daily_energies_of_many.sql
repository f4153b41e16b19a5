-- The energy of several loggers' local days, each from its own first to its own last day, and what it is based on.
SELECT d.day, d.records, d.valid, d.dropped, d.completeness, d.power_kwh, d.daily_register_kwh, d.lifetime_register_kwh,
       d.register_suspect, d.unallocated_kwh, d.bridged, d.night_import_kwh, d.clipped, d.stale, d.irradiance_suspect,
       d.logger_key
FROM unnest($1::integer[], $2::date[], $3::date[]) AS wanted (logger_key, first, last)
JOIN tools.daily AS d ON d.logger_key = wanted.logger_key AND d.day BETWEEN wanted.first AND wanted.last
WHERE NOT d.midnight_only
ORDER BY d.logger_key, d.day
LIMIT 4000000;
