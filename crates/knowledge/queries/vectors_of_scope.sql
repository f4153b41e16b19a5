-- The vectors of a tenant's chunks, of some documents or all.
SELECT c.chunk_id, e.embedding
FROM tools.knowledge_chunks c
JOIN tools.knowledge_embeddings e ON e.model_key = $1 AND e.tenant = c.tenant AND e.content_hash = c.content_hash
WHERE c.tenant = $2
  AND ($3::uuid[] IS NULL OR c.document_id = ANY($3))
