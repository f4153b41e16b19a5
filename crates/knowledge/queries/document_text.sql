-- The chunks of a document in order, with the document's name.
SELECT d.filename, ch.chunk_index, ch.headings, ch.content, ch.page
FROM tools.knowledge_chunks ch
JOIN tools.knowledge_documents d USING (document_id, tenant)
WHERE ch.tenant = $1
  AND ch.document_id = $2
ORDER BY ch.chunk_index
