-- How many runs of a person, and of all persons of the tenant, are active or wait?
SELECT count(*) FILTER (WHERE r.owner = $2) AS "person!", count(*) AS "tenant!"
FROM orchestrator.runs r
WHERE r.tenant = $1
  AND r.status IN ('running', 'queued')
