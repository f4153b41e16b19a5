-- What did several loggers' local days come to, each from its own first to its own last day?
SELECT d.day, d.records, d.day_hours, d.valid, d.null_power, d.dropped, d.completeness, d.power_kwh,
       d.daily_register_kwh, d.lifetime_register_kwh, d.register_suspect, d.unallocated_kwh, d.hole_hours, d.bridged,
       d.peak_w, d.peak_at, d.night_import_kwh, d.producing, d.producing_mean_w, d.centroid_hour, d.clipped, d.stale,
       d.closing_power_at, d.closing_power_w, d.closing_daily_kwh, d.closing_lifetime_day, d.closing_lifetime_kwh, d.closing_lifetime_ahead_kwh,
       d.sun_records, d.daylight, d.insolation_kwh_m2, d.pairs, d.pairs_kwh, d.pairs_insolation,
       d.corrected, d.corrected_kwh, d.corrected_insolation, d.bright, d.bright_kwh, d.bright_insolation,
       d.sunny, d.sunny_valid, d.peak_irradiance, d.irradiance_suspect,
       d.logger_key
FROM unnest($1::integer[], $2::date[], $3::date[]) AS wanted (logger_key, first, last)
JOIN tools.daily AS d ON d.logger_key = wanted.logger_key AND d.day BETWEEN wanted.first AND wanted.last
WHERE NOT d.midnight_only
ORDER BY d.logger_key, d.day
LIMIT 1000000;
