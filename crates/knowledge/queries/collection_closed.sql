-- Is the collection of this name there, and closed to a reader?
SELECT count(*) AS "closed!"
FROM tools.knowledge_collections c
WHERE c.tenant = $1
  AND c.name = $2
  AND NOT c.readers && $3::text[]
