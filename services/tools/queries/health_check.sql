-- Does the database answer, and is the schema there?
SELECT s.site_key
FROM tools.sites AS s
ORDER BY s.site_key
LIMIT 1;
