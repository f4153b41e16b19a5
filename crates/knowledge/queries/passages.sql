-- What some chunks of a tenant say, and where they are from.
SELECT ch.chunk_id, ch.chunk_index, ch.headings, ch.content, ch.page, d.document_id, d.filename, c.name AS collection
FROM tools.knowledge_chunks ch
JOIN tools.knowledge_documents d USING (document_id, tenant)
JOIN tools.knowledge_collections c USING (collection_key, tenant)
WHERE ch.tenant = $1
  AND ch.chunk_id = ANY($2)
