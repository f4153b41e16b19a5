-- A tenant's documents, with how many of their chunks have no vector of a model.
SELECT d.document_id, c.name AS collection, d.filename, d.media_type, d.bytes, encode(d.content_hash, 'hex') AS "content_hash!",
       d.chunks, d.updated_at, d.chunks::bigint - coalesce(v.vectors, 0) AS "without_vector!"
FROM tools.knowledge_documents d
JOIN tools.knowledge_collections c USING (collection_key, tenant)
LEFT JOIN (
    SELECT chunk.document_id, count(*) AS vectors
    FROM tools.knowledge_chunks chunk
    JOIN tools.knowledge_embeddings e
        ON e.model_key = $3 AND e.tenant = chunk.tenant AND e.content_hash = chunk.content_hash
    WHERE chunk.tenant = $1
    GROUP BY chunk.document_id
) v USING (document_id)
WHERE d.tenant = $1
  AND ($2::text IS NULL OR c.name = $2)
  AND ($4::text[] IS NULL OR c.readers && $4)
ORDER BY c.name, d.filename
