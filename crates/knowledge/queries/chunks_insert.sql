-- Writes chunks with their words: those of the headings with weight A, those of the document's name with weight C.
INSERT INTO tools.knowledge_chunks (document_id, tenant, chunk_index, headings, content, page, content_hash, terms)
SELECT $1, $2, chunk.chunk_index, chunk.headings, chunk.content, chunk.page, decode(chunk.hash, 'hex'),
       setweight(to_tsvector($3::text::regconfig, chunk.above), 'A')
           || setweight(to_tsvector($3::text::regconfig, $4), 'C')
           || to_tsvector($3::text::regconfig, chunk.words)
           || array_to_tsvector(ARRAY['tenant:' || $2])
FROM jsonb_to_recordset($5::jsonb)
    AS chunk (chunk_index integer, headings text[], content text, page integer, hash text, above text, words text)
ORDER BY chunk.chunk_index
RETURNING chunk_id
