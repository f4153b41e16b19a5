-- Which chunks have the rare ones among these words, ordered by how often and where they have all of them, each word counting by its weight?
WITH candidates AS MATERIALIZED (
    SELECT c.chunk_id, c.terms
    FROM tools.knowledge_chunks c
    WHERE c.tenant = $1
      AND c.terms @@ $2::text::tsquery
      AND ($3::uuid[] IS NULL OR c.document_id = ANY($3))
    LIMIT $7
)
SELECT c.chunk_id, s.covered AS "covered!"
FROM candidates c
CROSS JOIN LATERAL (
    -- A copy, so that a long value is fetched once and not for every word.
    SELECT c.terms || ''::tsvector AS terms OFFSET 0
) flat
CROSS JOIN LATERAL (
    SELECT sum(w.weight * ts_rank('{0.67, 0.33, 0.67, 1}', flat.terms, w.term::tsquery, 1)) AS score,
           coalesce(sum(w.weight) FILTER (WHERE flat.terms @@ w.term::tsquery), 0) AS covered
    FROM unnest($4::text[], $5::real[]) AS w (term, weight)
) s
ORDER BY s.score DESC, c.chunk_id
LIMIT $6
