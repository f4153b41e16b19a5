-- How large are the inverters of the sites of these loggers, by what is stated, or by their best days among those that are not judged?
-- Each site is judged on its own days, from $2 to $3. A year on either side says enough, and the days before count most.
SELECT peer.logger_key, peer.site_key, peer.role || ' ' || peer.logger_type AS "kind!", peer.capacity_kw,
       best.ratio_before AS "ratio_before?", best.ratio_days_before AS "ratio_days_before?", best.ratio_around AS "ratio_around?", best.ratio_days_around AS "ratio_days_around?",
       best.peak_before AS "peak_before?", best.peak_days_before AS "peak_days_before?", best.peak_around AS "peak_around?", best.peak_days_around AS "peak_days_around?"
FROM (SELECT l.site_key, min(asked.first) AS first, max(asked.last) AS last
      FROM unnest($1::integer[], $2::date[], $3::date[]) AS asked (logger_key, first, last)
      JOIN tools.loggers AS l ON l.logger_key = asked.logger_key
      GROUP BY l.site_key) AS judged
JOIN tools.loggers AS peer ON peer.site_key = judged.site_key AND (peer.role = 'inverter' OR peer.logger_key = ANY ($1))
LEFT JOIN LATERAL (
    SELECT percentile_cont(0.8) WITHIN GROUP (ORDER BY d.ratio) FILTER (WHERE d.day < judged.first) AS ratio_before,
           count(d.ratio) FILTER (WHERE d.day < judged.first) AS ratio_days_before,
           percentile_cont(0.8) WITHIN GROUP (ORDER BY d.ratio) AS ratio_around,
           count(d.ratio) AS ratio_days_around,
           percentile_cont(0.8) WITHIN GROUP (ORDER BY d.peak_w) FILTER (WHERE d.day < judged.first) AS peak_before,
           count(d.peak_w) FILTER (WHERE d.day < judged.first) AS peak_days_before,
           percentile_cont(0.8) WITHIN GROUP (ORDER BY d.peak_w) AS peak_around,
           count(d.peak_w) AS peak_days_around
    FROM (SELECT figures.day, figures.peak_w,
                 CASE WHEN figures.bright > 0 AND NOT figures.irradiance_suspect
                      THEN figures.bright_kwh / nullif(figures.bright_insolation, 0) END AS ratio
          FROM tools.daily AS figures
          WHERE figures.logger_key = peer.logger_key
            AND figures.day BETWEEN judged.first - 366 AND judged.last + 366
            AND figures.day NOT BETWEEN judged.first AND judged.last
            AND NOT figures.midnight_only
          LIMIT 1100) AS d
    -- Here and not in the condition of the join, so that no days are read of a logger whose size is stated.
    HAVING peer.capacity_kw IS NULL
) AS best ON true
ORDER BY peer.logger_key
LIMIT 10000;
