-- The vectors of some chunks of a tenant.
SELECT c.chunk_id, c.document_id, e.embedding
FROM tools.knowledge_chunks c
JOIN tools.knowledge_embeddings e ON e.model_key = $1 AND e.tenant = c.tenant AND e.content_hash = c.content_hash
WHERE c.tenant = $2
  AND c.chunk_id = ANY($3)
ORDER BY c.chunk_id
