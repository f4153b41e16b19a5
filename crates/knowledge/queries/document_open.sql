-- Is a document of a tenant in a collection that is open to a reader?
SELECT d.document_id
FROM tools.knowledge_documents d
JOIN tools.knowledge_collections c USING (collection_key, tenant)
WHERE d.tenant = $1
  AND d.document_id = $2
  AND ($3::text[] IS NULL OR c.readers && $3)
