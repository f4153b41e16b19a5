-- The collections of a tenant with their sizes, and whether each is open to a reader.
SELECT c.collection_id, c.name, c.readers, c.created_at, coalesce(d.documents, 0) AS "documents!", coalesce(d.bytes, 0) AS "bytes!",
       coalesce($2::text[] IS NULL OR c.readers && $2, false) AS "readable!"
FROM tools.knowledge_collections c
LEFT JOIN LATERAL (
    SELECT count(*) AS documents, sum(d.bytes)::bigint AS bytes
    FROM tools.knowledge_documents d
    WHERE d.tenant = c.tenant
      AND d.collection_key = c.collection_key
) d ON true
WHERE c.tenant = $1
ORDER BY c.name
