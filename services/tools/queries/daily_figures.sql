-- What did a logger's local days from $2 to $3, both included, come to?
SELECT d.logger_key, d.day, d.records, d.day_hours, d.valid, d.null_power, d.dropped, d.completeness, d.power_kwh,
       d.daily_register_kwh, d.lifetime_register_kwh, d.register_suspect, d.unallocated_kwh, d.hole_hours, d.bridged,
       d.peak_w, d.peak_at, d.night_import_kwh, d.producing, d.producing_mean_w, d.centroid_hour, d.clipped, d.stale,
       d.closing_power_at, d.closing_power_w, d.closing_daily_kwh, d.closing_lifetime_day, d.closing_lifetime_kwh, d.closing_lifetime_ahead_kwh,
       d.sun_records, d.daylight, d.insolation_kwh_m2, d.pairs, d.pairs_kwh, d.pairs_insolation,
       d.corrected, d.corrected_kwh, d.corrected_insolation, d.bright, d.bright_kwh, d.bright_insolation,
       d.sunny, d.sunny_valid, d.peak_irradiance, d.irradiance_suspect
FROM tools.daily AS d
WHERE d.logger_key = $1
  AND d.day BETWEEN $2 AND $3
  AND NOT d.midnight_only
ORDER BY d.day
LIMIT 100000;
