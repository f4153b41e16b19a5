-- How many chunks has a document, and how many of them no vector of a model?
SELECT count(*) AS "chunks!", count(*) FILTER (WHERE e.content_hash IS NULL) AS "without_vector!"
FROM tools.knowledge_chunks c
LEFT JOIN tools.knowledge_embeddings e ON e.model_key = $3 AND e.tenant = c.tenant AND e.content_hash = c.content_hash
WHERE c.tenant = $1
  AND c.document_id = $2
