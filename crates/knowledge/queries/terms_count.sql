-- Counts the words of some chunks up or down.
INSERT INTO tools.knowledge_terms AS t (tenant, term, chunks)
SELECT $1, term, count(*)::integer * $3
FROM tools.knowledge_chunks c, unnest(tsvector_to_array(c.terms)) AS term
WHERE c.chunk_id = ANY($2)
  AND c.tenant = $1
  AND NOT starts_with(term, 'tenant:')
GROUP BY term
ORDER BY term
ON CONFLICT (tenant, term) DO UPDATE
SET chunks = t.chunks + EXCLUDED.chunks
