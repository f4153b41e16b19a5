-- What does a search look at: which documents, how many chunks, and at which version of the tenant's? A reader to whom a collection is
-- closed searches the documents of the others.
SELECT t.version, f.filtered AS "filtered!", CASE WHEN f.filtered THEN coalesce(d.chunks, 0) ELSE t.chunks END AS "chunks!",
       coalesce(d.documents, '{}') AS "documents!"
FROM tools.knowledge_tenants t
CROSS JOIN LATERAL (
    SELECT $4 OR ($5::text[] IS NOT NULL AND EXISTS (
        SELECT FROM tools.knowledge_collections c
        WHERE c.tenant = $1
          AND NOT c.readers && $5
    )) AS filtered
) f
LEFT JOIN LATERAL (
    SELECT sum(d.chunks)::bigint AS chunks, array_agg(d.document_id) AS documents
    FROM tools.knowledge_documents d
    JOIN tools.knowledge_collections c USING (collection_key, tenant)
    WHERE f.filtered
      AND d.tenant = $1
      AND (cardinality($2::text[]) = 0 OR c.name = ANY($2))
      AND (cardinality($3::text[]) = 0 OR d.filename = ANY($3))
      AND ($5::text[] IS NULL OR c.readers && $5)
) d ON true
WHERE t.tenant = $1
