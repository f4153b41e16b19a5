-- How many bytes have a tenant's documents, and the files of its imports that are kept?
SELECT (
    SELECT coalesce(sum(d.bytes), 0)
    FROM tools.knowledge_documents d
    WHERE d.tenant = $1
)::bigint + (
    SELECT coalesce(sum(i.size_bytes), 0)
    FROM tools.imports i
    WHERE i.tenant = $1
      AND EXISTS (SELECT FROM tools.import_chunks c WHERE c.import_id = i.import_id)
)::bigint AS "bytes!"
