-- The tables of the services that take most space, with their indexes.
SELECT n.nspname || '.' || c.relname AS "name!", pg_total_relation_size(c.oid) AS "bytes!"
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND n.nspname IN ('orchestrator', 'tools', 'bff')
ORDER BY pg_total_relation_size(c.oid) DESC, 1
LIMIT 6
