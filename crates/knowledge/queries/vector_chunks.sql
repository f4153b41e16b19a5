-- Which chunks of a tenant have a vector of a model?
SELECT c.chunk_id
FROM tools.knowledge_chunks c
JOIN tools.knowledge_embeddings e ON e.model_key = $1 AND e.tenant = c.tenant AND e.content_hash = c.content_hash
WHERE c.tenant = $2
ORDER BY c.chunk_id
