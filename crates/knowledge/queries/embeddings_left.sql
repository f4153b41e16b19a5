-- How many chunks of a tenant, or of one document, have no vector of a model?
SELECT count(*) AS "left!"
FROM tools.knowledge_chunks c
WHERE c.tenant = $2
  AND ($3::uuid IS NULL OR c.document_id = $3)
  AND NOT EXISTS (
      SELECT FROM tools.knowledge_embeddings e
      WHERE e.model_key = $1 AND e.tenant = c.tenant AND e.content_hash = c.content_hash
  )
