-- Which words of the index does a question have, and in how many of the tenant's chunks is each?
SELECT w.term, coalesce(t.chunks, 0) AS chunks
FROM unnest(tsvector_to_array(to_tsvector($1::text::regconfig, $2))) AS w (term)
LEFT JOIN tools.knowledge_terms t ON t.tenant = $3 AND t.term = w.term
ORDER BY w.term
