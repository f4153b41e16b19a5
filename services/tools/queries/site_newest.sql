-- When did these sites of the tenant last send anything? By the newest reading of any of their loggers.
SELECT s.site_id, max(l.last_at) AS "newest!"
FROM tools.sites AS s
JOIN tools.loggers AS l ON l.site_key = s.site_key
WHERE s.tenant = $1
  AND s.site_id = ANY ($2)
GROUP BY s.site_id
HAVING max(l.last_at) IS NOT NULL
ORDER BY s.site_id
LIMIT 10000;
