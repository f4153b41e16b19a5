-- Writes a document, or what has changed about it.
INSERT INTO tools.knowledge_documents (document_id, tenant, collection_key, filename, media_type, bytes, content_hash, recipe, chunks, metadata)
SELECT $1, $2, c.collection_key, $4, $5, $6, $7, $8, $9, $10
FROM tools.knowledge_collections c
WHERE c.tenant = $2
  AND c.name = $3
ON CONFLICT (collection_key, filename) DO UPDATE
SET media_type = EXCLUDED.media_type,
    bytes = EXCLUDED.bytes,
    content_hash = EXCLUDED.content_hash,
    recipe = EXCLUDED.recipe,
    chunks = EXCLUDED.chunks,
    metadata = EXCLUDED.metadata,
    updated_at = now()
