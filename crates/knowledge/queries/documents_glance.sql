-- A tenant's newest documents: what each calls itself, and the heading of one of its parts.
SELECT coalesce(nullif(d.metadata ->> 'title', ''), d.filename) AS "title!",
       (
           SELECT c.headings[array_upper(c.headings, 1)]
           FROM tools.knowledge_chunks c
           WHERE c.document_id = d.document_id
             AND c.tenant = d.tenant
             AND array_length(c.headings, 1) > 1
           ORDER BY c.chunk_index DESC
           LIMIT 1
       ) AS topic
FROM tools.knowledge_documents d
JOIN tools.knowledge_collections k USING (collection_key, tenant)
WHERE d.tenant = $1
  AND ($3::text[] IS NULL OR k.readers && $3)
ORDER BY d.updated_at DESC, d.filename
LIMIT $2;
