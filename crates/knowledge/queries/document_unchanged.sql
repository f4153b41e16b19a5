-- Is the document of this name there with this content, read the same way?
SELECT d.document_id
FROM tools.knowledge_documents d
JOIN tools.knowledge_collections c USING (collection_key, tenant)
WHERE d.tenant = $1
  AND c.name = $2
  AND d.filename = $3
  AND d.content_hash = $4
  AND d.recipe = $5
