-- Which document has this name, and how was it read?
SELECT d.document_id, d.recipe
FROM tools.knowledge_documents d
JOIN tools.knowledge_collections c USING (collection_key, tenant)
WHERE d.tenant = $1
  AND c.name = $2
  AND d.filename = $3
