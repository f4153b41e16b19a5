-- All passages of a tenant.
SELECT d.filename, c.chunk_index, c.content
FROM tools.knowledge_chunks c
JOIN tools.knowledge_documents d USING (document_id)
WHERE c.tenant = $1
ORDER BY d.filename, c.chunk_index
