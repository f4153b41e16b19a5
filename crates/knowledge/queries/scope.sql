-- What does a search look at: which documents, how many chunks, and at which version of the tenant's?
SELECT t.version, CASE WHEN $4 THEN coalesce(d.chunks, 0) ELSE t.chunks END AS "chunks!",
       coalesce(d.documents, '{}') AS "documents!"
FROM tools.knowledge_tenants t
LEFT JOIN LATERAL (
    SELECT sum(d.chunks)::bigint AS chunks, array_agg(d.document_id) AS documents
    FROM tools.knowledge_documents d
    JOIN tools.knowledge_collections c USING (collection_key, tenant)
    WHERE $4
      AND d.tenant = $1
      AND (cardinality($2::text[]) = 0 OR c.name = ANY($2))
      AND (cardinality($3::text[]) = 0 OR d.filename = ANY($3))
) d ON true
WHERE t.tenant = $1
